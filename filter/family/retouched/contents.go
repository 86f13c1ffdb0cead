package retouched

import (
	"bytes"
	"io"
	"slices"
	"strconv"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/plain"
	"github.com/bloomlane/bloomlane/internal/legible"
)

// A file of the kind has the attributes and the sections of the filter that it is made of, and the
// table's own numbers and this section.
const sectionOf = "of" // the name of the kind that it is made of, the last section

// bases are the kinds of filters that are retouched.
func bases() []base.Kind { return []base.Kind{plain.Kind, plain.BlockedKind, deletable.Kind} }

// Contents returns what a file of the filter holds: see [filter.Content]. The error is
// [filter.ErrClosed].
func (f *Filter) Contents() (*file.Contents, error) {
	t := f.table.Load()
	if t == nil {
		return nil, filter.ErrClosed
	}
	c, err := t.Contents()
	if err != nil {
		return nil, err
	}
	c.Sections = append(c.Sections, file.Section{Name: sectionOf, Words: file.TextWords(c.Kind)})
	c.Kind, c.Promises = kindName, uint64(Promises)
	for _, n := range t.numbers() {
		c.Set(n.Name, *n.Value)
	}
	return c, nil
}

// Decode returns the filter in the contents of a file, and uses the words of these contents without
// a copy. k is the key that the filter had when it was saved. With [key.Unknown] the filter takes
// hashes only. The error is a *[file.Error]; for a wrong key it wraps [file.ErrWrongKey].
func Decode(c *file.Contents, k key.Key) (*Filter, error) {
	name, last := c.Text(sectionOf), len(c.Sections)-1
	if c.Kind != kindName {
		return nil, file.Wrong(file.ErrKind, "a filter of kind "+c.Kind,
			"a filter of kind "+kindName)
	}
	if c.Promises != uint64(Promises) {
		return nil,
			file.Wrong(file.ErrBounds, "promises "+strconv.FormatUint(c.Promises, 16), "none")
	}
	kinds := bases()
	i := slices.IndexFunc(kinds, func(kind base.Kind) bool { return kind.Name == name })
	// a name has one spelling
	if i < 0 || !slices.Equal(c.Sections[last].Words, file.TextWords(name)) {
		return nil, file.Wrong(file.ErrBounds, "made of "+strconv.Quote(legible.Cut(name, 40)),
			"a kind that is retouched, in the last section")
	}
	inner := &file.Contents{
		Kind: name, Promises: uint64(kinds[i].Promises), Key: c.Key,
		Attributes: slices.Clone(c.Attributes), Sections: c.Sections[:last],
	}
	t := &table{}
	for _, n := range t.numbers() {
		var err error
		if *n.Value, err = c.Uint(n.Name, n.Low, n.High); err != nil {
			return nil, err
		}
		inner.Attributes = slices.DeleteFunc(inner.Attributes,
			func(a file.Attribute) bool { return a.Name == n.Name })
	}
	inner.KeepAlive(c)
	base, err := kinds[i].Decode(inner, k)
	if err != nil {
		return nil, err
	}
	t.Base = base.(Base)
	return filterOf(t), nil
}

// Read reads a filter from r into memory. The key and the error are those of [Decode].
func Read(r io.Reader, k key.Key) (*Filter, error) { return base.ReadAs(r, k, Decode) }

// Open opens the filter in the file at path. It reads the whole file once, to check it; [file.Open]
// with [Decode] does not. k is the key that the filter had when it was saved. The table is mapped
// where the system can map files. The error is a *[file.Error]; for a wrong key and for the zero
// Key it wraps [file.ErrWrongKey].
func Open(path string, k key.Key) (*Filter, error) { return base.OpenAs(path, k, Decode) }

// Load is [Open] into memory. Later changes of the file do not matter to the filter.
func Load(path string, k key.Key) (*Filter, error) { return base.LoadAs(path, k, Decode) }

// UnmarshalBinary makes f the filter that MarshalBinary wrote. f keeps its hash key, which must be
// that of the written filter, so a zero value reads none. On an error, which is a *[file.Error], f
// does not change. It implements [encoding.BinaryUnmarshaler], by which encoding/gob works too.
func (f *Filter) UnmarshalBinary(b []byte) error { return f.read(bytes.NewReader(b)) }

// ReadFrom makes f the filter that comes next in r: see [base.Body.ReadFrom].
func (f *Filter) ReadFrom(r io.Reader) (n int64, err error) { return base.ReadNext(r, f.read) }

func (f *Filter) read(r io.Reader) error {
	g, err := base.ReadInto(r, f, Decode)
	if err != nil {
		return err
	}
	f.table.Set(g.table.Load())
	return nil
}
