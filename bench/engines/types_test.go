package engines

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	arrow "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"
	parquetgo "github.com/parquet-go/parquet-go"
)

// rewriteParquetGo writes a file once more with filters of the column c, by parquet-go.
func rewriteParquetGo(t *testing.T, from, to string) {
	t.Helper()
	content, err := os.ReadFile(from)
	check(t, err)
	f, err := parquetgo.OpenFile(strings.NewReader(string(content)), int64(len(content)))
	check(t, err)
	out := create(t, to)
	w := parquetgo.NewWriter(out, f.Schema(),
		parquetgo.BloomFilters(parquetgo.SplitBlockFilter(10, "c")))
	for _, group := range f.RowGroups() {
		rows := group.Rows()
		if _, err := parquetgo.CopyRows(w, rows); err != io.EOF {
			check(t, err)
		}
		check(t, rows.Close())
		check(t, w.Flush())
	}
	check(t, w.Close())
}

// The values of columns of dates, times, decimals and FLOAT16 have the text that DuckDB gives them,
// and each is in the filter of its row group, by any writer of the filters. Few others are.
func TestTheirTypes(t *testing.T) {
	fixed := arrow.Types.FixedLenByteArray
	i32, i64 := arrow.Types.Int32, arrow.Types.Int64
	timestamp, timeOf := schema.NewTimestampLogicalType, schema.NewTimeLogicalType
	const day = 24 * 60 * 60
	const years = 200 * 365 * day // beside 1970
	remainder := func(x uint64, n int64) int64 { return int64(x % uint64(n)) }
	spread := func(x uint64, n int64) int64 { return remainder(x, 2*n) - n }
	d := startDuckDB(t)
	_, err := d.try("set TimeZone = 'UTC'")
	check(t, err)
	for _, test := range []struct {
		leaf
		value   func(i int) any
		lacking string // the writer that has no filters of the type
	}{
		{leaf{"date", schema.DateLogicalType{}, i32, 0, nil},
			func(i int) any { return int32(i*13 - 40_000) }, ""},
		{leaf{"timestamp in ms", timestamp(true, schema.TimeUnitMillis), i64, 0, nil},
			func(i int) any { return spread(mix(uint64(i)), years*1000) }, ""},
		{leaf{"timestamp in us", timestamp(true, schema.TimeUnitMicros), i64, 0, nil},
			func(i int) any { return spread(mix(uint64(i)), years*1000_000) }, ""},
		{leaf{"local timestamp in us", timestamp(false, schema.TimeUnitMicros), i64, 0, nil},
			func(i int) any { return spread(mix(uint64(i)), years*100) * 10_000 }, ""},
		{leaf{"local timestamp in ns", timestamp(false, schema.TimeUnitNanos), i64, 0, nil},
			func(i int) any { return spread(mix(uint64(i)), years*1000_000_000) }, ""},
		{leaf{"time in ms", timeOf(false, schema.TimeUnitMillis), i32, 0, nil},
			func(i int) any { return int32(remainder(mix(uint64(i)), day*1000)) }, ""},
		{leaf{"time in us", timeOf(false, schema.TimeUnitMicros), i64, 0, nil},
			func(i int) any { return remainder(mix(uint64(i)), day*1000_000) }, ""},
		{leaf{"decimal of 9 digits", schema.NewDecimalLogicalType(9, 2), i32, 0, nil},
			func(i int) any { return int32(spread(mix(uint64(i)), 1e9)) }, ""},
		{leaf{"decimal of 18 digits", schema.NewDecimalLogicalType(18, 4), i64, 0, nil},
			func(i int) any { return spread(mix(uint64(i)), 1e18) >> (i % 4) }, ""},
		{leaf{"decimal of 38 digits", schema.NewDecimalLogicalType(38, 10), fixed, 16, nil},
			func(i int) any {
				x := big.NewInt(int64(mix(uint64(i))))
				x.Mul(x, big.NewInt(int64(mix(uint64(i+1e6))>>2)))
				if x.Sign() < 0 {
					x.Add(x, new(big.Int).Lsh(big.NewInt(1), 128))
				}
				return string(x.FillBytes(make([]byte, 16)))
			}, "DuckDB"},
		{leaf{"float16", schema.Float16LogicalType{}, fixed, 2, nil},
			func(i int) any { return string(binary.LittleEndian.AppendUint16(nil, uint16(i*5))) },
			"parquet-go"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for g := range groups {
				var values []any
				for i := range groupRows {
					values = append(values, test.value(g*groupRows+i))
				}
				test.groups = append(test.groups, values)
			}
			folder := t.TempDir()
			plain := filepath.Join(folder, "plain.parquet")
			test.write(t, plain)
			for _, writer := range []struct {
				name  string
				write func(path string)
			}{
				{"arrow-go", func(path string) {
					test.write(t, path, arrow.WithBloomFilterEnabled(true),
						arrow.WithBloomFilterNDV(groupRows))
				}},
				{"parquet-go", func(path string) { rewriteParquetGo(t, plain, path) }},
				{"DuckDB", func(path string) {
					d.query(t, `copy (from '%s') to '%s' (format parquet, row_group_size %d,
						parquet_version v2, dictionary_size_limit 100000,
						bloom_filter_false_positive_ratio 0.01)`, plain, path, groupRows)
				}},
				{"Bloomlane", func(path string) {
					test.write(t, path)
					addFilters(t, path, 10, "c")
				}},
			} {
				if writer.name == test.lacking {
					continue
				}
				path := filepath.Join(folder, writer.name+".parquet")
				writer.write(path)
				haveTexts(t, d, writer.name, path)
			}
		})
	}
}

// haveTexts checks the texts and the filters of the column c of a file.
func haveTexts(t *testing.T, d *duckDB, writer, path string) {
	t.Helper()
	var want []string
	for _, r := range d.query(t, "select c::varchar from '%s'", path) {
		want = append(want, strings.NewReplacer(" ", "T", "+00", "Z").Replace(fmt.Sprint(r[0])))
	}
	c := column(t, open(t, path), "c")
	exact := !strings.HasPrefix(c.Type(), "float") // DuckDB has no FLOAT16
	for g := range groups {
		filter, err := c.Filter(g)
		check(t, err)
		if filter == nil {
			t.Fatalf("%s: no filter in row group %d", writer, g)
		}
		var keys []string
		check(t, c.Keys(g, func(key []byte) { keys = append(keys, string(key)) }))
		for i, key := range keys {
			if duck := want[g*groupRows+i]; key != duck && exact {
				t.Fatalf("%s: the text of value %d is %s, and by DuckDB %s", writer, i, key, duck)
			}
			for _, text := range []string{key, want[g*groupRows+i]} {
				if v, err := c.Value(text); err != nil || !v.In(filter) {
					t.Fatalf("%s: %s is not in the filter of row group %d (%v)", writer, text,
						g, err)
				}
			}
		}
		others := 0
		for _, text := range want[(g+1)%groups*groupRows:][:groupRows] {
			if v, err := c.Value(text); err == nil && v.In(filter) {
				others++
			}
		}
		if others > groupRows/10 && exact {
			t.Errorf("%s: %d of %d values of another row group are in filter %d", writer, others,
				groupRows, g)
		}
	}
}
