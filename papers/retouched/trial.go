package retouched

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/family/retouched"
	"github.com/bloomlane/bloomlane/filter/plain"
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
	standard  = []selection{random, minimumFN, maximumFP, ratio}
)

func (s selection) improved() bool { return s.Algorithm > retouched.Ratio }

func (s selection) countsMembers() bool {
	return slices.Contains([]retouched.Algorithm{retouched.MinimumFN, retouched.Ratio,
		retouched.ImprovedMinimumFN,
		retouched.ImprovedRatio}, s.Algorithm)
}

func (s selection) countsKeys() bool {
	return slices.Contains([]retouched.Algorithm{retouched.MaximumFP, retouched.Ratio,
		retouched.ImprovedMaximumFP,
		retouched.ImprovedRatio}, s.Algorithm)
}

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
	f, err := plain.New(plain.Config{Members: n, BitsPerKey: float64(m) / float64(n),
		Hashes: hashes})
	if err != nil {
		panic(err)
	}
	draw := func(all []uint64) []uint64 {
		for i := range all {
			all[i] = rng.Uint64()
		}
		return all
	}
	s := &scene{Filter: f, members: draw(make([]uint64, n))}
	if _, err := f.InsertHashBatch(s.members, nil); err != nil {
		panic(err)
	}
	expected := rate(m, n, hashes) * float64(universe)
	s.positives = make([]uint64, 0, int(1.05*expected)+chunk)
	var room [chunk]uint64
	for left := universe - n; left > 0; left -= chunk {
		s.positives = append(s.positives, present(f, draw(room[:min(left, chunk)]))...)
	}
	return s
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

// outcome is what clearing bits did: the columns of tables I to IV, and what figures 5 and 6 have.
type outcome struct {
	keys    float64 // |B|
	others  float64 // |B'|: other false positives that are gone
	removed float64 // |B| + |B'|
	lost    float64 // |A'|: members
	reset   float64 // s: bits
	chi     float64
	listed  off
}

// off is by how much the counts of an algorithm as it is listed are off from what is gone: they are
// why section V improves it. It is also how many bits the listing clears that our filter does not,
// or the other way round.
type off struct{ losses, gains, bits float64 }

// list runs an algorithm as it is listed, beside what our filter did.
func (s *scene) list(by selection, keys int, o outcome, report *retouched.Report) off {
	w := listing{selection: by}.run(nil, s.Shape().Bits, s.elements(s.members),
		s.elements(s.positives), keys)
	different := math.Abs(float64(len(w.cleared) - len(report.Cleared)))
	for i := range min(len(w.cleared), len(report.Cleared)) {
		if w.cleared[i] != report.Cleared[i] {
			different++
		}
	}
	return off{float64(w.losses) - o.lost, float64(w.gains) - o.removed, different}
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

// apply retouches the filter, and says what became of members and false positives.
func (s *scene) apply(config retouched.Config) (o outcome, report *retouched.Report) {
	f, report, err := retouched.New(s.Filter, config)
	if err != nil {
		panic(err)
	}
	all := float64(len(s.positives))
	o.keys, o.lost = float64(len(report.BoughtOff)), report.Lost.Members
	o.reset = float64(len(report.Cleared))
	o.removed = all - float64(f.QueryHashBatch(s.positives, nil))
	o.others = o.removed - o.keys
	o.chi = o.removed / all / (o.lost / float64(report.Members)) // equation 12
	return o, report
}

// trial is a run of the paper: all algorithms on one filter.
type trial struct {
	positives float64
	fewest    float64 // members that any algorithm loses, at least; where it is listed
	runs      map[selection]outcome
}

// selections are all that are tried.
func selections() []selection {
	all := slices.Clone(standard)
	for _, s := range standard {
		if s != random {
			all = append(all, s.improve())
		}
		if s.countsKeys() {
			all = append(all, s.asPrinted(), s.asPrinted().improve())
		}
	}
	return all
}

// part returns how many trials there are: a short run takes a third of the paper's.
func part(run *trials.Run) int {
	if run.Short {
		return runs / 3
	}
	return runs
}

// listed says whether the sentences of section V are about a share of troublesome keys.
func listed(beta float64) bool { return beta == betas[0] || beta == betas[len(betas)-1] }

// simulate runs the trials of a share of troublesome keys.
func simulate(run *trials.Run, beta float64) []trial {
	return trials.Recall(run, fmt.Sprint("tables ", beta), part(run), func(rng *rand.Rand) trial {
		x := newScene(rng, bits, members, universe)
		keys := x.share(beta)
		t := trial{positives: float64(len(x.positives)), runs: map[selection]outcome{}}
		for _, s := range selections() {
			o, report := x.retouch(s, keys, rng.Uint64())
			if listed(beta) && s != random { // which draws numbers of its own
				o.listed = x.list(s, keys, o, report)
			}
			t.runs[s] = o
		}
		if listed(beta) {
			t.fewest = float64(x.fewest(keys))
		}
		return t
	})
}

// share returns |B| of a β.
func (s *scene) share(beta float64) int { return int(math.Round(beta * float64(len(s.positives)))) }

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

// Of an outcome, one number each.
func keys(o outcome) float64       { return o.keys }
func othersGone(o outcome) float64 { return o.others }
func removed(o outcome) float64    { return o.removed }
func lost(o outcome) float64       { return o.lost }
func reset(o outcome) float64      { return o.reset }
func chi(o outcome) float64        { return o.chi }
