package engines

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	arrow "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
	parquetgo "github.com/parquet-go/parquet-go"

	"github.com/bloomlane/bloomlane/interop/parquet"
	"github.com/bloomlane/bloomlane/kernel"
)

// leaf is a column of values of one type, for files with this column c only.
type leaf struct {
	name    string
	logical schema.LogicalType
	typ     arrow.Type
	length  int
	groups  [][]any
}

// write writes a file with arrow-go.
func (l leaf) write(t *testing.T, path string, properties ...arrow.WriterProperty) {
	t.Helper()
	required := arrow.Repetitions.Required
	node := schema.MustPrimitive(schema.NewPrimitiveNodeLogical("c", required, l.logical, l.typ,
		l.length, -1))
	root := schema.MustGroup(schema.NewGroupNode("rows", required, schema.FieldList{node}, -1))
	f := create(t, path)
	w := file.NewParquetWriter(f, root,
		file.WithWriterProps(arrow.NewWriterProperties(properties...)))
	for _, values := range l.groups {
		g, err := w.AppendRowGroupChecked()
		check(t, err)
		c, err := g.NextColumn()
		check(t, err)
		switch c := c.(type) {
		case *file.Int32ColumnChunkWriter:
			_, err = c.WriteBatch(typed[int32](values), nil, nil)
		case *file.Int64ColumnChunkWriter:
			_, err = c.WriteBatch(typed[int64](values), nil, nil)
		case *file.ByteArrayColumnChunkWriter:
			_, err = c.WriteBatch(byteArrays[arrow.ByteArray](values), nil, nil)
		case *file.FixedLenByteArrayColumnChunkWriter:
			_, err = c.WriteBatch(byteArrays[arrow.FixedLenByteArray](values), nil, nil)
		default:
			t.Fatalf("%T", c)
		}
		check(t, err)
		check(t, c.Close())
		check(t, g.Close())
	}
	check(t, w.Close())
}

func typed[T any](values []any) (all []T) {
	for _, v := range values {
		all = append(all, v.(T))
	}
	return all
}

func byteArrays[T ~[]byte](values []any) (all []T) {
	for _, v := range values {
		all = append(all, T(v.(string)))
	}
	return all
}

// addFilters adds filters of columns to the file at path, for any reader.
func addFilters(t *testing.T, path string, bits float64, columns ...string) {
	t.Helper()
	f := open(t, path)
	var filters []parquet.Filter
	for _, name := range columns {
		for group := range f.RowGroups() {
			table, err := column(t, f, name).NewFilter(group, bits)
			if !errors.Is(err, parquet.ErrReader) {
				check(t, err)
			}
			filters = append(filters, parquet.Filter{
				Column: column(t, f, name), Group: group, Table: table})
		}
	}
	out := create(t, path)
	check(t, parquet.Write(out, f, filters))
	check(t, out.Close())
}

// empty gives a column an empty filter in the first row group of the file at path.
func empty(t *testing.T, path, name string) {
	t.Helper()
	f := open(t, path)
	out := create(t, path)
	check(t, parquet.Write(out, f, []parquet.Filter{
		{Column: column(t, f, name), Group: 0, Table: kernel.NewSplitBlockTable(1)}}))
	check(t, out.Close())
}

// unused are the columns of TestMisses whose filters DuckDB does not use.
var unused = []string{"uuid", "interval", "decimal of 38 digits", "decimal array",
	"decimal of 9 digits", "decimal of 18 digits", "date", "time", "timestamp"}

// DuckDB misses rows by a filter exactly where NewFilter says so. AddFilters adds no such filter.
func TestMisses(t *testing.T) {
	none, text := schema.LogicalType(schema.NoLogicalType{}), schema.StringLogicalType{}
	array, fixed := arrow.Types.ByteArray, arrow.Types.FixedLenByteArray
	i32, i64 := arrow.Types.Int32, arrow.Types.Int64
	// The value in the middle is queried: the statistics do not tell that it is there.
	var bytes [][]any
	for b := range 256 {
		bytes = append(bytes, []any{"m" + string([]byte{byte(b)}), "a", "z"})
	}
	arrays := [][]any{{"mm", "aa", "zz"}, {"m'", "aa", "zz"}, {"m\x00", "aa", "zz"},
		{"m\xff", "aa", "zz"}}
	numbers32 := [][]any{{int32(5), int32(1), int32(9)}}
	numbers64 := [][]any{{int64(5), int64(1), int64(9)}}
	wide := func(n int) [][]any {
		pad := strings.Repeat("\x00", n-1)
		return [][]any{{pad + "\x05", pad + "\x01", pad + "\x09"}}
	}
	d := startDuckDB(t)
	for _, test := range []struct {
		leaf
		missed int // row groups
	}{
		{leaf{"float16", schema.Float16LogicalType{}, fixed, 2,
			[][]any{{"\x00\x3e", "\x00\x3c", "\x00\x44"},
				{"\x66\x2e", "\x00\x00", "\x00\x3c"}}}, 2},
		{leaf{"bytes", none, array, 0, bytes}, 256 - (95 - 3)},
		{leaf{"fixed", none, fixed, 2, arrays}, 3},
		{leaf{"string", text, array, 0, [][]any{{"größe 'x'\\\"", "a", "z\u00ff"}}}, 0},
		{leaf{"enum", schema.EnumLogicalType{}, array, 0, [][]any{{"ö", "a", "\u00ff"}}}, 0},
		{leaf{"json", schema.JSONLogicalType{}, array, 0, [][]any{{`{"b":"ö"}`, `{"a":1}`,
			`{"c":1}`}}}, 0},
		{leaf{"uuid", schema.UUIDLogicalType{}, fixed, 16, wide(16)}, 0},
		{leaf{"interval", schema.IntervalLogicalType{}, fixed, 12, wide(12)}, 0},
		{leaf{"decimal of 38 digits", schema.NewDecimalLogicalType(38, 2), fixed, 16, wide(16)}, 0},
		{leaf{"decimal of 39 digits", schema.NewDecimalLogicalType(39, 2), fixed, 17, wide(17)}, 1},
		{leaf{"decimal array", schema.NewDecimalLogicalType(38, 2), array, 0, wide(1)}, 0},
		{leaf{"wide array", schema.NewDecimalLogicalType(39, 2), array, 0, wide(1)}, 1},
		{leaf{"decimal of 9 digits", schema.NewDecimalLogicalType(9, 2), i32, 0, numbers32}, 0},
		{leaf{"decimal of 18 digits", schema.NewDecimalLogicalType(18, 2), i64, 0, numbers64}, 0},
		{leaf{"date", schema.DateLogicalType{}, i32, 0, numbers32}, 0},
		{leaf{"time", schema.NewTimeLogicalType(false, schema.TimeUnitMillis), i32, 0, numbers32},
			0},
		{leaf{"timestamp", schema.NewTimestampLogicalType(true, schema.TimeUnitMicros), i64, 0,
			numbers64}, 0},
		{leaf{"int8", schema.NewIntLogicalType(8, true), i32, 0,
			[][]any{{int32(-5), int32(-100), int32(100)}}}, 0},
		{leaf{"uint8", schema.NewIntLogicalType(8, false), i32, 0,
			[][]any{{int32(200), int32(1), int32(255)}}}, 0},
		{leaf{"uint32", schema.NewIntLogicalType(32, false), i32, 0,
			[][]any{{int32(-2), int32(1), int32(-1)}}}, 0},
		{leaf{"uint64", schema.NewIntLogicalType(64, false), i64, 0,
			[][]any{{int64(-2), int64(1), int64(-1)}}}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "f.parquet")
			test.write(t, path)
			var literals []string // the values that are queried, in row groups one after another
			for _, r := range d.query(t, "select typeof(c), c::varchar from '%s'", path) {
				literals = append(literals, fmt.Sprintf("'%s'::%s",
					strings.ReplaceAll(r[1].(string), "'", "''"), r[0]))
			}
			finds := func(group int) bool {
				return fmt.Sprint(d.query(t, "select count(*) from '%s' where c = %s", path,
					literals[3*group])) != "[[0]]"
			}
			for group := range test.groups {
				if !finds(group) {
					t.Fatalf("without filters DuckDB does not find %s", literals[3*group])
				}
			}
			before, err := os.ReadFile(path)
			check(t, err)
			c := open(t, path).Columns()[0]
			err = parquet.AddFilters(path, 256, "c")
			if errors.Is(err, parquet.ErrReader) != (test.missed > 0) || err != nil &&
				!errors.Is(err, parquet.ErrReader) {
				t.Errorf("AddFilters: %v", err)
			}
			if after, err := os.ReadFile(path); err != nil ||
				(string(after) == string(before)) != (test.missed > 0) {
				t.Errorf("a refused filter is added, or one that is not refused is not (%v)", err)
			}
			addFilters(t, path, 256, "c")
			missed := 0
			for group := range test.groups {
				_, err := c.NewFilter(group, 256)
				if found := finds(group); found != (err == nil) {
					t.Errorf("DuckDB finds %s: %v, and NewFilter says: %v", literals[3*group],
						found, err)
				}
				if err != nil {
					missed++
				}
			}
			if missed != test.missed {
				t.Errorf("DuckDB misses rows of %d row groups, want %d", missed, test.missed)
			}
			empty(t, path, "c")
			if want := slices.Contains(unused, test.name); finds(0) != want {
				t.Errorf("by an empty filter DuckDB finds a value: %v, want %v", !want, want)
			}
		})
	}
}

// DuckDB does not use the filters of a column without statistics, or of a column in a group. Its
// queries find what an empty filter excludes.
func TestIgnoredByDuckDB(t *testing.T) {
	d := startDuckDB(t)
	finds := func(path, name string) bool {
		t.Helper()
		empty(t, path, name)
		return fmt.Sprint(d.query(t, "select count(*) from '%s' where %s = 5", path, name)) !=
			"[[0]]"
	}
	for _, statistics := range []bool{true, false} {
		path := filepath.Join(t.TempDir(), "f.parquet")
		leaf{"", schema.NoLogicalType{}, arrow.Types.Int32, 0,
			[][]any{{int32(5), int32(1), int32(9)}}}.write(t, path, arrow.WithStats(statistics))
		if finds(path, "c") == statistics {
			t.Errorf("statistics: %v, and DuckDB uses the filter: %v", statistics, statistics)
		}
	}
	type inner struct {
		C int32 `parquet:"c"`
	}
	type outer struct {
		A inner `parquet:"a"`
	}
	path := filepath.Join(t.TempDir(), "f.parquet")
	check(t, parquetgo.WriteFile(path, []outer{{inner{5}}, {inner{1}}, {inner{9}}}))
	if !finds(path, "a.c") {
		t.Error("DuckDB uses the filter of a column in a group")
	}
}
