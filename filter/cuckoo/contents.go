package cuckoo

import (
	"fmt"
	"io"
	"math"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/planning"
)

// A file of the kind has these attributes and this section.
const (
	kindName = "cuckoo"

	attributeMembers     = "members" // planned, at a time
	attributeHeld        = "held"    // members now
	attributeKicks       = "kicks"
	attributeBuckets     = "buckets"
	attributeFingerprint = "fingerprint-bits"

	// 4 slots a bucket, the least significant bit first; zeros to a word's end, and a word of
	// zeros.
	sectionSlots = "slots"
)

// Contents returns what a file of the filter holds: see [filter.Content].
func (f *Filter) Contents() (*file.Contents, error) {
	t := f.table.Load()
	if t == nil {
		return nil, filter.ErrClosed
	}
	c := &file.Contents{
		Kind: kindName, Promises: uint64(Promises), Fingerprint: f.fingerprint,
		Sections: []file.Section{{Name: sectionSlots, Words: t.words}},
	}
	c.Set(attributeMembers, f.planned)
	c.Set(attributeHeld, f.members)
	c.Set(attributeKicks, f.kicks)
	c.Set(attributeBuckets, t.buckets)
	c.Set(attributeFingerprint, uint64(t.shape.fingerprint))
	c.KeepAlive(t)
	return c, nil
}

// Decode returns the filter of a file's contents, whose words it lies in, with its key; the zero
// Key gives a filter that takes hashes only. Its error is a *[file.Error].
func Decode(c *file.Contents, k key.Key) (*Filter, error) {
	if err := c.Expect(kindName, uint64(Promises), 5, sectionSlots); err != nil {
		return nil, err
	}
	if err := filter.CheckKey(c, k); err != nil {
		return nil, err
	}
	members, err := c.Uint(attributeMembers, 1, planning.MaxMembers)
	if err != nil {
		return nil, err
	}
	bits, err := c.Int(attributeFingerprint, MinFingerprint, MaxFingerprint)
	if err != nil {
		return nil, err
	}
	buckets, err := c.Uint(attributeBuckets, 1, uint64(filter.MaxBits/slots/bits))
	if err != nil {
		return nil, err
	}
	size := shape{buckets, bits}
	held, err := c.Uint(attributeHeld, 0, size.slots())
	if err != nil {
		return nil, err
	}
	kicks, err := c.Uint(attributeKicks, 0, math.MaxUint64)
	if err != nil {
		return nil, err
	}
	words, err := c.WordsOf(sectionSlots, 1, filter.MaxBits/64+1)
	if err != nil {
		return nil, err
	}
	if size.words() != uint64(len(words)) {
		return nil, file.Wrong(file.ErrBounds, fmt.Sprintf("%d words of %v", len(words), size),
			fmt.Sprint(size.words()))
	}
	last, used := len(words)-1, size.slots()*uint64(bits)%64
	if words[last] != 0 || used != 0 && words[last-1]>>used != 0 {
		return nil, file.Wrong(file.ErrBounds, "bits behind the last slot", "zeros")
	}
	f := filterOf(tableOf(size, words, c), k, members)
	f.members, f.kicks, f.fingerprint = held, kicks, c.Fingerprint // also without the key
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
	f.KeyedDeleter = filter.NewKeyedDeleter(g.Key(), f)
	f.planned, f.members, f.kicks, f.fingerprint = g.planned, g.members, g.kicks, g.fingerprint
	f.table.Set(g.table.Load())
	return nil
}
