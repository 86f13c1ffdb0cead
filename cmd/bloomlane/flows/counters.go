package flows

import (
	"math"
	"math/bits"
)

// counters is a Bloom filter of counters, of 1 or 4 bits each, 16 or 64 to a word. A counter that has reached
// its highest value stays there, because nobody knows how many keys it counts: so no key is ever lost,
// and with counters of 1 bit nothing is ever deleted. That is the textbook's Bloom filter.
//
// There are filters in other libraries, but they choose their sizes and hashes themselves, where here all have
// the same memory and the same hashes; and BoomFilters', which bench/churn has, counts down from the
// highest value, so that it may lose a key.
type counters struct {
	width  int // bits of a counter
	words  []uint64
	hashes int // k
}

// newCounters returns a filter of so many bytes, a multiple of 8, with the number of hashes that is best
// for a number of members: m/n ln 2.
func newCounters(width, bytes, members int) *counters {
	c := &counters{width: width, words: make([]uint64, bytes/8)}
	c.hashes = max(1, min(maxHashes, int(math.Round(float64(c.cells())/float64(members)*math.Ln2))))
	return c
}

// maxHashes bounds k: with more, no rate that can be measured gets better.
const maxHashes = 32

func (c *counters) cells() uint64 { return uint64(len(c.words)) * 64 / uint64(c.width) }

// cell returns the word of a hash's i-th counter, and the bit in it where it begins. It is double
// hashing (Kirsch and Mitzenmacher, 2006), the second hash being the first one mixed.
func (c *counters) cell(hash uint64, i int) (word, bit int) {
	n, _ := bits.Mul64(hash+uint64(i)*(mixed(hash)|1), c.cells())
	at := n * uint64(c.width)
	return int(at / 64), int(at % 64)
}

// mixed is the finalizer of MurmurHash3: every bit of its result depends on all of the hash's.
func mixed(hash uint64) uint64 {
	hash = (hash ^ hash>>33) * 0xff51afd7ed558ccd
	hash = (hash ^ hash>>33) * 0xc4ceb9fe1a85ec53
	return hash ^ hash>>33
}

func (c *counters) highest() uint64 { return 1<<c.width - 1 }

func (c *counters) insert(hash uint64) error {
	for i := range c.hashes {
		word, bit := c.cell(hash, i)
		if c.words[word]>>bit&c.highest() < c.highest() {
			c.words[word] += 1 << bit
		}
	}
	return nil
}

// remove deletes a member.
func (c *counters) remove(hash uint64) {
	for i := range c.hashes {
		word, bit := c.cell(hash, i)
		if c.words[word]>>bit&c.highest() < c.highest() {
			c.words[word] -= 1 << bit
		}
	}
}

func (c *counters) query(hash uint64) bool {
	for i := range c.hashes {
		if word, bit := c.cell(hash, i); c.words[word]>>bit&c.highest() == 0 {
			return false
		}
	}
	return true
}

func (c *counters) refused(uint64) bool { return false }
func (c *counters) bytes() int          { return 8 * len(c.words) }
func (c *counters) lines() int          { return c.hashes }

// state takes the probability that a stranger finds each of its counters set as that for each of its own.
func (c *counters) state() State {
	fill := c.fill()
	return State{Rate: math.Pow(fill, float64(c.hashes)), Fill: fill}
}

// fill returns the part of the counters that are above 0.
func (c *counters) fill() float64 {
	used := 0
	for _, word := range c.words {
		if c.width == 4 {
			word |= word >> 2
			word |= word >> 1
			word &= 0x1111111111111111
		}
		used += bits.OnesCount64(word)
	}
	return float64(used) / float64(c.cells())
}
