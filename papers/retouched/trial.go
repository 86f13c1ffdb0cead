package retouched

import (
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/family/retouched"
	"github.com/bloomlane/bloomlane/filter/plain"
	"github.com/bloomlane/bloomlane/internal/workload"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// betas are the shares of the false positives that are troublesome.
var betas = []float64{0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 0.75, 1}

// selection is an algorithm, and of which keys it counts how many have a bit.
type selection struct {
	retouched.Algorithm
	all bool // of all false positives; else of the troublesome keys
}

// The algorithms of section IV.
var (
	random    = selection{Algorithm: retouched.RandomSelection}
	minimumFN = selection{Algorithm: retouched.MinimumFN}
	maximumFP = selection{retouched.MaximumFP, true}
	ratio     = selection{retouched.Ratio, true}
)

// selections are all that are tried, a random one first.
var selections = func() (all []selection) {
	for _, s := range []selection{random, minimumFN, maximumFP, ratio} {
		if all = append(all, s); s.countsKeys() {
			all = append(all, s.asPrinted())
		}
	}
	for _, s := range all[1:] {
		all = append(all, s.improve())
	}
	return all
}()

func (s selection) improved() bool { return s.Algorithm > retouched.Ratio }

// standard returns the algorithm of section IV that one is, or improves.
func (s selection) standard() retouched.Algorithm {
	if s.improved() {
		return s.Algorithm - (retouched.ImprovedRatio - retouched.Ratio)
	}
	return s.Algorithm
}

func (s selection) countsMembers() bool {
	return s.standard() == retouched.MinimumFN || s.standard() == retouched.Ratio
}

func (s selection) countsKeys() bool { return s.standard() >= retouched.MaximumFP }

// improve returns the algorithm of section V for one of section IV.
func (s selection) improve() selection {
	s.Algorithm += retouched.ImprovedRatio - retouched.Ratio
	return s
}

// asPrinted returns the algorithm by the troublesome keys, B: the argument of CREATEFV in
// algorithms 3, 4, 6 and 7.
func (s selection) asPrinted() selection {
	s.all = false
	return s
}

// scene is a Bloom filter, its members and its false positives in a random order.
type scene struct {
	*plain.Filter
	members, positives []uint64
}

// newScene draws a filter of m bits and n members, and queries the rest of a universe.
func newScene(rng *rand.Rand, m, n, universe int) *scene {
	f := newFilter(m, n, hashes)
	next := rng.Uint64()
	draw := func(all []uint64) []uint64 { // keys that no one else has
		for i := range all {
			all[i] = workload.Mix(next)
			next++
		}
		return all
	}
	s := &scene{Filter: f, members: draw(make([]uint64, n))}
	must(f.InsertHashBatch(s.members, nil))
	expected := Shape{m, n, hashes}.Rate() * float64(universe)
	s.positives = make([]uint64, 0, int(1.05*expected)+chunk)
	var room [chunk]uint64
	for left := universe - n; left > 0; left -= chunk {
		keys := draw(room[:min(left, chunk)])
		for i, found := range finds(f, keys) {
			if found {
				s.positives = append(s.positives, keys[i])
			}
		}
	}
	return s
}

// newFilter returns an empty filter of m bits for n members.
func newFilter(m, n, k int) *plain.Filter {
	return must(plain.New(plain.Config{Members: n, BitsPerKey: float64(m) / float64(n),
		Hashes: k}))
}

// must returns a value that this package's own parameters have.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// chunk is how many keys are drawn before the filter is asked for them.
const chunk = 1 << 12

// finds returns which keys a filter finds.
func finds(f filter.Querier, hashes []uint64) []bool {
	answers, found := make([]uint64, filter.Words(len(hashes))), make([]bool, len(hashes))
	f.QueryHashBatch(hashes, answers)
	for i := range found {
		found[i] = filter.At(answers, i)
	}
	return found
}

// elements returns the positions of keys.
func (s *scene) elements(hashes []uint64) elements {
	e := elements{s.Shape().Hashes, make([]uint64, 0, len(hashes)*s.Shape().Hashes)}
	for _, hash := range hashes {
		e.positions = s.AppendPositions(e.positions, hash)
	}
	return e
}

// source is keys as a retouched filter takes them.
func source(hashes []uint64) iter.Seq2[uint64, error] {
	return filter.Infallible(slices.Values(hashes))
}

// outcome is what clearing bits did: the columns of tables I to IV, and what figures 5 and 6 have.
type outcome struct {
	keys, others, gone float64 // |B|, |B'| and both
	lost               float64 // |A'|
	reset, chi         float64 // bits, and equation 12
}

// apply retouches the filter, and says what became of members and false positives.
func (s *scene) apply(config retouched.Config) outcome {
	f, report, err := retouched.New(s.Filter, config)
	all, keys := float64(len(s.positives)), float64(len(must(report, err).BoughtOff))
	gone := all - float64(f.QueryHashBatch(s.positives, nil))
	return outcome{keys, gone - keys, gone, float64(len(report.Lost)), float64(len(report.Cleared)),
		gone / all / (float64(len(report.Lost)) / float64(report.Members))}
}

// retouch clears bits until the first keys of the false positives are gone.
func (s *scene) retouch(chosen selection, keys int, seed uint64) outcome {
	config := retouched.Config{
		Algorithm: chosen.Algorithm, Members: source(s.members), Seed: seed,
		Troublesome: source(s.positives[:keys]),
	}
	if chosen.all {
		config.Others = source(s.positives[keys:])
	}
	return s.apply(config)
}

// tables is a trial of section IV-C: each algorithm at each β on one filter.
type tables struct {
	rate     float64
	outcomes map[point]outcome
	fewest   float64 // members that any algorithm loses at least, at the lowest β
}

type point struct {
	selection
	beta float64
}

func makeTables(run *trials.Run) []tables {
	return trials.Recall(run, "tables", runs, func(rng *rand.Rand) tables {
		x := newScene(rng, bits, members, universe)
		t := tables{rate: float64(len(x.positives)) / (universe - members),
			outcomes: map[point]outcome{}}
		for _, beta := range betas {
			keys := int(math.Round(beta * float64(len(x.positives))))
			if beta == betas[0] {
				t.fewest = float64(x.fewest(keys))
			}
			for _, s := range selections {
				t.outcomes[point{s, beta}] = x.retouch(s, keys, rng.Uint64())
			}
		}
		return t
	})
}

// measured is a number of each trial, of an algorithm at a β.
func measured(
	run *trials.Run,
	s selection,
	beta float64,
	of func(outcome) float64,
) []float64 {
	return trials.Column(makeTables(run),
		func(t *tables) float64 { return of(t.outcomes[point{s, beta}]) })
}

func chi(o outcome) float64 { return o.chi }

// clearedShares are the parts of the set bits that are cleared at random.
var clearedShares = []float64{0.01, 0.05, 0.1, 0.25}

// cleared is what random clearing does: shares that are gone, and both errors of the abstract.
type cleared struct{ removed, lost, proportions, rates float64 }

// clearAtRandom makes the trials of section III-B: what each of the shares does to a filter.
func clearAtRandom(run *trials.Run) [][]cleared {
	return trials.Recall(run, "randomized", times(run), func(rng *rand.Rand) (all []cleared) {
		s := newScene(rng, bits, members, universe)
		positives := float64(len(s.positives))
		for _, share := range clearedShares {
			o := s.apply(retouched.Config{
				Algorithm: retouched.Randomized, Members: source(s.members),
				Bits: int(math.Round(share * float64(s.Stats().Ones))), Seed: rng.Uint64(),
			})
			removed, lost := o.gone/positives, o.lost/members
			all = append(all, cleared{removed, lost, 1 - removed + lost,
				1 - removed + lost*(universe-members)/positives})
		}
		return all
	})
}

// lists makes the vectors of figure 11.
func lists(rng *rand.Rand, m int) (vectors [2]occupancy) {
	s := newScene(rng, m, members, universe)
	for i, hashes := range [][]uint64{s.members, s.positives} {
		set, throws := make([]bool, m), s.elements(hashes).positions
		for _, p := range throws {
			set[p] = true
		}
		vectors[i] = occupancy{count(set) / float64(m), float64(len(throws)) / count(set)}
	}
	return vectors
}

// fewest returns how many members are lost at least where keys are removed: a key is not removed
// but with a member that has one of its bits, and no member has more keys than that.
func (s *scene) fewest(keys int) (n int) {
	owners := newTally(s.Shape().Bits, s.elements(s.members), true, byHandle).lists
	shared, positives := make([]int, len(s.members)), s.elements(s.positives[:keys])
	for i := range keys {
		var own []int // members that have a bit of the key
		for _, p := range positives.cells(i) {
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
