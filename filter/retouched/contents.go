package retouched

import (
	"io"
	"slices"
	"strconv"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/plain"
)

// A file of the kind has the attributes and the sections of the filter that it is made of, and
// these.
const (
	kindName = "retouched"

	attributeCleared = "cleared" // bits
	attributeLost    = "lost"    // members

	sectionOf = "of" // the name of the kind that it is made of, the last section
)

// bases are the kinds of filters that are retouched.
func bases() []filter.Kind { return []filter.Kind{plain.Kind, plain.BlockedKind, deletable.Kind} }

// Contents returns what a file of the filter holds: see [filter.Content].
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
	c.Set(attributeCleared, t.cleared)
	c.Set(attributeLost, t.lost)
	return c, nil
}

// Decode returns the filter of a file's contents, whose words it lies in, with its key; the zero
// Key gives a filter that takes hashes only. Its error is a *[file.Error].
func Decode(c *file.Contents, k key.Key) (*Filter, error) {
	name, last := c.Text(sectionOf), len(c.Sections)-1
	if c.Kind != kindName {
		return nil, file.Wrong(file.ErrKind, "a "+c.Kind+" filter", "a "+kindName+" filter")
	}
	if c.Promises != uint64(Promises) {
		return nil,
			file.Wrong(file.ErrBounds, "promises "+strconv.FormatUint(c.Promises, 16), "none")
	}
	kinds := bases()
	at := slices.IndexFunc(kinds, func(kind filter.Kind) bool { return kind.Name == name })
	// a name has one spelling
	if at < 0 || !slices.Equal(c.Sections[last].Words, file.TextWords(name)) {
		return nil, file.Wrong(file.ErrBounds, "made of "+strconv.Quote(name),
			"a kind that is retouched, in the last section")
	}
	lost, err := c.Uint(attributeLost, 0, filter.MaxCount)
	if err != nil {
		return nil, err
	}
	cleared, err := c.Uint(attributeCleared, 0, filter.MaxBits)
	if err != nil {
		return nil, err
	}
	of := &file.Contents{
		Kind: name, Promises: uint64(kinds[at].Promises), Fingerprint: c.Fingerprint,
		Sections: c.Sections[:last],
	}
	for _, a := range c.Attributes {
		if a.Name != attributeCleared && a.Name != attributeLost {
			of.Set(a.Name, a.Value)
		}
	}
	of.KeepAlive(c)
	base, err := kinds[at].Decode(of, k)
	if err != nil {
		return nil, err
	}
	return filterOf(&table{base.(Base), cleared, lost}), nil
}

// Read reads a filter from r, into memory: see [file.Read] and [Open].
func Read(r io.Reader, k key.Key) (*Filter, error) { return filter.ReadAs(r, k, Decode) }

// Open opens the filter in the file at a path, with the key that it had when it was saved. The
// whole file is checked first: [file.Open] and [Decode] leave that to the caller. The filter lies
// in the mapped file where the system maps. Its error is a *[file.Error].
func Open(path string, k key.Key) (*Filter, error) { return filter.OpenAs(path, k, Decode) }

// Load is [Open] into memory: nothing that happens to the file later matters to the filter.
func Load(path string, k key.Key) (*Filter, error) { return filter.LoadAs(path, k, Decode) }

// UnmarshalBinary makes f the filter that MarshalBinary wrote. It has the key that f had before:
// that of the filter that was written, or none. It implements [encoding.BinaryUnmarshaler].
func (f *Filter) UnmarshalBinary(b []byte) error {
	g, err := filter.UnmarshalAs(b, f, Decode)
	if err != nil {
		return err
	}
	f.Keyed = filter.NewKeyed(g.Key(), f)
	f.table.Set(g.table.Load())
	return nil
}
