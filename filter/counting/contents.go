package counting

import (
	"io"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/internal/cells"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/planning"
)

// A file of the kind has these attributes and this section.
const (
	kindName = "counting"

	attributeMembers = "members" // planned, at a time
	attributeHashes  = "hashes"
	attributeWidth   = "width"

	sectionCells = "cells" // 64/width a word, the least significant first, and zeros
)

// Contents returns what a file of the filter holds: see [filter.Content]. The error is
// [filter.ErrClosed].
func (f *Filter) Contents() (*file.Contents, error) {
	t := f.table.Load()
	if t == nil {
		return nil, filter.ErrClosed
	}
	c := &file.Contents{
		Kind: kindName, Promises: uint64(Promises), Fingerprint: f.fingerprint,
		Sections: []file.Section{{Name: sectionCells, Words: t.Packed}},
	}
	c.Set(attributeMembers, f.planned)
	f.history.Encode(c)
	c.Set(attributeHashes, uint64(t.Hashes))
	c.Set(attributeWidth, uint64(t.Width))
	c.KeepAlive(t)
	return c, nil
}

// Decode returns the filter in the contents of a file, and uses the words of these contents without
// a copy. k is the key that the filter had when it was saved. With the zero Key the filter takes
// hashes only. The error is a *[file.Error]; for a wrong key it wraps [file.ErrWrongKey].
func Decode(c *file.Contents, k key.Key) (*Filter, error) {
	if err := c.Expect(kindName, uint64(Promises), 6, sectionCells); err != nil {
		return nil, err
	}
	if err := filter.CheckKey(c, k); err != nil {
		return nil, err
	}
	members, err := c.Uint(attributeMembers, 1, planning.MaxMembers)
	if err != nil {
		return nil, err
	}
	n, err := filter.DecodeHistory(c)
	if err != nil {
		return nil, err
	}
	hashes, err := c.Int(attributeHashes, 1, MaxHashes)
	if err != nil {
		return nil, err
	}
	width, err := c.Int(attributeWidth, 1, MaxWidth)
	if err != nil {
		return nil, err
	}
	words, err := c.WordsOf(sectionCells, 1, filter.MaxBits/64)
	if err != nil {
		return nil, err
	}
	shape := cells.Shape{Words: uint64(len(words)), Width: width, Hashes: hashes}
	f := filterOf(&table{cells.Of(shape, words), c}, k, members)
	f.history, f.fingerprint = n, c.Fingerprint // also without the key
	return f, nil
}

// Read reads a filter from r into memory. The key and the error are those of [Decode].
func Read(r io.Reader, k key.Key) (*Filter, error) { return filter.ReadAs(r, k, Decode) }

// Open opens the filter in the file at path. It reads the whole file once, to check it; [file.Open]
// with [Decode] does not. k is the key that the filter had when it was saved. The table is mapped
// where the system can map files. Changes stay private to the filter until it is saved. The error
// is a *[file.Error]; for a wrong key and for the zero Key it wraps [file.ErrWrongKey].
func Open(path string, k key.Key) (*Filter, error) { return filter.OpenAs(path, k, Decode) }

// Load is [Open] into memory. Later changes of the file do not matter to the filter.
func Load(path string, k key.Key) (*Filter, error) { return filter.LoadAs(path, k, Decode) }

// UnmarshalBinary makes f the filter that MarshalBinary wrote. f keeps its hash key, which must be
// that of the written filter. A zero or closed Filter has no key, and takes hashes only from then
// on. On an error f does not change. It implements [encoding.BinaryUnmarshaler].
func (f *Filter) UnmarshalBinary(b []byte) error {
	g, err := filter.UnmarshalAs(b, f, Decode)
	if err != nil {
		return err
	}
	f.KeyedDeleter = filter.NewKeyedDeleter(g.Key(), f)
	f.planned, f.history, f.fingerprint = g.planned, g.history, g.fingerprint
	f.table.Set(g.table.Load())
	return nil
}
