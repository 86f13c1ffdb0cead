package parquet

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/bloomlane/bloomlane/filter/parquet"
	"github.com/bloomlane/bloomlane/kernel"
)

// valueType is the type of the values of a column, and their form as text.
type valueType int

const (
	other valueType = iota // a type that is not read: its text would have to be one of several
	int32Values
	uint32Values
	int64Values
	uint64Values
	floatValues
	doubleValues
	byteValues  // byte arrays and strings: the text is their bytes
	fixedValues // byte arrays of one length
	uuidValues
)

var typeNames = [...]string{"other", "int32", "uint32", "int64", "uint64", "float",
	"double", "byte array", "byte array of a fixed length", "UUID"}

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

	logicalString  = 1
	logicalEnum    = 4
	logicalInteger = 10
	logicalJSON    = 12
	logicalBSON    = 13
	logicalUUID    = 14

	convertedUTF8  = 0
	convertedEnum  = 4
	convertedUint  = 11 // of 8 bits; 12 to 14 are the wider ones
	convertedInt   = 15 // of 8 bits; 16 to 18 are the wider ones
	convertedJSON  = 19
	convertedBSON  = 20
	convertedNone  = -1
	uuidBytes      = 16
	uuidTextDigits = 32
)

// typeOf returns the type of a column. It is other if a text could mean two values, such as for
// dates and decimals.
func typeOf(e element) valueType {
	var plain, integer, unsigned, text bool
	if e.logical != 0 {
		integer, unsigned = e.logical == logicalInteger, e.unsigned
		text = slices.Contains([]int16{logicalString, logicalEnum, logicalJSON, logicalBSON},
			e.logical)
	} else {
		c := e.converted
		plain = c == convertedNone
		integer, unsigned = c >= convertedUint && c < convertedInt+4, c < convertedInt
		text = slices.Contains([]int64{convertedUTF8, convertedEnum, convertedJSON, convertedBSON},
			c)
	}
	switch {
	case e.physical == physicalInt32 && integer && unsigned:
		return uint32Values
	case e.physical == physicalInt32 && (integer || plain):
		return int32Values
	case e.physical == physicalInt64 && integer && unsigned:
		return uint64Values
	case e.physical == physicalInt64 && (integer || plain):
		return int64Values
	case e.physical == physicalFloat && plain:
		return floatValues
	case e.physical == physicalDouble && plain:
		return doubleValues
	case e.physical == physicalBytes && (text || plain):
		return byteValues
	case e.physical == physicalFixed && plain:
		return fixedValues
	case e.physical == physicalFixed && e.logical == logicalUUID && e.length == uuidBytes:
		return uuidValues
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

// Value returns the value that a text stands for in this column: a decimal number, a UUID, or the
// bytes of a byte array. The error wraps [ErrValue] if the column cannot have such a value, or
// [ErrType].
func (c *Column) Value(text string) (v Value, err error) {
	wrong := func(found, expected string) error {
		return fmt.Errorf("%w: %s: found %s, expected %s", ErrValue, shown(c.Name()), found,
			expected)
	}
	one := func(h uint64) Value { return Value{hashes: []uint64{h}} }
	switch c.of {
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
	default:
		return Value{}, c.typeError()
	}
	if err != nil {
		found := strconv.Quote(text)
		if errors.Is(err, strconv.ErrRange) {
			found += ", which is out of range"
		}
		return Value{}, wrong(found, "a value of type "+c.of.String())
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
	const text = "%w: %s is %s, expected integers, floating-point numbers, byte arrays, strings " +
		"or UUIDs"
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
