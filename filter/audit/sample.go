package audit

import (
	"iter"
	"math/bits"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/internal/dispatch"
)

// sample is an exact set of the members in the sample, with the number of times that each is one.
//
// A hash h is in the sample if y = h * odd (mod 2^64) is below 2^64 / every. That takes a
// multiplication and a comparison. y identifies h, because odd has an inverse; the known upper bits
// of y are cut off.
//
// The set has segments by the next bits of y. Each is an open addressing table of its own with
// linear probing. Segments grow one at a time and by a quarter, from a load of 4/5 to one of 16/25.
// So the set needs at most 64 bits / (16/25) = 100 bits per member of the sample, and no insert
// waits for more than a 64th of the set.
type sample struct {
	limit    uint64 // y below it are in the sample: 1 << (64 - shift)
	odd      uint64 // secret
	inverse  uint64 // of odd
	shift    uint   // log2 of every
	most     int    // members, above which the sample is halved
	members  int    // different ones
	segments [segments]segment
}

const (
	segments     = 1 << segmentBits
	segmentBits  = 6
	leastSlots   = 8 // of a segment that has a member
	entryBits    = 6
	maxCount     = 1<<entryBits - 1 // the count stays there, and is doubtful
	leastEvery   = 1 << entryBits   // so that y leaves room for it
	mostEvery    = 1 << 30
	loadOf, load = 5, 4 // the load at most: load / loadOf
)

// segment is a table of entries: y << entryBits | count. No entry is 0.
type segment struct {
	slots []uint64
	used  int
}

func newSample(every, most int, secret uint64) sample {
	s := sample{odd: secret | 1, shift: uint(bits.TrailingZeros(uint(every))), most: most}
	s.limit = 1 << (64 - s.shift)
	s.inverse = s.odd
	// Newton's method: each step doubles the bits that are right, of which there are 3
	for range 5 {
		s.inverse *= 2 - s.odd*s.inverse
	}
	return s
}

// empty returns a set of the same sample with nothing in it.
func (s *sample) empty() sample {
	return sample{limit: s.limit, odd: s.odd, inverse: s.inverse, shift: s.shift, most: s.most}
}

// clone returns a copy in memory of its own.
func (s *sample) clone() sample {
	c := *s
	for i := range c.segments {
		c.segments[i].slots = append([]uint64(nil), c.segments[i].slots...)
	}
	return c
}

// mark returns in sampled which hashes are in the sample.
func (s *sample) mark(hashes, sampled []uint64) []uint64 {
	sampled = sampled[:filter.Words(len(hashes))]
	dispatch.Sample(hashes, sampled, s.odd, s.limit)
	return sampled
}

// marked yields the index of each marked hash and its y, if it is still in the sample: the sample
// may be halved meanwhile.
func (s *sample) marked(hashes, sampled []uint64) iter.Seq2[int, uint64] {
	return func(yield func(i int, y uint64) bool) {
		for start, word := range sampled {
			for ; word != 0; word &= word - 1 {
				i := 64*start + bits.TrailingZeros64(word)
				if i >= len(hashes) {
					return
				}
				if y := hashes[i] * s.odd; y < s.limit && !yield(i, y) {
					return
				}
			}
		}
	}
}

// place returns the segment of y, and its first slot there.
func (s *sample) place(y uint64) (g *segment, slot int) {
	z := y << s.shift
	g = &s.segments[z>>(64-segmentBits)]
	return g, g.home(z)
}

// home returns the first slot of an entry, by all bits of y that are not known.
func (g *segment) home(z uint64) int {
	slot, _ := bits.Mul64(z<<segmentBits, uint64(len(g.slots)))
	return int(slot)
}

// find returns the slot of y, or the empty slot where it would be. For a segment without slots it
// returns nil.
func (s *sample) find(y uint64) (g *segment, slot *uint64) {
	g, i := s.place(y)
	if len(g.slots) == 0 {
		return g, nil
	}
	for g.slots[i] != 0 && g.slots[i]>>entryBits != y {
		if i++; i == len(g.slots) {
			i = 0
		}
	}
	return g, &g.slots[i]
}

// state is what is known of a hash in the sample.
type state int

const (
	absent state = iota
	member
	doubt // it was inserted more often than can be counted
)

// state returns what is known of y.
func (s *sample) state(y uint64) state {
	_, slot := s.find(y)
	if slot == nil {
		return absent
	}
	return stateOf(*slot)
}

func stateOf(entry uint64) state {
	switch {
	case entry == 0:
		return absent
	case entry&maxCount == maxCount:
		return doubt
	}
	return member
}

// insert makes y a member once more, and returns what it was before.
func (s *sample) insert(y uint64) (before state) {
	g, slot := s.find(y)
	if slot != nil && *slot != 0 {
		before = stateOf(*slot)
		if *slot&maxCount < maxCount {
			*slot++
		}
		return before
	}
	if loadOf*(g.used+1) > load*len(g.slots) {
		s.grow(g)
		_, slot = s.find(y)
	}
	*slot = y<<entryBits | 1
	g.used++
	if s.members++; s.members > s.most {
		s.halve()
	}
	return absent
}

// delete makes y a member once less, and returns what it was before.
func (s *sample) delete(y uint64) (before state) {
	g, slot := s.find(y)
	if slot == nil || *slot == 0 {
		return absent
	}
	before = stateOf(*slot)
	switch *slot & maxCount {
	case maxCount: // of unknown meaning
	case 1:
		s.remove(g, y)
	default:
		*slot--
	}
	return before
}

// remove empties the slot of y, and moves entries back that had to go past it.
func (s *sample) remove(g *segment, y uint64) {
	_, i := s.place(y)
	n := len(g.slots)
	for g.slots[i]>>entryBits != y {
		i = (i + 1) % n
	}
	for j := (i + 1) % n; g.slots[j] != 0; j = (j + 1) % n {
		home := g.home(g.slots[j] >> entryBits << s.shift)
		if (j-home+n)%n >= (j-i+n)%n { // its home is not after the empty slot
			g.slots[i], i = g.slots[j], j
		}
	}
	g.slots[i] = 0
	g.used--
	s.members--
}

// grow makes a segment a quarter larger.
func (s *sample) grow(g *segment) {
	old := g.slots
	g.slots = make([]uint64, max(leastSlots, len(old)+len(old)/4))
	for _, entry := range old {
		if entry != 0 {
			_, slot := s.find(entry >> entryBits)
			*slot = entry
		}
	}
}

// halve keeps the members of half the sample, until there are at most the allowed number. Then the
// place of each y depends on one more bit.
func (s *sample) halve() {
	for s.members > s.most {
		half := s.empty()
		half.shift++
		half.limit /= 2
		half.most = s.members // nothing is halved while entries are put
		for entry := range s.all {
			if y := entry >> entryBits; y < half.limit {
				half.put(entry)
			}
		}
		half.most = s.most
		*s = half
	}
}

// put puts an entry of a y that is not in.
func (s *sample) put(entry uint64) {
	s.insert(entry >> entryBits)
	_, slot := s.find(entry >> entryBits)
	*slot = entry
}

// all yields the entries.
func (s *sample) all(yield func(entry uint64) bool) {
	for i := range s.segments {
		for _, entry := range s.segments[i].slots {
			if entry != 0 && !yield(entry) {
				return
			}
		}
	}
}

// bytes returns the bytes of the slots.
func (s *sample) bytes() int {
	slots := 0
	for i := range s.segments {
		slots += len(s.segments[i].slots)
	}
	return 8 * slots
}
