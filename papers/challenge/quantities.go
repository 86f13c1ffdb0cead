package challenge

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/bloomlane/bloomlane/filter/cuckoo"
	"github.com/bloomlane/bloomlane/filter/family/dlbf"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// quantities are what the rows of the table and the figure are about.
func (s *study) quantities() claim.Quantities {
	good, listed := claim.Results[tracked](s.good), claim.Results[tracked](s.listed)
	return claim.Quantities{
		"elements that are found after they are inserted": {Formulas: claim.Formulas{
			"the hash of the seed": foundAfterInserts(
				func(_, seed byte) int { return place(seed, seed) }),
			"the hash of the element": foundAfterInserts(place),
		}},

		"non-members that are found": {Unit: claim.Share, Trials: s.guaranteed,
			Formulas: claim.Formulas{formula: func(at claim.Parameters) float64 {
				m, k := sized(at.Int("n"), at.Float("P"))
				return rateOf(float64(m), float64(k), at.Float("n"))
			}}},
		"rate by its formula, as a multiple of P": computed("", func(at claim.Parameters) float64 {
			n, p := at.Float("n"), at.Float("P")
			return rateOf(math.Ceil(n*perElement(p)), at.Float("k"), n) / p
		}),
		"rate as a multiple of that by its formula": {Trials: s.reduced,
			Formulas: claim.Formulas{formula: func(at claim.Parameters) float64 {
				m, k, n := moduloOf(at.Float(perHash), s.hashBits(at))
				return reduced(s.hashBits(at), m, k, n) / rateOf(m, k, n)
			}}},
		"bits without a hash": computed(claim.Share, func(at claim.Parameters) float64 {
			return 1 - 1/at.Float(perHash)
		}),
		"elements from which on some bits have no hash": computed("",
			func(at claim.Parameters) float64 {
				return math.Floor(math.Exp2(hashBits)/perElement(at.Float("P"))) + 1
			}),
		"rate with hashes of 32 bits": {Unit: claim.Share, Formulas: claim.Formulas{
			"the document's hashes": byLog(func(m, k, n float64) float64 {
				return reduced(hashBits, m, k, n)
			}),
			"the document's formula": byLog(rateOf),
		}},
		"elements of which two indexes are equal": computed(claim.Share,
			func(at claim.Parameters) float64 {
				m, k := sized(sources, at.Float("P"))
				distinct := 1.0
				for i := range k {
					distinct *= 1 - float64(i)/float64(m)
				}
				return 1 - distinct
			}),
		"pairs of sources, a difference of two seeds apart, that share two indexes": {
			Unit:   claim.Share,
			Trials: claim.Results[float64](s.seeds).Number(func(v *float64) float64 { return *v })},
		"flags by bits that are one, less those by different elements": {
			Trials: claim.Results[flagging](s.flags).Number(
				func(f *flagging) float64 { return f.flags })},
		"deletes that leave their element visible": {Unit: claim.Share,
			Trials: claim.Counted(s.flags,
				func(f *flagging, _ claim.Parameters) (hits, cases int) { return f.visible, 1 })},

		"strikes": {Trials: s.struck(func(o *outcome) int { return o.strikes })},
		"sources that are blocked for them": {
			Trials: s.struck(func(o *outcome) int { return o.moved })},

		"deletes that leave their source visible": share(good,
			func(c *tracked) (hits, cases int) { return c.visible, c.deletes }),
		"packets of good sources that the good set does not show": share(good,
			func(c *tracked) (hits, cases int) { return c.hidden, c.queries }),
		"non-members that are found in the end": {Unit: claim.Share,
			Trials: good.Number(func(c *tracked) float64 { return c.found }).Of(
				func(claim.Parameters) int { return s.nonMembers() })},
		"packets of guilty sources that pass":           share(good, passed),
		"packets of innocent sources that are rejected": share(good, blocked),
		"bits per source": {
			Trials: good.Number(func(c *tracked) float64 { return c.bits })},
		"bits that are left set": {Trials: claim.Measured(s.left,
			func(l *remains, at claim.Parameters) float64 { return (*l)[at.Text("filter")] })},
		"non-members that are found while sources come and go": {Unit: claim.Share,
			Trials: s.churned, Formulas: claim.Formulas{formula: s.countersRate}},

		"innocent sources that are bad in the end": {Unit: claim.Share,
			Trials: share(listed,
				func(c *tracked) (hits, cases int) { return c.bad, c.innocents }).Trials,
			Formulas: claim.Formulas{
				meanField:              s.blocked(func(b *blocking) float64 { return b.expected }),
				"by the bad set alone": s.blocked(func(b *blocking) float64 { return b.byBad }),
				"of clean sources":     s.blocked(func(b *blocking) float64 { return b.clean }),
				"that are not clean":   s.blocked(func(b *blocking) float64 { return b.unclean })}},
		"packets of innocent sources that lists reject": share(listed, blocked),
		"packets of guilty sources that lists let pass": share(listed, passed),
		"strikes that are wrong": {
			Trials: listed.Number(func(c *tracked) float64 { return float64(c.wrong) })},
		"strikes that are missed": {
			Trials: listed.Number(func(c *tracked) float64 { return float64(c.missed) })},
		"runs without a wrong verdict or answer, less a half": {Unit: claim.Share,
			Trials: claim.Counted(s.executed, func(e *executed, _ claim.Parameters) (int, int) {
				return e.right, 1
			}).Map(func(share float64, _ claim.Parameters) float64 { return share - 0.5 })},
		"pairs of runs with other seeds that answer otherwise": {Unit: claim.Share,
			Trials: claim.Counted(s.executed, func(e *executed, _ claim.Parameters) (int, int) {
				return e.differs, 1
			})},

		"bits of an exact table of addresses by those of its filter, log": computed("",
			func(at claim.Parameters) float64 {
				return math.Log(32 / at.Float("load") / memory(at.Float("P")))
			}),
		"bits per address in a table": computed("",
			func(at claim.Parameters) float64 { return 32 / at.Float("load") }),
		"bits per source, bits and flags": computed("",
			func(at claim.Parameters) float64 { return memory(at.Float("P")) }),
		"sources from which on a bit for each address there is takes less than bits and " +
			"flags": computed("", func(at claim.Parameters) float64 {
			return math.Floor(math.Exp2(32)/memory(at.Float("P"))) + 1
		}),
		"bits per source with a million sources": computed("", sizeOf),
		"bits per source of a filter that does not delete": computed("",
			func(at claim.Parameters) float64 { return perElement(at.Float("P")) }),
		"bits by those of a filter that does not delete, with a million sources, less " +
			"1.8": computed("", func(at claim.Parameters) float64 {
			return sizeOf(at)/perElement(at.Float("P")) - 1.8
		}),
		"ways to delete that are measured here, less 7": computed("",
			func(claim.Parameters) float64 { return float64(len(variants)-1) - 7 }), // one is exact
	}
}

// computed is a quantity that the document's formula has.
func computed(unit claim.Unit, f func(claim.Parameters) float64) claim.Quantity {
	return claim.Computed(unit, formula, f)
}

// share is a part of cases.
func share(
	simulate claim.Results[tracked],
	number func(*tracked) (hits, cases int),
) claim.Quantity {
	return claim.Quantity{Unit: claim.Share, Trials: claim.Among(simulate,
		func(c *tracked, _ claim.Parameters) (float64, float64) {
			hits, cases := number(c)
			return float64(hits), float64(cases)
		})}
}

func passed(c *tracked) (hits, cases int)  { return c.passed, c.guilty }
func blocked(c *tracked) (hits, cases int) { return c.blocked, c.innocent }

// The pseudo code's filter: k = 3 hashes with seeds, modulo m = 512.
var placeSeeds = []byte{17, 29, 71}

func place(element, seed byte) int {
	h := fnv.New32a()
	h.Write([]byte{seed, element, element ^ seed})
	return int(h.Sum32() % 512)
}

// foundAfterInserts returns how many of n elements the pseudo code's contains finds, after each was
// inserted with a hash.
func foundAfterInserts(hash func(element, seed byte) int) func(claim.Parameters) float64 {
	return func(point claim.Parameters) (found float64) {
		set := map[int]bool{}
		for n := range byte(point.Int("n")) {
			for _, seed := range placeSeeds {
				set[hash(n, seed)] = true
			}
		}
		for n := range byte(point.Int("n")) {
			if !slices.ContainsFunc(placeSeeds,
				func(seed byte) bool { return !set[place(n, seed)] }) {
				found++
			}
		}
		return found
	}
}

// fill inserts n sources, and returns what asks for others.
func fill(rng *rand.Rand, n int, insert func(source uint32)) (nonMember func() uint32) {
	first := rng.Uint32()
	for i := range n {
		insert(scattered(first + uint32(i)))
	}
	others := uint64(1)<<32 - uint64(n)
	return func() uint32 { return scattered(first + uint32(n) + uint32(rng.Uint64N(others))) }
}

// scattered gives each number of 32 bits another one.
func scattered(n uint32) uint32 { return (n ^ n>>15) * 0x2c1b3c6d }

// hits counts those of some queries for non-members that are found.
func hits(queries int, contains func(uint32) bool, nonMember func() uint32) (found int) {
	for range queries {
		if contains(nonMember()) {
			found++
		}
	}
	return found
}

// guaranteed is the document's m and k, with its hashes.
func (s *study) guaranteed(run *trials.Run, at claim.Parameters) claim.Sample {
	n, p, filters := at.Int("n"), at.Float("P"), s.number(16, 8)
	queries := s.number(100_000_000, 400_000) / filters
	if p > 1e-5 { // which shows well enough with fewer
		queries = s.number(1_600_000, 400_000) / filters
	}
	m, k := sized(n, p)
	sample := claim.Sample{Cases: queries * filters}
	for _, found := range trials.Recall(run, fmt.Sprint("guaranteed ", p), filters,
		func(rng *rand.Rand) int {
			f := plain.in(rng, m, k)
			return hits(queries, f.contains, fill(rng, n, f.insert))
		}) {
		sample.Hits += found
	}
	return sample
}

// reduced is the rate of a filter with hashes of some bits modulo m, with n elements: some places
// have one hash more than the others.
func reduced(bits int, m, k, n float64) float64 {
	all := math.Exp2(float64(bits))
	each := math.Floor(all / m)
	more := all - each*m
	set := 0.0 // of the hashes, those that lead to a place that is set
	for _, places := range []struct{ number, hashes float64 }{{more, each + 1}, {m - more, each}} {
		part := places.hashes / all
		set += places.number * part * -math.Expm1(k*n*math.Log1p(-part))
	}
	return math.Pow(set, k)
}

// hashBits is the document's hash, and perHash is m by how many hashes there are.
const (
	hashBits = 32
	perHash  = "m/2^w"
)

// hashBits returns the bits of a claim's hashes: the document's, or fewer, which show the same.
func (s *study) hashBits(at claim.Parameters) int {
	if w := at.Int("w"); w > 0 {
		return w
	}
	return s.number(20, 16)
}

// moduloOf returns the filter of the document's size for a share of all hashes.
func moduloOf(share float64, bits int) (m, k, n float64) {
	m = math.Floor(share * math.Exp2(float64(bits)))
	n = math.Floor(m / perElement(standard))
	return m, float64(hashesFor(m, n)), n
}

// byLog is a formula by the logarithm of m.
func byLog(f func(m, k, n float64) float64) func(claim.Parameters) float64 {
	return func(at claim.Parameters) float64 {
		return f(moduloOf(math.Exp2(at.Float("log m")-hashBits), hashBits))
	}
}

// reduced is the rate of filters with hashes modulo m.
func (s *study) reduced(run *trials.Run, at claim.Parameters) (sample claim.Sample) {
	share, bits := at.Float(perHash), s.hashBits(at)
	m, k, n := moduloOf(share, bits)
	sample.Map = func(rate float64) float64 { return rate / rateOf(m, k, n) }
	if bits == hashBits {
		if !run.Short {
			sample.Hits, sample.Cases = s.large(uint64(m), int(k), int(n))
		}
		return sample
	}
	queries := s.number(1_000_000, 50_000)
	sample.Of = fmt.Sprint("modulo ", share)
	sample.Values = trials.Recall(run, sample.Of, s.number(16, 8), func(rng *rand.Rand) float64 {
		f := plain.in(rng, int(m), int(k))
		f.shift = hashBits - bits
		return float64(hits(queries, f.contains, fill(rng, int(n), f.insert))) /
			float64(queries)
	})
	return sample
}

// large is a filter of the document's own hashes, in 384 MiB.
func (s *study) large(m uint64, k, n int) (found, queries int) {
	queries = 20_000_000
	return trials.Recall(s.run, "three quarters", 1, func(rng *rand.Rand) int {
		h, ones := newHashing(rng, m, k), make([]uint64, m/64+1)
		first := rng.Uint32()
		var halves sync.WaitGroup
		for half := range uint64(2) {
			halves.Go(func() { // each sets the places of its half
				for i := range n {
					key := mix(scattered(first + uint32(i)))
					for j := range h.seeds {
						if place := h.place(j, key[:1]); place/(m/2) == half {
							ones[place/64] |= 1 << (place % 64)
						}
					}
				}
			})
		}
		halves.Wait()
		contains := func(source uint32) bool {
			key := mix(source)
			for j := range h.seeds {
				if place := h.place(j, key[:1]); ones[place/64]>>(place%64)&1 == 0 {
					return false
				}
			}
			return true
		}
		return hits(queries, contains, func() uint32 {
			return scattered(first + uint32(n) + uint32(rng.Uint64N(1<<32-uint64(n))))
		})
	})[0], queries
}

// seeds is what seeds make of one hash, for keys of one word.
func (s *study) seeds(run *trials.Run, _ claim.Parameters) (string, []float64) {
	const pairs = 1000
	return "seeds", trials.Recall(run, "seeds", s.number(100, 20),
		func(rng *rand.Rand) float64 { return sharedIndexes(rng, pairs) })
}

// sharedIndexes returns how many of some pairs of sources share two indexes, of the filter with the
// default P. The words that MurmurHash3 mixes of a pair differ by what two seeds differ by: each
// source has such another one, as no two words are mixed to the same.
func sharedIndexes(rng *rand.Rand, pairs int) (share float64) {
	m, k := sized(sources, standard)
	h := newHashing(rng, uint64(m), k)
	for range pairs {
		x := mix(rng.Uint32())
		seeds := rng.Perm(k)
		i, j := seeds[0], seeds[1]
		y := [1]uint32{x[0] ^ h.seeds[i] ^ h.seeds[j]}
		if h.place(i, x[:1]) == h.place(j, y[:]) && h.place(j, x[:1]) == h.place(i, y[:]) {
			share += 1 / float64(pairs)
		}
	}
	return share
}

// flagging is what a flag says, by the two sentences of line 64: by how many flags they differ,
// and whether a delete leaves its element.
type flagging struct {
	flags   float64
	visible int
}

func (s *study) flags(run *trials.Run, at claim.Parameters) (string, []flagging) {
	n, times := at.Int("n"), s.number(100, 20)
	if n < sources {
		times *= 1000
	}
	m, k := sized(n, standard)
	name := fmt.Sprint("flags ", n)
	return name, trials.Recall(run, name, times, func(rng *rand.Rand) (r flagging) {
		ones, others := collisions.in(rng, m, k), collisions.in(rng, m, k)
		others.hashing, others.ofOthers = ones.hashing, true
		var members []uint32
		fill(rng, n, func(source uint32) {
			members = append(members, source)
			ones.insert(source)
			others.insert(source)
		})
		for i, count := range ones.counts {
			if count == collisions && others.counts[i] < collisions {
				r.flags++
			}
		}
		ones.delete(members[0])
		if ones.contains(members[0]) {
			r.visible++
		}
		return r
	})
}

// sizeOf is the bits per source of a filter with a million sources.
func sizeOf(at claim.Parameters) float64 {
	const members = 1_000_000
	p := at.Float("P")
	switch at.Text("filter") {
	case flagged:
		return memory(p)
	case counted:
		return counters.width() * perElement(p)
	case lettered:
		letters := dlbf.Config{Members: members, Rate: p}
		return float64(must(letters.Shape()).Bits) / members
	case cuckooed:
		cuckoos := cuckoo.Config{Members: members, Rate: p}
		return 8 * float64(must(cuckoos.Shape()).Bytes()) / members
	}
	return perElement(p)
}
