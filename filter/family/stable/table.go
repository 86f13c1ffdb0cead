package stable

import (
	"fmt"
	"math"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/internal/cells"
	"github.com/bloomlane/bloomlane/internal/elementary"
	"github.com/bloomlane/bloomlane/internal/probe"
)

// start is the random state of an empty filter. It is odd, which the generator of package probe
// needs for its full period.
const start = 1

// table is the cells of a filter, 64/width a word, the least significant first, and zeros.
type table struct {
	cells.Array
	members       uint64 // the window
	inserts       uint64 // ever made
	hashes, width uint64
	decrements    uint64 // P
	random        uint64 // the next insert decrements from the cell that its successor gives
}

var _ base.Flat = (*table)(nil)

func newTable(s Shape, members int) *table {
	return &table{
		Array: cells.Of(s.packed(), base.New(uint64(s.Words))), members: uint64(members),
		hashes: uint64(s.Hashes), width: uint64(s.Width), decrements: uint64(s.Decrements),
		random: start,
	}
}

// Numbers implements [base.Table].
func (t *table) Numbers() []base.Number {
	return []base.Number{
		base.Members(&t.members),
		base.Inserts(&t.inserts),
		{Name: "hashes", Value: &t.hashes, Low: 1, High: MaxHashes},
		{Name: "width", Value: &t.width, Low: 1, High: MaxWidth},
		{Name: "decrements", Value: &t.decrements, Low: 1, High: filter.MaxBits},
		{Name: "random", Value: &t.random, Low: 1, High: math.MaxUint64, Empty: start,
			Role: base.State},
	}
}

// Fit implements [base.Table].
func (t *table) Fit(packed []uint64) error {
	size := cells.Shape{Words: uint64(len(packed)), Width: int(t.width), Hashes: int(t.hashes)}
	if t.decrements > size.Cells() {
		return file.Wrong(file.ErrBounds, fmt.Sprintf("decrements %d", t.decrements),
			fmt.Sprintf("1 to %d, the number of cells", size.Cells()))
	}
	if t.random%2 == 0 { // such numbers end at 0
		return file.Wrong(file.ErrBounds, "a random state that is even", "an odd one")
	}
	t.Array = cells.Of(size, packed)
	return nil
}

// Memory implements [base.Table].
func (t *table) Memory() []uint64 { return t.Packed }

func (t *table) shape() Shape {
	return Shape{int(t.Words), t.Width, t.Hashes, int(t.decrements)}
}

func (t *table) String() string { return t.shape().String() }

// State implements [base.Table]: see [Filter].
func (t *table) State() filter.State {
	fill, _ := t.Scan()
	return filter.State{
		Members: float64(min(t.inserts, t.members)), Fill: fill,
		Rate: elementary.Pow(fill, float64(t.Hashes)), Scanned: true,
	}
}

// Scan implements [base.Table].
func (t *table) Scan() (fill, most float64) {
	used, _ := t.Count()
	cells := float64(t.Cells())
	return float64(used) / cells, float64(t.Hashes) / cells
}

func (t *table) count(inserts int) { t.inserts = base.Total(t.inserts, uint64(inserts)) }

// insert reads all cells of a key, also if one is 0: so their cache misses overlap, and there is no
// branch to mispredict.
func (t *table) insert(hash uint64) (present bool) {
	x, missing := hash, uint64(0)
	for range t.Hashes {
		x = probe.Next(x)
		word, shift := t.Cell(x)
		missing |= *word>>shift&t.Highest - 1
	}
	t.decrement()
	for range t.Hashes {
		hash = probe.Next(hash)
		word, shift := t.Cell(hash)
		*word |= t.Highest << shift
	}
	return missing>>63 == 0
}

// decrement subtracts one from each of the P cells from a random one on that are above 0, around
// the end. It works on a word of cells at a time.
func (t *table) decrement() {
	t.random = probe.Next(t.random)
	word, first := t.At(t.random)
	per, left := t.PerWord(), t.decrements
	end := min(per, first+left)
	t.take(&t.Packed[word], t.Lows(first, end))
	left -= end - first
	for word++; left >= per; word++ {
		if word == t.Shape.Words {
			word = 0
		}
		t.take(&t.Packed[word], ^uint64(0))
		left -= per
	}
	if left > 0 {
		t.take(&t.Packed[word%t.Shape.Words], t.Lows(0, left))
	}
}

// take subtracts one from the cells of a word that are above 0 and whose lowest bit is in a mask.
func (t *table) take(word *uint64, lows uint64) { *word -= t.Above(*word) & lows }
