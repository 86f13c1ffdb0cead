package parquet

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	pages "github.com/parquet-go/parquet-go"

	"github.com/bloomlane/bloomlane/filter/parquet"
	"github.com/bloomlane/bloomlane/kernel"
)

// all is a row with a column of each type, also of types without values.
type all struct {
	Int32   int32    `parquet:"int32"`
	Int8    int8     `parquet:"int8"`
	Uint32  uint32   `parquet:"uint32"`
	Int64   int64    `parquet:"int64"`
	Uint64  uint64   `parquet:"uint64"`
	Float   float32  `parquet:"float"`
	Double  float64  `parquet:"double"`
	Bytes   []byte   `parquet:"bytes"`
	Text    string   `parquet:"text"`
	Enum    string   `parquet:"enum,enum"`
	Fixed   [3]byte  `parquet:"fixed"`
	UUID    [16]byte `parquet:"uuid,uuid"`
	Date    int32    `parquet:"date,date"`
	Decimal int64    `parquet:"decimal,decimal(2:18)"`
	Flag    bool     `parquet:"flag"`
	At      int64    `parquet:"at,timestamp"`
}

func fileOf(t *testing.T, rows ...all) *File {
	t.Helper()
	var b bytes.Buffer
	w := pages.NewGenericWriter[all](&b)
	_, err := w.Write(rows)
	check(t, err)
	check(t, w.Close())
	return opened(t, b.Bytes())
}

// The key of a value, of any type, is parsed as a value with the hash of its plain encoding. Texts
// that are no value of the type are errors.
func TestValues(t *testing.T) {
	r := all{-7, -8, math.MaxUint32, math.MinInt64, math.MaxUint64, 0.1, 1e300,
		[]byte{0, 255, '\n'}, "größe", "RED", [3]byte{1, 2, 3},
		[16]byte{0x55, 0x0e, 0x84, 0, 0xe2, 0x9b, 0x41, 0xd4, 0xa7, 0x16, 0x44, 0x66, 0x55, 0x44, 0,
			0}, 1, 2, true, 3}
	f := fileOf(t, r)
	for _, test := range []struct {
		column, key string
		hash        uint64
		refused     []string
	}{
		{"int32", "-7", parquet.Hash(r.Int32), []string{"", "x", "1.0", " 1", "0x1", "2147483648",
			"-2147483649"}},
		{"int8", "-8", parquet.Hash(int32(r.Int8)), []string{"2147483648"}},
		{"uint32", "4294967295", parquet.Hash(r.Uint32), []string{"-1", "4294967296"}},
		{"int64", "-9223372036854775808", parquet.Hash(r.Int64),
			[]string{"9223372036854775808", "1e3"}},
		{"uint64", "18446744073709551615", parquet.Hash(r.Uint64),
			[]string{"-1", "18446744073709551616"}},
		{"float", "0.1", parquet.Hash(r.Float), []string{"1e39", "zero", ""}},
		{"double", "1e+300", parquet.Hash(r.Double), []string{"1e309", "1,5"}},
		{"bytes", "\x00\xff\n", parquet.HashBytes(r.Bytes), nil},
		{"text", "größe", parquet.HashBytes(r.Text), nil},
		{"enum", "RED", parquet.HashBytes(r.Enum), nil},
		{"fixed", "\x01\x02\x03", parquet.HashBytes(r.Fixed[:]), []string{"", "ab", "abcd"}},
		{"uuid", "550e8400-e29b-41d4-a716-446655440000", parquet.HashBytes(r.UUID[:]),
			[]string{"", "550e8400", "550e8400-e29b-41d4-a716-44665544000g",
				"550e8400e-29b-41d4-a716-446655440000"}},
	} {
		c := columnOf(t, f, test.column)
		var keys []string
		check(t, c.Keys(0, func(key []byte) { keys = append(keys, string(key)) }))
		if !slices.Equal(keys, []string{test.key}) {
			t.Errorf("%s: keys %q, want %q", test.column, keys, test.key)
		}
		v, err := c.Value(test.key)
		if err != nil || !slices.Equal(v.hashes, []uint64{test.hash}) || v.any {
			t.Errorf("%s: %v (%v), want the hash %#x", test.column, v, err, test.hash)
		}
		filter, err := c.NewFilter(0, 256)
		if !errors.Is(err, ErrReader) {
			check(t, err)
		}
		if !v.In(filter) || filter.Count() != 8 || v.In(kernel.NewSplitBlockTable(1)) {
			t.Errorf("%s: in a filter of it %v, of %d bits; in an empty one %v",
				test.column, v.In(filter), filter.Count(), v.In(kernel.NewSplitBlockTable(1)))
		}
		for _, text := range test.refused {
			if _, err := c.Value(text); !errors.Is(err, ErrValue) ||
				!strings.Contains(err.Error(), test.column) {
				t.Errorf("%s %q: %v, want it refused", test.column, text, err)
			}
		}
	}
	if v, err := columnOf(t, f, "uuid").Value("550E8400E29B41D4A716446655440000"); err != nil ||
		v.hashes[0] != parquet.HashBytes(r.UUID[:]) {
		t.Errorf("a UUID without dashes: %v (%v)", v, err)
	}
	for name, says := range map[string]string{
		"date": "INT32 (DATE)", "decimal": "INT64 (DECIMAL)", "flag": "BOOLEAN",
		"at": "INT64 (TIMESTAMP)",
	} {
		c := columnOf(t, f, name)
		_, err := c.Value("1")
		for _, err := range []error{err, c.Keys(0, func([]byte) {})} {
			if !errors.Is(err, ErrType) || !strings.Contains(err.Error(), name+" is "+says+",") {
				t.Errorf("%s: %v, want its type %s refused", name, err, says)
			}
		}
		_, err = c.NewFilter(0, 10)
		if errors.Is(err, ErrType) != (name == "flag") {
			t.Errorf("a filter of %s: %v", name, err)
		}
	}
}

// Files with the older forms of logical types only are read.
func TestConvertedTypes(t *testing.T) {
	for _, test := range []struct {
		physical, converted int64
		want                valueType
	}{
		{physicalInt32, -1, int32Values}, {physicalInt32, 15, int32Values},
		{physicalInt32, 17, int32Values},
		{physicalInt32, 11, uint32Values}, {physicalInt32, 13, uint32Values},
		{physicalInt32, 6, other}, {physicalInt32, 5, other},
		{physicalInt64, 14, uint64Values}, {physicalInt64, 18, int64Values},
		{physicalInt64, 10, other}, {physicalInt64, 19, other},
		{physicalBytes, 0, byteValues}, {physicalBytes, 4, byteValues},
		{physicalBytes, 19, byteValues}, {physicalBytes, 20, byteValues},
		{physicalBytes, 5, other}, {physicalFixed, 21, other}, {physicalFixed, -1, fixedValues},
		{physicalDouble, -1, doubleValues},
		{physicalFloat, -1, floatValues}, {0, -1, other}, {3, -1, other}, {99, -1, other},
	} {
		e := element{physical: test.physical, converted: test.converted}
		if got := typeOf(e); got != test.want {
			t.Errorf("%s: %v, want %v", e.typeName(), got, test.want)
		}
	}
}

// A filter has both zeros if there is one, and the usual NaN if there is any NaN. Zeros are one
// value, and no filter excludes NaN.
func TestNumbers(t *testing.T) {
	negative := math.Copysign(0, -1)
	for _, in := range []all{{}, {Float: float32(negative), Double: negative}} {
		f := fileOf(t, in)
		for _, name := range []string{"float", "double"} {
			c := columnOf(t, f, name)
			filter, err := c.NewFilter(0, 512)
			check(t, err)
			for _, text := range []string{"0", "-0", "0.0", "-0e9", "NaN"} {
				if v, err := c.Value(text); err != nil || !v.In(filter) {
					t.Errorf("%s: %s is not in the filter of %v (%v)", name, text, in.Double, err)
				}
			}
			for _, h := range []uint64{parquet.Hash(0.0), parquet.Hash(negative)} {
				if name == "double" && !filter.Query(h) {
					t.Errorf("of %v the filter has one zero", in.Double)
				}
			}
			if filter.Count() <= 8 {
				t.Errorf("%s: %d bits for both zeros", name, filter.Count())
			}
			check(t, c.Keys(0, func(key []byte) {
				if string(key) != "0" {
					t.Errorf("%s: the key of %v is %s", name, in.Double, key)
				}
			}))
			// the filter of the file itself may have either zero
			for _, h := range []uint64{parquet.Hash(0.0), parquet.Hash(negative)} {
				table := kernel.NewSplitBlockTable(1)
				table.Add(h)
				if v, err := c.Value("0"); name == "double" && (err != nil || !v.In(table)) {
					t.Errorf("0 is not found under %#x (%v)", h, err)
				}
			}
		}
	}
	nan := all{Float: math.Float32frombits(0xffc00001),
		Double: math.Float64frombits(0xfff0000000000001)}
	f := fileOf(t, nan)
	for name, hashes := range map[string][]uint64{
		"float": {parquet.Hash(nan.Float), parquet.Hash(math.Float32frombits(0x7fc00000))},
		"double": {parquet.Hash(nan.Double),
			parquet.Hash(math.Float64frombits(0x7ff8000000000000))},
	} {
		c := columnOf(t, f, name)
		filter, err := c.NewFilter(0, 512)
		check(t, err)
		if !filter.Query(hashes[0]) || !filter.Query(hashes[1]) {
			t.Errorf("%s: the filter has not both NaNs", name)
		}
		if v, err := c.Value("nan"); err != nil || !v.In(kernel.NewSplitBlockTable(1)) {
			t.Errorf("%s: a filter excludes NaN (%v)", name, err)
		}
	}
}

// A filter by which DuckDB would miss rows comes with an error that names the column, its type and
// why. AddFilters does not add it.
func TestErrReader(t *testing.T) {
	text := func(logical int16, converted int64) element {
		return element{physical: physicalBytes, logical: logical, converted: converted}
	}
	fixed := func(logical int16, converted, precision int64) element {
		return element{physical: physicalFixed, logical: logical, converted: converted,
			precision: precision}
	}
	for _, test := range []struct {
		element
		value, says string
	}{
		{text(0, convertedNone), "plain text", ""},
		{text(0, convertedNone), "größe", `BYTE_ARRAY: DuckDB reads it as BLOB and queries its ` +
			`text, which has \xC3 for a byte of it`},
		{text(0, convertedNone), `"`, `has \x22`},
		{text(0, convertedUTF8), "größe", ""},
		{text(logicalString, convertedUTF8), "größe", ""},
		{text(logicalString, convertedNone), "größe", "BYTE_ARRAY (STRING): DuckDB reads it as BLOB"},
		{text(logicalEnum, convertedEnum), "größe", ""},
		{text(logicalGeometry, convertedNone), "\x00", ""},
		{fixed(0, convertedNone, 0), "\x00", "FIXED_LEN_BYTE_ARRAY: DuckDB reads it as BLOB"},
		{fixed(logicalUUID, convertedNone, 0), "\x00", ""},
		{fixed(logicalFloat16, convertedNone, 0), "ab", "reads it as FLOAT"},
		{fixed(logicalDecimal, convertedDecimal, 38), "\x00", ""},
		{fixed(logicalDecimal, convertedDecimal, 39), "\x00", "reads its 39 digits as DOUBLE"},
		{element{physical: physicalInt32, converted: convertedNone}, "\x00", ""},
	} {
		c := &Column{leaf: &test.element}
		err := c.missed([]byte(test.value))
		if (err == nil) != (test.says == "") || err != nil && (!errors.Is(err, ErrReader) ||
			!strings.Contains(err.Error(), test.says)) {
			t.Errorf("%s, %q: %v, want %q", test.typeName(), test.value, err, test.says)
		}
	}
	f := fileOf(t, all{Bytes: []byte{0xff}}, all{Bytes: []byte("a")})
	filter, err := columnOf(t, f, "bytes").NewFilter(0, 256)
	if !errors.Is(err, ErrReader) || filter.Count() != 16 {
		t.Errorf("a filter of %d bits (%v)", filter.Count(), err)
	}
}

func TestBitsPerValue(t *testing.T) {
	c := columnOf(t, fileOf(t, all{}), "int32")
	for _, bits := range []float64{0, -1, math.NaN(), math.Inf(1), 1025} {
		if filter, err := c.NewFilter(0, bits); err == nil {
			t.Errorf("%v bits: %d blocks", bits, len(filter))
		}
	}
	empty := columnOf(t, fileOf(t), "int32")
	if empty.file.RowGroups() != 0 {
		t.Error("an empty file has row groups")
	}
}
