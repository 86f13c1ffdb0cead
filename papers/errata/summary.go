package errata

import (
	"hash/fnv"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/bloomlane/bloomlane/filter/family/dlbf"
	"github.com/bloomlane/bloomlane/papers/claim"
)

// summary has the executive summary's sentences. Its collision array is the letter's filter with a
// region for each cell.
func summary() []row {
	const p = 0.001 // its default
	size := func(n float64) float64 { return -n * math.Log(p) / (math.Ln2 * math.Ln2) }
	hashes := size(1) * math.Ln2
	return []row{
		{
			place: "Introduction, line 11, tree, and Approach, line 15",
			kind:  inconsistency,
			says: "because of their tree structure, queries can run in parallel on child nodes; " +
				"a filter is an array",
			must: "an array: the k places of a query depend on the key only, and for " +
				"that reason can be read in parallel",
			quantity: "places that 100 queries read which depend on what is in the filter, empty " +
				"and full",
			Published: claim.Trend(claim.Higher),
			value:     dependent(100),
		},
		{
			place: "Introduction, lines 9 and 11, and Implementation, line 25",
			kind:  inconsistency,
			says:  "constant space complexity, where others' is based on the number of elements",
			must: "its own formula for m is proportional to n for a given P; constant is the " +
				"number of bits per element",
			quantity:  "m for 2n elements by that for n, P = 0.001",
			Published: exactly(1),
			value:     size(2) / size(1),
		},
		{
			place:     "Implementation, line 25, m and k",
			kind:      holds,
			says:      "m = -n ln P / (ln 2)², k = (m/n) ln 2",
			quantity:  "rate at P = 0.001",
			Published: nearly(p),
			value:     math.Pow(0.5, hashes),
		},
		{
			place: "Implementation, lines 41-49, insert",
			kind:  misprint,
			says:  "s = some hash of s given the seed",
			must: "some hash of n, as in contains (line 57): " +
				"else all elements set the same bits",
			quantity:  "of 10 elements inserted, those that contains finds",
			Published: exactly(10),
			value:     inserted(true),
			corrected: new(inserted(false)),
		},
		{
			place: "Implementation, line 64, deletes",
			kind:  holds,
			says:  "a bit with a collision flag is left, thus preventing false negatives",
			quantity: "members lost when another one is deleted, in all filters of 4 bits and 3 " +
				"elements",
			Published: exactly(0),
			value:     lostMembers(dlbf.Shape{Bits: 8, Regions: 4, Hashes: 2}),
		},
		{
			place: "Implementation, line 64, flags",
			kind:  undefined,
			says: "a flag says that a bit was set by different elements; it is set if the bit " +
				"is already one",
			must: "one of both: they differ for an element of two equal hashes, and for one that " +
				"is inserted again, as a source with each packet, after which no delete clears " +
				"anything",
			quantity: "deletable of an element that came twice, by different elements and by " +
				"bits that are one",
			Published: exactly(alone([]uint64{1, 2})),
			value:     alone([]uint64{1, 2}, []uint64{1, 2}),
		},
		{
			place: "Key Solution Ideas, line 82, two members",
			kind:  holds,
			says: "of two deleted members that collide the collision array leaves the bit, " +
				"and counters do not",
			quantity:  "bits left by the collision array, less those left by counters",
			Published: exactly(1),
			value:     leftBits(),
		},
		{
			place:     "Key Solution Ideas, line 82, overflow",
			kind:      holds,
			says:      "the probability that 4-bit counters overflow is extremely low",
			quantity:  "overflows of a million counters at their optimum, less 10^-6",
			Published: claim.Trend(claim.Lower),
			value:     1e6*distuv.Poisson{Lambda: math.Ln2}.Survival(15) - 1e-6,
		},
		{
			place:     "Key Solution Ideas, line 84, second filter",
			kind:      holds,
			says:      "a filter of deleted values introduces false negatives",
			quantity:  "members hidden by one deleted element, of all with two cells of 4",
			Published: claim.Trend(claim.Higher),
			value:     hidden(),
		},
		{
			place: "Programming Challenge, line 72, and Key Solution Ideas, line 80",
			kind:  inconsistency,
			says:  "three sequences blacklist a user; 3+ bad packets do",
			must:  "one of both: a sequence can be several packets long",
			quantity: "bad packets until the blacklist with sequences of two, by the one and by " +
				"the other",
			Published: exactly(3 * 2),
			value:     3,
		},
		slips(
			slip{41, "variable `add` is hashed", "variable `n` is hashed"},
			slip{48, "self.bit", "self.bits"},
			slip{59, "bit[index]", "bits[index]"},
		),
	}
}

// The pseudo code's filter: k = 3 hashes with seeds, modulo m = 512.
const summaryBits = 512

var seeds = []byte{17, 29, 71}

func hashed(value, seed byte) int {
	h := fnv.New32a()
	h.Write([]byte{seed, value, value ^ seed})
	return int(h.Sum32() % summaryBits)
}

func places(value byte) (at []int) {
	for _, seed := range seeds {
		at = append(at, hashed(value, seed))
	}
	return at
}

// inserted inserts ten elements, with the hash of the seed or of the element, and returns how many
// are found.
func inserted(ofSeed bool) (found float64) {
	bits := make([]int, summaryBits)
	for n := range byte(10) {
		for _, seed := range seeds {
			if ofSeed {
				bits[hashed(seed, seed)] = 1
			} else {
				bits[hashed(n, seed)] = 1
			}
		}
	}
	for n := range byte(10) {
		found += count(least(bits, places(n)) == 1)
	}
	return found
}

// leftBits deletes two members that share a cell, from a filter with a collision array and from one
// with counters, and returns how many more bits the former keeps.
func leftBits() float64 {
	a := arrayOf(dlbf.Shape{Bits: 8, Regions: 4, Hashes: 2})
	x, y := []uint64{0, 1}, []uint64{1, 2}
	a.InsertAt(x)
	a.InsertAt(y)
	a.DeleteAt(x)
	a.DeleteAt(y)
	counters := counted(4, []int{0, 1}, []int{1, 2})
	for _, cell := range []int{0, 1, 1, 2} {
		counters[cell]--
	}
	return float64(a.Count().Ones) - bits(counters)
}

// hidden returns how many members have all their cells in those of one deleted element.
func hidden() (members float64) {
	each(4, 4, func(d []int) {
		members += count(!slices.Equal(d[:2], d[2:]) && least(counted(4, d[2:]), d[:2]) > 0)
	})
	return members
}

// dependent queries an empty and a full filter by the pseudo code, and returns how many of the
// places that both queries read are others.
func dependent(queries byte) (different float64) {
	full := slices.Repeat([]int{1}, summaryBits)
	for n := range queries {
		inEmpty, inFull := read(make([]int, summaryBits), n), read(full, n)
		for i := range inEmpty {
			different += count(inEmpty[i] != inFull[i])
		}
	}
	return different
}

// read returns the places that a query reads, up to the first bit that is 0.
func read(bits []int, value byte) (at []int) {
	for _, place := range places(value) {
		if at = append(at, place); bits[place] == 0 {
			break
		}
	}
	return at
}
