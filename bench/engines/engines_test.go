package engines

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	arrow "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"
	parquetgo "github.com/parquet-go/parquet-go"

	"github.com/bloomlane/bloomlane/interop/parquet"
	"github.com/bloomlane/bloomlane/kernel"
)

// row is a row of the files that are exchanged, with a column of each type.
type row struct {
	Int32  int32   `parquet:"int32"`
	Int64  int64   `parquet:"int64"`
	Double float64 `parquet:"double"`
	Bytes  []byte  `parquet:"bytes"`
	Text   string  `parquet:"text"`
}

var columns = []string{"int32", "int64", "double", "bytes", "text"}

// value returns the value of a column.
func (r row) value(column string) any {
	switch column {
	case "int32":
		return r.Int32
	case "int64":
		return r.Int64
	case "double":
		return r.Double
	case "bytes":
		return r.Bytes
	}
	return r.Text
}

// text returns a value as a command line has it.
func text(value any) string {
	if b, ok := value.([]byte); ok {
		return string(b)
	}
	return fmt.Sprint(value)
}

// mix makes a number look random (SplitMix64).
func mix(x uint64) uint64 {
	x += 0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

// rowOf returns a row, which differs from others in every column.
func rowOf(i int) row {
	x := mix(uint64(i))
	r := row{Int32: int32(uint32(i) * 0x9E3779B9), Int64: int64(x),
		Double: math.Float64frombits(x &^ (3 << 61))}
	r.Text = fmt.Sprintf("größe '%d'", x%1e9)
	if i%2 == 0 {
		r.Bytes = fmt.Appendf(nil, "%x", x)
	} else { // with zeros, and what is no UTF-8
		r.Bytes = binary.AppendUvarint(binary.BigEndian.AppendUint64(nil, x)[:1+x%8], uint64(i))
	}
	return r
}

// The rows of a file, in groups: DuckDB makes groups of a multiple of these.
const (
	groupRows = 2048
	groups    = 3
)

// rowsOf returns some row groups.
func rowsOf(start int) (all [][]row) {
	for g := range groups {
		var rows []row
		for i := range groupRows {
			rows = append(rows, rowOf(start+g*groupRows+i))
		}
		all = append(all, rows)
	}
	return all
}

// engine is a program that writes and reads Parquet files.
type engine struct {
	name string
	// write writes row groups, with filters where it is asked for them.
	write func(t *testing.T, path string, rows [][]row, filters bool)
	// read returns all rows.
	read func(t *testing.T, path string) []row
	// ask returns what tells for each row group whether its filter leaves it open that it has a
	// value.
	ask func(t *testing.T, path string) func(column string, value any) []bool
	// step is of how many values one is asked for: of DuckDB a question takes a millisecond.
	step int
}

func engines(d *duckDB) []engine {
	return []engine{
		{"parquet-go", writeParquetGo, readParquetGo, askParquetGo, 1},
		{"arrow-go", writeArrowGo, readArrowGo, askArrowGo, 1},
		{"DuckDB", d.write, d.read, d.ask, 29},
	}
}

func create(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func writeParquetGo(t *testing.T, path string, rows [][]row, filters bool) {
	t.Helper()
	options := []parquetgo.WriterOption{parquetgo.Compression(&parquetgo.Snappy)}
	if filters {
		var all []parquetgo.BloomFilterColumn
		for _, c := range columns {
			all = append(all, parquetgo.SplitBlockFilter(10, c))
		}
		options = append(options, parquetgo.BloomFilters(all...))
	}
	f := create(t, path)
	w := parquetgo.NewGenericWriter[row](f, options...)
	for _, group := range rows {
		_, err := w.Write(group)
		check(t, err)
		check(t, w.Flush())
	}
	check(t, w.Close())
	check(t, f.Close())
}

func readParquetGo(t *testing.T, path string) []row {
	t.Helper()
	rows, err := parquetgo.ReadFile[row](path)
	check(t, err)
	return rows
}

func askParquetGo(t *testing.T, path string) func(column string, value any) []bool {
	t.Helper()
	content, err := os.ReadFile(path)
	check(t, err)
	f, err := parquetgo.OpenFile(bytes.NewReader(content), int64(len(content)))
	check(t, err)
	return func(column string, value any) (may []bool) {
		for _, group := range f.RowGroups() {
			filter := group.ColumnChunks()[slices.Index(columns, column)].BloomFilter()
			if filter == nil {
				t.Fatalf("no filter of %s", column)
			}
			found, err := filter.Check(parquetgo.ValueOf(value))
			check(t, err)
			may = append(may, found)
		}
		return may
	}
}

func writeArrowGo(t *testing.T, path string, rows [][]row, filters bool) {
	t.Helper()
	required := arrow.Repetitions.Required
	textNode := schema.MustPrimitive(schema.NewPrimitiveNodeLogical("text", required,
		schema.StringLogicalType{}, arrow.Types.ByteArray, 0, -1))
	root := schema.MustGroup(schema.NewGroupNode("rows", required, schema.FieldList{
		schema.NewInt32Node("int32", required, -1),
		schema.NewInt64Node("int64", required, -1),
		schema.NewFloat64Node("double", required, -1),
		schema.NewByteArrayNode("bytes", required, -1),
		textNode,
	}, -1))
	properties := arrow.NewWriterProperties(arrow.WithBloomFilterEnabled(filters),
		arrow.WithBloomFilterNDV(int64(len(rows[0]))))
	f := create(t, path)
	w := file.NewParquetWriter(f, root, file.WithWriterProps(properties))
	for _, group := range rows {
		g, err := w.AppendRowGroupChecked()
		check(t, err)
		for _, column := range columns {
			c, err := g.NextColumn()
			check(t, err)
			switch c := c.(type) {
			case *file.Int32ColumnChunkWriter:
				_, err = c.WriteBatch(each(group, func(r row) int32 { return r.Int32 }), nil, nil)
			case *file.Int64ColumnChunkWriter:
				_, err = c.WriteBatch(each(group, func(r row) int64 { return r.Int64 }), nil, nil)
			case *file.Float64ColumnChunkWriter:
				_, err = c.WriteBatch(each(group, func(r row) float64 { return r.Double }), nil,
					nil)
			case *file.ByteArrayColumnChunkWriter:
				bytes := func(r row) arrow.ByteArray { return []byte(text(r.value(column))) }
				_, err = c.WriteBatch(each(group, bytes), nil, nil)
			}
			check(t, err)
			check(t, c.Close())
		}
		check(t, g.Close())
	}
	check(t, w.Close())
}

func each[T any](rows []row, of func(row) T) (all []T) {
	for _, r := range rows {
		all = append(all, of(r))
	}
	return all
}

func openArrowGo(t *testing.T, path string) *file.Reader {
	t.Helper()
	r, err := file.OpenParquetFile(path, false)
	check(t, err)
	t.Cleanup(func() { _ = r.Close() })
	return r
}

func readArrowGo(t *testing.T, path string) (all []row) {
	t.Helper()
	r := openArrowGo(t, path)
	defer r.Close()
	for g := range r.NumRowGroups() {
		group := r.RowGroup(g)
		n := group.NumRows()
		rows := make([]row, n)
		for i := range columns {
			c, err := group.Column(i)
			check(t, err)
			total, levels := 0, make([]int16, n)
			switch c := c.(type) {
			case *file.Int32ColumnChunkReader:
				total = readAll(t, n, func(v []int32) (int64, int, error) {
					return c.ReadBatch(int64(len(v)), v, levels, nil)
				}, func(i int, v int32) { rows[i].Int32 = v })
			case *file.Int64ColumnChunkReader:
				total = readAll(t, n, func(v []int64) (int64, int, error) {
					return c.ReadBatch(int64(len(v)), v, levels, nil)
				}, func(i int, v int64) { rows[i].Int64 = v })
			case *file.Float64ColumnChunkReader:
				total = readAll(t, n, func(v []float64) (int64, int, error) {
					return c.ReadBatch(int64(len(v)), v, levels, nil)
				}, func(i int, v float64) { rows[i].Double = v })
			case *file.ByteArrayColumnChunkReader:
				total = readAll(t, n, func(v []arrow.ByteArray) (int64, int, error) {
					return c.ReadBatch(int64(len(v)), v, levels, nil)
				}, func(j int, v arrow.ByteArray) {
					if columns[i] == "bytes" {
						rows[j].Bytes = bytes.Clone(v)
					} else {
						rows[j].Text = string(v)
					}
				})
			}
			if int64(total) != n {
				t.Fatalf("%s: %d values of %d", columns[i], total, n)
			}
		}
		all = append(all, rows...)
	}
	return all
}

// readAll reads the n values of a column, and returns how many there are.
func readAll[T any](
	t *testing.T,
	n int64,
	read func([]T) (int64, int, error),
	do func(i int, v T),
) (total int) {
	t.Helper()
	buffer := make([]T, 500)
	for total < int(n) {
		_, got, err := read(buffer)
		check(t, err)
		if got == 0 {
			break
		}
		for i, v := range buffer[:got] {
			do(total+i, v)
		}
		total += got
	}
	return total
}

func askArrowGo(t *testing.T, path string) func(column string, value any) []bool {
	t.Helper()
	r := openArrowGo(t, path)
	filters := map[string][]metadata.BloomFilter{}
	for g := range r.NumRowGroups() {
		group, err := r.GetBloomFilterReader().RowGroup(g)
		check(t, err)
		for i, column := range columns {
			filter, err := group.GetColumnBloomFilter(i)
			check(t, err)
			filters[column] = append(filters[column], filter)
		}
	}
	return func(column string, value any) (may []bool) {
		for _, filter := range filters[column] {
			if filter == nil {
				t.Fatalf("no filter of %s", column)
			}
			may = append(may, filter.CheckHash(arrowHash(filter, value)))
		}
		return may
	}
}

func arrowHash(filter metadata.BloomFilter, value any) uint64 {
	switch v := value.(type) {
	case int32:
		return metadata.GetHash(filter.Hasher(), v)
	case int64:
		return metadata.GetHash(filter.Hasher(), v)
	case float64:
		return metadata.GetHash(filter.Hasher(), v)
	}
	return metadata.GetHash(filter.Hasher(), arrow.ByteArray(text(value)))
}

func (d *duckDB) write(t *testing.T, path string, rows [][]row, filters bool) {
	t.Helper()
	plain := path + ".plain.parquet"
	writeParquetGo(t, plain, rows, false)
	format := `format parquet, row_group_size %d, parquet_version v2, dictionary_size_limit 100000,
		bloom_filter_false_positive_ratio 0.01`
	if !filters {
		format = "format parquet, row_group_size %d, write_bloom_filter false"
	}
	d.query(t, "copy (from '%s') to '%s' (%s)", plain, path, fmt.Sprintf(format, groupRows))
}

func (d *duckDB) read(t *testing.T, path string) (all []row) {
	t.Helper()
	columns := `"int32", "int64"::varchar, "double", to_hex("bytes"), "text"`
	for _, r := range d.query(t, `select %s from '%s'`, columns, path) {
		var got row
		got.Int32 = int32(r[0].(float64))
		_, err := fmt.Sscan(r[1].(string), &got.Int64)
		check(t, err)
		got.Double = r[2].(float64)
		_, err = fmt.Sscanf(r[3].(string), "%X", &got.Bytes)
		check(t, err)
		got.Text = r[4].(string)
		all = append(all, got)
	}
	return all
}

func (d *duckDB) ask(t *testing.T, path string) func(column string, value any) []bool {
	return func(column string, value any) (may []bool) {
		const sql = "select bloom_filter_excludes from parquet_bloom_probe('%s', '%s', %s) order " +
			"by row_group_id"
		for _, r := range d.query(t, sql, path, column, literal(value)) {
			may = append(may, !r[0].(bool))
		}
		return may
	}
}

// printable reports whether bytes are text in DuckDB's form of them.
func printable(b []byte) bool {
	return !slices.ContainsFunc(b, func(c byte) bool {
		return c < ' ' || c > '~' || strings.IndexByte(`\'"`, c) >= 0
	})
}

func open(t *testing.T, path string) *parquet.File {
	t.Helper()
	content, err := os.ReadFile(path)
	check(t, err)
	f, err := parquet.Open(bytes.NewReader(content), int64(len(content)))
	check(t, err)
	return f
}

func column(t *testing.T, f *parquet.File, name string) *parquet.Column {
	t.Helper()
	c, err := f.Column(name)
	check(t, err)
	return c
}

// Filters of every writer are read by ours: each value is in the filter of its row
// group, and few others are in any.
func TestTheirFilters(t *testing.T) {
	for _, e := range engines(startDuckDB(t)) {
		t.Run(e.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "f.parquet")
			rows := rowsOf(0)
			e.write(t, path, rows, true)
			f := open(t, path)
			if f.RowGroups() != groups {
				t.Fatalf("%d row groups, want %d", f.RowGroups(), groups)
			}
			for _, name := range columns {
				c := column(t, f, name)
				for g, group := range rows {
					filter, err := c.Filter(g)
					check(t, err)
					if filter == nil {
						t.Fatalf("no filter of %s in row group %d", name, g)
					}
					for _, r := range group {
						v, err := c.Value(text(r.value(name)))
						check(t, err)
						if !v.In(filter) {
							t.Fatalf("%s %v of row group %d is not in its filter", name,
								r.value(name), g)
						}
					}
					others := 0
					for i := range 10_000 {
						if v, err := c.Value(text(rowOf(1e6 + i).value(name))); err != nil {
							t.Fatal(err)
						} else if v.In(filter) {
							others++
						}
					}
					if others > 1000 {
						t.Errorf("%s: %d of 10,000 non-members are in the filter of row group %d",
							name, others, g)
					}
				}
			}
		})
	}
}

// For each writer of a file, with filters or without, and each reader of it with ours: the
// rows are the same, each value is in the filter of its row group, and few others are in any.
func TestOurFilters(t *testing.T) {
	all := engines(startDuckDB(t))
	for _, writer := range all {
		for _, how := range []struct{ had, folded bool }{{false, false}, {true, false}, {false, true}} {
			t.Run(fmt.Sprintf("%s/%+v", writer.name, how), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "f.parquet")
				rows := rowsOf(0)
				writer.write(t, path, rows, how.had)
				if how.folded {
					addFolded(t, path, 0.01)
				} else {
					addFilters(t, path, 11, columns...) // no power of two of blocks
				}
				f := open(t, path)
				for _, name := range columns {
					filter, err := column(t, f, name).Filter(0)
					check(t, err)
					// 10.5 bits are 1 %
					if n := len(filter); n != groupRows*11/256 &&
						!(how.folded && n >= groupRows*10/256 && n < groupRows*13/256) {
						t.Errorf("%s has %d blocks, want ours", name, n)
					}
				}
				for _, reader := range all {
					t.Run(reader.name, func(t *testing.T) { acceptsOurs(t, reader, path, rows) })
				}
			})
		}
	}
}

// addFolded adds filters that were made for many more values and folded to a rate.
func addFolded(t *testing.T, path string, rate float64) {
	f := open(t, path)
	var filters []parquet.Filter
	for _, name := range columns {
		for group := range groups {
			c := column(t, f, name)
			table, err := c.NewFilter(group, 256*float64(kernel.Foldable(groupRows))/groupRows)
			if !errors.Is(err, parquet.ErrReader) {
				check(t, err)
			}
			folded, is := table.FoldTo(rate)
			if !is || len(folded) == len(table) {
				t.Fatalf("%s: %d blocks do not fold", name, len(table))
			}
			filters = append(filters, parquet.Filter{Column: c, Group: group, Table: folded})
		}
	}
	var b bytes.Buffer
	check(t, parquet.Write(&b, f, filters))
	check(t, os.WriteFile(path, b.Bytes(), 0o644))
}

func acceptsOurs(t *testing.T, reader engine, path string, rows [][]row) {
	got, want := reader.read(t, path), slices.Concat(rows...)
	if len(got) != len(want) {
		t.Fatalf("%d rows, want %d", len(got), len(want))
	}
	for i, r := range got {
		if fmt.Sprint(r) != fmt.Sprint(want[i]) {
			t.Fatalf("row %d is %v, want %v", i, r, want[i])
		}
	}
	ask, step := reader.ask(t, path), reader.step
	if testing.Short() {
		step *= 11
	}
	for _, name := range columns {
		queries, others := 0, 0
		for g, group := range rows {
			for i := 0; i < len(group); i += step {
				value := group[i].value(name)
				if b, ok := value.([]byte); ok && reader.name == "DuckDB" && !printable(b) {
					continue // TestDuckDBBlobs
				}
				may := ask(name, value)
				if len(may) != groups || !may[g] {
					t.Fatalf("%s %v of row group %d: %v", name, value, g, may)
				}
				for other, found := range may {
					if other != g {
						queries++
						if found {
							others++
						}
					}
				}
			}
		}
		if others*20 > queries {
			t.Errorf("%s: %d of %d non-members are in a filter", name, others, queries)
		}
	}
}

// What engines do with zeros and NaN, as the package documentation and docs/parquet.md have it.
// Each finds a number in its own filter by its bits alone, and DuckDB loses rows by that, to whose
// queries zeros are equal. By a filter of ours each finds both zeros, and the usual NaN for any.
func TestZerosAndNaN(t *testing.T) {
	usual, other := math.Float64frombits(0x7ff8000000000000),
		math.Float64frombits(0xfff8000000000123)
	negative := math.Copysign(0, -1)
	d := startDuckDB(t)
	all := engines(d)
	for _, test := range []struct {
		name        string
		in, queries float64
		own         bool // whether an engine's own filter has it
	}{
		{"0 in 0", 0, 0, true},
		{"-0 in -0", negative, negative, true},
		{"0 in -0", negative, 0, false},
		{"-0 in 0", 0, negative, false},
		{"NaN in NaN", usual, usual, true},
		{"NaN in another NaN", other, usual, false},
	} {
		for _, e := range all {
			t.Run(test.name+"/"+e.name, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "f.parquet")
				// between two others, or the statistics tell
				rows := [][]row{{rowOf(1), rowOf(2), rowOf(3)}}
				for i, x := range []float64{test.in, -1e300, 1e300} {
					rows[0][i].Double = x
				}
				e.write(t, path, rows, true)
				holds := func(whose string, want bool) {
					t.Helper()
					c := column(t, open(t, path), "double")
					filter, err := c.Filter(0)
					check(t, err)
					if v, err := c.Value(text(test.queries)); err != nil || !v.In(filter) &&
						whose == "ours" {
						t.Errorf("%s filter: ours answers no (%v)", whose, err)
					}
					for _, asks := range all {
						if got := asks.ask(t, path)("double", test.queries); !slices.Equal(got,
							[]bool{want}) {
							t.Errorf("%s filter: %s answers %v, want %v", whose,
								asks.name, got, want)
						}
					}
					if math.IsNaN(test.queries) {
						// DuckDB also goes by the statistics, in which others than it leave NaN out
						return
					}
					found := d.query(t, "select count(*) from '%s' where double = %s", path,
						literal(test.queries))
					if got := fmt.Sprint(found) != "[[0]]"; got != want {
						t.Errorf("%s filter: DuckDB finds %v rows, want some: %v",
							whose, found, want)
					}
				}
				holds("its own", test.own)
				addFilters(t, path, 64, columns...)
				holds("ours", true)
			})
		}
	}
}

// DuckDB asks for the text of bytes, so that in its own filters and in all others it does not find
// those that its text escapes. When it does, this test says so, and docs/parquet.md can be shorter.
func TestDuckDBBlobs(t *testing.T) {
	d := startDuckDB(t)
	path := filepath.Join(t.TempDir(), "f.parquet")
	rows := [][]row{{rowOf(1), rowOf(2)}}
	d.write(t, path, rows, true)
	for i, want := range []bool{false, true} {
		if value := rows[0][i].Bytes; printable(value) != want ||
			d.ask(t, path)("bytes", value)[0] != want {
			t.Errorf("%q: printable %v, and DuckDB finds it: %v", value, printable(value), !want)
		}
	}
}
