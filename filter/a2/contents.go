package a2

import (
	"io"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/internal/bloom"
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

// Contents returns what a file of the filter holds: see [filter.Content].
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

// Decode returns the filter of a file's contents, whose words it lies in, with its key; the zero
// Key gives a filter that takes hashes only. Its error is a *[file.Error].
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
	f.KeyedSet = filter.NewKeyedSet(g.Key(), f)
	f.fingerprint = g.fingerprint
	f.table.Set(g.table.Load())
	return nil
}
