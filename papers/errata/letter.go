package errata

import (
	"math"

	"github.com/bloomlane/bloomlane/filter/dlbf"
	"github.com/bloomlane/bloomlane/papers/claim"
)

// letters is the filter of the letter's section IV, with n elements.
var letters = dlbf.Shape{Bits: 240, Regions: 24, Hashes: 5}

const letterN = 22

// letter has what the letter's equations give by themselves. Its figures and sentences are
// simulated by package papers/letter, whose formulas these are.
func letter() []row {
	at := func(r int) dlbf.Shape { return dlbf.Shape{Bits: 240, Regions: r, Hashes: 5} }
	gap := func(n int) float64 { return letters.Deletable(n) - letters.Equation1(n) }
	fits := 0
	for k := 1; k <= 12; k++ {
		s := dlbf.Shape{Bits: 240, Regions: 12, Hashes: k}
		fits += int(count(math.Abs(s.Equation1(15)-0.9) <= 0.09))
	}
	once := func() (outcomes float64) { // a cell of three is set by one of four throws
		each(3, 4, func(throw []int) {
			outcomes += count(count(throw[0] == 0, throw[1] == 0, throw[2] == 0,
				throw[3] == 0) == 1)
		})
		return outcomes / 81
	}
	return []row{
		{
			place: "p. 2, section III-A, Eq. (1), line 70",
			kind:  misprint,
			says:  "an element is deletable with p_d = (1 - (1 - p_c)^(m'/r))^k",
			must: "it is the complement, the probability that all k regions have a collision: " +
				"p_d = 1 - (1 - (1 - p_c)^(m'/r))^k",
			quantity:  "p_d at r = 24, n = 22, for which section IV has 90 %",
			Published: claim.Rounded(0.9, 0.1),
			value:     letters.Equation1Printed(letterN),
			corrected: new(letters.Equation1(letterN)),
		},
		{
			place: "p. 3, section IV, line 96, on Eq. (1)",
			kind:  wrong,
			says: "lower values than theory are explained by the assumption of perfectly random " +
				"hash functions",
			must: "perfectly random cells give them too: Eq. (1) takes the region of an " +
				"element's own throw for any region, where its cell must get no other throw " +
				"instead of one at most",
			quantity:  "deletable at r = 24, n = 22 with perfectly random cells, less Eq. (1)",
			Published: claim.Rounded(0, 0.01),
			value:     gap(letterN),
		},
		{
			place:     "p. 3, section IV, line 96, 80 %",
			kind:      holds,
			says:      "80 % of the elements could be removed",
			quantity:  "deletable at r = 24, n = 22",
			Published: claim.Rounded(0.8, 0.1),
			value:     letters.Deletable(letterN),
		},
		{
			place: "p. 3, section IV, line 96, m/n",
			kind:  wrong,
			says:  "the lower values are noteworthy for high m/n",
			must: "in points they are less for high m/n; as a ratio of what is retained they " +
				"are more (papers/letter)",
			quantity:  "deletable less Eq. (1) at m/n = 24, less the same at m/n = 6",
			Published: claim.Trend(claim.Lower),
			value:     gap(10) - gap(40),
		},
		{
			place: "p. 2, section III-A, line 72, r",
			kind:  inconsistency,
			says:  "increasing r results in a larger portion of deletable elements",
			must: "from r = 60 to 120 it falls, as m' = m - r does: section IV says itself that " +
				"this does not improve it",
			quantity:  "deletable at r = 120, n = 22, less that at r = 60",
			Published: claim.Trend(claim.Higher),
			value:     at(120).Deletable(letterN) - at(60).Deletable(letterN),
		},
		{
			place: "p. 2, section III-A, line 72, 90 %",
			kind:  undefined,
			says:  "with m/r = 20 and m/n = 16 around 90 % can be removed",
			must: "k has to be given: 90 % within a tenth is so for several k of 1 to 12, " +
				"at m = 240",
			quantity:  "k for which Eq. (1) gives 90 % within a tenth",
			Published: exactly(1),
			value:     float64(fits),
		},
		{
			place: "p. 2, section III, line 52",
			kind:  wrong,
			says:  "r regions of ⌈m'/r⌉ bits each",
			must: "at most r: the last that is in use may be short, and some bits of the bitmap " +
				"have no region; Eq. (1) has m'/r without ⌈⌉ and is for m' that r divides",
			quantity:  "regions at m = 100, r = 30",
			Published: exactly(30),
			value:     float64(dlbf.Shape{Bits: 100, Regions: 30, Hashes: 5}.UsedRegions()),
		},
		{
			place:     "p. 2, section III-A, line 66",
			kind:      holds,
			says:      "p_1 = (kn)(1/m')(1 - 1/m')^(kn-1)",
			quantity:  "the same by all 81 ways to throw four times into three cells",
			Published: nearly(4. / 3 * math.Pow(2./3, 3)),
			value:     once(),
		},
		{
			place:     "p. 2, section III-A, line 68",
			kind:      holds,
			says:      "a region is collision-free with (1 - p_c)^(m'/r)",
			quantity:  "the exact probability at r = 24, n = 22, as a multiple of it",
			Published: claim.Rounded(1, 0.02),
			value:     regionIsFree(),
		},
		{
			place:     "p. 2, section III-B, Eq. (2), line 78",
			kind:      holds,
			says:      "the rate of false positives is (1 - (1 - 1/(m-r))^(kn))^k",
			quantity:  "the exact rate at r = 24, n = 22, as a multiple of it",
			Published: claim.About(1),
			value:     letters.Rate(letterN) / letters.Equation2(letterN),
		},
		{
			place: "p. 2, section III, line 54, own cells",
			kind:  undefined,
			says:  "if a bit happens to be already set (collision), the region is marked",
			must: "say whether two equal hashes of one element are a collision; p_1 counts " +
				"them as one",
			quantity: "deletable of an element with cells 1, 1, 2 of one region, if they " +
				"collide and if not",
			Published: exactly(alone([]uint64{1, 1, 2})),
			value:     alone([]uint64{1, 2}),
		},
		{
			place: "p. 2, section III, line 54, again",
			kind:  undefined,
			says:  "Insert(x) marks the regions of bits that are already set",
			must: "say whether an element that is there is inserted again: then all its regions " +
				"are marked, and it is never deletable",
			quantity: "deletable of an element that came twice, if it is inserted once and " +
				"if twice",
			Published: exactly(alone([]uint64{1, 2})),
			value:     alone([]uint64{1, 2}, []uint64{1, 2}),
		},
		{
			place: "p. 2, section III, line 56",
			kind:  undefined,
			says:  "Remove(x) clears the bits of x in collision-free zones; R2: no false negatives",
			must: "x must be a member: the removal of one false positive, as by a router in " +
				"whose link a packet is falsely matched, takes its bits from members",
			quantity:  "of 2 members, those not found after a false positive was removed",
			Published: exactly(0),
			value:     lostToFalsePositive(),
		},
		{
			place: "p. 1, section I, R2, line 20",
			kind:  holds,
			says:  "no false negatives upon element deletion",
			quantity: "members lost when another one is removed, in all filters of 4 cells, 2 " +
				"regions and 3 elements",
			Published: exactly(0),
			value:     lostMembers(dlbf.Shape{Bits: 6, Regions: 2, Hashes: 2}),
		},
		{
			place: "p. 2, section IV, line 86, and p. 3, section V, line 102",
			kind:  inconsistency,
			says: "m = 240 corresponds to the in-packet application [7]; in it a filter has " +
				"256 bits",
			must:      "of 256 bits 16 are used for something that is not said, or m is 256",
			quantity:  "bits of the in-packet filter",
			Published: exactly(240),
			value:     256,
		},
	}
}

// alone returns 1 if the first of some elements is deletable in a filter of one region.
func alone(elements ...[]uint64) float64 {
	a := arrayOf(dlbf.Shape{Bits: 8, Regions: 1, Hashes: 3})
	for _, cells := range elements {
		a.InsertAt(cells)
	}
	return count(a.DeletableAt(elements[0]))
}

func arrayOf(s dlbf.Shape) *dlbf.Array {
	a, err := dlbf.NewArray(s)
	if err != nil {
		panic(err)
	}
	return a
}

// regionIsFree returns the probability that no cell of a region gets two throws, by how many of its
// cells get one, as a multiple of that by independent cells.
func regionIsFree() float64 {
	cells, throws := float64(letters.Cells()), float64(letters.Hashes*letterN)
	region := float64(letters.RegionCells())
	// ways that a number of throws fall into the region, each into another cell
	exact, ways := 0.0, 1.0
	for j := 0.0; j <= region; j++ {
		exact += ways * math.Pow(1-region/cells, throws-j)
		ways *= (throws - j) / (j + 1) * (region - j) / cells
	}
	free := math.Pow(1-1/cells, throws) + throws/cells*math.Pow(1-1/cells, throws-1)
	return exact / math.Pow(free, region)
}

// lostToFalsePositive removes an element that was never inserted, of one cell each of two members.
func lostToFalsePositive() float64 {
	a := arrayOf(dlbf.Shape{Bits: 12, Regions: 6, Hashes: 2})
	x, y := []uint64{0, 1}, []uint64{2, 3}
	a.InsertAt(x)
	a.InsertAt(y)
	a.DeleteAt([]uint64{0, 2})
	return count(!a.QueryAt(x), !a.QueryAt(y))
}

// lostMembers removes the first of three elements of two cells, in all filters of a shape, and
// returns how often another one is lost.
func lostMembers(s dlbf.Shape) (missing float64) {
	each(s.Cells(), 6, func(d []int) {
		a := arrayOf(s)
		var elements [3][]uint64
		for i := range elements {
			elements[i] = []uint64{uint64(d[2*i]), uint64(d[2*i+1])}
			a.InsertAt(elements[i])
		}
		a.DeleteAt(elements[0])
		missing += count(!a.QueryAt(elements[1]), !a.QueryAt(elements[2]))
	})
	return missing
}
