package bitwise

import (
	"fmt"
	"io"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/planning"
)

// A file of the kind has these attributes and these sections.
const (
	kindName = "bitwise"

	attributeMembers = "members" // planned, at a time
	attributeHashes  = "hashes"

	sectionLevels = "levels" // two words each, from the first level up: its words and its width
	// of one level after another: as many to a word as fit, the lowest first
	sectionCells = "cells"
)

// Contents returns what a file of the filter holds: see [filter.Content]. The error is
// [filter.ErrClosed].
func (f *Filter) Contents() (*file.Contents, error) {
	t := f.table.Load()
	if t == nil {
		return nil, filter.ErrClosed
	}
	var levels []uint64
	for i := range t.levels {
		levels = append(levels, t.levels[i].Words, uint64(t.levels[i].width))
	}
	c := &file.Contents{
		Kind: kindName, Promises: uint64(Promises), Fingerprint: f.fingerprint,
		Sections: []file.Section{{Name: sectionLevels, Words: levels},
			{Name: sectionCells, Words: t.words}},
	}
	c.Set(attributeMembers, f.planned)
	f.history.Encode(c)
	c.Set(attributeHashes, uint64(t.levels[0].Hashes))
	c.KeepAlive(t)
	return c, nil
}

// Decode returns the filter in the contents of a file, and uses the words of these contents without
// a copy. k is the key that the filter had when it was saved. With the zero Key the filter takes
// hashes only. The error is a *[file.Error]; for a wrong key it wraps [file.ErrWrongKey].
func Decode(c *file.Contents, k key.Key) (*Filter, error) {
	if err := c.Expect(kindName, uint64(Promises), 5, sectionLevels, sectionCells); err != nil {
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
	size := Shape{}
	if size.Hashes, err = c.Int(attributeHashes, 1, MaxHashes); err != nil {
		return nil, err
	}
	levels, err := c.WordsOf(sectionLevels, 2, MaxLevels)
	if err != nil {
		return nil, err
	}
	words, err := c.WordsOf(sectionCells, 1, filter.MaxBits/64)
	if err != nil {
		return nil, err
	}
	for i := 0; i < len(levels); i += 2 {
		// more is refused
		l := Level{int(min(levels[i], filter.MaxBits)), int(min(levels[i+1], lastWidth+1))}
		size.Levels = append(size.Levels, l)
	}
	if err := size.Check(); err != nil {
		return nil, file.Wrong(file.ErrBounds, fmt.Sprintf("levels of %v words and bits", levels),
			err.Error())
	}
	if size.Words() != len(words) {
		return nil, file.Wrong(file.ErrBounds, fmt.Sprintf("%d words of cells", len(words)),
			fmt.Sprint(size.Words()))
	}
	t := tableOf(size, words)
	t.contents = c
	f := filterOf(t, k, members)
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
	f.KeyedDeleter, f.KeyedCounter = filter.NewKeyedDeleter(g.Key(), f),
		filter.NewKeyedCounter(g.Key(), f)
	f.planned, f.history, f.fingerprint = g.planned, g.history, g.fingerprint
	f.table.Set(g.table.Load())
	return nil
}
