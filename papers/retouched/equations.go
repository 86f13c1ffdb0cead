package retouched

import (
	"math"

	"github.com/bloomlane/bloomlane/internal/elementary"
)

// Shape is a Bloom filter of the paper, with m bits, n members and k hash functions. Its methods
// are the paper's equations. Rate of a plain.Shape is the mean over fills, where equation 5
// has the rate of the mean fill.
type Shape struct{ Bits, Members, Hashes int }

// shape is the filter of section IV-C.
var shape = Shape{Bits: bits, Members: members, Hashes: hashes}

// Zero returns p0, the probability that a bit is not set: equation 2.
func (s Shape) Zero() float64 {
	zero := elementary.Log1p(-1 / float64(s.Bits))
	return elementary.Exp(float64(s.Hashes) * float64(s.Members) * zero)
}

// One returns p1, the probability that a bit is set: equation 4.
func (s Shape) One() float64 { return 1 - s.Zero() }

// Rate returns fP, the false-positive rate: equation 5.
func (s Shape) Rate() float64 { return elementary.Pow(s.One(), float64(s.Hashes)) }

// BestHashes returns the k of the lowest rate, which need not be a whole number: equation 6.
func (s Shape) BestHashes() float64 { return float64(s.Bits) * math.Ln2 / float64(s.Members) }

// BestRate returns the rate with BestHashes: equation 7.
func (s Shape) BestRate() float64 { return elementary.Pow(0.5, s.BestHashes()) }

// Kept returns r_s, the expected part of the false positives, and of the members, that are still
// present after the given number of bits was cleared at random: equation 16, and with one bit
// equation 13. 1 - r_s is the part of the false positives that are removed and that of the members
// that are lost: equations 14 and 15. So χ is 1.
func (s Shape) Kept(cleared int) float64 {
	return elementary.Pow(max(0, 1-float64(cleared)/(s.One()*float64(s.Bits))), float64(s.Hashes))
}

// occupancy is what figure 11 has of a vector of lists of all members, A, or of all false
// positives, B: the part of its m cells that have an element, and how many these have on average.
type occupancy struct{ filled, elements float64 }

// expectedLists is by the Poisson distribution.
func expectedLists(m int) (a, b occupancy) {
	throws := hashes * float64(members) / float64(m)
	p1 := -math.Expm1(-throws)
	keys := hashes * Shape{m, members, hashes}.Rate() * (universe - members) /
		(p1 * float64(m)) // of a bit that is set
	return occupancy{p1, throws / p1},
		occupancy{-p1 * math.Expm1(-keys), keys / -math.Expm1(-keys)}
}

// sampled returns how many packets a time-out Bloom filter samples, of flows that take turns and
// never pause for its time-out. A bucket has the time of its last packet.
func sampled(packets, flows int, position func(flow, time int) int, forget bool) (n float64) {
	last := map[int]bool{}
	for i := range packets {
		bucket := position(-1-i%flows, i) // no flow has the number of a time
		if !last[bucket] {
			n++
		}
		if forget {
			clear(last)
		}
		last[bucket] = true
	}
	return n
}

// dynamic returns how many filters a dynamic Bloom filter has after some keys, each into the last
// filter if it has fewer keys than a limit, which may depend on how many keys there are.
func dynamic(keys int, limit func(keys int) int) (filters float64) {
	last := 0
	for n := range keys {
		if filters == 0 || last >= limit(n) {
			filters, last = filters+1, 0
		}
		last++
	}
	return filters
}
