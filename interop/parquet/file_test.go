package parquet

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	pages "github.com/parquet-go/parquet-go"

	"github.com/bloomlane/bloomlane/kernel"
	"github.com/bloomlane/bloomlane/kernel/parquet"
)

// row is a row of the test files, with nulls, a group and a list.
type row struct {
	ID    int64   `parquet:"id"`
	Name  *string `parquet:"name,optional"`
	Inner struct {
		Small uint32   `parquet:"small"`
		Tags  []string `parquet:"tags,list"`
	} `parquet:"inner"`
}

// rows returns n rows with consecutive numbers.
func rows(start, n int) (all []row) {
	for i := start; i < start+n; i++ {
		r := row{ID: int64(i)}
		if i%3 == 0 {
			r.Name = new("name " + fmt.Sprint(i))
		}
		r.Inner.Small = uint32(i) << 28
		for j := range i % 4 {
			r.Inner.Tags = append(r.Inner.Tags, fmt.Sprint(i, "/", j))
		}
		all = append(all, r)
	}
	return all
}

// written returns a file of two row groups of 100 rows.
func written(t testing.TB, options ...pages.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w := pages.NewGenericWriter[row](&b, options...)
	for _, start := range []int{0, 100} {
		_, err := w.Write(rows(start, 100))
		check(t, err)
		check(t, w.Flush())
	}
	check(t, w.Close())
	return b.Bytes()
}

var withFilters = pages.BloomFilters(pages.SplitBlockFilter(10, "id"),
	pages.SplitBlockFilter(10, "name"))

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func opened(t testing.TB, b []byte) *File {
	t.Helper()
	f, err := Open(bytes.NewReader(b), int64(len(b)))
	check(t, err)
	return f
}

func columnOf(t testing.TB, f *File, name string) *Column {
	t.Helper()
	c, err := f.Column(name)
	check(t, err)
	return c
}

// A file has columns by name and type, rows, and values as keys, also in groups and lists, without
// nulls.
func TestColumns(t *testing.T) {
	f := opened(t, written(t))
	var names []string
	for _, c := range f.Columns() {
		names = append(names, c.Name()+" "+c.Type())
	}
	want := "[id int64 name byte array inner.small uint32 inner.tags.list.element byte array]"
	if got := fmt.Sprint(names); got != want || f.RowGroups() != 2 || f.Rows(1) != 100 ||
		f.Data(0) != "" {
		t.Errorf("%s, %d row groups, %d rows, in %q; want %s", got, f.RowGroups(), f.Rows(1),
			f.Data(0), want)
	}
	for name, want := range map[string][]string{
		"id": {"100", "101"}, "name": {"name 102", "name 105"},
		"inner.small":             {"1073741824", "1342177280"},
		"inner.tags.list.element": {"101/0", "102/0"},
	} {
		var keys []string
		c := columnOf(t, f, name)
		check(t, c.Keys(1, func(key []byte) { keys = append(keys, string(key)) }))
		if !slices.Equal(keys[:2], want) {
			t.Errorf("%s: %q, want first %q", name, keys, want)
		}
		filter, err := c.NewFilter(1, 10)
		check(t, err)
		for _, key := range keys {
			if v, err := c.Value(key); err != nil || !v.In(filter) {
				t.Errorf("%s: %s is not in the filter of the values (%v)", name, key, err)
			}
		}
		distinct := map[string]bool{}
		for _, key := range keys {
			distinct[key] = true
		}
		if want := (len(distinct)*10 + 255) / 256; len(filter) != want {
			t.Errorf("%s: %d blocks for %d different values, want %d", name, len(filter),
				len(distinct), want)
		}
	}
	for _, name := range []string{"", ".id", "id.", "d", "small", "nner.small", "inner..small",
		"inner.small.", ".inner.small", "inner.tags.list.element.x", "x.inner.small"} {
		if c, err := f.Column(name); err == nil {
			t.Errorf("%q is %s", name, c.Name())
		}
	}
	_, err := f.Column("inner")
	if !errors.Is(err, ErrColumn) || !strings.Contains(err.Error(),
		`found "inner", expected one of id, name, inner.small, inner.tags.list.element`) {
		t.Error(err)
	}
}

// Write adds filters to a file and replaces others. Each byte before the footer, and each value of
// the footer except the places of filters, stays as it is.
func TestWrite(t *testing.T) {
	before := written(t, withFilters, pages.KeyValueMetadata("key", "value"))
	f := opened(t, before)
	var filters []Filter
	for _, name := range []string{"id", "inner.small"} {
		for group := range 2 {
			c := columnOf(t, f, name)
			table, err := c.NewFilter(group, 20)
			check(t, err)
			filters = append(filters, Filter{c, group, table})
		}
	}
	var out bytes.Buffer
	check(t, Write(&out, f, filters))
	if !bytes.Equal(out.Bytes()[:f.end], before[:f.end]) {
		t.Error("bytes before the footer have changed")
	}
	after := opened(t, out.Bytes())
	for _, filter := range filters {
		got, err := columnOf(t, after, filter.Column.Name()).Filter(filter.Group)
		check(t, err)
		if !slices.Equal(got, filter.Table) {
			t.Errorf("another filter of %s in row group %d", filter.Column.Name(), filter.Group)
		}
	}
	kept, err := columnOf(t, after, "name").Filter(1)
	check(t, err)
	if old, err := columnOf(t, f, "name").Filter(1); err != nil || old == nil ||
		!slices.Equal(kept, old) {
		t.Errorf("the filter of name is another (%v)", err)
	}
	if none, err := columnOf(t, after, "inner.tags.list.element").Filter(0); none != nil ||
		err != nil {
		t.Errorf("a column without a filter has %v (%v)", none, err)
	}
	old, err := pages.OpenFile(bytes.NewReader(before), int64(len(before)))
	check(t, err)
	other, err := pages.OpenFile(bytes.NewReader(out.Bytes()), int64(out.Len()))
	check(t, err)
	for _, m := range []*pages.File{old, other} {
		for i := range m.Metadata().RowGroups {
			for j := range m.Metadata().RowGroups[i].Columns {
				at := &m.Metadata().RowGroups[i].Columns[j].MetaData
				at.BloomFilterOffset, at.BloomFilterLength = 0, 0
			}
		}
	}
	if a, b := fmt.Sprintf("%+v", old.Metadata()), fmt.Sprintf("%+v", other.Metadata()); a != b {
		t.Errorf("the metadata is\n%s\nand was\n%s", b, a)
	}
	if got, err := pages.Read[row](bytes.NewReader(out.Bytes()), int64(out.Len())); err != nil ||
		fmt.Sprint(len(got), got[150].ID) != "200 150" {
		t.Errorf("%d rows (%v)", len(got), err)
	}
}

// ending is a reader whose file became shorter.
type ending struct {
	io.ReaderAt
	size int64
}

func (e *ending) ReadAt(b []byte, offset int64) (int, error) {
	if left := max(0, e.size-offset); int64(len(b)) > left {
		n, err := e.ReaderAt.ReadAt(b[:left], offset)
		return n, cmp.Or(err, io.EOF)
	}
	return e.ReaderAt.ReadAt(b, offset)
}

// A source that ends early is an error: what was written is no copy of it.
func TestWriteOfAShorterFile(t *testing.T) {
	file := written(t)
	source := &ending{bytes.NewReader(file), int64(len(file))}
	f, err := Open(source, source.size)
	check(t, err)
	filters := []Filter{{f.columns[0], 0, kernel.NewSplitBlockTable(1)}}
	check(t, Write(io.Discard, f, filters))
	for _, source.size = range []int64{0, 4, 1000, f.end - 1} {
		err := Write(io.Discard, f, filters)
		if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), fmt.Sprint(f.end)) {
			t.Errorf("of %d bytes: %v", source.size, err)
		}
	}
}

// A filter of a row group that the file does not have is not written.
func TestWritePanics(t *testing.T) {
	f, other := opened(t, written(t)), opened(t, written(t))
	table := kernel.NewSplitBlockTable(1)
	for _, filter := range []Filter{
		{f.columns[0], 2, table}, {f.columns[0], -1, table}, {f.columns[0], 0, nil},
		{other.columns[0], 0, table},
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got,
					"blocks of column id in row group") {
					t.Errorf("%+v: %s", filter, got)
				}
			}()
			t.Error(Write(io.Discard, f, []Filter{filter}))
		}()
	}
}

// A field of any type that this package does not know stays, before and after those that it writes.
func TestWriteKeepsFields(t *testing.T) {
	var w thriftWriter
	w.integer(1, thriftI32, 7)
	w.field(2, thriftTrue)
	w.integer(14, thriftI64, 1)
	w.integer(15, thriftI32, 1)
	w.field(16, thriftFalse)
	w.raw(17, thriftMap, []byte{1, thriftBinary<<4 | thriftTrue, 1, 'a', 1})
	w.raw(18, thriftUUID, make([]byte, 16))
	w.raw(19, thriftSet, []byte{2<<4 | thriftDouble, 16: 0})
	w.raw(300, thriftByte, []byte{9})
	metadata := w.end()
	got := rewriteColumn(metadata, place{1000, 300})
	var want thriftWriter
	want.integer(1, thriftI32, 7)
	want.field(2, thriftTrue)
	want.integer(14, thriftI64, 1000)
	want.integer(15, thriftI32, 300)
	want.b = append(want.b, metadata[bytes.IndexByte(metadata, 1<<4|thriftFalse):]...)
	if !bytes.Equal(got, want.b) {
		t.Errorf("%x, want %x", got, want.b)
	}
	if got := rewriteColumn(metadata, place{}); !bytes.Contains(got, []byte{9}) ||
		bytes.Contains(got, []byte{14<<4 | thriftI64}) || len(got) >= len(metadata) {
		t.Errorf("without a filter: %x of %x", got, metadata)
	}
}

// AddFilters adds filters to a file, or leaves it as it is.
func TestAddFilters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.parquet")
	before := written(t)
	check(t, os.WriteFile(path, before, 0o640))
	if err := AddFilters(path, 10, "id", "ID"); !errors.Is(err, ErrColumn) ||
		!strings.Contains(err.Error(), path) {
		t.Error(err)
	}
	if err := AddFilters(path, math.NaN(), "id"); err == nil ||
		!strings.Contains(err.Error(), "NaN bits per value") {
		t.Error(err)
	}
	if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, before) {
		t.Errorf("an error has changed the file (%v)", err)
	}
	check(t, AddFilters(path, 10, "id", "name"))
	now, err := os.ReadFile(path)
	check(t, err)
	info, err := os.Stat(path)
	check(t, err)
	f := opened(t, now)
	for _, name := range []string{"id", "name"} {
		for group := range 2 {
			if filter, err := columnOf(t, f, name).Filter(group); err != nil || filter == nil {
				t.Errorf("%s has no filter in row group %d (%v)", name, group, err)
			}
		}
	}
	if left, err := filepath.Glob(path + "*"); err != nil || len(left) != 1 ||
		info.Mode().Perm() != 0o640 {
		t.Errorf("%v, mode %v (%v)", left, info.Mode(), err)
	}
}

// A summary has the filters of one column and no values. A summary can be made from a summary.
func TestSummary(t *testing.T) {
	f := opened(t, written(t, withFilters))
	var out bytes.Buffer
	n, err := WriteSummary(&out, columnOf(t, f, "name"), "../data.parquet")
	check(t, err)
	var second bytes.Buffer
	c := columnOf(t, opened(t, out.Bytes()), "name")
	_, err = WriteSummary(&second, c, "../data.parquet")
	check(t, err)
	for _, b := range [][]byte{out.Bytes(), second.Bytes()} {
		s := opened(t, b)
		c := columnOf(t, s, "name")
		if n != 2 || len(s.Columns()) != 1 || s.RowGroups() != 2 || s.Rows(1) != 100 ||
			s.Data(1) != "../data.parquet" {
			t.Errorf("%d filters, %d columns, %d row groups, %d rows, data %s", n, len(s.Columns()),
				s.RowGroups(), s.Rows(1), s.Data(1))
		}
		for group := range 2 {
			want, err := columnOf(t, f, "name").Filter(group)
			check(t, err)
			got, err := c.Filter(group)
			check(t, err)
			if !slices.Equal(got, want) {
				t.Errorf("row group %d: another filter", group)
			}
		}
		if err := c.Keys(0, func([]byte) {}); !errors.Is(err, ErrElsewhere) ||
			!strings.Contains(err.Error(), "../data.parquet") {
			t.Errorf("the values of a summary: %v", err)
		}
	}
	out.Reset()
	n, err = WriteSummary(&out, columnOf(t, f, "inner.tags.list.element"), "data.parquet")
	if n != 0 || err != nil || out.Len() != 0 {
		t.Errorf("without filters: %d, %d bytes (%v)", n, out.Len(), err)
	}
	// One column of a list, of a file that has a filter there.
	var filters []Filter
	for group := range 2 {
		filters = append(filters, Filter{columnOf(t, f, "inner.tags.list.element"), group,
			kernel.NewSplitBlockTable(1)})
	}
	var with bytes.Buffer
	check(t, Write(&with, f, filters[1:]))
	n, err = WriteSummary(&out, columnOf(t, opened(t, with.Bytes()), "inner.tags.list.element"),
		"data.parquet")
	check(t, err)
	c = columnOf(t, opened(t, out.Bytes()), "inner.tags.list.element")
	if first, err := c.Filter(0); n != 1 || err != nil || first != nil {
		t.Errorf("%d filters, the first %v (%v)", n, first, err)
	}
	if second, err := c.Filter(1); err != nil || len(second) != 1 {
		t.Errorf("%v (%v)", second, err)
	}
}

// A column that says that it has no children says so in its summary.
func TestSummaryOfNoChildren(t *testing.T) {
	f := opened(t, edit(written(t, withFilters), func(w *thriftWriter) {
		if w.b[0] == 1<<4|thriftI32 { // the type of a column
			w.integer(5, thriftI32, 0)
		}
	}, 0, 2))
	var out bytes.Buffer
	n, err := WriteSummary(&out, columnOf(t, f, "id"), "data.parquet")
	check(t, err)
	if s := opened(t, out.Bytes()); n != 2 || s.Columns()[0].Name() != "id" {
		t.Errorf("%d filters of %s", n, s.Columns()[0].Name())
	}
}

// typed reports whether an error wraps one of the errors of this package.
func typed(err error) bool {
	for _, is := range []error{ErrNotParquet, ErrDamaged, ErrEncrypted, ErrElsewhere, ErrColumn,
		ErrType, ErrValue, ErrReader} {
		if errors.Is(err, is) {
			return true
		}
	}
	return false
}

// use reads everything in a file, and returns the first error.
func use(b []byte) (first error) {
	f, err := Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return err
	}
	note := func(err error) {
		if first == nil {
			first = err
		}
	}
	for _, c := range f.Columns() {
		for group := range f.RowGroups() {
			_, err := c.Filter(group)
			note(err)
			note(c.Keys(group, func([]byte) {}))
			_, err = c.NewFilter(group, 10)
			note(err)
		}
		_, err := WriteSummary(io.Discard, c, "data")
		note(err)
	}
	return first
}

// withFooter returns a file with another footer.
func withFooter(file, footer []byte) []byte {
	end := len(file) - 8 - int(binary.LittleEndian.Uint32(file[len(file)-8:]))
	b := append(slices.Clone(file[:end]), footer...)
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(footer))), magic...)
}

// edit returns a file with other structures at a path of fields. The structures of a list are its
// elements.
func edit(file []byte, change func(w *thriftWriter), drop int16, path ...int16) []byte {
	var descend func(b []byte, path []int16) []byte
	descend = func(b []byte, path []int16) []byte {
		if len(path) == 0 {
			var w thriftWriter
			r := &thriftReader{b: b}
			for id, typ := range r.fields() {
				if raw := r.skip(typ, false); id != drop {
					w.raw(id, typ, raw)
				}
			}
			change(&w)
			return w.end()
		}
		return rewrite(b, func(w *thriftWriter, r *thriftReader, id int16, typ byte) bool {
			switch {
			case id != path[0]:
				return false
			case typ == thriftStruct:
				w.raw(id, typ, descend(r.skip(typ, false), path[1:]))
			default:
				var all [][]byte
				for range r.structs(typ) {
					all = append(all, descend(r.skip(thriftStruct, true), path[1:]))
				}
				w.structs(id, all)
			}
			return true
		})
	}
	end := len(file) - 8 - int(binary.LittleEndian.Uint32(file[len(file)-8:]))
	return withFooter(file, descend(file[end:len(file)-8], path))
}

// A damaged file gives a typed error with what was found.
func TestDamage(t *testing.T) {
	file := written(t, withFilters)
	f := opened(t, file)
	end := f.end
	first := f.groups[0].chunks[0]
	set := func(id int16, typ byte, v int64) func(*thriftWriter) {
		return func(w *thriftWriter) { w.integer(id, typ, v) }
	}
	metadata := func(id int16, typ byte, v int64) []byte {
		return edit(file, set(id, typ, v),
			id, 4, 1, 3)
	}
	last := f.filters[len(f.filters)-1]
	header := func(offset, size int64) []byte {
		b := slices.Clone(file)
		var w thriftWriter
		w.integer(1, thriftI32, size)
		for id := int16(2); id <= 4; id++ {
			w.raw(id, thriftStruct, []byte{1<<4 | thriftStruct, 0, 0})
		}
		copy(b[offset:], w.end())
		return b
	}
	elsewhere := func(column int) []byte { // one column of the first row group
		return edit(file, func(w *thriftWriter) {
			if column == 0 {
				w.binary(1, "x.parquet")
			}
			column--
		}, 1, 4, 1)
	}
	empty := []byte{0}
	columns := 0
	for name, test := range map[string]struct {
		file []byte
		is   error
		says string
	}{
		"short":     {[]byte("PAR1PAR1"), ErrNotParquet, "found 8 bytes, expected at least 12"},
		"text":      {[]byte("id,name\n1,apple\n"), ErrNotParquet, `begins "id,n"`},
		"truncated": {file[:len(file)-1], ErrDamaged, "truncated?"},
		"half":      {file[:len(file)/2], ErrDamaged, "truncated?"},
		"encrypted": {slices.Concat([]byte("PARE"), file[4:len(file)-4], []byte("PARE")),
			ErrEncrypted, "the footer"},
		"signed": {edit(file, func(w *thriftWriter) { w.raw(8, thriftStruct, empty) }, 0),
			ErrEncrypted, "columns"},
		"a key": {edit(file, func(w *thriftWriter) { w.raw(8, thriftStruct, empty) }, 0, 4,
			1), ErrEncrypted, "columns"},
		"no metadata": {edit(file, func(w *thriftWriter) { w.raw(8, thriftStruct, empty) }, 3, 4,
			1), ErrEncrypted, "columns"},
		"footer": {slices.Concat(file[:len(file)-8], []byte{255, 255, 255, 255},
			[]byte(magic)), ErrDamaged, "a footer of 4294967295 bytes"},
		"more footer": {withFooter(file, append(slices.Clone(f.footer), 1)), ErrDamaged,
			"1 bytes after"},
		"less footer": {withFooter(file, f.footer[:len(f.footer)-1]), ErrDamaged,
			"the end of the metadata"},
		"no schema": {edit(file, func(w *thriftWriter) {}, 2), ErrDamaged,
			"the schema ends too early"},
		"children": {edit(file, set(5, thriftI32, 3), 5, 2), ErrDamaged,
			"in the schema with 3 children"},
		"no group": {edit(file, func(w *thriftWriter) {
			if w.b[0] != 1<<4|thriftI32 { // a group gets a type
				w.integer(1, thriftI32, 1)
			}
		}, 5, 2), ErrDamaged, "where the schema has no group"},
		"no rows": {edit(file, set(3, thriftI64, -7), 3, 4), ErrDamaged, "-7 rows"},
		"columns": {edit(file, func(w *thriftWriter) { w.structs(1, nil) }, 1, 4), ErrDamaged,
			"found 0 columns in row group 0, expected 4"},
		"elsewhere":      {elsewhere(0), ErrElsewhere, "x.parquet: open that"},
		"last elsewhere": {elsewhere(3), ErrElsewhere, "x.parquet: open that"},
		"values":         {metadata(5, thriftI64, 99), ErrDamaged, "expected 99"},
		"negative":       {metadata(14, thriftI64, -5), ErrDamaged, "at -5"},
		"shared pages": {metadata(7, thriftI64, end/7), ErrDamaged,
			fmt.Sprint("pages of all row groups, expected ", end)},
		"shared pages, and more than there can be": {edit(file, func(w *thriftWriter) {
			if columns++; columns == 8 { // the last of the last row group
				w.integer(7, thriftI64, math.MaxInt64)
			} else {
				w.integer(7, thriftI64, end/7)
			}
		}, 7, 4, 1, 3), ErrDamaged, "pages of all row groups"},
		"no codec": {edit(file, func(*thriftWriter) {}, 4, 4, 1, 3), ErrDamaged, "by codec -1"},
		"shared filters": {metadata(14, thriftI64, first.offset), ErrDamaged,
			fmt.Sprint("expected their end before ", first.offset)},
		"offset": {metadata(14, thriftI64, end), ErrDamaged, fmt.Sprint("offset ", end)},
		"far offset": {metadata(14, thriftI64, math.MaxInt64), ErrDamaged,
			"offset 9223372036854775807"},
		"first offset": {metadata(14, thriftI64, 3), ErrDamaged, "offset 3"},
		"last offset":  {metadata(14, thriftI64, end-1), ErrDamaged, "header of the filter"},
		"length": {metadata(15, thriftI32, 77), ErrDamaged,
			"bytes with the header, expected 77"},
		"long": {metadata(15, thriftI32, math.MaxInt32+1000), ErrDamaged,
			"the number 2147484647, expected one of 32 bits"},
		"twice": {edit(file, set(14, thriftI64, first.offset), 0, 4, 1, 3), ErrDamaged,
			"a second field 14"},
		"size":    {header(first.offset, 33), ErrDamaged, "33 bytes, expected whole blocks"},
		"no size": {header(first.offset, 0), ErrDamaged, "0 bytes, expected whole blocks"},
		"union": {slices.Concat(file[:first.offset], []byte{1<<4 | thriftI32, 64,
			1<<4 | thriftStruct, 1<<4 | thriftStruct, 0, 1<<4 | thriftStruct, 0},
			file[first.offset+7:]), ErrDamaged, "members 1 and 2 of a union"},
		"two logical types": {edit(file, func(w *thriftWriter) {
			w.raw(10, thriftStruct, []byte{1<<4 | thriftStruct, 0, 4<<4 | thriftStruct, 0, 0})
		}, 10, 2), ErrDamaged, "two logical types"},
		"repetition": {edit(file, set(3, thriftI32, 3), 3, 2), ErrDamaged, "with repetition 3"},
		"large size": {header(first.offset, math.MaxInt32&^31), ErrDamaged, "2147483616 bytes at"},
		"size to end": {header(first.offset, (f.filters[1]-first.offset+31)&^31), ErrDamaged,
			fmt.Sprint("expected their end before ", f.filters[1])},
		"last size to end": {header(last, (end-last+31)&^31), ErrDamaged,
			fmt.Sprint("expected their end before ", end)},
		"no length": {forgery{physical: physicalFixed}.bytes(), ErrDamaged,
			"with repetition 0 and length 0"},
		"below size": {header(first.offset, -32), ErrDamaged, "-32 bytes"},
	} {
		if err := use(test.file); !errors.Is(err, test.is) ||
			!strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v, want %v and %q", name, err, test.is, test.says)
		}
	}
	check(t, use(file))
	for n := range len(file) {
		if err := use(file[:n]); !typed(err) {
			t.Fatalf("of %d bytes %d: %v", len(file), n, err)
		}
	}
}

// A known field of another type counts as missing, as in readers that Thrift generates: it is no
// error unless the format requires it. Some writers have fields of their own there.
func TestFieldsOfOtherTypes(t *testing.T) {
	file := written(t, withFilters, pages.Compression(&pages.Snappy))
	read := func(b []byte) string {
		text := fmt.Sprint(use(b))
		if f, err := Open(bytes.NewReader(b), int64(len(b))); err == nil {
			for _, c := range f.columns {
				filter, err := c.Filter(0)
				text += fmt.Sprint(c.Name(), c.Type(), len(filter), err)
			}
		}
		return text
	}
	for _, field := range []struct {
		needed bool
		path   []int16 // to the structure, and the field's id
	}{
		{true, []int16{2}}, {false, []int16{3}}, {false, []int16{5}}, {false, []int16{8}},
		{true, []int16{2, 1}}, {false, []int16{2, 2}}, {true, []int16{2, 3}},
		{true, []int16{2, 4}}, {true, []int16{2, 5}}, {false, []int16{2, 6}},
		{false, []int16{2, 7}}, {false, []int16{2, 8}}, {false, []int16{2, 10}},
		{false, []int16{2, 10, 1}}, {false, []int16{2, 10, 10}}, {false, []int16{2, 10, 10, 2}},
		{true, []int16{4, 1}}, {true, []int16{4, 3}}, {false, []int16{4, 1, 1}},
		{false, []int16{4, 1, 8}}, {false, []int16{4, 1, 9}},
		{true, []int16{4, 1, 3}}, {true, []int16{4, 1, 3, 4}}, {true, []int16{4, 1, 3, 5}},
		{true, []int16{4, 1, 3, 7}}, {true, []int16{4, 1, 3, 9}}, {false, []int16{4, 1, 3, 11}},
		{false, []int16{4, 1, 3, 14}}, {false, []int16{4, 1, 3, 15}},
	} {
		last := len(field.path) - 1
		id, path := field.path[last], field.path[:last]
		missing := edit(file, func(*thriftWriter) {}, id, path...)
		list := edit(file, func(w *thriftWriter) {
			w.raw(id, thriftSet, []byte{2<<4 | thriftBinary, 1, 'a', 0})
		}, id, path...)
		if want, got := read(missing), read(list); got != want ||
			field.needed == strings.HasPrefix(got, "<nil>") {
			t.Errorf("field %v: %s, and where it is missing: %s", field.path, got, want)
		}
	}
}

// A time whose zone, or whose unit, is a number is one of a file that does not say so.
func TestTimesOfOtherTypes(t *testing.T) {
	for _, test := range []struct {
		fields []byte
		digits int
	}{
		{[]byte{1<<4 | thriftI32, 2, 1<<4 | thriftStruct, 1<<4 | thriftStruct, 0, 0}, 3},
		{[]byte{1<<4 | thriftFalse, 1<<4 | thriftStruct, 1<<4 | thriftI32, 2, 0}, 0},
	} {
		var e element
		r := &thriftReader{b: slices.Concat([]byte{logicalTime<<4 | thriftStruct}, test.fields,
			[]byte{0, 0})}
		if e.readLogical(r); r.err != nil || e.clock != (clock{test.digits, false}) {
			t.Errorf("%+v (%v), want %d digits", e.clock, r.err, test.digits)
		}
	}
}

// The rows of a file are those of its row groups, whatever the footer says of them in sum.
func TestRowsOfTheFile(t *testing.T) {
	for _, sum := range []int64{0, 7, -1} {
		b := edit(written(t), func(w *thriftWriter) { w.integer(3, thriftI64, sum) }, 3)
		check(t, use(b))
		if f := opened(t, b); f.Rows(1) != 100 {
			t.Errorf("%d rows", f.Rows(1))
		}
	}
}

// Pages whose headers have a wrong size are an error before memory is allocated for them, with any
// compression.
func TestPages(t *testing.T) {
	for codec, compression := range compressions {
		if compression == nil {
			continue
		}
		for _, version := range []int{1, 2} {
			file := written(t, pages.Compression(compression), pages.DataPageVersion(version))
			check(t, use(file))
			f := opened(t, file)
			at := f.groups[0].chunks[0]
			h, n, err := f.pageHeader(at.data, at.data+at.size)
			check(t, err)
			data := file[at.data+n+h.levels() : at.data+n+h.compressed]
			var r pageReader
			for difference := int64(-1); difference <= 1; difference++ {
				_, err := r.decompress(int64(codec), data, h.size-h.levels()+difference)
				if (err == nil) != (difference == 0) || err != nil && !errors.Is(err, ErrDamaged) {
					t.Errorf("codec %d, version %d: a page of %d bytes for one of %d: %v", codec,
						version, h.size, h.size+difference, err)
				}
			}
		}
	}
	for says, p := range map[string]forgedPage{
		"<nil>":                         {values: 5, size: 20},
		"a length of 4 bytes, expected": {values: 6, size: 20},
		"found 67108865 values":         {values: maxPageValues + 1, size: 20},
		"found -1 values":               {values: -1, size: 20},
		"without an encoding":           {values: 5, encoding: -1, size: 20},
		"without a kind":                {kind: -1, values: 5, size: 20},
		"found -1 bytes":                {size: -1},
		"found 67108865 bytes in":       {size: maxPageBytes + 1},
		"found another size":            {size: maxPageBytes},
		"found levels of 0 and -1 byte": {kind: dataPageV2, levels: [2]int64{0, -1}, size: 20},
		"found levels of 9 and 12 byte": {kind: dataPageV2, levels: [2]int64{9, 12}, size: 20},
	} {
		p.content = make([]byte, 20)
		f := opened(t, forgery{physical: physicalInt32, values: max(5, p.values),
			pages: []forgedPage{p}}.bytes())
		if got := fmt.Sprint(f.columns[0].Keys(0, func([]byte) {})); !strings.Contains(got, says) {
			t.Errorf("%+v: %s, want %s", p, got, says)
		}
	}
	file := written(t)
	for _, codec := range []int64{3, 5, 99} {
		bad := edit(written(t, pages.Compression(&pages.Snappy)),
			func(w *thriftWriter) { w.integer(4, thriftI32, codec) }, 4, 4, 1, 3)
		if err := use(bad); !errors.Is(err, ErrType) ||
			!strings.Contains(err.Error(), fmt.Sprint("codec ", codec)) {
			t.Errorf("codec %d: %v", codec, err)
		}
	}
	for field, v := range map[int16]int64{7: 1 << 40, 9: 3, 11: 1 << 50} {
		bad := edit(file, func(w *thriftWriter) { w.integer(field, thriftI64, v) }, field, 4, 1, 3)
		if err := use(bad); !errors.Is(err, ErrDamaged) ||
			!strings.Contains(err.Error(), "expected their end before") {
			t.Errorf("field %d is %d: %v", field, v, err)
		}
	}
}

// A page with a checksum that is not that of its bytes is an error, also where the format has it as
// a negative number.
func TestChecksum(t *testing.T) {
	negative := 0
	for i := range byte(10) {
		p := forgedPage{values: 1, content: []byte{i, 0, 0, 0}}
		sum := int64(int32(crc32.ChecksumIEEE(p.content)))
		if sum < 0 {
			negative++
		}
		for _, p.crc = range []int64{sum, ^sum, sum ^ 1} {
			f := opened(t, forgery{physical: physicalInt32, values: 1,
				pages: []forgedPage{p}}.bytes())
			err := f.columns[0].Keys(0, func([]byte) {})
			if (err == nil) != (p.crc == sum) || err != nil && (!errors.Is(err, ErrDamaged) ||
				!strings.Contains(err.Error(), "found the checksum 0x")) {
				t.Errorf("%d for %d: %v", p.crc, sum, err)
			}
		}
	}
	if negative == 0 || negative == 10 {
		t.Errorf("%d of 10 are negative", negative)
	}
}

// A filter with another algorithm, hash or compression counts as no filter.
func TestUnknownAlgorithm(t *testing.T) {
	file := written(t, withFilters)
	c := columnOf(t, opened(t, file), "id")
	first := c.file.groups[0].chunks[0]
	for union := range 3 {
		b := slices.Clone(file)
		header := appendHeader(nil, kernel.NewSplitBlockTable(int(first.length/blockBytes)))
		field := bytes.Index(header, []byte{1<<4 | thriftStruct, 1<<4 | thriftStruct, 0, 0})
		b[first.offset+int64(field)+1+int64(4*union)] = 2<<4 | thriftStruct
		if filter, err := columnOf(t, opened(t, b), "id").Filter(0); filter != nil || err != nil {
			t.Errorf("union %d: %d blocks (%v)", union, len(filter), err)
		}
	}
	v, err := c.Value("5000")
	check(t, err)
	if !v.In(nil) {
		t.Error("a row group without a filter is excluded")
	}
}

// A wrong bit in the metadata, or before it, gives a typed error or has no effect.
func TestFlippedBits(t *testing.T) {
	file := written(t, withFilters)
	f := opened(t, file)
	flip := func(start, n int64) {
		for i := start; i < start+n; i++ {
			bit := byte(1) << (i % 8)
			file[i] ^= bit
			if err := use(file); err != nil && !typed(err) {
				t.Errorf("byte %d, bit %d: %v", i, bit, err)
			}
			file[i] ^= bit
		}
	}
	flip(0, 4)
	flip(f.groups[1].chunks[1].offset, 20)
	flip(f.end, int64(len(file))-f.end)
}

// An error of the reader is not ErrDamaged.
func TestReadErrors(t *testing.T) {
	file := written(t, withFilters)
	broken := errors.New("broken")
	for n := range 100 {
		f, err := Open(&failing{bytes.NewReader(file), n, broken}, int64(len(file)))
		if err == nil {
			_, err = f.columns[0].Filter(0)
		}
		if err == nil {
			err = f.columns[1].Keys(0, func([]byte) {})
		}
		if err == nil {
			if n < 7 {
				t.Errorf("%d reads are all", n)
			}
			return
		}
		if !errors.Is(err, broken) || errors.Is(err, ErrDamaged) {
			t.Errorf("read %d fails: %v", n, err)
		}
	}
	t.Error("100 reads are not all")
}

// failing is a reader whose read number n fails.
type failing struct {
	io.ReaderAt
	n   int
	err error
}

func (f *failing) ReadAt(b []byte, offset int64) (int, error) {
	if f.n--; f.n < 0 {
		return 0, f.err
	}
	return f.ReaderAt.ReadAt(b, offset)
}

// The filters that other engines wrote are those of the values of their columns, bit for bit.
func TestTheirFilters(t *testing.T) {
	for _, engine := range []string{"DuckDB", "arrow-go", "parquet-go"} {
		b, err := os.ReadFile(filepath.Join("testdata", engine+".parquet"))
		check(t, err)
		filters := 0
		for _, c := range opened(t, b).Columns() {
			stored, err := c.Filter(0)
			check(t, err)
			if stored == nil {
				continue
			}
			filters++
			ours := kernel.NewSplitBlockTable(len(stored))
			check(t, c.values(0, func(value []byte, _ int64) {
				ours.Insert(parquet.HashBytes(value))
			}))
			if !slices.Equal(ours, stored) {
				t.Errorf("%s: the filter of %s has other bits", engine, c.Name())
			}
		}
		if filters == 0 {
			t.Errorf("%s: no filters", engine)
		}
	}
}

// FuzzOpen reads any bytes as a file. There is no panic, errors are typed, the memory for a footer
// is bounded by its bytes, and a file that is read and written again has the same filters.
func FuzzOpen(f *testing.F) {
	files, err := filepath.Glob("testdata/*.parquet")
	if err != nil || len(files) != 3 {
		f.Fatal(files, err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if taken := allocated(func() { _, _ = Open(bytes.NewReader(b), int64(len(b))) }); taken >
			1<<20+64*len(b) {
			t.Fatalf("%d bytes to open %d", taken, len(b))
		}
		if err := use(b); err != nil {
			if !typed(err) {
				t.Fatal(err)
			}
			return
		}
		file := opened(t, b)
		var filters []Filter
		for _, c := range file.Columns() {
			for group := range file.RowGroups() {
				table, err := c.Filter(group)
				check(t, err)
				if table != nil {
					filters = append(filters, Filter{c, group, table})
				}
			}
		}
		var out bytes.Buffer
		check(t, Write(&out, file, filters))
		again := opened(t, out.Bytes())
		for _, filter := range filters {
			table, err := again.columns[filter.Column.index].Filter(filter.Group)
			check(t, err)
			if !slices.Equal(table, filter.Table) {
				t.Fatal("another filter after it was written again")
			}
		}
	})
}

// The memory for a footer is bounded by its bytes, also if a deep group with long names has many
// columns.
func TestMemory(t *testing.T) {
	var schema [][]byte
	add := func(name string, id int16, v int64) {
		var w thriftWriter
		if id == 1 {
			w.integer(1, thriftI32, v)
		}
		w.binary(4, name)
		if id == 5 {
			w.integer(5, thriftI32, v)
		}
		schema = append(schema, w.end())
	}
	const depth, leaves = 60, 20_000
	for range depth {
		add(strings.Repeat("x", 1000), 5, 1)
	}
	add("last", 5, leaves)
	for range leaves {
		add("", 1, physicalInt64)
	}
	var w thriftWriter
	w.structs(2, schema)
	w.integer(3, thriftI64, 0)
	footer := w.end()
	file := withFooter(written(t), footer)
	var f *File
	if taken := allocated(func() { f = opened(t, file) }); len(f.Columns()) != leaves ||
		taken > 64*len(footer) {
		t.Errorf("%d columns, %d bytes for a footer of %d", len(f.Columns()), taken, len(footer))
	}
	name := f.Columns()[leaves-1].Name()
	if len(name) != (depth-1)*1001+len("last.") {
		t.Errorf("a name of %d bytes", len(name))
	}
	for name, says := range map[string]string{"none": "no such column", name: "two columns"} {
		if taken := allocated(func() {
			if _, err := f.Column(name); !strings.Contains(fmt.Sprint(err), says) {
				t.Error(err)
			}
		}); taken > 1<<20 {
			t.Errorf("%d bytes to find the column %s", taken, short(name))
		}
	}
}

// A column "a.b" and a column "b" in a group "a" are not taken for each other.
func TestTwoColumnsOfAName(t *testing.T) {
	type inner struct {
		B int64 `parquet:"b"`
	}
	type outer struct {
		X int64 `parquet:"a.b"`
		A inner `parquet:"a"`
	}
	var b bytes.Buffer
	w := pages.NewGenericWriter[outer](&b)
	_, err := w.Write([]outer{{1, inner{2}}})
	check(t, err)
	check(t, w.Close())
	if _, err := opened(t, b.Bytes()).Column("a.b"); !errors.Is(err, ErrColumn) {
		t.Error(err)
	}
}

// A name in a file is printed in a line of its error, without what a terminal obeys, and short.
func TestNamesInErrors(t *testing.T) {
	forged := "a\n\x1b[2Jb" + strings.Repeat("x", 10_000)
	leaf := pages.Leaf(pages.BooleanType)
	schema := pages.NewSchema("root", pages.Group{forged: leaf, forged + "2": leaf,
		forged + "3": leaf, forged + "4": leaf})
	var b bytes.Buffer
	w := pages.NewGenericWriter[any](&b, schema)
	var row pages.Row
	for i := range 4 {
		row = append(row, pages.BooleanValue(true).Level(0, 0, i))
	}
	_, err := w.WriteRows([]pages.Row{row})
	check(t, err)
	check(t, w.Close())
	f := opened(t, b.Bytes())
	c := f.columns[0]
	_, missing := f.Column(strings.Repeat("c", 1000))
	_, value := c.Value("1")
	f.groups[0].chunks[0].offset = 1
	_, filter := c.Filter(0)
	elsewhere := edit(written(t), func(w *thriftWriter) { w.binary(1, forged) }, 1, 4, 1)
	byteLeaf := *c.leaf
	byteLeaf.physical = physicalBytes
	blob := &Column{file: f, leaf: &byteLeaf, valueType: decimalValues}
	_, decimal := blob.appendText(nil, make([]byte, maxDecimalBytes+1))
	for _, err := range []error{blob.missed([]byte{0}), decimal, missing, value, filter,
		c.Keys(0, func([]byte) {}), second(c.NewFilter(0, 1)), c.values(0, func([]byte, int64) {}),
		use(elsewhere)} {
		text := fmt.Sprint(err)
		if !typed(err) || len(text) > 450 || strings.ContainsAny(text, "\n\x1b") ||
			!strings.Contains(text, `a\n\x1b[2Jb`) {
			t.Errorf("%q", text)
		}
	}
}
