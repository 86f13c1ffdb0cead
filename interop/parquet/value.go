package parquet

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/bloomlane/bloomlane/kernel"
	"github.com/bloomlane/bloomlane/kernel/parquet"
)

// valueType is the type of the values of a column, and their form as text.
type valueType int

const (
	other valueType = iota // a type that is not read
	int32Values
	uint32Values
	int64Values
	uint64Values
	halfValues
	floatValues
	doubleValues
	byteValues  // byte arrays and strings: the text is their bytes
	fixedValues // byte arrays of one length
	uuidValues
	dateValues
	timeValues // of a day
	timestampValues
	decimalValues
)

var typeNames = [...]string{"other", "int32", "uint32", "int64", "uint64", "float16", "float",
	"double", "byte array", "byte array of a fixed length", "UUID", "date", "time", "timestamp",
	"decimal"}

func (t valueType) String() string { return typeNames[t] }

// The numbers in parquet.thrift of the physical types, the logical types, and their older forms
// that are used here.
const (
	physicalInt32  = 1
	physicalInt64  = 2
	physicalFloat  = 4
	physicalDouble = 5
	physicalBytes  = 6
	physicalFixed  = 7

	logicalString    = 1
	logicalEnum      = 4
	logicalDecimal   = 5
	logicalDate      = 6
	logicalTime      = 7
	logicalTimestamp = 8
	logicalInteger   = 10
	logicalJSON      = 12
	logicalBSON      = 13
	logicalUUID      = 14
	logicalFloat16   = 15
	logicalGeometry  = 17
	logicalGeography = 18

	convertedUTF8    = 0
	convertedEnum    = 4
	convertedDecimal = 5
	convertedDate    = 6
	convertedMillis  = 7 // time
	convertedMicros  = 8
	convertedAtMilli = 9 // timestamp
	convertedAtMicro = 10
	convertedUint    = 11 // of 8 bits; 12 to 14 are the wider ones
	convertedInt     = 15 // of 8 bits; 16 to 18 are the wider ones
	convertedJSON    = 19
	convertedBSON    = 20
	convertedNone    = -1
	uuidBytes        = 16
	halfBytes        = 2
	uuidTextDigits   = 32
)

// convertedClocks has the clocks of the older forms of times and timestamps.
var convertedClocks = map[int64]clock{
	convertedMillis: {3, true}, convertedMicros: {6, true},
	convertedAtMilli: {3, true}, convertedAtMicro: {6, true},
}

// is reports whether an element has a logical type, or none and one of its older forms.
func (e *element) is(logical int16, converted ...int64) bool {
	if e.logical != 0 {
		return e.logical == logical
	}
	return slices.Contains(converted, e.converted)
}

// typeOf returns the type of a column. It is other if there is no text for its values.
func typeOf(e element) valueType {
	plain := e.is(0, convertedNone)
	unsigned := e.is(0, convertedUint, convertedUint+1, convertedUint+2, convertedUint+3) ||
		e.logical == logicalInteger && e.unsigned
	integer := plain || unsigned || e.is(logicalInteger, convertedInt, convertedInt+1,
		convertedInt+2, convertedInt+3)
	text := plain || e.is(logicalString, convertedUTF8) || e.is(logicalEnum, convertedEnum) ||
		e.is(logicalJSON, convertedJSON) || e.is(logicalBSON, convertedBSON)
	decimal := e.is(logicalDecimal, convertedDecimal) && e.precision > 0 &&
		e.precision <= maxDecimalDigits && e.scale >= 0 && e.scale <= e.precision
	digits := e.clock.digits
	switch e.physical {
	case physicalInt32:
		switch {
		case unsigned:
			return uint32Values
		case integer:
			return int32Values
		case e.is(logicalDate, convertedDate):
			return dateValues
		case e.is(logicalTime, convertedMillis) && digits == 3:
			return timeValues
		case decimal:
			return decimalValues
		}
	case physicalInt64:
		switch {
		case unsigned:
			return uint64Values
		case integer:
			return int64Values
		case e.is(logicalTime, convertedMicros) && digits > 3:
			return timeValues
		case e.is(logicalTimestamp, convertedAtMilli, convertedAtMicro) && digits > 0:
			return timestampValues
		case decimal:
			return decimalValues
		}
	case physicalFloat:
		if plain {
			return floatValues
		}
	case physicalDouble:
		if plain {
			return doubleValues
		}
	case physicalBytes:
		switch {
		case text:
			return byteValues
		case decimal:
			return decimalValues
		}
	case physicalFixed:
		switch {
		case plain:
			return fixedValues
		case e.logical == logicalUUID && e.length == uuidBytes:
			return uuidValues
		case e.logical == logicalFloat16 && e.length == halfBytes:
			return halfValues
		case decimal && e.length > 0 && e.length <= maxDecimalBytes:
			return decimalValues
		}
	}
	return other
}

// Value is a value of a column, for queries of its filters. [Column.Value] returns one.
type Value struct {
	hashes []uint64
	any    bool // it has more bit patterns than can be asked for
}

// In reports whether a row group with the filter t may have the value. If it is false, the row
// group does not have the value. It is true if t is nil, which stands for a row group without a
// filter.
//
// 0.0 and -0.0 are one value, as in SQL, so In queries both. NaN has many bit patterns, of which a
// writer may use any, so In is true for NaN.
func (v Value) In(t kernel.SplitBlockTable) bool {
	if v.any || t == nil {
		return true
	}
	for _, h := range v.hashes {
		if t.Query(h) {
			return true
		}
	}
	return false
}

// Value returns the value that a text stands for in this column: a decimal number, a date or a time
// as RFC 3339 has them, a UUID, or the bytes of a byte array. The error wraps [ErrValue] if the
// column cannot have such a value, or [ErrType].
func (c *Column) Value(text string) (v Value, err error) {
	wrong := func(found, expected string) error {
		return fmt.Errorf("%w: %s: found %s, expected %s", ErrValue, shown(c.Name()), found,
			expected)
	}
	one := func(h uint64) Value { return Value{hashes: []uint64{h}} }
	switch c.valueType {
	case int32Values:
		var n int64
		n, err = strconv.ParseInt(text, 10, 32)
		v = one(parquet.Hash(int32(n)))
	case uint32Values:
		var n uint64
		n, err = strconv.ParseUint(text, 10, 32)
		v = one(parquet.Hash(uint32(n)))
	case int64Values:
		var n int64
		n, err = strconv.ParseInt(text, 10, 64)
		v = one(parquet.Hash(n))
	case uint64Values:
		var n uint64
		n, err = strconv.ParseUint(text, 10, 64)
		v = one(parquet.Hash(n))
	case halfValues:
		var h half
		h, err = parseHalf(text)
		v = h.value()
	case floatValues:
		var x float64
		x, err = strconv.ParseFloat(text, 32)
		v = valueOf(float32(x))
	case doubleValues:
		var x float64
		x, err = strconv.ParseFloat(text, 64)
		v = valueOf(x)
	case byteValues:
		v = one(parquet.HashBytes(text))
	case fixedValues:
		if int64(len(text)) != c.leaf.length {
			return Value{}, wrong(fmt.Sprint(len(text), " bytes"), fmt.Sprint(c.leaf.length))
		}
		v = one(parquet.HashBytes(text))
	case uuidValues:
		b, failed := parseUUID(text)
		if failed != nil {
			return Value{}, wrong(strconv.Quote(text), "a UUID")
		}
		v = one(parquet.HashBytes(b))
	case dateValues:
		var days int32
		days, err = parseDate(text)
		v = one(parquet.Hash(days))
	case timeValues:
		var n int64
		n, err = c.leaf.clock.parseTime(text)
		v = one(c.hash(n))
	case timestampValues:
		var n int64
		n, err = c.leaf.clock.parse(text)
		v = one(c.hash(n))
	case decimalValues:
		v, err = c.decimal(text)
	default:
		return Value{}, c.typeError()
	}
	if err != nil {
		found := strconv.Quote(text)
		if errors.Is(err, strconv.ErrRange) {
			found += ", which is out of range"
		}
		return Value{}, wrong(found, c.expected())
	}
	return v, nil
}

var (
	physicalNames = []string{"BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY",
		"FIXED_LEN_BYTE_ARRAY"}
	logicalNames = []string{"", "STRING", "MAP", "LIST", "ENUM", "DECIMAL", "DATE", "TIME",
		"TIMESTAMP", "", "INTEGER", "UNKNOWN", "JSON", "BSON", "UUID", "FLOAT16", "VARIANT",
		"GEOMETRY", "GEOGRAPHY"}
	convertedNames = []string{"UTF8", "MAP", "MAP_KEY_VALUE", "LIST", "ENUM", "DECIMAL", "DATE",
		"TIME_MILLIS", "TIME_MICROS", "TIMESTAMP_MILLIS", "TIMESTAMP_MICROS", "UINT_8",
		"UINT_16", "UINT_32", "UINT_64", "INT_8", "INT_16", "INT_32", "INT_64", "JSON",
		"BSON", "INTERVAL"}
)

func (c *Column) typeError() error {
	const text = "%w: %s is %s, expected numbers, dates, times, byte arrays, strings or UUIDs"
	return fmt.Errorf(text, ErrType, shown(c.Name()), c.leaf.typeName())
}

// typeName returns the name of a column's type in the format.
func (e element) typeName() string {
	name := func(names []string, i int64) string {
		if i >= 0 && i < int64(len(names)) && names[i] != "" {
			return names[i]
		}
		return fmt.Sprint("type ", i)
	}
	physical := name(physicalNames, e.physical)
	switch {
	case e.logical != 0:
		return physical + " (" + name(logicalNames, int64(e.logical)) + ")"
	case e.converted != convertedNone:
		return physical + " (" + name(convertedNames, e.converted) + ")"
	}
	return physical
}

// valueOf returns the value of a number. A zero has two hashes.
func valueOf[F float32 | float64](x F) Value {
	switch {
	case x != x:
		return Value{any: true}
	case x == 0:
		return Value{hashes: []uint64{parquet.Hash(F(0)), parquet.Hash(F(math.Copysign(0, -1)))}}
	}
	return Value{hashes: []uint64{parquet.Hash(x)}}
}

// parseUUID parses the 32 hex digits of a UUID, with or without dashes.
func parseUUID(text string) ([]byte, error) {
	digits := text
	if len(text) == uuidTextDigits+4 && text[8] == '-' && text[13] == '-' && text[18] == '-' &&
		text[23] == '-' {
		digits = strings.ReplaceAll(text, "-", "")
	}
	if len(digits) != uuidTextDigits {
		return nil, hex.ErrLength
	}
	return hex.DecodeString(digits)
}

func appendUUID(b, uuid []byte) []byte {
	for i, part := range [][]byte{uuid[:4], uuid[4:6], uuid[6:8], uuid[8:10], uuid[10:]} {
		if i > 0 {
			b = append(b, '-')
		}
		b = hex.AppendEncode(b, part)
	}
	return b
}
