package retouched

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/cmd/bloomlane/quantity"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// size is what the lemmas bound an algorithm's time and space by.
type size struct{ m, k, members, keys int }

// growths are the ways to double a size.
var growths = []struct {
	name   string
	double func(*size)
}{
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

// load draws members and keys that are false positives. Of a given filter these have positions among the bits
// that are set, each as likely.
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

// lemmas are the bounds: of the time of each algorithm by its way of working, and of its space.
var lemmas = []struct {
	time, space int // their numbers
	listing
	reading string
	steps   func(s size) int
	bits    func(s size, w work) int
	name    [2]string
	why     string // the steps are more
}{
	{1, 5, listing{selection: random}, claim.Literal, func(s size) int { return s.k * s.keys },
		func(s size, w work) int { return s.m + s.keys }, [2]string{"k |B|", "m + |B|"}, ""},
	{2, 6, listing{selection: minimumFN}, claim.Literal, func(s size) int {
		return s.k * (s.members +
			s.keys)
	},
		func(s size, w work) int { return w.counters()*s.m + s.keys }, [2]string{"k (|A| + |B|)",
			"c m + |B|"}, ""},
	{3, 7, listing{selection: maximumFP.asPrinted()}, claim.Literal, func(s size) int { return s.k * s.keys },
		func(s size, w work) int { return w.counters()*s.m + s.keys }, [2]string{"k |B|", "c m + |B|"}, ""},
	{4, 8, listing{selection: ratio.asPrinted()}, claim.Literal,
		func(s size) int { return s.k*(s.members+s.keys) + s.m },
		func(s size, w work) int { return (w.counters()+floatBits)*s.m + s.keys },
		[2]string{"k (|A| + |B|) + m", "c m + d m + |B|"}, ""},
	{9, 12, listing{selection: minimumFN.improve()}, "REMOVE knows where an element is in its lists",
		func(s size) int { return s.k * (s.members + s.keys) },
		func(s size, w work) int { return s.m + s.keys + s.k*keyBits*s.members },
		[2]string{"k (|A| + |B|)", "m + |B| + k u |A|"}, ""},
	{9, 0, listing{selection: minimumFN.improve(), lookup: bySearch}, "REMOVE searches the element's own k " +
		"lists",
		func(s size) int { return s.k * (s.members + s.keys) }, nil, [2]string{"k (|A| + |B|)"},
		"a list of k|A|/m elements is searched for each of the k cells of each member that is lost"},
	{9, 0, listing{selection: minimumFN.improve(), lookup: byScan}, "REMOVE goes through all lists, as " +
		"printed",
		func(s size) int { return s.k * (s.members + s.keys) }, nil, [2]string{"k (|A| + |B|)"},
		"all m lists are gone through for each member that is lost"},
	{10, 13, listing{selection: maximumFP.asPrinted().improve()}, "REMOVE knows where an element is in its " +
		"lists",
		func(s size) int { return s.k * s.keys },
		func(s size, w work) int { return s.m + s.k*keyBits*s.keys }, [2]string{"k |B|", "m + k u |B|"}, ""},
	{10, 0, listing{selection: maximumFP.asPrinted().improve(), lookup: bySearch},
		"REMOVE searches the element's own k lists",
		func(s size) int { return s.k * s.keys }, nil, [2]string{"k |B|"},
		"a list of k|B|/(p1 m) keys is searched for each of the k cells of each key that is removed"},
	{10, 0, listing{selection: maximumFP.asPrinted().improve(), lookup: byScan},
		"REMOVE goes through all lists, as printed",
		func(s size) int { return s.k * s.keys }, nil, [2]string{"k |B|"},
		"all m lists are gone through for each key that is removed"},
	{11, 14, listing{selection: ratio.asPrinted().improve()}, "ratios are computed where they are used",
		func(s size) int { return s.k*(s.members+s.keys) + s.m },
		func(s size, w work) int { return s.m + s.k*keyBits*(s.members+s.keys) + floatBits*s.m },
		[2]string{"k (|A| + |B|) + m", "m + k u (|A| + |B|) + d m"}, ""},
	{11, 0, listing{selection: ratio.asPrinted().improve(), recompute: true},
		"COMPUTERATIO after each bit, as algorithm 7 has it",
		func(s size) int { return s.k*(s.members+s.keys) + s.m }, nil, [2]string{"k (|A| + |B|) + m"},
		"line 12 of algorithm 7 goes through all m cells for each bit that is cleared: the lemma is that " +
			"of an algorithm without it"},
}

// complexity holds lemmas 1 to 14 against steps that are counted: where a size is doubled time and again, the
// steps must in the end grow no more than the bound does. Space is a sum of products by construction, and is
// held where all sizes double.
func complexity(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	const doublings, base = 4, 500
	type worst struct {
		growth      float64
		name        string
		steps, more int
	}
	for _, lemma := range lemmas {
		found := trials.Each(run, fmt.Sprint("lemma ", lemma.time, lemma.reading), 1,
			func(rng *rand.Rand) (found [2]worst) {
				for _, growth := range growths {
					at := size{10 * base, hashes, base, base}
					var before, bound [2]int
					for i := range doublings + 1 {
						if i > 0 {
							growth.double(&at)
						}
						members, positives := at.load(rng)
						w := lemma.run(rng, at.m, members, positives, at.keys)
						took, allowed := [2]int{w.steps, 0}, [2]int{lemma.steps(at), 1}
						if lemma.bits != nil {
							took[1], allowed[1] = lemma.listing.space(at, w), lemma.bits(at, w)
						}
						for j := range found {
							if i == doublings && (j == 0 || growth.name == growths[0].name) {
								grown := float64(took[j]) * float64(bound[j]) / float64(max(1, before[j])) /
									float64(allowed[j])
								if grown > found[j].growth {
									found[j] = worst{grown, growth.name, before[j], took[j]}
								}
							}
						}
						before, bound = took, allowed
					}
				}
				return found
			})[0]
		for j, number := range []int{lemma.time, lemma.space} {
			if number == 0 {
				continue
			}
			w, what := found[j], []string{"steps", "bits"}[j]
			claims = append(claims, claim.Claim{
				Item: "lemmas 1 to 14", Where: fmt.Sprintf("lemma %d: %v, O(%s)", number, lemma.Algorithm,
					lemma.name[j]),
				Parameters: map[string]any{"lemma": number, "doubled": w.name}, Unit: claim.Number,
				Quantity:  what + ": growth at the last doubling, by the bound's",
				Published: claim.Published{Value: new(1.0), Least: new(0.0), Most: new(1.1)},
				Interval:  claim.Exact(w.growth), Reading: lemma.reading,
				Why: fmt.Sprintf("%s; %s %s become %s", lemma.why, quantity.Count(w.steps), what,
					quantity.Count(w.more)),
			})
		}
	}
	return claims, nil
}
