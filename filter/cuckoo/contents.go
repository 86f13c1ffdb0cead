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

// Contents returns what a file of the filter holds: see [filter.Content]. The error is
// [filter.ErrClosed].
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

// Decode returns the filter in the contents of a file, and uses the words of these contents without
// a copy. k is the key that the filter had when it was saved. With the zero Key the filter takes
// hashes only. The error is a *[file.Error]; for a wrong key it wraps [file.ErrWrongKey].
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
	f.planned, f.members, f.kicks, f.fingerprint = g.planned, g.members, g.kicks, g.fingerprint
	f.table.Set(g.table.Load())
	return nil
}
