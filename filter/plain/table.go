package plain

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/internal/probe"
	"github.com/bloomlane/bloomlane/kernel"
)

// BlockBits is the size of a block of a blocked filter: a cache line.
const BlockBits = 512

// shape is the geometry of a table: blocks of span bits each, and in one of them the bits of a key. A
// filter that is not blocked is one block.
type shape struct {
	blocks, span uint64
	hashes       int // k
}

func (s shape) bits() uint64  { return s.blocks * s.span }
func (s shape) words() uint64 { return (s.bits() + 63) / 64 }

func (s shape) String() string {
	if s.span == BlockBits && s.blocks > 1 {
		return fmt.Sprintf("%d blocks of %d bits, %d hashes", s.blocks, s.span, s.hashes)
	}
	return fmt.Sprintf("%d bits, %d hashes", s.bits(), s.hashes)
}

// base returns the first bit of the block of a hash.
func (s *shape) base(hash uint64) uint64 { return probe.Reduce(hash, s.blocks) * s.span }

// table is the bits of a filter, and the contents of the file that they lie in, if they do: words in a
// mapped file stay as long as these are reachable, so whoever uses words keeps the table alive.
type table struct {
	shape
	words    []uint64 // from the start of a cache line
	contents *file.Contents
}

func newTable(s shape) *table {
	const lane = 8
	return &table{shape: s, words: kernel.NewTable512(int((s.words() + lane - 1) / lane)).Words()[:s.words()]}
}

func (t *table) insert(hash uint64) (present bool) {
	base, x, missing := t.base(hash), hash, uint64(0)
	for range t.hashes {
		x = probe.Next(x)
		position := base + probe.Reduce(x, t.span)
		word, bit := &t.words[position/64], uint64(1)<<(position%64)
		missing |= bit &^ *word
		*word |= bit
	}
	return missing == 0
}

func (t *table) query(hash uint64) bool { return t.queryFrom(hash, t.base(hash), t.hashes) }

// queryFrom queries the last k bits of a hash, after x.
func (t *table) queryFrom(x, base uint64, k int) bool {
	for range k {
		x = probe.Next(x)
		position := base + probe.Reduce(x, t.span)
		if t.words[position/64]>>(position%64)&1 == 0 {
			return false
		}
	}
	return true
}

// rounds is how many bits of a group's keys are looked at together, before each key that is left is queried
// by itself. 16 bits per key, 20 kB, ns per key of non-members and of members (Xeon, AVX-512, a shared
// host): single 14 and 12; with 1 round 9 and 15, with 2 rounds 6.5 and 16, with 3 rounds 5.4 and 17. All
// rounds: 11 and 51.
const rounds = 2

// queryGroup queries up to 64 hashes. A bit of all of them is looked at, then the next of those that are
// left, so that their cache misses overlap.
func (t *table) queryGroup(hashes []uint64) (present uint64) {
	var xs [64]uint64
	together := min(rounds, t.hashes)
	for i, hash := range hashes {
		xs[i] = probe.Next(hash)
		position := t.base(hash) + probe.Reduce(xs[i], t.span)
		present |= t.words[position/64] >> (position % 64) & 1 << i
	}
	for range together - 1 {
		left := uint64(0)
		for rest := present; rest != 0; rest &= rest - 1 {
			i := bits.TrailingZeros64(rest) % 64
			xs[i] = probe.Next(xs[i])
			position := t.base(hashes[i]) + probe.Reduce(xs[i], t.span)
			left |= t.words[position/64] >> (position % 64) & 1 << i
		}
		present = left
	}
	for rest := present; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest) % 64
		if !t.queryFrom(xs[i], t.base(hashes[i]), t.hashes-together) {
			present &^= 1 << i
		}
	}
	return present
}

// count returns the bits that are set, and the rate that the bits have: the mean over blocks of fill^k.
func (t *table) count() (ones int, rate float64) {
	k := float64(t.hashes)
	per := t.words // of a block
	if t.blocks > 1 {
		per = t.words[:BlockBits/64]
	}
	for start := 0; start < len(t.words); start += len(per) {
		set := 0
		for _, word := range t.words[start : start+len(per)] {
			set += bits.OnesCount64(word)
		}
		ones += set
		rate += math.Pow(float64(set)/float64(t.span), k)
	}
	return ones, rate / float64(t.blocks)
}
