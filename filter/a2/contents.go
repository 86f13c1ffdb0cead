package a2

import (
	"io"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/internal/bloom"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/planning"
)

// A file of the kind has these attributes and these sections.
const (
	kindName = "a2"

	attributeMembers = "members" // planned: the window
	attributeHashes  = "hashes"
	attributeBits    = "bits" // of a buffer
	attributeHeld    = "held" // keys of the first buffer
	attributeTurns   = "turns"

	// Words of the two buffers in turn, 64 bits a word, the least significant first, and zeros.
	// After an even number of turns the first buffer is that of the first word.
	sectionBits = "bits"
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
		Sections: []file.Section{{Name: sectionBits, Words: t.words}},
	}
	c.Set(attributeMembers, t.planned)
	c.Set(attributeHashes, uint64(t.Hashes))
	c.Set(attributeBits, t.Bits())
	c.Set(attributeHeld, t.held)
	c.Set(attributeTurns, t.turns)
	c.KeepAlive(t)
	return c, nil
}

// Decode returns the filter in the contents of a file, and uses the words of these contents without
// a copy. k is the key that the filter had when it was saved. With the zero Key the filter takes
// hashes only. The error is a *[file.Error]; for a wrong key it wraps [file.ErrWrongKey].
func Decode(c *file.Contents, k key.Key) (*Filter, error) {
	if err := c.Expect(kindName, uint64(Promises), 5, sectionBits); err != nil {
		return nil, err
	}
	if err := filter.CheckKey(c, k); err != nil {
		return nil, err
	}
	bits, err := c.Uint(attributeBits, 1, filter.MaxBits/2)
	if err != nil {
		return nil, err
	}
	// fewer bits are never full
	members, err := c.Uint(attributeMembers, 1, min(planning.MaxMembers, bits))
	if err != nil {
		return nil, err
	}
	held, err := c.Uint(attributeHeld, 0, members)
	if err != nil {
		return nil, err
	}
	turns, err := c.Uint(attributeTurns, 0, filter.MaxCount)
	if err != nil {
		return nil, err
	}
	hashes, err := c.Int(attributeHashes, 1, MaxHashes)
	if err != nil {
		return nil, err
	}
	size := bloom.Shape{Blocks: 1, Span: bits, Hashes: hashes}
	words, err := c.WordsOf(sectionBits, 2*int(size.Words()), 1)
	if err != nil {
		return nil, err
	}
	if used := bits % 64; used != 0 && (words[len(words)-2]|words[len(words)-1])>>used != 0 {
		return nil, file.Wrong(file.ErrBounds, "bits behind the last", "zeros")
	}
	f := filterOf(&table{size, members, held, turns, words, c}, k)
	f.fingerprint = c.Fingerprint // also without the key
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
	f.KeyedSet = filter.NewKeyedSet(g.Key(), f)
	f.fingerprint = g.fingerprint
	f.table.Set(g.table.Load())
	return nil
}
