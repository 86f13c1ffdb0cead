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

// Contents returns what a file of the filter holds: see [filter.Content].
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

// Decode returns the filter of a file's contents, whose words it lies in, with its key; the zero
// Key gives a filter that takes hashes only. Its error is a *[file.Error].
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

// Read reads a filter from r, into memory: see [file.Read] and [Open].
func Read(r io.Reader, k key.Key) (*Filter, error) { return filter.ReadAs(r, k, Decode) }

// Open opens the filter in the file at a path, with the key that it had when it was saved. The
// whole file is checked first: [file.Open] and [Decode] leave that to the caller. The filter lies
// in the mapped file where the system maps; what is written to it stays private to it until it is
// saved. Its error is a *[file.Error].
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
	f.KeyedDeleter, f.KeyedCounter = filter.NewKeyedDeleter(g.Key(), f),
		filter.NewKeyedCounter(g.Key(), f)
	f.planned, f.history, f.fingerprint = g.planned, g.history, g.fingerprint
	f.table.Set(g.table.Load())
	return nil
}
