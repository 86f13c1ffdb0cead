package parquet

import (
	"bytes"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	pages "github.com/parquet-go/parquet-go"

	"github.com/bloomlane/bloomlane/kernel"
	"github.com/bloomlane/bloomlane/kernel/parquet"
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
	Day     int32    `parquet:"day,time(millisecond:local)"`
	Micros  int64    `parquet:"micros,time(microsecond:utc)"`
	At      int64    `parquet:"at,timestamp(millisecond:utc)"`
	Local   int64    `parquet:"local,timestamp(microsecond:local)"`
	Nanos   int64    `parquet:"nanos,timestamp(nanosecond:utc)"`
	Small   int32    `parquet:"small,decimal(2:9)"`
	Decimal int64    `parquet:"decimal,decimal(3:18)"`
	Wide    [16]byte `parquet:"wide,decimal(5:38)"`
	Flag    bool     `parquet:"flag"`
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
			0}, -719_529, 3_723_004, 86_399_999_999, -1, 1_714_979_289_500_000, math.MinInt64, -5,
		math.MinInt64 / 10, [16]byte{15: 1}, true}
	r.Wide = [16]byte(bytes.Repeat([]byte{255}, 16)) // -1
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
		{"date", "-0001-12-31", parquet.Hash(r.Date), []string{"", "1", "2024-02-30", "2024-13-01",
			"24-05-06", "02024-05-06", "2024-5-6", "2024-05-06T00:00:00", "5881580-07-12",
			"-5877641-06-22", "-0000-01-01", "+2024-05-06"}},
		{"day", "01:02:03.004", parquet.Hash(r.Day), []string{"", "01:02", "24:00:00", "23:60:00",
			"01:02:03.0041", "01:02:03Z", "-01:00:00", "1:02:03"}},
		{"micros", "23:59:59.999999Z", parquet.Hash(r.Micros), []string{"01:02:03",
			"23:59:59.9999999Z", "01:00:00+02:00"}},
		{"at", "1969-12-31T23:59:59.999Z", parquet.Hash(r.At), []string{"", "1969-12-31",
			"1969-12-31T23:59:59", "1969-12-31T23:59:59.9999Z", "1969-12-31T24:00:00Z",
			"1969-12-31T23:59:60Z", "1969-12-31T23:59:59+24:00", "1969-12-31T23:59:59+02:",
			"1969-12-31T23:59:59 UTC", "999999999-01-01T00:00:00Z", "1714979289500"}},
		{"local", "2024-05-06T07:08:09.5", parquet.Hash(r.Local),
			[]string{"2024-05-06T07:08:09.5Z", "2024-05-06T07:08:09+02:00"}},
		{"nanos", "1677-09-21T00:12:43.145224192Z", parquet.Hash(r.Nanos),
			[]string{"1677-09-21T00:12:43.145224191Z", "2262-04-11T23:47:16.854775808Z"}},
		{"small", "-0.05", parquet.Hash(r.Small), []string{"", "-", ".", "-.05", "0.051", "5e-2",
			"10000000", "1,5", "0x1", " 1", "NaN"}},
		{"decimal", "-922337203685477.580", parquet.Hash(r.Decimal), []string{"1000000000000000",
			"0.0001"}},
		{"wide", "-0.00001", parquet.HashBytes(r.Wide[:]), []string{"0.000001",
			"1000000000000000000000000000000000"}},
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
	for name, says := range map[string]string{"flag": "BOOLEAN"} {
		c := columnOf(t, f, name)
		_, err := c.Value("1")
		for _, err := range []error{err, c.Keys(0, func([]byte) {})} {
			if !errors.Is(err, ErrType) || !strings.Contains(err.Error(), name+" is "+says+",") {
				t.Errorf("%s: %v, want its type %s refused", name, err, says)
			}
		}
		if _, err = c.NewFilter(0, 10); !errors.Is(err, ErrType) {
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
		{physicalInt32, 6, dateValues}, {physicalInt32, 5, other},
		{physicalInt32, 7, timeValues}, {physicalInt32, 8, other}, {physicalInt64, 6, other},
		{physicalInt64, 7, other}, {physicalInt64, 8, timeValues}, {physicalInt32, 10, other},
		{physicalInt64, 9, timestampValues},
		{physicalInt64, 14, uint64Values}, {physicalInt64, 18, int64Values},
		{physicalInt64, 10, timestampValues}, {physicalInt64, 19, other},
		{physicalBytes, 0, byteValues}, {physicalBytes, 4, byteValues},
		{physicalBytes, 19, byteValues}, {physicalBytes, 20, byteValues},
		{physicalBytes, 5, other}, {physicalFixed, 21, other}, {physicalFixed, -1, fixedValues},
		{physicalDouble, -1, doubleValues},
		{physicalFloat, -1, floatValues}, {0, -1, other}, {3, -1, other}, {99, -1, other},
	} {
		e := element{physical: test.physical, converted: test.converted,
			clock: convertedClocks[test.converted]}
		if got := typeOf(e); got != test.want {
			t.Errorf("%s: %v, want %v", e.typeName(), got, test.want)
		}
	}
}

// The text of a number of a clock, a decimal or a half, at the ends of its range and anywhere, is
// parsed as the number, and so are other texts of it.
func TestTexts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	ends := []int64{math.MinInt64, math.MinInt64 + 1, -1_000_000_001, -1, 0, 1, 999, 1_000_000_000,
		math.MaxInt64 - 1, math.MaxInt64}
	for range 5000 {
		ends = append(ends, int64(random.Uint64())>>random.IntN(64))
	}
	decimal := element{physical: physicalFixed, precision: 19, scale: 7}
	for _, n := range ends {
		for _, digits := range []int{3, 6, 9} {
			for _, utc := range []bool{false, true} {
				c := clock{digits, utc}
				text := string(c.append(nil, n, dateLayout+"T"+timeLayout))
				if got, err := c.parse(text); got != n || err != nil {
					t.Fatalf("%+v: %d is %s, and that is %d (%v)", c, n, text, got, err)
				}
			}
		}
		if day := int32(n); true {
			text := string(appendDate(nil, day))
			if got, err := parseDate(text); got != day || err != nil {
				t.Fatalf("day %d is %s, and that is %d (%v)", day, text, got, err)
			}
		}
		text := string(decimal.appendDecimal(nil, big.NewInt(n)))
		if got, err := decimal.parseDecimal(text); err != nil || got.Int64() != n {
			t.Fatalf("decimal %d is %s, and that is %v (%v)", n, text, got, err)
		}
		for _, length := range []int{8, 9, 16, 500} {
			var decoded big.Int
			if setBytes(&decoded, bytesOf(big.NewInt(n), length)); decoded.Int64() != n ||
				!decoded.IsInt64() {
				t.Fatalf("%d in %d bytes is %v", n, length, &decoded)
			}
		}
	}
	for n := range 1 << 16 {
		h := half(n)
		got, err := parseHalf(string(h.append(nil)))
		if want := h; err != nil || got != want && !(h.isNaN() && got.isNaN()) &&
			!(h.isZero() && got.isZero()) {
			t.Fatalf("half %#x is %s, and that is %#x (%v)", n, h.append(nil), got, err)
		}
	}
	for text, want := range map[string]half{
		"1": 0x3c00, "0.1": 0x2e66, "65504": 0x7bff, "65519.9": 0x7bff, "5.96e-8": 1, "2.9e-8": 0,
		"0.00006103515625": 0x0400, "0.00006097555160522461": 0x03ff, "2049": 0x6800,
		"2051": 0x6802, "-inf": 0xfc00, "1e-400": 0,
	} {
		if h, err := parseHalf(text); h != want || err != nil {
			t.Errorf("%s is %#x, want %#x (%v)", text, h, want, err)
		}
	}
	for h, want := range map[half]string{0x2e66: "0.1", 0x7bff: "65500", 1: "6e-08", 0x8000: "0",
		0xfc00: "-Inf", 0x5640: "100"} {
		if got := string(h.append(nil)); got != want {
			t.Errorf("%#x is %s, want %s", uint16(h), got, want)
		}
	}
	if h, err := parseHalf("65520"); err == nil {
		t.Errorf("65520 is %#x", h)
	}
}

// A FLOAT16 column has both zeros in a filter if there is one, and the usual NaN if there is any.
func TestHalves(t *testing.T) {
	c := &Column{leaf: &element{physical: physicalFixed, length: 2, logical: logicalFloat16}}
	c.valueType = typeOf(*c.leaf)
	for _, test := range []struct {
		in    half
		texts []string
	}{
		{0, []string{"0", "-0"}}, {halfSign, []string{"0", "-0"}}, {0xfe01, []string{"nan"}},
		{0x2e66, []string{"0.1", "0.0999755859375"}},
	} {
		table := kernel.NewSplitBlockTable(1)
		table.Add(test.in.hash())
		for _, text := range test.texts {
			if v, err := c.Value(text); err != nil || !v.In(table) {
				t.Errorf("%s is not in a filter of %#x (%v)", text, uint16(test.in), err)
			}
		}
		addHalf(table.Add, test.in)
		for _, h := range []half{0, halfSign} {
			if got := table.Query(h.hash()); got != test.in.isZero() {
				t.Errorf("a filter of %#x has %#x: %v", uint16(test.in), uint16(h), got)
			}
		}
		if table.Query(halfNaN.hash()) != test.in.isNaN() {
			t.Errorf("a filter of %#x has NaN: %v", uint16(test.in), !test.in.isNaN())
		}
	}
	if key, err := c.appendText(nil, []byte{0x66, 0x2e}); string(key) != "0.1" || err != nil {
		t.Errorf("%s (%v)", key, err)
	}
	for _, text := range []string{"", "x", "65520", "1e999"} {
		if _, err := c.Value(text); !errors.Is(err, ErrValue) {
			t.Errorf("%q: %v, want it refused", text, err)
		}
	}
}

// Other texts of a value stand for it.
func TestOtherTexts(t *testing.T) {
	f := fileOf(t, all{})
	for _, test := range []struct {
		column string
		texts  []string
	}{
		{"at", []string{"2024-05-06T07:08:09Z", "2024-05-06 07:08:09Z", "2024-05-06T07:08:09.000Z",
			"2024-05-06T09:08:09+02:00", "2024-05-06T09:08:09+02", "2024-05-06T01:38:09.0-0530",
			"2024-05-07T07:07:09.0000+23:59"}},
		{"local", []string{"2024-05-06T07:08:09", "2024-05-06 07:08:09.0"}},
		{"micros", []string{"07:08:09Z", "07:08:09.000000Z", "09:08:09+02:00"}},
		{"small", []string{"1.50", "1.5", "+1.5", "01.500"}},
		{"decimal", []string{"150", "150.", "150.000", "+0150"}},
	} {
		c := columnOf(t, f, test.column)
		want, err := c.Value(test.texts[0])
		check(t, err)
		for _, text := range test.texts {
			if got, err := c.Value(text); err != nil || !slices.Equal(got.hashes, want.hashes) {
				t.Errorf("%s is another value than %s (%v)", text, test.texts[0], err)
			}
		}
	}
	for column, says := range map[string]string{
		"date":  `found "x", expected a date such as 2006-01-02`,
		"day":   "expected a time such as 15:04:05.123",
		"at":    "expected a timestamp such as 2006-01-02T15:04:05.123Z",
		"local": "expected a timestamp such as 2006-01-02T15:04:05.123456",
		"small": "expected a number of at most 9 digits, 2 of them after the point",
	} {
		if _, err := columnOf(t, f, column).Value("x"); err == nil ||
			!strings.HasSuffix(err.Error(), says) {
			t.Errorf("%s: %v, want %s", column, err, says)
		}
	}
}

// A decimal in a byte array is found in any length that a writer may give it.
func TestDecimalBytes(t *testing.T) {
	type row struct {
		Wide []byte `parquet:"wide"`
	}
	decimal := pages.Group{"wide": pages.Decimal(2, 38, pages.ByteArrayType)}
	for text, encodings := range map[string][]string{
		"0.00":  {"\x00", "\x00\x00", strings.Repeat("\x00", 16)},
		"1.27":  {"\x7f", "\x00\x7f"},
		"1.28":  {"\x00\x80", "\x00\x00\x00\x80"},
		"-1.28": {"\x80", "\xff\x80", strings.Repeat("\xff", 15) + "\x80"},
		"-1.29": {"\xff\x7f"},
	} {
		for _, encoding := range encodings {
			var b bytes.Buffer
			w := pages.NewGenericWriter[row](&b, pages.NewSchema("rows", decimal))
			_, err := w.Write([]row{{[]byte(encoding)}})
			check(t, err)
			check(t, w.Close())
			c := columnOf(t, opened(t, b.Bytes()), "wide")
			check(t, c.Keys(0, func(key []byte) {
				if string(key) != text {
					t.Errorf("%x is %s, want %s", encoding, key, text)
				}
			}))
			filter, err := c.NewFilter(0, 1024)
			check(t, err)
			if v, err := c.Value(text); err != nil || !v.In(filter) {
				t.Errorf("%s is not found as %x (%v)", text, encoding, err)
			}
			if v, err := c.Value("55.5"); err != nil || v.In(filter) {
				t.Errorf("55.5 is found in %s (%v)", text, err)
			}
		}
	}
	var b bytes.Buffer
	w := pages.NewGenericWriter[row](&b, pages.NewSchema("rows", decimal))
	_, err := w.Write([]row{{make([]byte, maxDecimalBytes+1)}})
	check(t, err)
	check(t, w.Close())
	err = columnOf(t, opened(t, b.Bytes()), "wide").Keys(0, func(key []byte) { t.Error(key) })
	if !errors.Is(err, ErrDamaged) {
		t.Errorf("a decimal of %d bytes: %v", maxDecimalBytes+1, err)
	}
}

// A time of day with a zone is within its day there and in UTC.
func TestTimesOfDay(t *testing.T) {
	c := clock{digits: 3, utc: true}
	for text, want := range map[string]int64{"23:59:59.999Z": 86_399_999, "00:00:00Z": 0,
		"22:59:59-01:00": 86_399_000, "01:00:00+01:00": 0} {
		if n, err := c.parseTime(text); n != want || err != nil {
			t.Errorf("%s is %d (%v), want %d", text, n, err, want)
		}
	}
	for _, text := range []string{"23:00:00-01:00", "00:59:59+01:00", "24:00:00Z", "23:59:60Z"} {
		if n, err := c.parseTime(text); err == nil {
			t.Errorf("%s is %d, want an error", text, n)
		}
	}
}

// Of two's complement one bit is the sign.
func TestBytesOf(t *testing.T) {
	for _, test := range []struct {
		n      int64
		length int
		want   string
	}{
		{0, 1, "\x00"}, {127, 1, "\x7f"}, {128, 1, ""}, {128, 2, "\x00\x80"}, {255, 1, ""},
		{256, 1, ""}, {-1, 1, "\xff"}, {-128, 1, "\x80"}, {-129, 1, ""}, {-129, 2, "\xff\x7f"},
		{math.MaxInt64, 8, "\x7f\xff\xff\xff\xff\xff\xff\xff"},
		{math.MinInt64, 8, "\x80\x00\x00\x00\x00\x00\x00\x00"}, {math.MaxInt64, 7, ""},
	} {
		if got := bytesOf(big.NewInt(test.n), test.length); string(got) != test.want {
			t.Errorf("%d in %d bytes is %x, want %x", test.n, test.length, got, test.want)
		}
	}
}

// A decimal whose digits are out of range, or missing, has no text.
func TestDecimalDigits(t *testing.T) {
	for _, test := range []struct {
		precision, scale int64
		want             valueType
	}{
		{9, 2, decimalValues}, {9, 9, decimalValues}, {9, 0, decimalValues}, {0, 0, other},
		{9, 10, other}, {9, -1, other}, {-9, -10, other}, {maxDecimalDigits, 0, decimalValues},
		{maxDecimalDigits + 1, 0, other}, {math.MaxInt32, math.MaxInt32, other},
	} {
		e := element{physical: physicalBytes, converted: convertedDecimal,
			precision: test.precision, scale: test.scale}
		if got := typeOf(e); got != test.want {
			t.Errorf("%d digits, %d after the point: %v, want %v", test.precision, test.scale,
				got, test.want)
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
		{text(logicalString, convertedNone), "größe", "BYTE_ARRAY (STRING): DuckDB reads it as " +
			"BLOB"},
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
