package stable

import (
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/internal/cells"
	"github.com/bloomlane/bloomlane/internal/probe"
)

// start is the random state of an empty filter. It is odd, which the generator of package probe
// needs for its full period.
const start = 1

// table is the cells of a filter and, if they lie in a file, its contents. A mapping lasts as long
// as these contents are reachable, so code that uses the words keeps the table alive.
type table struct {
	cells.Array
	decrements uint64 // P
	random     uint64 // the next insert decrements from the cell that its successor gives
	contents   *file.Contents
}

func newTable(s Shape) *table {
	return &table{Array: cells.New(s.packed()), decrements: uint64(s.Decrements), random: start}
}

func (t *table) shape() Shape {
	return Shape{int(t.Words), t.Width, t.Hashes, int(t.decrements)}
}

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
	at, first := t.At(t.random)
	per, left := t.PerWord(), t.decrements
	end := min(per, first+left)
	t.take(&t.Packed[at], t.Lows(first, end))
	left -= end - first
	for at++; left >= per; at++ {
		if at == t.Shape.Words {
			at = 0
		}
		t.take(&t.Packed[at], ^uint64(0))
		left -= per
	}
	if left > 0 {
		t.take(&t.Packed[at%t.Shape.Words], t.Lows(0, left))
	}
}

// take subtracts one from the cells of a word that are above 0 and whose lowest bit is in a mask.
func (t *table) take(word *uint64, lows uint64) { *word -= t.Above(*word) & lows }
