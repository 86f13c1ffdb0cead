package splitblock

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/bloom"

	"github.com/bloomlane/bloomlane/kernel"
	ours "github.com/bloomlane/bloomlane/kernel/parquet"
)

// Whichever of the three libraries writes a filter, the bytes are the same, and whichever reads
// them gives the same answers.
func TestFilters(t *testing.T) {
	for _, bytesOf := range []int{64, 1 << 10, 1 << 16} { // arrow-go has powers of two only
		members := make([]uint64, bytesOf*8/10)
		for i := range members {
			members[i] = mix(uint64(i))
		}
		written := map[string][]byte{}
		table := kernel.NewSplitBlockTable(bytesOf / bloom.BlockSize)
		table.AddBatch(members)
		written["ours"] = table.AppendBytes(nil)

		answered := kernel.NewSplitBlockTable(bytesOf / bloom.BlockSize)
		answered.QueryInsertBatch(members, nil)
		written["ours, with answers"] = answered.AppendBytes(nil)

		filter := make(bloom.SplitBlockFilter, bytesOf/bloom.BlockSize)
		filter.InsertBulk(members)
		written["parquet-go"] = slices.Clone(filter.Bytes())

		builder := metadata.NewBloomFilter(uint32(bytesOf), arrowLimit, memory.DefaultAllocator)
		builder.InsertBulk(members)
		var b bytes.Buffer
		if _, err := builder.WriteTo(&b, nil); err != nil {
			t.Fatal(err)
		}
		written["arrow-go"] = b.Bytes()

		for name, bitset := range written {
			if !bytes.Equal(bitset, written["ours"]) {
				t.Errorf("%d bytes: %s writes others", bytesOf, name)
			}
			checkReaders(t, bitset, members)
		}
	}
}

// checkReaders compares the answers of all libraries about members and others.
func checkReaders(t *testing.T, bitset []byte, members []uint64) {
	t.Helper()
	table := kernel.SplitBlockTableOfBytes(bitset)
	filter := bloom.MakeSplitBlockFilter(bitset)
	arrow := metadata.NewBloomFilter(uint32(len(bitset)), arrowLimit,
		given(slices.Clone(bitset))).(metadata.BloomFilter)
	queries := slices.Clone(members)
	for i := range 20_000 {
		queries = append(queries, mix(uint64(i)+1<<40))
	}
	present := make([]uint64, (len(queries)+63)/64)
	table.QueryBatch(queries, present)
	for i, h := range queries {
		want := filter.Check(h)
		if i < len(members) && !want {
			t.Fatalf("%d bytes: member %#x is not found", len(bitset), h)
		}
		fromFile, err := bloom.CheckSplitBlock(bytes.NewReader(bitset), int64(len(bitset)), h)
		if err != nil {
			t.Fatal(err)
		}
		batch := present[i/64]>>(i%64)&1 != 0
		if table.Query(h) != want || batch != want || arrow.CheckHash(h) != want ||
			fromFile != want {
			t.Fatalf("%d bytes, %#x: ours %v, in a batch %v, parquet-go %v, of its file %v, "+
				"arrow-go %v",
				len(bitset), h, table.Query(h), batch, want, fromFile, arrow.CheckHash(h))
		}
	}
}

// The filter in a file of parquet-testing, the test files of the format, which none of the three
// libraries has written: its bytes are those of ours of the column's values.
func TestFileOfTheFormat(t *testing.T) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}",
		"github.com/parquet-go/parquet-go").Output()
	if err != nil {
		t.Fatal(err)
	}
	opened, err := os.Open(filepath.Join(strings.TrimSpace(string(dir)), "testdata",
		"data_index_bloom_encoding_stats.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	info, err := opened.Stat()
	if err != nil {
		t.Fatal(err)
	}
	f, err := parquet.OpenFile(opened, info.Size())
	if err != nil {
		t.Fatal(err)
	}
	t.Log("written by", f.Metadata().CreatedBy)
	filters := 0
	for _, group := range f.RowGroups() {
		for _, chunk := range group.ColumnChunks() {
			stored := chunk.BloomFilter()
			if stored == nil {
				continue
			}
			filters++
			bitset := make([]byte, stored.Size())
			if _, err := stored.ReadAt(bitset, 0); err != nil {
				t.Fatal(err)
			}
			values := columnValues(t, chunk)
			table := kernel.NewSplitBlockTable(len(bitset) / bloom.BlockSize)
			ours.InsertBytes(table, values)
			if !bytes.Equal(table.AppendBytes(nil), bitset) {
				t.Errorf("%d values: our filter has other bytes", len(values))
			}
			if found := ours.QueryBytes(kernel.SplitBlockTableOfBytes(bitset), values,
				nil); found != len(values) || found == 0 {
				t.Errorf("%d of %d values are found", found, len(values))
			}
			if kernel.SplitBlockTableOfBytes(bitset).Query(
				ours.HashBytes("no value of the column")) {
				t.Error("a value that is none is found")
			}
		}
	}
	if filters == 0 {
		t.Error("the file has no filter")
	}
}

func columnValues(t *testing.T, chunk parquet.ColumnChunk) (all [][]byte) {
	pages := chunk.Pages()
	defer pages.Close()
	for {
		page, err := pages.ReadPage()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		values := make([]parquet.Value, page.NumValues())
		if n, err := page.Values().ReadValues(values); n != len(values) {
			t.Fatalf("%d of %d values: %v", n, len(values), err)
		}
		for _, v := range values {
			all = append(all, slices.Clone(v.ByteArray()))
		}
	}
}

// A file that parquet-go writes, with filters of several types, and arrow-go reads: our filters of
// the same columns have the same bytes in parquet-go's hands and answer as arrow-go does.
func TestWrittenFile(t *testing.T) {
	type row struct {
		Int32  int32   `parquet:"int32"`
		Int64  int64   `parquet:"int64"`
		Float  float32 `parquet:"float"`
		Double float64 `parquet:"double"`
		Text   string  `parquet:"text"`
	}
	rows := make([]row, 3000)
	var ints []int32
	var longs []int64
	var floats []float32
	var doubles []float64
	var texts []string
	for i := range rows {
		x := mix(uint64(i))
		rows[i] = row{int32(x), int64(x), float32(x) / 3, float64(x) / 7,
			strings.Repeat("x", int(x%40)) + "y"}
		ints, longs = append(ints, rows[i].Int32), append(longs, rows[i].Int64)
		floats, doubles = append(floats, rows[i].Float), append(doubles, rows[i].Double)
		texts = append(texts, rows[i].Text)
	}
	var b bytes.Buffer
	w := parquet.NewGenericWriter[row](&b, parquet.BloomFilters(
		parquet.SplitBlockFilter(10, "int32"), parquet.SplitBlockFilter(10, "int64"),
		parquet.SplitBlockFilter(10, "float"),
		parquet.SplitBlockFilter(10, "double"), parquet.SplitBlockFilter(10, "text")))
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}

	f, err := parquet.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	read, err := file.NewParquetReader(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	group, err := read.GetBloomFilterReader().RowGroup(0)
	if err != nil {
		t.Fatal(err)
	}
	for i, insert := range []func(kernel.SplitBlockTable){
		func(t kernel.SplitBlockTable) { ours.Insert(t, ints) },
		func(t kernel.SplitBlockTable) { ours.Insert(t, longs) },
		func(t kernel.SplitBlockTable) { ours.Insert(t, floats) },
		func(t kernel.SplitBlockTable) { ours.Insert(t, doubles) },
		func(t kernel.SplitBlockTable) { ours.InsertBytes(t, texts) },
	} {
		stored := f.RowGroups()[0].ColumnChunks()[i].BloomFilter()
		bitset := make([]byte, stored.Size())
		if _, err := stored.ReadAt(bitset, 0); err != nil {
			t.Fatal(err)
		}
		table := kernel.NewSplitBlockTable(len(bitset) / bloom.BlockSize)
		insert(table)
		if !bytes.Equal(table.AppendBytes(nil), bitset) {
			t.Errorf("column %d: our filter has other bytes", i)
		}
		arrow, err := group.GetColumnBloomFilter(i)
		if err != nil {
			t.Fatal(err)
		}
		for x := range uint64(20_000) {
			if h := mix(x); arrow.CheckHash(h) != table.Query(h) {
				t.Fatalf("column %d: arrow-go answers %v about %#x", i, arrow.CheckHash(h), h)
			}
		}
	}
}
