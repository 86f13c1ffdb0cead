package letter

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/family/dlbf"
	"github.com/bloomlane/bloomlane/internal/probe"
	"github.com/bloomlane/bloomlane/internal/workload"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// elements returns, for a trial, a function that draws new elements: each call appends the k cells
// of another one, each below a number of cells.
type elements func(rng *rand.Rand, cells uint64, k int) func(own []uint64) []uint64

// hashed elements have random 64-bit hashes, and cells as a filter makes of these.
func hashed(rng *rand.Rand, cells uint64, k int) func(own []uint64) []uint64 {
	return func(own []uint64) []uint64 {
		hash := rng.Uint64()
		for range k {
			hash = probe.Next(hash)
			own = append(own, probe.Reduce(hash, cells))
		}
		return own
	}
}

// perfect elements have independent random cells: no hash function is more random.
func perfect(rng *rand.Rand, cells uint64, k int) func(own []uint64) []uint64 {
	return func(own []uint64) []uint64 {
		for range k {
			own = append(own, rng.Uint64N(cells))
		}
		return own
	}
}

// observation is what a trial finds of a filter of which all elements are removed, one after
// another. Shares are of the elements, of their k bits each, of the regions, and of the queries of
// non-members.
type observation struct {
	deletable, free, collided, before, after float64
	ones, reset                              float64 // bits

	// Elements that are deletable and still found after the removal, or the other way round, and
	// those that are not found when it is their turn to be removed.
	wrong, missing float64
}

// observe makes the trials of section IV, with non-members if the filter is one of figure 4. A
// short run takes all where sentences compare filters.
func observe(run *trials.Run, s dlbf.Shape, n int) []observation {
	times, asked := letterly, queries
	switch {
	case n == 10: // where a doubled r makes little difference
		times *= 4
	case run.Short && n != members && n != 40:
		times /= 4
	}
	if s != shape(regions) && s != standard {
		asked = 0
	}
	return trials.Recall(run, fmt.Sprint("observed ", s, n), times,
		func(rng *rand.Rand) observation { return simulate(rng, s, n, hashed, asked) })
}

func simulate(rng *rand.Rand, s dlbf.Shape, n int, e elements, queries int) (o observation) {
	whole, a := array(s), array(s) // all elements are removed from the one
	draw := e(rng, uint64(s.Cells()), s.Hashes)
	own, all := make([]uint64, 0, n*s.Hashes), make([][]uint64, n)
	for i := range all {
		from := len(own)
		own = draw(own)
		all[i] = own[from:]
		a.InsertAt(all[i])
		whole.InsertAt(all[i])
	}
	count := a.Count()
	o.ones, o.collided = float64(count.Ones), float64(count.Collided)/float64(s.Regions)
	for _, cells := range all {
		already := o.free
		for i := range cells {
			if a.DeletableAt(cells[i : i+1]) {
				o.free += 1 / float64(n*s.Hashes)
			}
		}
		if o.free > already {
			o.deletable += 1 / float64(n)
		}
	}
	// collision bits never clear, so that what is deletable stays so
	for _, cells := range all {
		if !a.QueryAt(cells) { // what was lost earlier is so still
			o.missing++
		}
		if visible := a.DeletableAt(cells); (a.DeleteAt(cells) == filter.Deleted) != visible ||
			a.QueryAt(cells) == visible {
			o.wrong++
		}
	}
	o.reset = o.ones - float64(a.Count().Ones)
	for range queries {
		own = draw(own[:0])
		if whole.QueryAt(own) {
			o.before += 1 / float64(queries)
		}
		if a.QueryAt(own) {
			o.after += 1 / float64(queries)
		}
	}
	return o
}

func deletable(o *observation) float64 { return o.deletable }

// shares returns the mean of shares.
func shares(all []observation, of func(*observation) float64) claim.Interval {
	return claim.MeanShare(trials.Column(all, of))
}

// deleted is the share of deletable elements, and reset that of the set bits that are reset.
func deleted(run *trials.Run, r, n int) claim.Interval {
	return shares(observe(run, shape(r), n), deletable)
}

func reset(run *trials.Run, r, n int) claim.Interval {
	all := observe(run, shape(r), n)
	cleared := trials.Column(all, func(o *observation) float64 { return o.reset })
	ones := trials.Column(all, func(o *observation) float64 { return o.ones })
	if floats.Sum(cleared) == 0 {
		return claim.Proportion(0, len(ones))
	}
	return claim.Ratio(cleared, ones)
}

// array is an empty filter of a shape that this package chose.
func array(s dlbf.Shape) *dlbf.Array {
	a, err := dlbf.NewArray(s)
	if err != nil {
		panic(err)
	}
	return a
}

// newFilter has some new elements, of these hashes.
func newFilter(rng *rand.Rand, s dlbf.Shape, n int) (a *dlbf.Array, hashes []uint64) {
	a, hashes = array(s), make([]uint64, n)
	workload.Fill(rng, hashes)
	for _, hash := range hashes {
		a.Insert(hash)
	}
	return a, hashes
}

// rate returns the false-positive rate of a filter: the chance of k random cells.
func rate(a *dlbf.Array) float64 {
	s := a.Shape()
	return math.Pow(float64(a.Count().Ones)/float64(s.Cells()), float64(s.Hashes))
}

// lostByRemovals is the share of elements that are not found when it is their turn to be removed,
// where ten elements that are not in the filter are removed before each, if they are found.
func lostByRemovals(rng *rand.Rand) (lost float64) {
	a, elements := newFilter(rng, shape(regions), members)
	for _, own := range elements {
		for range 10 {
			a.Delete(rng.Uint64())
		}
		if !a.Query(own) {
			lost += 1. / members
		}
		a.Delete(own)
	}
	return lost
}

// lostBySignatures is the share of members that are not found in a filter with the variable-length
// signatures of Lu et al., after half of the elements are removed: an element is found by q of its
// k bits, and a removal resets k-q+1.
func lostBySignatures(rng *rand.Rand) (lost float64) {
	const q, removed = 4, members / 2
	set, draw, elements := make([]bool, bits), perfect(rng, bits, hashes), [members][]uint64{}
	for i := range elements {
		elements[i] = draw(nil)
		for _, cell := range elements[i] {
			set[cell] = true
		}
	}
	for _, cells := range elements[:removed] {
		for _, cell := range cells[:hashes-q+1] {
			set[cell] = false
		}
	}
	for _, cells := range elements[removed:] {
		found := 0
		for _, cell := range cells {
			if set[cell] {
				found++
			}
		}
		if found < q {
			lost += 1. / (members - removed)
		}
	}
	return lost
}
