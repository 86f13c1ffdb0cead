package challenge

import (
	"hash/fnv"
	"math"
	"slices"

	"github.com/bloomlane/bloomlane/filter/cuckoo"
	"github.com/bloomlane/bloomlane/filter/family/dlbf"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// quantities are what the rows of the table and the figure are about.
func (s *study) quantities() claim.Quantities {
	good, listed, executed := s.good(), s.listed(), s.executed()
	return claim.Quantities{
		"elements that are found after they are inserted": {Formulas: claim.Formulas{
			"the hash of the seed": foundAfterInserts(
				func(_, seed byte) int { return place(seed, seed) }),
			"the hash of the element": foundAfterInserts(place),
		}},

		"non-members that are found": {Unit: claim.Share,
			Trials: s.guaranteed().Counted("found", "asked"),
			Formulas: claim.Formulas{formula: func(at claim.Parameters) float64 {
				m, k := sized(at.Int("n"), at.Float("P"))
				return rateOf(float64(m), float64(k), at.Float("n"))
			}}},
		"rate by its formula, as a multiple of P": computed(func(at claim.Parameters) float64 {
			n, p := at.Float("n"), at.Float("P")
			return rateOf(math.Ceil(n*perElement(p)), at.Float("k"), n) / p
		}),
		"rate as a multiple of that by its formula": {Trials: s.multiple,
			Formulas: claim.Formulas{formula: func(at claim.Parameters) float64 {
				m, k, n := moduloOf(at.Float(perHash), s.hashBits(at))
				return reduced(s.hashBits(at), m, k, n) / rateOf(m, k, n)
			}}},
		"bits without a hash": claim.Computed(claim.Share, formula,
			func(at claim.Parameters) float64 { return 1 - 1/at.Float(perHash) }),
		"elements from which on some bits have no hash": computed(
			func(at claim.Parameters) float64 {
				return math.Floor(math.Exp2(hashBits)/perElement(at.Float("P"))) + 1
			}),
		"rate with hashes of 32 bits": {Unit: claim.Share, Formulas: claim.Formulas{
			"the document's hashes": byLog(func(m, k, n float64) float64 {
				return reduced(hashBits, m, k, n)
			}),
			"the document's formula": byLog(rateOf),
		}},
		"elements of which two indexes are equal": claim.Computed(claim.Share, formula,
			func(at claim.Parameters) float64 {
				m, k := sized(sources, at.Float("P"))
				distinct := 1.0
				for i := range k {
					distinct *= 1 - float64(i)/float64(m)
				}
				return 1 - distinct
			}),
		"pairs of sources, a difference of two seeds apart, that share two indexes": share(
			seeds.Mean("shared")),
		"flags by bits that are one, less those by different elements": {
			Trials: flags.Mean("flags")},
		"deletes that leave their element visible": share(flags.Counted("visible", "deletes")),

		"strikes": {Trials: s.struck(func(o *outcome) int { return o.strikes })},
		"sources that are blocked for them": {
			Trials: s.struck(func(o *outcome) int { return o.moved })},

		"deletes that leave their source visible": share(good.Among("visible", "deletes")),
		"packets of good sources that the good set does not show": share(
			good.Among("hidden", "queries")),
		"non-members that are found in the end": share(good.Mean("found").Of(
			func(claim.Parameters) int { return s.nonMembers() })),
		"packets of guilty sources that pass":           share(good.Among("passed", "guilty")),
		"packets of innocent sources that are rejected": share(good.Among("blocked", "innocent")),
		"bits per source":                               {Trials: good.Mean("bits")},
		"bits that are left set": {
			Trials: func(run *trials.Run, at claim.Parameters) claim.Sample {
				return s.left().Mean(at.Text("filter"))(run, at)
			}},
		"non-members that are found while sources come and go": {Unit: claim.Share,
			Trials:   s.churn,
			Formulas: claim.Formulas{formula: s.countersRate, atMost: s.mostChurned}},

		"innocent sources that are bad in the end": {Unit: claim.Share,
			Trials: listed.Among("bad", "innocents"), Formulas: s.blocked()},
		"packets of innocent sources that lists reject": share(listed.Among("blocked", "innocent")),
		"packets of guilty sources that lists let pass": share(listed.Among("passed", "guilty")),
		"strikes that are wrong":                        {Trials: listed.Mean("wrong")},
		"strikes that are missed":                       {Trials: listed.Mean("missed")},
		"runs without a wrong verdict or answer, less a half": share(
			executed.Counted("right", "all").Map(
				func(share float64, _ claim.Parameters) float64 { return share - 0.5 })),
		"pairs of runs with other seeds that answer otherwise": share(
			executed.Counted("differs", "all")),

		"bits of an exact table of addresses by those of its filter, log": computed(
			func(at claim.Parameters) float64 {
				return math.Log(32 / at.Float("load") / memory(at.Float("P")))
			}),
		"bits per address in a table": computed(
			func(at claim.Parameters) float64 { return 32 / at.Float("load") }),
		"bits per source, bits and flags": computed(
			func(at claim.Parameters) float64 { return memory(at.Float("P")) }),
		"sources from which on a bit for each address there is takes less than bits and " +
			"flags": computed(func(at claim.Parameters) float64 {
			return math.Floor(math.Exp2(32)/memory(at.Float("P"))) + 1
		}),
		"bits per source with a million sources": computed(sizeOf),
		"bits per source of a filter that does not delete": computed(
			func(at claim.Parameters) float64 { return perElement(at.Float("P")) }),
		"bits by those of a filter that does not delete, with a million sources, less " +
			"1.8": computed(func(at claim.Parameters) float64 {
			return sizeOf(at)/perElement(at.Float("P")) - 1.8
		}),
	}
}

// computed is a number that the document's formula has, and share a share of trials.
func computed(f claim.Formula) claim.Quantity { return claim.Computed(claim.Number, formula, f) }

func share(t claim.Trials) claim.Quantity { return claim.Quantity{Unit: claim.Share, Trials: t} }

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

// sizeOf is the bits per source of a filter with a million sources.
func sizeOf(at claim.Parameters) float64 {
	const members = 1_000_000
	p := at.Float("P")
	switch at.Word("filter", "", flagged, counted, lettered, cuckooed) {
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
