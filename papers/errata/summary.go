package errata

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/bloomlane/bloomlane/filter/dlbf"
	"github.com/bloomlane/bloomlane/papers/challenge"
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
			place: "Introduction, line 11, tree",
			kind:  misleading,
			says:  "because of their tree structure, queries can run in parallel on child nodes",
			must: "a filter is an array: the k places of a query depend on the key only, and for " +
				"that reason can be read in parallel",
			quantity:  "places of 100 queries that depend on what is in the filter",
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
			place:     "Introduction, line 9, variants",
			kind:      wrong,
			says:      "variants that delete give deterministic \"in set\" results",
			must:      "they have false positives too",
			quantity:  "non-members found, in all counting filters of 4 counters and 2 items",
			Published: exactly(0),
			value:     foundByCounting(),
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
			place: "Implementation, line 25, k",
			kind:  undefined,
			says:  "k = (m/n) ln 2 hash functions",
			must: "rounded: at P = 0.001 it is 9.97, and the conversion of most languages " +
				"makes 9 of it",
			quantity:  "k, by cutting and by rounding",
			Published: exactly(math.Floor(hashes)),
			value:     math.Round(hashes),
		},
		{
			place: "Implementation, line 25, P",
			kind:  wrong,
			says:  "P = (1 - [1 - 1/m]^(kn))^k, guaranteeing a probability P",
			must: "an approximation from below, which is close for large m, and a mean over hash " +
				"functions; a bound for no filter",
			quantity:  "rate by all throws of one element at m = 2, k = 2",
			Published: nearly(classical(2, 2, 1)),
			value:     rate(2, 2, 1),
		},
		{
			place: "Implementation, line 25, default",
			kind:  misleading,
			says:  "by default it is assumed that P is 0.001, for each of the filters",
			must: "P is a rate per query: the sequences' filter is asked up to three times per " +
				"packet, and three of its mistakes block a source for ever; papers/challenge " +
				"counts who is blocked",
			quantity: "strikes by mistake that are expected of 400,000 packets, each with three " +
				"queries",
			Published: exactly(0),
			value:     400_000 * 3 * p,
		},
		{
			place: "Implementation, line 27, independent",
			kind:  wrong,
			says: "different seeds create separate versions of MurmurHash3, with independent " +
				"indexes",
			must: "for keys of one word they are one function of the sum of the seed and of the " +
				"mixed word: keys whose sums are swapped share two indexes",
			quantity: "pairs of keys, a difference of two seeds apart, that share two " +
				"indexes, of all",
			Published: nearly(0),
			value:     challenge.SharedIndexes(rand.New(rand.NewPCG(1, 1)), 256),
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
			place: "Implementation, line 41, modulo",
			kind:  wrong,
			says:  "a 32-bit hash is reduced modulo m, and the formula guarantees P",
			must: "it is not uniform for m near 2^32, and reaches no bit beyond: 64 bits, " +
				"or a multiplication",
			quantity: "rate at m = 3 × 2^30, k = 10, half of the bits set by formula, as a " +
				"multiple of 0.5^10",
			Published: claim.About(1),
			value:     modulo(),
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
			place: "Implementation, lines 66 and 68, and Key Solution Ideas, line 82",
			kind:  wrong,
			says:  "a counting filter is 100 % accurate in deleting members",
			must: "it leaves no bit that nobody holds; a deleted member can still be found, " +
				"as others hold its",
			quantity:  "deleted members still found, in all filters of 4 counters and 3 items",
			Published: exactly(0),
			value:     foundAfterDelete(),
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
			place: "Key Solution Ideas, line 84, error",
			kind:  wrong,
			says:  "a second filter causes even more error than the collision array",
			must: "not where few are deleted, as here: it has few members then, and next to no " +
				"mistakes. Where sources come back it loses them all",
			quantity: "expected mistakes of a second filter about members, less those of a " +
				"collision array about the deleted, n = 10,000, of which 500 are deleted",
			Published: claim.Trend(claim.Higher),
			value: 9_500*classical(math.Ceil(size(10_000)), 10, 500) -
				500*classical(math.Ceil(size(10_000)), 10, 9_999),
		},
		{
			place: "Programming Challenge, line 74, add",
			kind:  undefined,
			says:  "good actors are added to the good actors' filter",
			must: "once per source, by an exact table. With each packet no delete clears " +
				"anything. Where the filter does not show it, a source that it shows by mistake " +
				"is left out, and takes others' bits when it is deleted",
			quantity: "members lost when the last of three is deleted, in all filters of 4 " +
				"bits, by both ways",
			Published: exactly(lostToSkips(false)),
			value:     lostToSkips(true),
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
			place: "Key Solution Ideas, line 84, again",
			kind:  undefined,
			says:  "membership of the filter of deleted values has priority",
			must: "then an element that is deleted and inserted again is absent for ever: " +
				"it must not come back",
			quantity:  "of elements inserted, deleted and inserted again, those present",
			Published: exactly(1),
			value: count(least(counted(4, []int{1, 2}, []int{1, 2}), []int{1, 2}) > 0 &&
				least(counted(4, []int{1, 2}), []int{1, 2}) == 0),
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

// dependent returns how many places of some queries are others in a full filter than in an empty
// one.
func dependent(queries byte) (different float64) {
	for n := range queries {
		before := places(n)
		full := counted(summaryBits, before)
		after := places(n)
		for i := range before {
			different += count(before[i] != after[i] || full[after[i]] == 0)
		}
	}
	return different
}

// foundByCounting returns how many non-members of two cells are found, in all filters of two items.
func foundByCounting() (found float64) {
	each(4, 6, func(d []int) {
		asked := d[4:]
		member := slices.Equal(asked, d[:2]) || slices.Equal(asked, d[2:4])
		found += count(!member && least(counted(4, d[:2], d[2:4]), asked) > 0)
	})
	return found
}

// foundAfterDelete returns how often an item is found that was deleted from a filter with two
// others.
func foundAfterDelete() (found float64) {
	each(4, 6, func(d []int) { found += count(least(counted(4, d[2:4], d[4:]), d[:2]) > 0) })
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

// modulo returns the rate of a filter of 3 × 2^30 bits with hashes of 32 bits, of which two lead to
// each of the first 2^30 bits, and one to each of the others, as a multiple of that with uniform
// hashes.
func modulo() float64 {
	const m, all = 3 << 30, 1 << 32
	throws := m * math.Ln2
	set := 0.0
	for _, part := range []struct{ hashes, bits float64 }{{2, 1 << 30}, {1, 2 << 30}} {
		set += part.hashes * part.bits / all * -math.Expm1(-throws*part.hashes/all)
	}
	return math.Pow(2*set, 10)
}

// lostToSkips inserts three elements in a collision array, where skips is true not those that it
// shows, and deletes the last. It returns how many of the others are lost, in all filters of four
// bits.
func lostToSkips(skips bool) (missing float64) {
	each(4, 6, func(d []int) {
		a := arrayOf(dlbf.Shape{Bits: 8, Regions: 4, Hashes: 2})
		var elements [][]uint64
		for i := range 3 {
			element := []uint64{uint64(d[2*i]), uint64(d[2*i+1])}
			elements = append(elements, element)
			if !skips || !a.QueryAt(element) {
				a.InsertAt(element)
			}
		}
		a.DeleteAt(elements[2])
		for _, element := range elements[:2] {
			if !slices.Equal(element, elements[2]) {
				missing += count(!a.QueryAt(element))
			}
		}
	})
	return missing
}
