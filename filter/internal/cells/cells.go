// Package cells packs small counters into words, for filters in which a key has k random ones.
//
// A word of 64 bits holds as many whole cells as fit, the lowest first. Files depend on which cells
// a key has, and on how they are packed.
package cells

import (
	"fmt"
	"math/bits"

	"github.com/bloomlane/bloomlane/internal/probe"
	"github.com/bloomlane/bloomlane/kernel"
)

// MaxHashes is the largest k.
const MaxHashes = 64

// rounds is the number of cells of each key that a group of keys tests together. The keys that are
// left are then queried one by one. With all cells together, members take longer than one by one (k
// = 9).
const rounds = 3

// Shape is the geometry of an array.
type Shape struct {
	Words  uint64
	Width  int // of a cell in bits
	Hashes int // k
}

// PerWord returns the number of cells of a word.
func (s Shape) PerWord() uint64 { return 64 / uint64(s.Width) }

// Cells returns m, the number of cells.
func (s Shape) Cells() uint64 { return s.Words * s.PerWord() }

func (s Shape) String() string {
	return fmt.Sprintf("%d cells of %d bits, %d hashes", s.Cells(), s.Width, s.Hashes)
}

// Array is the cells of a filter.
type Array struct {
	Shape
	Highest uint64   // of a cell
	Packed  []uint64 // the words

	perWord, width, hashes uint64
	lows                   uint64 // the lowest bit of each cell
}

// New returns cells that are 0, from the start of a cache line.
func New(s Shape) Array {
	const lanes = 8
	return Of(s, kernel.NewTable512(int((s.Words + lanes - 1) / lanes)).Words()[:s.Words])
}

// Of returns the cells that lie in words, as many as s has.
func Of(s Shape, words []uint64) Array {
	a := Array{
		Shape: s, Highest: 1<<s.Width - 1, Packed: words,
		perWord: s.PerWord(), width: uint64(s.Width), hashes: uint64(s.Hashes),
	}
	for i := range a.perWord {
		a.lows |= 1 << (i * a.width)
	}
	return a
}

// Lows returns the lowest bits of cells first to end-1 of a word.
func (a *Array) Lows(first, end uint64) (mask uint64) {
	return a.lows << (first * a.width) & a.lows & (1<<(end*a.width) - 1)
}

// At returns the word of a uniform x, and which of its cells is that of x. The upper half of the
// product is the word, and the lower half chooses the cell, so there is no division.
func (a *Array) At(x uint64) (word, cell uint64) {
	word, rest := bits.Mul64(x, uint64(len(a.Packed)))
	return word, probe.Reduce(rest, a.perWord)
}

// Cell returns the word of the cell of x, and the bit in it where the cell begins.
func (a *Array) Cell(x uint64) (word *uint64, shift uint64) {
	at, cell := a.At(x)
	return &a.Packed[at], cell * a.width % 64
}

// Query reports whether no cell of a key is 0.
func (a *Array) Query(hash uint64) bool { return a.queryFrom(hash, a.hashes) }

// queryFrom queries the last k cells of a key, after x.
func (a *Array) queryFrom(x, k uint64) bool {
	for range k {
		x = probe.Next(x)
		if word, shift := a.Cell(x); *word>>shift&a.Highest == 0 {
			return false
		}
	}
	return true
}

// QueryGroup queries up to 64 hashes. It tests one cell of all of them, then the next cell of those
// that are left, so that their cache misses overlap. The keys that are left after some rounds are
// queried one by one.
func (a *Array) QueryGroup(hashes []uint64) (present uint64) {
	var xs [64]uint64
	together := min(rounds, a.hashes)
	for i, hash := range hashes {
		xs[i%64] = probe.Next(hash)
		word, shift := a.Cell(xs[i%64])
		empty := (*word>>shift&a.Highest - 1) >> 63
		present |= (1 - empty) << (i % 64)
	}
	for range together - 1 {
		for rest := present; rest != 0; rest &= rest - 1 {
			i := bits.TrailingZeros64(rest) % 64
			xs[i] = probe.Next(xs[i])
			word, shift := a.Cell(xs[i])
			empty := (*word>>shift&a.Highest - 1) >> 63
			present &^= empty << i
		}
	}
	if together == a.hashes {
		return present
	}
	for rest := present; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest) % 64
		if !a.queryFrom(xs[i], a.hashes-together) {
			present &^= 1 << i
		}
	}
	return present
}

// Above returns the lowest bit of each cell of a word that is above 0: of those with a top bit, and
// those where the rest and all ones below the top make a sum that carries into it.
func (a *Array) Above(word uint64) uint64 {
	tops := a.lows << (a.width - 1)
	return (word&^tops + (tops - a.lows) | word) & tops >> (a.width - 1)
}

// Count returns the cells that are above 0, and those that are at their highest.
func (a *Array) Count() (used, saturated int) {
	for _, word := range a.Packed {
		used += bits.OnesCount64(a.Above(word))
		saturated += int(a.perWord) - bits.OnesCount64(a.Above(^word))
	}
	return used, saturated
}
