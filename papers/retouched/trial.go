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
	"github.com/bloomlane/bloomlane/papers/claim"
)

// What section IV-C simulates.
const (
	universe = 2_000_000
	members  = 10_000
	bits     = 100_000
	hashes   = 5
	runs     = 15
)

// times is how many trials there are: a short run takes a third of the paper's.
var times = claim.Times(runs, runs/3)

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
	expected := rate(m, n, hashes) * float64(universe)
	s.positives = make([]uint64, 0, int(1.05*expected)+chunk)
	var room [chunk]uint64
	for left := universe - n; left > 0; left -= chunk {
		s.positives = append(s.positives, present(f, draw(room[:min(left, chunk)]))...)
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

// present returns those of some keys that a filter finds, in the same memory.
func present(f filter.Querier, hashes []uint64) (found []uint64) {
	answers := make([]uint64, filter.Words(len(hashes)))
	f.QueryHashBatch(hashes, answers)
	found = hashes[:0]
	for i, hash := range hashes {
		if filter.At(answers, i) {
			found = append(found, hash)
		}
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

// outcome is what clearing bits did, by name: the columns of tables I to IV, and what figures 5 and
// 6 have.
type outcome map[string]float64

// The names, which are those of quantities.
const (
	keysGone   = "|B|"
	othersGone = "|B'|" // other false positives
	allGone    = "|B| + |B'|"
	lost       = "|A'|" // members
	reset      = "bits reset"
	chi        = "χ"
	losses     = "members by the counts, less |A'|"
	gains      = "keys by the counts, less those removed"
	otherwise  = "bits that filter/family/retouched clears otherwise"
	fewest     = "members that any algorithm loses at least"
)

// apply retouches the filter, and says what became of members and false positives.
func (s *scene) apply(config retouched.Config) (outcome, *retouched.Report) {
	f, report, err := retouched.New(s.Filter, config)
	all, keys := float64(len(s.positives)), float64(len(must(report, err).BoughtOff))
	gone := all - float64(f.QueryHashBatch(s.positives, nil))
	return outcome{keysGone: keys, othersGone: gone - keys, allGone: gone,
		lost: report.Lost.Members, reset: float64(len(report.Cleared)),
		chi: gone / all / (report.Lost.Members / float64(report.Members)), // equation 12
	}, report
}

// retouch clears bits until the first keys of the false positives are gone.
func (s *scene) retouch(chosen selection, keys int, seed uint64) (outcome, *retouched.Report) {
	config := retouched.Config{
		Algorithm: chosen.Algorithm, Members: source(s.members), Seed: seed,
		Troublesome: source(s.positives[:keys]),
	}
	if chosen.all {
		config.Others = source(s.positives[keys:])
	}
	return s.apply(config)
}

// list runs an algorithm as it is listed, beside what our filter did. It adds by how much the
// listing's counts are off from what is gone: they are why section V improves it. It also adds how
// many bits the listing clears that our filter does not, or the other way round.
func (s *scene) list(chosen selection, keys int, o outcome, report *retouched.Report) {
	w := listing{selection: chosen}.run(nil, s.Shape().Bits, s.elements(s.members),
		s.elements(s.positives), keys)
	o[losses], o[gains] = float64(w.losses)-o[lost], float64(w.gains)-o[allGone]
	o[otherwise] = math.Abs(float64(len(w.cleared) - len(report.Cleared)))
	for i := range min(len(w.cleared), len(report.Cleared)) {
		if w.cleared[i] != report.Cleared[i] {
			o[otherwise]++
		}
	}
}

// tables are the trials of section IV-C: each algorithm at each β on one filter. The sentences of
// section V are about two β only.
var tables = claim.Simulation{
	Name: claim.Named("tables"), Times: times,
	Point: claim.Across(claim.Along("β", betas), func(at claim.Parameters) int {
		return max(0, slices.Index(selections, selected(at))) // any, where none is named
	}, len(selections)),
	Fixed: claim.Parameters{"m": bits, "n": members, "k": hashes},
	Trial: func(rng *rand.Rand, _ claim.Parameters) claim.Outcome {
		x := newScene(rng, bits, members, universe)
		all := claim.Outcome{"rate": {float64(len(x.positives)) / (universe - members)}}
		for _, beta := range betas {
			keys := int(math.Round(beta * float64(len(x.positives))))
			listed, least, different := beta == betas[0] || beta == 1, math.NaN(), 0.0
			if listed {
				least = float64(x.fewest(keys))
			}
			for _, chosen := range selections {
				o, report := x.retouch(chosen, keys, rng.Uint64())
				o[losses], o[gains], o[fewest] = math.NaN(), math.NaN(), least
				if listed && chosen != random { // which draws numbers of its own
					x.list(chosen, keys, o, report)
					different += o[otherwise]
				}
				for name, v := range o {
					if name != otherwise {
						all[name] = append(all[name], v)
					}
				}
			}
			all[otherwise] = append(all[otherwise],
				slices.Repeat([]float64{different}, len(selections))...)
		}
		return all
	},
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
