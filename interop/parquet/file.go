package parquet

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/bloomlane/bloomlane/internal/legible"
)

// What can be wrong. The errors of this package wrap one of these, or an error of the reader or the
// file system.
var (
	// ErrNotParquet says that the file is no Parquet file.
	ErrNotParquet = errors.New("parquet: not a Parquet file")
	// ErrDamaged says that the file is cut, or contradicts itself.
	ErrDamaged = errors.New("parquet: damaged")
	// ErrEncrypted says that the footer or columns are encrypted.
	ErrEncrypted = errors.New("parquet: encrypted, which cannot be read here")
	// ErrElsewhere says that the values are in other files, so that there is nothing to read here.
	ErrElsewhere = errors.New("parquet: the values are in other files")
	// ErrColumn says that the file has no column, or two columns, of the name.
	ErrColumn = errors.New("parquet: no such column")
	// ErrType says that the operation is not possible for a column of this type.
	ErrType = errors.New("parquet: a column of a type that cannot be used")
	// ErrValue says that a text is no value of the column.
	ErrValue = errors.New("parquet: no value of the column")
)

const magic = "PAR1"

// maxFooter is the most bytes of a footer. A file can have more of them than it takes on disk.
const maxFooter = 64 << 20

// The least bytes of structures in a footer. The memory for a list of them is bounded by these.
const (
	leastElement = 3 // its name
	leastGroup   = 3 // its rows
)

// File is the metadata of a Parquet file, and the reader for the rest of it. [Open] returns one. It
// is for one goroutine at a time.
type File struct {
	r       io.ReaderAt
	footer  []byte // the metadata, in Thrift
	end     int64  // the offset of the footer
	columns []*Column
	groups  []group
	own     bool    // whether the filters are here although the values are elsewhere
	bytes   int64   // the sum of the pages of all row groups, end+1 if it is more than end
	filters []int64 // the offsets of all filters, ascending
}

// group is the metadata of a row group.
type group struct {
	rows   int64
	path   string // the path of a file with values of it, "" if all are in this file
	chunks []chunk
}

// chunk is the metadata of the values of a column in a row group.
type chunk struct {
	codec            int64
	values           int64 // the number of values, nulls included
	data, dictionary int64 // the offsets of the first pages; dictionary is 0 if there is none
	size             int64 // the bytes of all pages in the file
	// the filter with its header: offset is 0 if there is none, length is 0 if it is not given
	offset, length int64
}

// Open reads the metadata of a Parquet file of size bytes from r, and checks it. It allocates at
// most 64 times the bytes of the footer, which has at most 64 MiB. The returned File reads more
// from r when needed. The error wraps [ErrNotParquet], [ErrDamaged], [ErrEncrypted] or
// [ErrElsewhere], or is that of r.
func Open(r io.ReaderAt, size int64) (*File, error) {
	const least = 12 // the magic bytes at both ends, and the length of the footer
	var head, tail [8]byte
	if size < least {
		return nil, fmt.Errorf("%w: found %d bytes, expected at least %d",
			ErrNotParquet, size, least)
	}
	if err := readFull(r, head[:4], 0); err != nil {
		return nil, err
	}
	if err := readFull(r, tail[:], size-8); err != nil {
		return nil, err
	}
	switch start, end := string(head[:4]), string(tail[4:]); {
	case start == "PARE" && end == "PARE":
		return nil, fmt.Errorf("%w: the footer", ErrEncrypted)
	case start != magic:
		return nil, fmt.Errorf("%w: it begins %q, expected %q", ErrNotParquet, start, magic)
	case end != magic:
		return nil, fmt.Errorf("%w: found %q at its end, expected %q: truncated?",
			ErrDamaged, end, magic)
	}
	length := int64(binary.LittleEndian.Uint32(tail[:]))
	if most := min(size-least, maxFooter); length > most {
		return nil, damaged(fmt.Sprintf("a footer of %d bytes in a file of %d", length, size),
			fmt.Sprint("at most ", most))
	}
	f := &File{r: r, footer: make([]byte, length), end: size - 8 - length}
	if err := readFull(r, f.footer, f.end); err != nil {
		return nil, err
	}
	if err := f.parse(); err != nil {
		return nil, err
	}
	return f, nil
}

// readFull reads len(b) bytes from r. If the file ends before, the error wraps ErrDamaged, because
// the file was longer.
func readFull(r io.ReaderAt, b []byte, offset int64) error {
	n, err := r.ReadAt(b, offset)
	if n == len(b) {
		return nil
	}
	if err == io.EOF {
		return fmt.Errorf("%w: found its end at %d, expected %d bytes more", ErrDamaged,
			offset+int64(n), len(b)-n)
	}
	return err
}

// parse reads the footer.
func (f *File) parse() error {
	r := &thriftReader{b: f.footer}
	var schema []element
	encrypted := false
	for id, typ := range r.fields() {
		switch id {
		case 2:
			n := r.structs(typ)
			schema = make([]element, 0, min(n, len(r.b)/leastElement))
			for range n {
				schema = append(schema, readElement(r))
				if r.err != nil {
					break
				}
			}
		case 4:
			n := r.structs(typ)
			f.groups = make([]group, 0, min(n, len(r.b)/leastGroup))
			for range n {
				g, e := readGroup(r)
				f.groups, encrypted = append(f.groups, g), encrypted || e
				if r.err != nil {
					break
				}
			}
		case 5:
			for range r.structs(typ) {
				f.own = readKey(r) == summaryKey || f.own
				if r.err != nil {
					break
				}
			}
		case 8: // the encryption algorithm of a signed footer: some columns are encrypted
			encrypted = encrypted || typ == thriftStruct
			r.skip(typ, false)
		default:
			r.skip(typ, false)
		}
	}
	switch {
	case r.err != nil:
		return r.err
	case encrypted:
		return fmt.Errorf("%w: columns", ErrEncrypted)
	case len(r.b) > 0:
		return fmt.Errorf("%w: found %d bytes after the metadata", ErrDamaged, len(r.b))
	}
	if err := f.setColumns(schema); err != nil {
		return err
	}
	for i, g := range f.groups {
		if len(g.chunks) != len(f.columns) {
			const text = "%w: found %d columns in row group %d, expected %d"
			return fmt.Errorf(text, ErrDamaged, len(g.chunks), i, len(f.columns))
		}
		if g.path != "" && !f.own {
			return fmt.Errorf("%w: those of row group %d are in %s: open that file", ErrElsewhere,
				i, shown(g.path))
		}
		for _, c := range g.chunks {
			f.bytes = min(f.bytes+min(c.size, f.end), f.end+1)
			if c.offset > 0 {
				f.filters = append(f.filters, c.offset)
			}
		}
	}
	slices.Sort(f.filters)
	return nil
}

// readKey reads a key and its value from the metadata of the file, and returns the key.
func readKey(r *thriftReader) (key string) {
	for id, typ := range r.fields() {
		if id == 1 {
			key = string(r.binary(typ))
		} else {
			r.skip(typ, false)
		}
	}
	return key
}

// readGroup reads the metadata of a row group, and whether one of its columns is encrypted.
func readGroup(r *thriftReader) (g group, encrypted bool) {
	g.rows = -1
	for id, typ := range r.fields() {
		switch id {
		case 1:
			for range r.structs(typ) {
				c, path, e := readChunk(r)
				g.chunks, encrypted = append(g.chunks, c), encrypted || e
				g.path = cmp.Or(g.path, path)
				if r.err != nil {
					break
				}
			}
		case 3:
			r.integer(&g.rows, thriftI64, typ)
		default:
			r.skip(typ, false)
		}
	}
	if g.rows < 0 {
		r.fail(fmt.Sprint(g.rows, " rows"), "at least 0")
	}
	return g, encrypted
}

func readChunk(r *thriftReader) (c chunk, path string, encrypted bool) {
	c.codec = -1
	for id, typ := range r.fields() {
		switch id {
		case 1:
			path = string(r.binary(typ))
		case 3:
			if !r.want(thriftStruct, typ) {
				break
			}
			for id, typ := range r.fields() {
				switch id {
				case 4:
					r.integer(&c.codec, thriftI32, typ)
				case 5:
					r.integer(&c.values, thriftI64, typ)
				case 7:
					r.integer(&c.size, thriftI64, typ)
				case 9:
					r.integer(&c.data, thriftI64, typ)
				case 11:
					r.integer(&c.dictionary, thriftI64, typ)
				case 14:
					r.integer(&c.offset, thriftI64, typ)
				case 15:
					r.integer(&c.length, thriftI32, typ)
				default:
					r.skip(typ, false)
				}
			}
		case 8, 9: // the key and the encrypted metadata
			encrypted = encrypted || typ == thriftStruct || typ == thriftBinary
			r.skip(typ, false)
		default:
			r.skip(typ, false)
		}
	}
	if !encrypted && min(c.codec, c.values, c.size, c.data, c.offset, c.length) < 0 {
		const text = "%d values by codec %d in %d bytes at %d, and a filter of %d bytes at %d"
		r.fail(fmt.Sprintf(text, c.values, c.codec, c.size, c.data, c.length, c.offset),
			"a codec, and no number below 0")
	}
	return c, path, encrypted
}

// RowGroups returns the number of row groups.
func (f *File) RowGroups() int { return len(f.groups) }

// Rows returns the number of rows of a row group. It panics unless group is from 0 to RowGroups() -
// 1.
func (f *File) Rows(group int) int64 { return f.groups[group].rows }

// Data returns the name of the file with the values of a row group, which was the argument data of
// [WriteSummary]. It is "" if this file has them. It panics unless group is from 0 to RowGroups() -
// 1.
func (f *File) Data(group int) string { return f.groups[group].path }

// Columns returns the columns, in the order of the schema. They are its leaves, which have values.
func (f *File) Columns() []*Column { return f.columns }

// Column returns the column with this name: the names of its fields from the root on, joined by
// dots. The error wraps [ErrColumn].
func (f *File) Column(name string) (*Column, error) {
	var found *Column
	for _, c := range f.columns {
		if !c.is(name) {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("%w: found two columns of the name %s, expected one",
				ErrColumn, shown(name))
		}
		found = c
	}
	if found != nil {
		return found, nil
	}
	const most = 150 // the bytes of names after which an error names no more
	names := ""
	for i, c := range f.columns {
		if i > 0 {
			names += ", "
		}
		if len(names) > most {
			names += "…"
			break
		}
		names += shown(c.Name())
	}
	return nil, fmt.Errorf("%w: found %q, expected one of %s", ErrColumn, short(name), names)
}

// shown returns a name of the file for a message: cut if it is long, and quoted if it has
// characters that a terminal does not show as they are.
func shown(name string) string {
	name = short(name)
	if quoted := strconv.Quote(name); quoted[1:len(quoted)-1] != name {
		return quoted
	}
	return name
}

// short leaves out the middle of a long name.
func short(name string) string { return legible.Cut(name, 100) }
