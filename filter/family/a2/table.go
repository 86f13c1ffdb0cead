package a2

import (
	"fmt"
	"math/bits"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/internal/bloom"
	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/internal/elementary"
	"github.com/bloomlane/bloomlane/internal/probe"
)

// table is the two buffers of a filter, 64 bits a word, the least significant first, and zeros.
//
// A key has the same positions in both buffers, and these alternate word by word, so that a
// position of both is one cache line. After an even number of turns the first buffer is that of the
// first word. If half of the bits are set, a query of a non-member reads 2.7 lines in the mean. Of
// two buffers one after the other it would read 4.
type table struct {
	bloom.Shape  // of a buffer, by hashes and bits
	words        []uint64
	hashes, bits uint64
	members      uint64 // n_a, the keys that a buffer takes
	held         uint64 // the inserts that the first buffer has counted
	turns        uint64 // how often the second was cleared and became the first
}

var _ base.Flat = (*table)(nil)

func newTable(size Shape) *table {
	buffer := size.buffer()
	return &table{Shape: buffer, hashes: uint64(size.Hashes), bits: buffer.Bits(),
		members: uint64(size.Window), words: base.New(2 * buffer.Words())}
}

// Numbers implements [base.Table].
func (t *table) Numbers() []base.Number {
	return []base.Number{
		base.Members(&t.members),
		{Name: "hashes", Value: &t.hashes, Low: 1, High: MaxHashes},
		{Name: "bits", Value: &t.bits, Low: 1, High: filter.MaxBits / 2},
		{Name: "held", Value: &t.held, High: planning.MaxMembers, Role: base.State},
		{Name: "turns", Value: &t.turns, High: base.MaxCount, Role: base.State},
	}
}

// Fit implements [base.Table].
func (t *table) Fit(pairs []uint64) error {
	size := bloom.Shape{Blocks: 1, Span: t.bits, Hashes: int(t.hashes)}
	switch used := t.bits % 64; {
	case t.members > t.bits: // a buffer of fewer bits is never full
		return file.Wrong(file.ErrBounds, fmt.Sprintf("members %d", t.members),
			fmt.Sprintf("1 to %d, the bits of a buffer", t.bits))
	case t.held > t.members:
		return file.Wrong(file.ErrBounds, fmt.Sprintf("held %d", t.held),
			fmt.Sprintf("0 to %d, the members", t.members))
	case uint64(len(pairs)) != 2*size.Words():
		return file.Wrong(file.ErrBounds, fmt.Sprintf("%d words", len(pairs)),
			fmt.Sprintf("%d words for two buffers of %d bits", 2*size.Words(), t.bits))
	case used != 0 && (pairs[len(pairs)-2]|pairs[len(pairs)-1])>>used != 0:
		return file.Wrong(file.ErrBounds, "bits behind the last", "zeros")
	}
	t.Shape, t.words = size, pairs
	return nil
}

// Memory implements [base.Table].
func (t *table) Memory() []uint64 { return t.words }

func (t *table) String() string { return t.size().String() }

// State implements [base.Table]: see [Filter].
func (t *table) State() filter.State {
	came, earlier := arrivals(t.Shape, int(t.held)), arrivals(t.Shape, int(t.older()))
	return filter.State{
		Members: float64(t.held + t.older()),
		Fill:    (t.Fill(came) + t.Fill(earlier)) / 2, Rate: either(t.Rate(came), t.Rate(earlier)),
	}
}

// Scan implements [base.Table].
func (t *table) Scan() (fill, most float64) {
	first, _ := t.count(0)
	second, _ := t.count(1)
	bits := 2 * float64(t.Span)
	return float64(first+second) / bits, float64(t.Hashes) / bits
}

// first returns which words of a pair are the first buffer's: 0 or 1.
func (t *table) first() uint64 { return t.turns % 2 }

// pair returns the words of a bit in both buffers.
func (t *table) pair(position uint64) *[2]uint64 { return (*[2]uint64)(t.words[position/64*2:]) }

// which returns those of the given buffers that have the last k bits of a hash, after x: bit 0 for
// the buffer of even words, bit 1 for that of odd words.
func (t *table) which(x uint64, k int, total uint64) uint64 {
	for range k {
		x = probe.Next(x)
		position := probe.Reduce(x, t.Span)
		pair := t.pair(position)
		if total &= pair[0]>>(position%64)&1 | pair[1]>>(position%64)&1<<1; total == 0 {
			return 0
		}
	}
	return total
}

const both = 3

func (t *table) query(hash uint64) bool { return t.which(hash, t.Hashes, both) != 0 }

func (t *table) insert(hash uint64) (present bool) {
	if t.held == t.members {
		found := t.which(hash, t.Hashes, both)
		if found>>t.first()&1 != 0 {
			return true
		}
		t.turn()
		t.insert(hash)
		return found != 0
	}
	x, first, missing, older := hash, t.first(), uint64(0), uint64(0)
	for range t.Hashes {
		x = probe.Next(x)
		position := probe.Reduce(x, t.Span)
		pair, bit := t.pair(position), uint64(1)<<(position%64)
		missing |= bit &^ pair[first]
		older |= bit &^ pair[first^1]
		pair[first] |= bit
	}
	if missing != 0 {
		t.held++
	}
	return missing == 0 || older == 0
}

// turn clears the second buffer, and makes it the first.
func (t *table) turn() {
	if t.turns == base.MaxCount {
		t.turns -= 2 // it stays there, odd and even alternately
	}
	t.turns++
	t.held = 0
	for i := t.first(); i < uint64(len(t.words)); i += 2 {
		t.words[i] = 0
	}
}

// older returns the number of keys of the second buffer.
func (t *table) older() uint64 {
	if t.turns == 0 {
		return 0
	}
	return t.members
}

// rounds is how many bits of a group's keys are looked at together, before each key that is left is
// queried by itself. 16 bits per key, 20 kB, ns per key of non-members and of members (Xeon,
// AVX-512, a shared host): with 2 rounds 13.8 and 15.3, with 3 rounds 10.6 and 15.9, with 4 rounds
// 9.4 and 16.8.
const rounds = 4

// queryGroup queries up to 64 hashes, bit i for hash i. A bit of all of them is looked at in both
// buffers, then the next of those that are left, so that their cache misses overlap.
func (t *table) queryGroup(hashes []uint64) (present uint64) {
	var xs [64]uint64
	even, odd := uint64(0), uint64(0) // have all bits so far
	together := min(rounds, t.Hashes)
	for i, hash := range hashes {
		xs[i] = probe.Next(hash)
		position := probe.Reduce(xs[i], t.Span)
		pair := t.pair(position)
		even |= pair[0] >> (position % 64) & 1 << i
		odd |= pair[1] >> (position % 64) & 1 << i
	}
	for range together - 1 {
		evenLeft, oddLeft := uint64(0), uint64(0)
		for rest := even | odd; rest != 0; rest &= rest - 1 {
			i := bits.TrailingZeros64(rest) % 64
			xs[i] = probe.Next(xs[i])
			position := probe.Reduce(xs[i], t.Span)
			pair := t.pair(position)
			evenLeft |= pair[0] >> (position % 64) & 1 << i
			oddLeft |= pair[1] >> (position % 64) & 1 << i
		}
		even &= evenLeft
		odd &= oddLeft
	}
	present = even | odd
	for rest := present; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest) % 64
		if t.which(xs[i], t.Hashes-together, even>>i&1|odd>>i&1<<1) == 0 {
			present &^= 1 << i
		}
	}
	return present
}

// count returns the bits of a buffer that are set, of even words or of odd ones, and the rate that
// they have.
func (t *table) count(which uint64) (ones int, rate float64) {
	for i := which; i < uint64(len(t.words)); i += 2 {
		ones += bits.OnesCount64(t.words[i])
	}
	return ones, elementary.Pow(float64(ones)/float64(t.Span), float64(t.Hashes))
}
