package parquet

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"

	"github.com/bloomlane/bloomlane/internal/atomicfile"
	"github.com/bloomlane/bloomlane/kernel"
)

// Filter is a filter of a column in a row group, for [Write].
type Filter struct {
	Column *Column
	Group  int
	Table  kernel.SplitBlockTable
}

// place is where a filter with its header lies in a file.
type place struct{ offset, length int64 }

// spot is the row group and the column to which a filter belongs.
type spot struct{ group, column int }

// AddFilters adds filters of the columns to every row group of the file at path, with bitsPerValue
// bits per different value; 10.5 gives 1 % of false positives. It replaces filters that the columns
// have. It replaces the file whole, or not at all on an error. The error is that of Open, Column or
// NewFilter, or of the file system.
func AddFilters(path string, bitsPerValue float64, columns ...string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	f, err := Open(file, info.Size())
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	var filters []Filter
	for _, name := range columns {
		c, err := f.Column(name)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		for group := range f.groups {
			t, err := c.NewFilter(group, bitsPerValue)
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			filters = append(filters, Filter{c, group, t})
		}
	}
	return atomicfile.Write(path, 0o666, func(w io.Writer) error {
		if err := Write(w, f, filters); err != nil {
			return err
		}
		return file.Close() // Windows replaces no file that is open
	})
}

// Write writes a copy of the file f to w with the filters. They replace filters of the same columns
// and row groups. They come after everything else in the file, so nothing else moves, and the rest
// of the footer stays byte for byte. The error is that of w or of the reader of f, or wraps
// [ErrDamaged] if the reader ends early.
//
// Write panics if a filter has no blocks, or if the file does not have its column or its row group.
func Write(w io.Writer, f *File, filters []Filter) error {
	for _, filter := range filters {
		if filter.Column.file != f || filter.Group < 0 || filter.Group >= len(f.groups) ||
			len(filter.Table) == 0 {
			const text = "parquet: Write: a filter of %d blocks of column %s in row group %d of %d"
			panic(fmt.Sprintf(text, len(filter.Table), filter.Column.Name(), filter.Group,
				len(f.groups)))
		}
	}
	out := bufio.NewWriterSize(w, 1<<20)
	if n, err := io.CopyN(out, io.NewSectionReader(f.r, 0, f.end), f.end); err == io.EOF {
		return damaged(fmt.Sprintf("%d bytes of the file", n), fmt.Sprint(f.end))
	} else if err != nil {
		return err
	}
	places, err := writeFilters(out, f.end, filters)
	if err != nil {
		return err
	}
	return finish(out,
		rewrite(f.footer, func(w *thriftWriter, r *thriftReader, id int16, typ byte) bool {
			if id != 4 {
				return false
			}
			var groups [][]byte
			for i := range r.structs(typ) {
				groups = append(groups, rewriteGroup(r.skip(thriftStruct, true), places, i))
			}
			w.structs(id, groups)
			return true
		}))
}

// writeFilters writes filters, the first at the given offset.
func writeFilters(w io.Writer, offset int64, filters []Filter) (map[spot]place, error) {
	places := map[spot]place{}
	for _, filter := range filters {
		bytes := filter.Table.AppendBytes(appendHeader(nil, filter.Table))
		if _, err := w.Write(bytes); err != nil {
			return nil, err
		}
		length := int64(len(bytes))
		places[spot{filter.Group, filter.Column.index}] = place{offset, length}
		offset += length
	}
	return places, nil
}

// finish writes the footer and the end of a file.
func finish(w *bufio.Writer, footer []byte) error {
	footer = binary.LittleEndian.AppendUint32(footer, uint32(len(footer)))
	if _, err := w.Write(append(footer, magic...)); err != nil {
		return err
	}
	return w.Flush()
}

// rewriteGroup returns the metadata of a row group with the places of its filters.
func rewriteGroup(group []byte, places map[spot]place, i int) []byte {
	return rewrite(group, func(w *thriftWriter, r *thriftReader, id int16, typ byte) bool {
		if id != 1 {
			return false
		}
		var chunks [][]byte
		for column := range r.structs(typ) {
			chunk := r.skip(thriftStruct, true)
			if p, found := places[spot{i, column}]; found {
				chunk = rewrite(chunk, func(
					w *thriftWriter,
					r *thriftReader,
					id int16,
					typ byte,
				) bool {
					if id == 3 {
						w.raw(id, typ, rewriteColumn(r.skip(typ, false), p))
					}
					return id == 3
				})
			}
			chunks = append(chunks, chunk)
		}
		w.structs(id, chunks)
		return true
	})
}

// rewriteColumn returns the metadata of a column with the place of its filter, or without a filter
// if the place is zero.
func rewriteColumn(metadata []byte, p place) []byte {
	var w thriftWriter
	put := func() {
		if p.length > 0 {
			w.integer(14, thriftI64, p.offset)
			w.integer(15, thriftI32, p.length)
		}
		p.length = 0
	}
	r := &thriftReader{b: metadata}
	for id, typ := range r.fields() {
		if id > 15 {
			put()
		}
		if value := r.skip(typ, false); id != 14 && id != 15 {
			w.raw(id, typ, value)
		}
	}
	put()
	return w.end()
}

// rewrite returns a copy of a structure. edit writes a field, or returns false to have it copied.
// The structure was read before, so there is nothing wrong with it.
func rewrite(
	b []byte,
	edit func(w *thriftWriter, r *thriftReader, id int16, typ byte) bool,
) []byte {
	var w thriftWriter
	r := &thriftReader{b: b}
	for id, typ := range r.fields() {
		if !edit(&w, r, id, typ) {
			w.raw(id, typ, r.skip(typ, false))
		}
	}
	return w.end()
}

// summaryKey marks a file that WriteSummary wrote. In files of other programs whose values are
// elsewhere, the places of filters refer to the files with the values.
const summaryKey = "bloomlane.filters"

// WriteSummary writes the filters of a column to w as a Parquet file of their own, without the
// values. The file refers to the file with the values by the name data. It returns the number of
// filters. If there are none, it writes nothing. [Open] reads the file, and so can [Column.Filter].
// The error is that of w, or of Filter.
func WriteSummary(w io.Writer, c *Column, data string) (int, error) {
	var filters []Filter
	for group := range c.file.groups {
		t, err := c.Filter(group)
		if err != nil {
			return 0, err
		}
		if t != nil {
			filters = append(filters, Filter{c, group, t})
		}
	}
	if len(filters) == 0 {
		return 0, nil
	}
	out := bufio.NewWriterSize(w, 1<<20)
	if _, err := io.WriteString(out, magic); err != nil {
		return 0, err
	}
	places, err := writeFilters(out, int64(len(magic)), filters)
	if err != nil {
		return 0, err
	}
	return len(filters), finish(out, c.summary(places, data))
}

// summary returns the footer of a file with this column only.
func (c *Column) summary(places map[spot]place, data string) []byte {
	var w thriftWriter
	r := &thriftReader{b: c.file.footer}
	for id, typ := range r.fields() {
		switch id {
		case 1, 3, 6: // the version, the number of rows, and who wrote the file
			w.raw(id, typ, r.skip(typ, false))
		case 2:
			r.skip(typ, false)
			var schema [][]byte
			for _, e := range c.path() {
				schema = append(schema,
					rewrite(e.raw, func(w *thriftWriter, r *thriftReader, id int16, typ byte) bool {
						group := id == 5 && !e.leaf
						if group {
							r.skip(typ, false)
							w.integer(id, typ, 1)
						}
						return group
					}))
			}
			w.structs(id, schema)
		case 4:
			var groups [][]byte
			for i := range r.structs(typ) {
				groups = append(groups, c.summaryGroup(r.skip(thriftStruct, true), places, i, data))
			}
			w.structs(id, groups)
			var mark thriftWriter
			mark.binary(1, summaryKey)
			w.structs(5, [][]byte{mark.end()})
		default:
			r.skip(typ, false)
		}
	}
	return w.end()
}

// summaryGroup returns the metadata of a row group with this column only.
func (c *Column) summaryGroup(group []byte, places map[spot]place, i int, data string) []byte {
	return rewrite(group, func(w *thriftWriter, r *thriftReader, id int16, typ byte) bool {
		switch id {
		case 1:
			for column := range r.structs(typ) {
				chunk := r.skip(thriftStruct, true)
				if column != c.index {
					continue
				}
				var inner thriftWriter
				inner.binary(1, data)
				r := &thriftReader{b: chunk}
				for id, typ := range r.fields() {
					switch value := r.skip(typ, false); id {
					case 2:
						inner.raw(id, typ, value)
					case 3:
						inner.raw(id, typ, rewriteColumn(value, places[spot{i, column}]))
					}
				}
				w.structs(id, [][]byte{inner.end()})
			}
			return true
		case 2, 3: // its bytes and rows
			return false
		}
		r.skip(typ, false)
		return true
	})
}
