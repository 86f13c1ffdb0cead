package letter

import (
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/papers/claim"
)

// times are trials of which a short run takes a quarter.
func times(number int) func(claim.Parameters) (full, short int) {
	return claim.Times(number, number/4)
}

// examples are filters as in the letter's example: its cells are not readable, but how likely it
// is that all elements are deletable.
var examples = claim.Simulation{
	Name: claim.Named("figure 1"), Times: claim.Times(letterly, letterly),
	Trial: func(rng *rand.Rand, at claim.Parameters) claim.Outcome {
		a, elements := newFilter(rng, shapeOf(at), at.Int("n"))
		if mostDeletable(a, elements) == at.Float("n") {
			return claim.Outcome{"all": {1}}
		}
		return claim.Outcome{"all": {0}}
	},
}

// loaded are the rates of filters by the cells that are set.
var loaded = claim.Simulation{
	Name: claim.NamedBy("equation 2 ", loadOf), Times: times(10 * letterly),
	Trial: func(rng *rand.Rand, point claim.Parameters) claim.Outcome {
		s := shapeOf(point)
		a, draw := array(s), perfect(rng, uint64(s.Cells()), s.Hashes)
		var own []uint64
		for range point.Int("n") {
			own = draw(own[:0])
			a.InsertAt(own)
		}
		return claim.Outcome{"rate": {rate(a)}}
	},
}

// signatures are filters with the variable-length signatures of Lu et al.: an element is found by q
// of its k bits, and a removal resets k-q+1.
var signatures = claim.Simulation{
	Name: claim.Named("variable-length signatures"), Times: claim.Times(letterly, letterly),
	Trial: func(rng *rand.Rand, point claim.Parameters) claim.Outcome {
		k, q, m, n := point.Int("k"), point.Int("q"), point.Int("m"), point.Int("n")
		set, draw, removed := make([]bool, m), perfect(rng, uint64(m), k), n/2
		var elements [][]uint64
		for range n {
			elements = append(elements, draw(nil))
			for _, cell := range elements[len(elements)-1] {
				set[cell] = true
			}
		}
		for _, cells := range elements[:removed] {
			for _, cell := range cells[:k-q+1] {
				set[cell] = false
			}
		}
		lost := 0.
		for _, cells := range elements[removed:] {
			found := 0
			for _, cell := range cells {
				if set[cell] {
					found++
				}
			}
			if found < q {
				lost++
			}
		}
		return claim.Outcome{"lost": {lost / float64(n-removed)}}
	},
}

const turnovers = 10

// lives are filters whose members are replaced one after another, the oldest first: the rate, the
// members that are deletable and the regions that are collided after each of the turnovers, and the
// replacements until every region is.
var lives = claim.Simulation{
	Name: claim.NamedBy("dynamics ", loadOf), Point: claim.Along("turnovers",
		[]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, turnovers}),
	Times: func(at claim.Parameters) (full, short int) {
		if at.Int("m") > bits {
			return letterly / 20, letterly / 80
		}
		return letterly / 2, letterly / 8
	},
	Trial: func(rng *rand.Rand, at claim.Parameters) claim.Outcome {
		s, n, o := shapeOf(at), at.Int("n"), claim.Outcome{}
		a, hashes := newFilter(rng, s, n)
		for replaced := 0; replaced <= turnovers*n || o["full"] == nil; replaced++ {
			count := a.Count()
			if replaced%n == 0 && replaced <= turnovers*n {
				o["rate"] = append(o["rate"], rate(a))
				o["collided"] = append(o["collided"],
					float64(count.Collided)/float64(s.Regions))
				deletable := 0.
				for _, hash := range hashes {
					if a.Deletable(hash) {
						deletable += 1 / float64(n)
					}
				}
				o["deletable"] = append(o["deletable"], deletable)
			}
			if count.Collided == s.UsedRegions() && o["full"] == nil {
				o["full"] = []float64{float64(replaced)}
			}
			a.Delete(hashes[replaced%n])
			hashes[replaced%n] = rng.Uint64()
			a.Insert(hashes[replaced%n])
		}
		return o
	},
}

const chosen = 5

var choices = []int{1, 2, 4, 8, 16}

// goals are those of the power of choices, by what claims call them. The last one looks at the
// first elements.
var goals = []string{"rate", "deletable elements", "the first 5 elements"}

// best are the best of d filters by each goal: their rates, their deletable elements, and whether
// the first ones are all deletable.
var best = claim.Simulation{
	Name: claim.Named("choices"), Times: times(letterly),
	Point: claim.Across(claim.Along("goal", goals), claim.Along("d", choices), len(choices)),
	Trial: func(rng *rand.Rand, at claim.Parameters) claim.Outcome {
		s, n := shapeOf(at), at.Int("n")
		_, elements := newFilter(rng, s, n)
		o := claim.Outcome{}
		for _, aim := range []goal{lowestRate, mostDeletable, firstDeletable(chosen)} {
			for _, d := range choices {
				a, choice := choose(s, d, elements, aim)
				deletable, first := 0., 1.
				for i, hash := range elements {
					switch {
					case a.Deletable(rehash(hash, choice)):
						deletable += 1 / float64(n)
					case i < chosen:
						first = 0
					}
				}
				o["rate"], o["first"] = append(o["rate"], rate(a)), append(o["first"], first)
				o["deletable"] = append(o["deletable"], deletable)
			}
		}
		return o
	},
}

// foreign is how many elements that are not in the filter each site asks for.
const foreign = 10

// travels are filters on their way along the sites of their elements: each asks for its own element
// and for foreign ones, and then removes its own. There are the rate after each site; the foreign
// elements that are found, with removals ("yes") and without; the elements that are found when the
// filter goes the way once more; the new elements at half way until as many bits are set as at the
// start; and the members not found where sites remove foreign elements too.
var travels = claim.Simulation{
	Name: claim.Named("thinning"), Times: times(letterly),
	Point: func(at claim.Parameters) int { return at.Int("processed") },
	Trial: func(rng *rand.Rand, at claim.Parameters) claim.Outcome {
		s := shapeOf(at)
		thinned, elements := newFilter(rng, s, at.Int("n"))
		whole, reckless := filterOf(s, elements), filterOf(s, elements)
		start, rates := whole.Count().Ones, []float64{rate(thinned)}
		var matches, kept, repeated, additions, lost float64
		for i, own := range elements {
			for range foreign {
				other := rng.Uint64()
				if thinned.Query(other) {
					matches++
				}
				if whole.Query(other) {
					kept++
				}
				reckless.Delete(other)
			}
			if !reckless.Query(own) {
				lost++
			}
			thinned.Delete(own)
			reckless.Delete(own)
			rates = append(rates, rate(thinned))
			if i+1 == len(elements)/2 {
				full := filterOf(s, elements) // as thinned is now
				for _, member := range elements[:i+1] {
					full.Delete(member)
				}
				for ; full.Count().Ones < start; additions++ {
					full.Insert(rng.Uint64())
				}
			}
		}
		for _, own := range elements {
			if thinned.Query(own) {
				repeated++
			}
		}
		return claim.Outcome{"rate": rates, "yes": {matches}, "no": {kept},
			"repeated": {repeated}, "additions": {additions}, "lost": {lost}}
	},
}
