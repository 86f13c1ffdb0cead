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
type bound func(s size, w work) int

// The bounds of time, and of space.
func byKeys(s size, _ work) int     { return s.k * s.keys }
func byElements(s size, _ work) int { return s.k * (s.members + s.keys) }
func byCells(s size, w work) int    { return byElements(s, w) + s.m }

func aSet(s size, _ work) int     { return s.m + s.keys }
func counters(s size, w work) int { return w.counters()*s.m + s.keys }
func ratios(s size, w work) int   { return (w.counters()+floatBits)*s.m + s.keys }
func listsA(s size, _ work) int   { return s.m + s.keys + s.k*keyBits*s.members }
func listsB(s size, _ work) int   { return s.m + s.k*keyBits*s.keys }
func listsAB(s size, _ work) int {
	return s.m + s.k*keyBits*(s.members+s.keys) + floatBits*s.m
}

// lemma is one of the paper's, of the time or the space of an algorithm.
type lemma struct {
	listing
	bound
	space bool
}

var lemmas = map[int]lemma{
	1:  {listing{selection: random}, byKeys, false},
	2:  {listing{selection: minimumFN}, byElements, false},
	3:  {listing{selection: maximumFP.asPrinted()}, byKeys, false},
	4:  {listing{selection: ratio.asPrinted()}, byCells, false},
	5:  {listing{selection: random}, aSet, true},
	6:  {listing{selection: minimumFN}, counters, true},
	7:  {listing{selection: maximumFP.asPrinted()}, counters, true},
	8:  {listing{selection: ratio.asPrinted()}, ratios, true},
	9:  {listing{selection: minimumFN.improve()}, byElements, false},
	10: {listing{selection: maximumFP.asPrinted().improve()}, byKeys, false},
	11: {listing{selection: ratio.asPrinted().improve()}, byCells, false},
	12: {listing{selection: minimumFN.improve()}, listsA, true},
	13: {listing{selection: maximumFP.asPrinted().improve()}, listsB, true},
	14: {listing{selection: ratio.asPrinted().improve()}, listsAB, true},
}

// ways are the readings of how an algorithm works, by what claims call them: the names of trials
// have the reading.
var ways = map[string]struct {
	lookup
	recompute bool
	reading   string
}{
	"":           {byHandle, false, claim.Literal},
	"known":      {byHandle, false, "REMOVE knows where an element is in its lists"},
	"searched":   {bySearch, false, "REMOVE searches the element's own k lists"},
	"all":        {byScan, false, "REMOVE goes through all lists, as printed"},
	"where used": {byHandle, false, "ratios are computed where they are used"},
	"each bit":   {byHandle, true, "COMPUTERATIO after each bit, as algorithm 7 has it"},
}

// grow doubles a size time and again, and returns by how much steps or bits grow at the last
// doubling, by the bound's growth.
func (l lemma) grow(rng *rand.Rand, d doubling) float64 {
	const times, base = 4, 500
	s := size{10 * base, hashes, base, base}
	var costs, bounds [times + 1]float64
	for i := range costs {
		if i > 0 {
			d.double(&s)
		}
		members, positives := s.load(rng)
		w := l.run(rng, s.m, members, positives, s.keys)
		costs[i], bounds[i] = float64(w.steps), float64(l.bound(s, w))
		if l.space {
			costs[i] = float64(l.listing.space(s, w))
		}
	}
	return costs[times] / costs[times-1] / bounds[times] * bounds[times-1]
}

// growth holds a claim's lemma against steps that are counted: where a size is doubled time and
// again, the steps must in the end grow no more than the bound does, whichever size it is. Space is
// a sum of products by construction, and is held where all sizes double.
func growth(run *trials.Run, at claim.Parameters) (sample claim.Sample) {
	number, way := at.Int("lemma"), claim.Pick(at, "way", ways)
	l, doubled := lemmas[number], doublings
	l.lookup, l.recompute = way.lookup, way.recompute
	if l.space {
		doubled = doublings[:1]
	}
	most := 0.0
	for _, d := range doubled {
		name := fmt.Sprint("lemma ", number, way.reading, d.name)
		most = max(most, trials.Recall(run, name, 1,
			func(rng *rand.Rand) float64 { return l.grow(rng, d) })[0])
	}
	return claim.Sample{Values: []float64{most}}
}
