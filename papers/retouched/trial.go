package retouched

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bloomlane/bloomlane/filter/plain"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// What section IV-C simulates.
const (
	universe = 2_000_000
	members  = 10_000
	bits     = 100_000
	hashes   = 5
	runs     = 15
)

// betas are the shares of the false positives that are troublesome.
var betas = [8]float64{0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 0.75, 1}

// scene is a Bloom filter, its members and its false positives in a random order.
type scene struct {
	*plain.Filter
	members, positives elements
}

// newScene draws a filter of n members, and queries the rest of a universe.
func newScene(rng *rand.Rand, bits, n, universe int) (s scene) {
	f, err := plain.New(plain.Config{Members: n, BitsPerKey: float64(bits) / float64(n), Hashes: hashes})
	if err != nil {
		panic(err)
	}
	s.Filter = f
	s.members.k, s.positives.k = hashes, hashes
	for range n {
		hash := rng.Uint64()
		if _, err := f.InsertHash(hash); err != nil {
			panic(err)
		}
		s.members.positions = f.AppendPositions(s.members.positions, hash)
	}
	for range universe - n {
		if hash := rng.Uint64(); f.QueryHash(hash) {
			s.positives.positions = f.AppendPositions(s.positives.positions, hash)
		}
	}
	return s
}

// set returns the bits of the filter.
func (s scene) set() []bool {
	set := make([]bool, s.Bits())
	for _, p := range s.members.positions {
		set[p] = true
	}
	return set
}

// outcome is what clearing bits did: the columns of tables I to IV, and what figures 5 and 6 have.
type outcome struct {
	keys    float64 // |B|
	beside  float64 // |B'|: other false positives that are gone
	removed float64 // |B| + |B'|
	lost    float64 // |A'|: members
	reset   float64 // s: bits
	chi     float64

	// What the counts had for all bits together, when each was cleared.
	losses, gains float64
}

func (s scene) outcome(keys int, set []bool, w work) outcome {
	removed, lost := float64(s.positives.lost(set)), float64(s.members.lost(set))
	return outcome{
		keys: float64(keys), beside: removed - float64(keys), removed: removed, lost: lost,
		reset:  float64(len(w.cleared)),
		chi:    removed / float64(s.positives.len()) / lost * float64(s.members.len()),
		losses: float64(w.losses), gains: float64(w.gains),
	}
}

// trial is a run of the paper: all algorithms on one filter, and how many false positives it has.
type trial struct {
	positives float64
	fewest    float64 // members that any algorithm loses, at least
	of        map[selection]outcome
}

// selections are all that are tried.
func selections() (all []selection) {
	for _, s := range standard {
		all = append(all, s, s.improve())
		if s.keys {
			all = append(all, s.ofTroublesome(), s.ofTroublesome().improve())
		}
	}
	return all
}

// simulate runs the trials of a share of troublesome keys.
func simulate(run *trials.Run, beta float64) []trial {
	return trials.Each(run, fmt.Sprint("tables ", beta), runs, func(rng *rand.Rand) trial {
		at := newScene(rng, bits, members, universe)
		keys := int(math.Round(beta * float64(at.positives.len())))
		t := trial{float64(at.positives.len()), float64(at.fewest(keys)), map[selection]outcome{}}
		set := at.set()
		for _, s := range selections() {
			left := slices.Clone(set)
			t.of[s] = at.outcome(keys, left, s.clear(rng, left, at, keys))
		}
		return t
	})
}

// fewest returns how many members are lost at least where keys are removed: a key is not removed but with a
// member that has one of its bits, and no member has more keys than that.
func (s scene) fewest(keys int) (n int) {
	owners := newTally(s.Bits(), s.members, true, byHandle).lists
	shared := make([]int, s.members.len()) // keys that a member has a bit of
	for i := range keys {
		var own []int
		for _, p := range s.positives.of(i) {
			own = append(own, owners[p]...)
		}
		slices.Sort(own)
		for _, member := range slices.Compact(own) {
			shared[member]++
		}
	}
	slices.Sort(shared)
	for left := keys; left > 0; n++ {
		left -= shared[len(shared)-1-n]
	}
	return n
}

// of returns a number of each trial.
func of(results []trial, s selection, number func(outcome) float64) []float64 {
	return trials.Column(results, func(t *trial) float64 { return number(t.of[s]) })
}

func mean(results []trial, s selection, number func(outcome) float64) claim.Interval {
	return claim.Mean(of(results, s, number))
}

// Of an outcome, one number each.
func keys(o outcome) float64    { return o.keys }
func beside(o outcome) float64  { return o.beside }
func removed(o outcome) float64 { return o.removed }
func lost(o outcome) float64    { return o.lost }
func reset(o outcome) float64   { return o.reset }
func chi(o outcome) float64     { return o.chi }
