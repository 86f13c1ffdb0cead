package letter

import (
	"math"
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/family/dlbf"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// trial is what a trial of section IV counts: elements are inserted, and then all are removed;
// before and after that, elements that are no members are queried.
type trial struct {
	deletable float64 // share of the elements that have a bit in a region without a collision
	free      float64 // share of the elements' k bits that are in such a region
	ones      float64 // bits that are set before the removal
	reset     float64 // of these, those that the removal resets
	collided  float64 // share of the regions
	before    float64 // share of the non-members that are found before the removal
	after     float64 // and after it

	// elements that are deletable and still found after the removal, or the other way round
	wrong   float64
	missing float64 // members that are not found when it is their turn to be removed
}

// simulate runs the letter's trials of a filter, with a number of queries of non-members, which may
// be 0 where no rate is asked for.
func simulate(
	run *trials.Run,
	name string,
	s dlbf.Shape,
	n int,
	e elements,
	queries, number int,
) []trial {
	return trials.Recall(run, name, number, func(rng *rand.Rand) (t trial) {
		whole, a := array(s), array(s) // all elements are removed from the one
		arena, draw := make([]uint64, 0, n*s.Hashes), e(rng, uint64(s.Cells()), s.Hashes)
		elements := make([][]uint64, n)
		for i := range elements {
			from := len(arena)
			arena = draw(arena)
			elements[i] = arena[from:]
			a.InsertAt(elements[i])
			whole.InsertAt(elements[i])
		}
		count := a.Count()
		deletable, bits, free := 0, 0, 0
		for _, cells := range elements {
			if a.DeletableAt(cells) {
				deletable++
			}
			for i := range cells {
				if bits++; a.DeletableAt(cells[i : i+1]) {
					free++
				}
			}
		}
		// collision bits never clear, so that what is deletable stays so
		for _, cells := range elements {
			if !a.QueryAt(cells) { // what was lost earlier is so still
				t.missing++
			}
			if visible := a.DeletableAt(cells); (a.DeleteAt(cells) == filter.Deleted) != visible ||
				a.QueryAt(cells) == visible {
				t.wrong++
			}
		}
		for range queries {
			arena = draw(arena[:0])
			if whole.QueryAt(arena) {
				t.before += 1 / float64(queries)
			}
			if a.QueryAt(arena) {
				t.after += 1 / float64(queries)
			}
		}
		t.deletable = float64(deletable) / float64(n)
		t.free = float64(free) / float64(bits)
		t.ones, t.reset = float64(count.Ones), float64(count.Ones-a.Count().Ones)
		t.collided = float64(count.Collided) / float64(s.Regions)
		return t
	})
}

// array is an empty filter of a shape that this package chose.
func array(s dlbf.Shape) *dlbf.Array {
	a, err := dlbf.NewArray(s)
	if err != nil {
		panic(err)
	}
	return a
}

// rate returns the false-positive rate of a filter: the chance of k random cells.
func rate(a *dlbf.Array) float64 {
	s := a.Shape()
	return math.Pow(float64(a.Count().Ones)/float64(s.Cells()), float64(s.Hashes))
}
