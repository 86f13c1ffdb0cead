package elastic

import (
	"bytes"
	"fmt"
	"io"
	"math/bits"
	"slices"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
)

// A file of the kind has these attributes and sections.
const (
	kindName = "elastic"

	attributeBase    = "base-blocks"
	attributeMembers = "members" // that the base takes
	attributeMost    = "most"    // members
	attributeMoved   = "moved"   // units
	attributeNext    = "next-blocks"

	sectionBlocks = "blocks" // those that queries read
	sectionHashes = "hashes" // of the members, in ascending order
)

const blockWords = blockBytes / 8

// Contents returns what a file of the filter holds: see [filter.Content]. The error is
// [filter.ErrClosed].
func (f *Filter) Contents() (*file.Contents, error) {
	t := base.Held(&f.Life)
	if t == nil {
		return nil, filter.ErrClosed
	}
	c := &file.Contents{
		Kind: kindName, Promises: uint64(Promises), Key: base.Identity(&f.Life),
		Sections: []file.Section{{Name: sectionBlocks, Words: t.words()},
			{Name: sectionHashes, Words: f.sorted(t)}},
	}
	c.Set(attributeBase, uint64(f.plan.blocks))
	c.Set(attributeMembers, uint64(f.plan.members))
	c.Set(attributeMost, uint64(f.plan.most))
	c.Set(attributeMoved, uint64(f.moved))
	c.Set(attributeNext, uint64(f.nextBlocks()))
	return c, nil
}

// words returns the blocks, two lanes per word, the first of them in the low half.
func (t *table) words() []uint64 {
	words := make([]uint64, 0, blockWords*len(t.blocks))
	for i := range t.blocks {
		b := &t.blocks[i]
		for lane := 0; lane < len(b); lane += 2 {
			words = append(words, uint64(b[lane])|uint64(b[lane+1])<<32)
		}
	}
	return words
}

// sorted returns the hashes of all members, in ascending order.
func (f *Filter) sorted(t *table) []uint64 {
	hashes := make([]uint64, 0, f.members)
	for unit := range f.units(t) {
		of, first, end := f.holder(t, unit)
		for block := first; block < end; block++ {
			n := len(hashes)
			hashes = of.appendHashes(hashes, block)
			slices.Sort(hashes[n:])
		}
	}
	return hashes
}

// Decode returns the filter in the contents of a file, in memory of its own. It builds the blocks
// from the hashes of the members. k is the key that the filter had when it was saved. With
// [key.Unknown] the filter takes hashes only. The error is a *[file.Error]; for a wrong key it
// wraps [file.ErrWrongKey].
func Decode(c *file.Contents, k key.Key) (*Filter, error) {
	if err := c.Expect(kindName, uint64(Promises), 5, sectionBlocks, sectionHashes); err != nil {
		return nil, err
	}
	if err := base.CheckShown(c); err != nil {
		return nil, err
	}
	k, err := base.FileKey(c, k)
	if err != nil {
		return nil, err
	}
	lanes, err := c.WordsOf(sectionBlocks, blockWords, maxBlocks)
	if err != nil {
		return nil, err
	}
	p, err := decodePlan(c, len(lanes)/blockWords)
	if err != nil {
		return nil, err
	}
	nblocks, hashes := len(lanes)/blockWords, c.Sections[1].Words
	if most := min(p.most, p.limit(nblocks)); len(hashes) > most {
		return nil, file.Wrong(file.ErrBounds, fmt.Sprintf("%d members in %d blocks", len(hashes),
			nblocks), fmt.Sprintf("at most %d", most))
	}
	if !slices.IsSorted(hashes) {
		return nil, file.Wrong(file.ErrBounds, "hashes that are not in order", "ascending ones")
	}
	t := newTable(nblocks, p.arena())
	f := filterOf(t, k, c.Key, p) // also without the key
	f.members = len(hashes)
	for _, hash := range hashes {
		t.push(t.place(hash))
	}
	t.blocks.AddBatch(hashes)
	if !slices.Equal(t.words(), lanes) {
		return nil, file.Wrong(file.ErrBounds, "blocks with other bits", "those of the hashes")
	}
	return f, f.decodeMove(c, t)
}

// decodePlan returns the plan of a filter of nblocks.
func decodePlan(c *file.Contents, nblocks int) (p plan, err error) {
	if p.blocks, err = c.Int(attributeBase, 1, nblocks); err != nil {
		return p, err
	}
	if nblocks%p.blocks != 0 || bits.OnesCount(uint(nblocks/p.blocks)) != 1 {
		return p, file.Wrong(file.ErrBounds, fmt.Sprintf("%d blocks", nblocks),
			fmt.Sprintf("a power of two times %d", p.blocks))
	}
	if p.members, err = c.Int(attributeMembers, 1,
		int(min(uint64(p.blocks)*maxLoad, MaxMembers))); err != nil {
		return p, err
	}
	p.setPace()
	p.most, err = c.Int(attributeMost, 1, p.furthest(planBlocks))
	return p, err
}

// decodeMove begins the move of a file, and repeats it up to the stage of the file.
func (f *Filter) decodeMove(c *file.Contents, t *table) error {
	next, err := c.Int(attributeNext, 0, maxBlocks)
	if err != nil {
		return err
	}
	n, most := len(t.blocks), 0
	switch {
	case next == 0:
	case next == 2*n && f.plan.limit(n) < f.most, 2*next == n && n > f.plan.blocks:
		f.begin(t, next)
		most = f.units(t) - 1
	default:
		return file.Wrong(file.ErrBounds, fmt.Sprintf("%d blocks that become %d", n, next),
			"0, twice as many or half")
	}
	moved, err := c.Int(attributeMoved, 0, most)
	if err != nil {
		return err
	}
	for range moved {
		f.move(t)
	}
	return nil
}

// Read reads a filter from r into memory. The key and the error are those of [Decode].
func Read(r io.Reader, k key.Key) (*Filter, error) { return base.ReadAs(r, k, Decode) }

// Open reads the filter in the file at path into memory, and checks all of the file. k is the key
// that the filter had when it was saved. The error is a *[file.Error]; for a wrong key and for the
// zero Key it wraps [file.ErrWrongKey].
func Open(path string, k key.Key) (*Filter, error) { return base.OpenAs(path, k, Decode) }

// Load is [Open]: an opened filter lies in memory, and later changes of the file do not matter to
// it.
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
	f.plan, f.most, f.members = g.plan, g.most, g.members
	f.next, f.moved, f.work = g.next, g.moved, g.work
	base.Begin(&f.Life, kindName, base.Held(&g.Life), base.Identity(&g.Life))
	return nil
}
