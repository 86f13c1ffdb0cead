package errata

import (
	"math"

	"github.com/bloomlane/bloomlane/filter/family/dlbf"
	"github.com/bloomlane/bloomlane/papers/claim"
	equations "github.com/bloomlane/bloomlane/papers/letter"
)

// letters is the filter of the letter's section IV, with n elements.
var letters = dlbf.Shape{Bits: 240, Regions: 24, Hashes: 5}

const letterN = 22

// letter has what the letter's equations give by themselves. Its figures and sentences are
// simulated by package papers/letter, whose formulas these are.
func letter() []row {
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
			value:     equations.Equation1Printed(letters, letterN),
			corrected: new(equations.Equation1(letters, letterN)),
		},
		{
			place: "p. 3, section IV, line 96, on Eq. (1)",
			kind:  wrong,
			says: "lower values than theory can be explained by the assumption of perfectly " +
				"random hash functions",
			must: "perfectly random cells give them too: Eq. (1) takes the region of an " +
				"element's own throw for any region, where its cell must get no other throw " +
				"instead of one at most",
			quantity:  "deletable at r = 24, n = 22 with perfectly random cells, less Eq. (1)",
			Published: claim.Rounded(0, 0.01),
			value:     letters.Deletability(letterN) - equations.Equation1(letters, letterN),
		},
		{
			place:     "p. 3, section IV, line 96, 80 %",
			kind:      holds,
			says:      "80 % of the elements could be removed",
			quantity:  "deletable at r = 24, n = 22",
			Published: claim.Rounded(0.8, 0.1),
			value:     letters.Deletability(letterN),
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
			value:     letters.Rate(letterN) / equations.Equation2(letters, letterN),
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
			place: "p. 2, section III, line 56, and p. 1, section I, R2, line 20",
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
