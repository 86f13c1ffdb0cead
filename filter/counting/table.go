package counting

import (
	"fmt"
	"math/bits"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/internal/expected"
	"github.com/bloomlane/bloomlane/internal/probe"
	"github.com/bloomlane/bloomlane/kernel"
)

// shape is the geometry of a table.
type shape struct {
	words  uint64
	width  int // of a cell in bits
	hashes int // k
}

func (s shape) perWord() uint64 { return 64 / uint64(s.width) }
func (s shape) cells() uint64   { return s.words * s.perWord() }

// rate returns the expected false-positive rate with a number of members in, whoever was deleted: that of a
// Bloom filter with a bit for each cell, because a cell is above 0 just where a member has it, unless it
// saturated.
func (s shape) rate(members int) float64 {
	return expected.RateOfBits(float64(members), float64(s.cells()), s.hashes)
}

func (s shape) String() string {
	return fmt.Sprintf("%d cells of %d bits, %d hashes", s.cells(), s.width, s.hashes)
}

// table is the cells of a filter, and the contents of the file that they lie in, if they do: words in a
// mapped file stay as long as these are reachable, so whoever uses words keeps the table alive.
type table struct {
	shape
	highest  uint64   // of a cell: it stays there
	words    []uint64 // from the start of a cache line
	contents *file.Contents
}

func newTable(s shape) *table {
	const lanes = 8
	return tableOf(s, kernel.NewTable512(int((s.words + lanes - 1) / lanes)).Words()[:s.words], nil)
}

func tableOf(s shape, words []uint64, c *file.Contents) *table {
	return &table{s, 1<<s.width - 1, words, c}
}

// cell returns the word of a cell, and the bit in it where it begins. The upper half of the product is the
// word, and the lower half says where in it: so nothing is divided.
func (t *table) cell(x uint64) (word *uint64, shift uint64) {
	at, rest := bits.Mul64(x, uint64(len(t.words)))
	return &t.words[at], probe.Reduce(rest, t.perWord()) * uint64(t.width)
}

func (t *table) insert(hash uint64) (present bool) {
	present = true
	for range t.hashes {
		hash = probe.Next(hash)
		word, shift := t.cell(hash)
		count := *word >> (shift % 64) & t.highest
		if count == 0 {
			present = false
		}
		if count < t.highest {
			*word += 1 << (shift % 64)
		}
	}
	return present
}

func (t *table) delete(hash uint64) filter.Status {
	if !t.query(hash) {
		return filter.Absent
	}
	status := filter.Retained
	for range t.hashes {
		hash = probe.Next(hash)
		word, shift := t.cell(hash)
		// A cell that comes twice among a key's is at 2 at least if the key is a member, and may be at 0 if
		// not.
		count := *word >> (shift % 64) & t.highest
		if count > 0 && count < t.highest {
			*word -= 1 << (shift % 64)
		}
		if count == 1 && count < t.highest {
			status = filter.Deleted
		}
	}
	return status
}

func (t *table) query(hash uint64) bool {
	for range t.hashes {
		hash = probe.Next(hash)
		if word, shift := t.cell(hash); *word>>(shift%64)&t.highest == 0 {
			return false
		}
	}
	return true
}

// queryGroup queries up to 64 hashes, a cell of all of them at a time, so that their cache misses overlap.
func (t *table) queryGroup(hashes []uint64) (present uint64) {
	var xs [64]uint64
	copy(xs[:], hashes)
	present = 1<<len(hashes) - 1
	for range t.hashes {
		for rest := present; rest != 0; rest &= rest - 1 {
			i := bits.TrailingZeros64(rest) % 64
			xs[i] = probe.Next(xs[i])
			if word, shift := t.cell(xs[i]); *word>>(shift%64)&t.highest == 0 {
				present &^= 1 << i
			}
		}
	}
	return present
}

// merge adds the cells of another table.
func (t *table) merge(from *table) {
	for i, word := range from.words {
		sum := uint64(0)
		for shift := 0; shift+t.width <= 64; shift += t.width {
			count := t.words[i]>>shift&t.highest + word>>shift&t.highest
			sum |= min(count, t.highest) << shift
		}
		t.words[i] = sum
	}
}

// count returns the cells that are above 0, and those that are at their highest.
func (t *table) count() (used, saturated int) {
	var ones, tops uint64 // the lowest and the highest bit of each cell
	for shift := 0; shift+t.width <= 64; shift += t.width {
		ones |= 1 << shift
		tops |= 1 << (shift + t.width - 1)
	}
	all := ones * t.highest
	// above returns the number of cells that are not 0: those with a top bit, and those where the rest and
	// all ones below the top make a sum that carries into it.
	above := func(word uint64) int { return bits.OnesCount64((word&^tops + (tops - ones) | word) & tops) }
	for _, word := range t.words {
		used += above(word & all)
		saturated += int(t.perWord()) - above(^word&all)
	}
	return used, saturated
}
