package retouched

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// size is what the lemmas bound an algorithm's time and space by.
type size struct{ m, k, members, keys int }

// doublings are the sizes that are doubled: first m, |A| and |B| together.
var doublings = map[string]size{"m, |A| and |B|": {2, 1, 2, 2}, "|A|": {1, 1, 2, 1},
	"|B|": {1, 1, 1, 2}, "m": {2, 1, 1, 1}, "k": {1, 2, 1, 1}}

// load draws members and keys that are false positives. Of a given filter these have positions
// among the bits that are set, each as likely.
func (s size) load(rng *rand.Rand) (members, positives elements) {
	members, positives = elements{k: s.k}, elements{k: s.k}
	set, ones := make([]bool, s.m), []uint64(nil)
	for range s.k * s.members {
		p := rng.Uint64N(uint64(s.m))
		members.positions = append(members.positions, p)
		if !set[p] {
			set[p] = true
			ones = append(ones, p)
		}
	}
	for range s.k * s.keys {
		positives.positions = append(positives.positions, ones[rng.IntN(len(ones))])
	}
	return members, positives
}

// The bits of a key, of a pointer and of a float.
const keyBits, pointerBits, floatBits = 64, 64, 32

// counters are the bits of a counter that holds the largest count.
func (w work) counters() int { return 1 + math.Ilogb(float64(max(1, w.peak))) }

// space is the bits of an algorithm's data structures.
func (l listing) space(s size, w work) int {
	all := s.m + keyBits*s.keys + w.entries*(keyBits+pointerBits)
	for _, counted := range []bool{l.countsMembers(), l.countsKeys()} {
		switch {
		case counted && l.improved():
			all += pointerBits * s.m
		case counted:
			all += w.counters() * s.m
		}
	}
	if l.countsMembers() && l.countsKeys() {
		all += floatBits * s.m
	}
	return all
}

// lemma is one of the paper's: a bound of the steps of an algorithm or of the bits that it needs,
// without a constant factor.
type lemma struct {
	number int
	says   string
	selection
	bound func(s size, w work) int
	bits  bool
}

func byKeys(s size, _ work) int     { return s.k * s.keys }
func byElements(s size, _ work) int { return s.k * (s.members + s.keys) }
func byCells(s size, w work) int    { return byElements(s, w) + s.m }
func counters(s size, w work) int   { return w.counters()*s.m + s.keys }

// The lemmas of the standard algorithms, and of the improved.
var (
	standardSteps = []lemma{
		{1, "O(k |B|)", random, byKeys, false},
		{2, "O(k (|A| + |B|))", minimumFN, byElements, false},
		{3, "O(k |B|)", maximumFP.asPrinted(), byKeys, false},
		{4, "O(k (|A| + |B|) + m)", ratio.asPrinted(), byCells, false}}
	improvedSteps = []lemma{
		{9, "O(k (|A| + |B|))", minimumFN.improve(), byElements, false},
		{10, "O(k |B|)", maximumFP.asPrinted().improve(), byKeys, false},
		{11, "O(k (|A| + |B|) + m)", ratio.asPrinted().improve(), byCells, false}}
	allBits = []lemma{
		{5, "O(m + |B|)", random, func(s size, _ work) int { return s.m + s.keys }, true},
		{6, "O(c m + |B|)", minimumFN, counters, true},
		{7, "O(c m + |B|)", maximumFP.asPrinted(), counters, true},
		{8, "O(c m + d m + |B|)", ratio.asPrinted(),
			func(s size, w work) int { return counters(s, w) + floatBits*s.m }, true},
		{12, "O(m + |B| + k u |A|)", minimumFN.improve(),
			func(s size, _ work) int { return s.m + s.keys + s.k*keyBits*s.members }, true},
		{13, "O(m + k u |B|)", maximumFP.asPrinted().improve(),
			func(s size, _ work) int { return s.m + s.k*keyBits*s.keys }, true},
		{14, "O(m + k u (|A| + |B|) + d m)", ratio.asPrinted().improve(),
			func(s size, w work) int { return (1+floatBits)*s.m + keyBits*byElements(s, w) }, true}}
)

// grow doubles a size time and again, and returns by how much steps or bits grow at the last
// doubling, by the bound's growth.
func (l lemma) grow(rng *rand.Rand, by size, how lookup) float64 {
	const times, base = 4, 500
	s := size{10 * base, hashes, base, base}
	var growth float64
	last := 1.0
	for range times + 1 {
		members, positives := s.load(rng)
		algorithm := listing{l.selection, how}
		w := algorithm.run(rng, s.m, members, positives, s.keys)
		cost := w.steps
		if l.bits {
			cost = algorithm.space(s, w)
		}
		own := float64(cost) / float64(l.bound(s, w))
		growth, last = own/last, own
		s = size{s.m * by.m, s.k * by.k, s.members * by.members, s.keys * by.keys}
	}
	return growth
}

// cell is the greatest growth, whichever size is doubled. Space is a sum of products by
// construction, and is held where all sizes double.
func (l lemma) cell(run *trials.Run, how lookup) claim.Cell {
	most := 0.0
	for name, by := range doublings {
		if !l.bits || by.m == by.keys {
			most = max(most, trials.Recall(run, fmt.Sprint("lemma ", l.number, how, name), 1,
				func(rng *rand.Rand) float64 { return l.grow(rng, by, how) })[0])
		}
	}
	return claim.Cell{Row: fmt.Sprintf("lemma %d: %s", l.number, l.says),
		Published: "implied 1.1", Interval: claim.Exact(most)}
}

// lemmas returns a value of several.
func lemmas(name string, all []lemma) func(*trials.Run) claim.Value {
	return func(run *trials.Run) claim.Value {
		v := claim.Value{Name: name, Where: "sections IV and V", Unit: claim.Number,
			Rule: claim.Below, Trial: "growth at the last of four doublings, by the bound's"}
		for _, l := range all {
			v.Cells = append(v.Cells, l.cell(run, byHandle))
		}
		return v
	}
}

// improvedLemma returns the value of one by how the algorithm is read.
func improvedLemma(which int, why string, readings ...lookup) func(*trials.Run) claim.Value {
	l := improvedSteps[which]
	return func(run *trials.Run) claim.Value {
		v := lemmas(fmt.Sprintf("Lemma %d: steps of %v", l.number, l.Algorithm), nil)(run)
		v.Readings, v.Where, v.Why = true, "section V: "+l.says, why
		for _, how := range readings {
			c := l.cell(run, how)
			c.Row = how.String()
			v.Cells = append(v.Cells, c)
		}
		return v
	}
}
