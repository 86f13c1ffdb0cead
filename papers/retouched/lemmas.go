package retouched

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// size is what the lemmas bound an algorithm's time and space by.
type size struct{ m, k, members, keys int }

// doubling is a way to double a size.
type doubling struct {
	name   string
	double func(*size)
}

var doublings = []doubling{
	{"m, |A| and |B|", func(s *size) { s.m, s.members, s.keys = 2*s.m, 2*s.members, 2*s.keys }},
	{"|A|", func(s *size) { s.members *= 2 }},
	{"|B|", func(s *size) { s.keys *= 2 }},
	{"m", func(s *size) { s.m *= 2 }},
	{"k", func(s *size) { s.k *= 2 }},
}

// The bits of a key, of a pointer and of a float.
const (
	keyBits     = 64
	pointerBits = 64
	floatBits   = 32
)

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

// counters are the bits of a counter that holds the largest count.
func (w work) counters() int { return 1 + math.Ilogb(float64(max(1, w.peak))) }

// space is the bits of an algorithm's data structures.
func (l listing) space(s size, w work) int {
	all := s.m + keyBits*s.keys
	for _, counted := range []bool{l.countsMembers(), l.countsKeys()} {
		switch {
		case counted && l.improved():
			all += pointerBits * s.m
		case counted:
			all += w.counters() * s.m
		}
	}
	all += w.entries * (keyBits + pointerBits)
	if l.countsMembers() && l.countsKeys() {
		all += floatBits * s.m
	}
	return all
}

// bound is what a lemma says, without its constant factor.
type bound struct {
	name string
	of   func(s size, w work) int
}

// The bounds of time, and of space.
var (
	byKeys     = bound{"k |B|", func(s size, _ work) int { return s.k * s.keys }}
	byElements = bound{"k (|A| + |B|)",
		func(s size, _ work) int { return s.k * (s.members + s.keys) }}
	byCells = bound{"k (|A| + |B|) + m",
		func(s size, _ work) int { return s.k*(s.members+s.keys) + s.m }}

	aSet     = bound{"m + |B|", func(s size, _ work) int { return s.m + s.keys }}
	counters = bound{"c m + |B|", func(s size, w work) int { return w.counters()*s.m + s.keys }}
	ratios   = bound{"c m + d m + |B|", func(s size, w work) int {
		return (w.counters()+floatBits)*s.m +
			s.keys
	}}
	listsA = bound{"m + |B| + k u |A|",
		func(s size, _ work) int { return s.m + s.keys + s.k*keyBits*s.members }}
	listsB  = bound{"m + k u |B|", func(s size, _ work) int { return s.m + s.k*keyBits*s.keys }}
	listsAB = bound{"m + k u (|A| + |B|) + d m", func(s size, _ work) int {
		return s.m + s.k*keyBits*(s.members+s.keys) + floatBits*s.m
	}}
)

// lemma is one of the paper's, of the time or the space of an algorithm that works in some way.
type lemma struct {
	number int
	listing
	bound
	reading string
	why     string // it is more
}

const (
	handled  = "REMOVE knows where an element is in its lists"
	searched = "REMOVE searches the element's own k lists"
	scanned  = "REMOVE goes through all lists, as printed"
)

var times = []lemma{
	{1, listing{selection: random}, byKeys, claim.Literal, ""},
	{2, listing{selection: minimumFN}, byElements, claim.Literal, ""},
	{3, listing{selection: maximumFP.asPrinted()}, byKeys, claim.Literal, ""},
	{4, listing{selection: ratio.asPrinted()}, byCells, claim.Literal, ""},
	{9, listing{selection: minimumFN.improve()}, byElements, handled, ""},
	{9, listing{selection: minimumFN.improve(), lookup: bySearch}, byElements, searched,
		"a list of k|A|/m elements is searched for each of the k cells of each member that " +
			"is lost"},
	{9, listing{selection: minimumFN.improve(), lookup: byScan}, byElements, scanned,
		"all m lists are gone through for each member that is lost"},
	{10, listing{selection: maximumFP.asPrinted().improve()}, byKeys, handled, ""},
	{10, listing{selection: maximumFP.asPrinted().improve(), lookup: bySearch}, byKeys, searched,
		"a list of k|B|/(p1 m) keys is searched for each of the k cells of each key that is " +
			"removed"},
	{10, listing{selection: maximumFP.asPrinted().improve(), lookup: byScan}, byKeys, scanned,
		"all m lists are gone through for each key that is removed"},
	{11, listing{selection: ratio.asPrinted().improve()}, byCells,
		"ratios are computed where they are used", ""},
	{11, listing{selection: ratio.asPrinted().improve(), recompute: true}, byCells,
		"COMPUTERATIO after each bit, as algorithm 7 has it",
		"line 12 of algorithm 7 goes through all m " +
			"cells for each bit that is cleared: the lemma is that of an algorithm without it"},
}

var spaces = []lemma{
	{5, listing{selection: random}, aSet, claim.Literal, ""},
	{6, listing{selection: minimumFN}, counters, claim.Literal, ""},
	{7, listing{selection: maximumFP.asPrinted()}, counters, claim.Literal, ""},
	{8, listing{selection: ratio.asPrinted()}, ratios, claim.Literal, ""},
	{12, listing{selection: minimumFN.improve()}, listsA, claim.Literal, ""},
	{13, listing{selection: maximumFP.asPrinted().improve()}, listsB, claim.Literal, ""},
	{14, listing{selection: ratio.asPrinted().improve()}, listsAB, claim.Literal, ""},
}

// growth is what became of steps or bits at the last of some doublings.
type growth struct {
	by       float64 // the bound's growth
	doubled  string
	from, to int
}

// grow doubles a size time and again.
func (l lemma) grow(rng *rand.Rand, d doubling, cost func(s size, w work) int) growth {
	const times, base = 4, 500
	at := size{10 * base, hashes, base, base}
	var costs, bounds [times + 1]int
	for i := range costs {
		if i > 0 {
			d.double(&at)
		}
		members, positives := at.load(rng)
		w := l.run(rng, at.m, members, positives, at.keys)
		costs[i], bounds[i] = cost(at, w), l.of(at, w)
	}
	from, to := costs[times-1], costs[times]
	return growth{float64(to) / float64(from) / float64(bounds[times]) * float64(bounds[times-1]),
		d.name, from, to}
}

// complexity holds lemmas 1 to 14 against steps that are counted: where a size is doubled time and
// again, the steps must in the end grow no more than the bound does. Space is a sum of products by
// construction, and is held where all sizes double.
func complexity(run *trials.Run) ([]claim.Claim, []claim.Figure) {
	t := newText("lemmas 1 to 14", 0)
	hold := func(l lemma, what string, ways []doubling, cost func(s size, w work) int) {
		var most growth
		for _, d := range ways {
			name := fmt.Sprint("lemma ", l.number, l.reading, d.name)
			found := trials.Each(run, name, 1,
				func(rng *rand.Rand) growth { return l.grow(rng, d, cost) })[0]
			if found.by > most.by {
				most = found
			}
		}
		t.Reading = l.reading
		t.Parameters = map[string]any{"lemma": l.number, "doubled": most.doubled}
		t.says(fmt.Sprintf("lemma %d: %v, O(%s)", l.number, l.Algorithm, l.name),
			what+": growth at the last doubling, by the bound's",
			claim.Published{Value: new(1.0), Least: new(0.0), Most: new(1.1)}, claim.Exact(most.by),
			fmt.Sprintf("%s; %s %s become %s", l.why, quantity.Count(most.from), what,
				quantity.Count(most.to)))
	}
	for _, l := range times {
		hold(l, "steps", doublings, func(_ size, w work) int { return w.steps })
	}
	for _, l := range spaces {
		hold(l, "bits", doublings[:1], l.space)
	}
	return t.claims, nil
}
