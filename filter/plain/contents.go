package plain

import (
	"fmt"
	"io"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/internal/bloom"
)

// A file of the kinds has these attributes and this section.
const (
	plainName   = "plain"
	blockedName = "blocked"

	attributeMembers = "members" // planned
	attributeInserts = "inserts"
	attributeHashes  = "hashes"
	attributeBits    = "bits"

	sectionBits = "bits" // 64 a word, the least significant first, and zeros
)

func (f *Filter) kind() string {
	if f.blocked {
		return blockedName
	}
	return plainName
}

// Contents returns what a file of the filter holds: see [filter.Content].
func (f *Filter) Contents() (*file.Contents, error) {
	t := f.table.Load()
	if t == nil {
		return nil, filter.ErrClosed
	}
	c := &file.Contents{
		Kind: f.kind(), Promises: uint64(Promises), Fingerprint: f.fingerprint,
		Sections: []file.Section{{Name: sectionBits, Words: t.Words}},
	}
	c.Set(attributeMembers, f.planned)
	c.Set(attributeInserts, f.inserts)
	c.Set(attributeHashes, uint64(t.Hashes))
	c.Set(attributeBits, t.Bits())
	c.KeepAlive(t)
	return c, nil
}

// Decode returns the filter of a file's contents, whose words it lies in, with its key; the zero
// Key gives a filter that takes hashes only. Its error is a *[file.Error].
func Decode(c *file.Contents, k key.Key) (*Filter, error) {
	blocked := c.Kind == blockedName
	name := plainName
	if blocked {
		name = blockedName
	}
	if err := c.Expect(name, uint64(Promises), 4, sectionBits); err != nil {
		return nil, err
	}
	if err := filter.CheckKey(c, k); err != nil {
		return nil, err
	}
	members, err := c.Uint(attributeMembers, 1, planning.MaxMembers)
	if err != nil {
		return nil, err
	}
	inserts, err := c.Uint(attributeInserts, 0, filter.MaxCount)
	if err != nil {
		return nil, err
	}
	hashes, err := c.Int(attributeHashes, 1, MaxHashes)
	if err != nil {
		return nil, err
	}
	bits, err := c.Uint(attributeBits, 1, filter.MaxBits)
	if err != nil {
		return nil, err
	}
	words, err := c.WordsOf(sectionBits, 1, filter.MaxBits/64+1)
	if err != nil {
		return nil, err
	}
	size := bloom.Shape{Blocks: 1, Span: bits, Hashes: hashes}
	if blocked {
		size = bloom.Shape{Blocks: bits / BlockBits, Span: BlockBits, Hashes: hashes}
	}
	if size.Bits() != bits || size.Words() != uint64(len(words)) {
		return nil, file.Wrong(file.ErrBounds, fmt.Sprintf("%d words of %d bits", len(words), bits),
			fmt.Sprintf("%d words", size.Words()))
	}
	if used := bits % 64; used != 0 && words[len(words)-1]>>used != 0 {
		return nil, file.Wrong(file.ErrBounds, "bits behind the last", "zeros")
	}
	f := filterOf(&table{bloom.Table{Shape: size, Words: words}, c}, k, blocked, members)
	f.inserts, f.fingerprint = inserts, c.Fingerprint // also without the key
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
	f.planned, f.inserts, f.blocked, f.fingerprint = g.planned, g.inserts, g.blocked, g.fingerprint
	f.table.Set(g.table.Load())
	return nil
}
