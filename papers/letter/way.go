package letter

import (
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/filter/family/dlbf"
)

// foreign is how many elements that are not in the filter each site asks for.
const foreign = 10

// way is what happens to a filter on its way along the sites of its elements: each asks for its own
// element and for foreign ones, and then removes its own. A filter from which nothing is removed
// goes the same way.
type way struct {
	rates         [members + 1]float64 // after each site
	matches, kept float64              // foreign elements that are found, with removals and without
	// elements that are found when the filter goes the way once more
	repeated float64
	// new elements at half way until as many bits are set as at the start
	additions float64
	lost      float64 // members not found where sites remove foreign elements too
}

func travel(rng *rand.Rand) (w way) {
	s := shape(regions)
	thinned, whole, reckless := array(s), array(s), array(s)
	elements := make([]uint64, members)
	for i := range elements {
		elements[i] = rng.Uint64()
		for _, a := range []*dlbf.Array{thinned, whole, reckless} {
			a.Insert(elements[i])
		}
	}
	start := whole.Count().Ones
	w.rates[0] = rate(thinned)
	for i, own := range elements {
		for range foreign {
			other := rng.Uint64()
			if thinned.Query(other) {
				w.matches++
			}
			if whole.Query(other) {
				w.kept++
			}
			reckless.Delete(other)
		}
		if !reckless.Query(own) {
			w.lost++
		}
		thinned.Delete(own)
		reckless.Delete(own)
		w.rates[i+1] = rate(thinned)
		if i+1 == members/2 {
			full := array(s) // as thinned is now
			for _, member := range elements {
				full.Insert(member)
			}
			for _, member := range elements[:i+1] {
				full.Delete(member)
			}
			for ; full.Count().Ones < start; w.additions++ {
				full.Insert(rng.Uint64())
			}
		}
	}
	for _, own := range elements {
		if thinned.Query(own) {
			w.repeated++
		}
	}
	return w
}
