package retouched

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/papers/claim/claimtest"
)

// What the run finds that CI makes: simulations agree with theory.
func TestPaper(t *testing.T) {
	if testing.Short() {
		return
	}
	found := claimtest.Holds(t, New())
	found.FormulaHolds(t, byEq5, 24)
	found.FormulaHolds(t, poisson, 40)
}

// The bits of each algorithm's data structures, added by hand: with 100 bits, of 3 keys in B, 10
// entries of lists and a largest count of 5.
func TestSpace(t *testing.T) {
	const own, counted, listed, entries, ratios = 100 + 64*3, 3 * 100, 64 * 100, 10 * 128, 32 * 100
	s := size{m: 100, k: 2, members: 7, keys: 3}
	for _, test := range []struct {
		selection
		entries, want int
	}{
		{random, 0, own},
		{minimumFN, 0, own + counted},
		{maximumFP, 0, own + counted},
		{ratio, 0, own + 2*counted + ratios},
		{minimumFN.improve(), 10, own + listed + entries},
		{maximumFP.improve(), 10, own + listed + entries},
		{ratio.improve(), 10, own + 2*listed + entries + ratios},
	} {
		l := listing{selection: test.selection}
		if got := l.space(s, work{entries: test.entries, peak: 5}); got != test.want {
			t.Errorf("%v: %d bits, want %d", test.selection, got, test.want)
		}
	}
}

// The printed algorithms, worked.
func TestListings(t *testing.T) {
	const m = 8
	// bit 2 has two members, and 3, 5 and 6 have one
	in := elements{2, []uint64{2, 5, 2, 6, 3, 7}}
	// bits 2 and 3 have two keys each, and 5 and 6 one
	keys := elements{2, []uint64{2, 3, 2, 5, 3, 6}}
	for _, test := range []struct {
		selection
		keys int
		bits []uint64
	}{
		{minimumFN, 3, []uint64{3, 5}},           // of two keys, and the third is gone
		{maximumFP, 3, []uint64{2, 3}},           // the first of equals, twice
		{maximumFP.asPrinted(), 1, []uint64{2}},  // each bit has one key of B
		{ratio, 3, []uint64{3, 2}},               // 2/2 against 1/2, and then 2/2 against 1/1
		{maximumFP.improve(), 3, []uint64{2, 3}}, // the first key is in bit 3 no more
		{ratio.improve(), 3, []uint64{3, 5}},     // 2/2 against 1/2, and then 2/1 against 1/1
		{minimumFN.improve(), 2, []uint64{3, 5}}, // nobody is lost twice
		{ratio.asPrinted(), 1, []uint64{3}},      // 2/1 against 1/1
	} {
		for _, how := range []lookup{byHandle, bySearch, byScan} {
			w := listing{test.selection, how}.run(nil, m, in, keys, test.keys)
			if !slices.Equal(w.cleared, test.bits) {
				t.Errorf("%v: bits %v, want %v", test.Algorithm, w.cleared, test.bits)
			}
		}
	}
}

// The steps of the listings, counted by hand: to make the vectors, and then for each key.
func TestSteps(t *testing.T) {
	in := elements{2, []uint64{0, 1, 0, 2}}
	keys := elements{2, []uint64{0, 1, 0, 2, 1, 2}}
	better := minimumFN.improve()
	for _, test := range []struct {
		listing
		keys  elements
		steps int
	}{
		{listing{selection: random}, keys.first(1), 2 + 1 + 1},
		{listing{selection: minimumFN}, keys, 4 + (2 + 2 + 1 + 1) + (2 + 2 + 1 + 1) + 1},
		{listing{selection: maximumFP}, keys, 6 + (2 + 2 + 1 + 1) + 1 + (2 + 2 + 1 + 1)},
		{listing{selection: ratio}, keys, 4 + 6 + 3 + (2 + 2 + 1 + 2) + (2 + 2 + 1 + 2) + 1},
		{listing{selection: better}, keys, 4 + (2 + 2 + 1 + 3) + (2 + 2 + 1 + 3) + 1},
		{listing{better, bySearch}, elements{2, []uint64{0, 2}},
			4 + (2 + 2 + 1 + 3 + 1)},
		{listing{better, byScan}, keys,
			4 + (2 + 2 + 1 + 3 + 3) + (2 + 2 + 1 + 3 + 3) + 1},
		{listing{selection: ratio.improve()}, keys, 4 + 6 + 3 + (2 + 2 + 1 + 3 + 5) +
			(2 + 2 + 1 + 3 + 3) + 1},
		{listing{ratio.improve(), eachRatio}, keys,
			4 + 6 + 3 + (2 + 2 + 1 + 3 + 5 + 3) + (2 + 2 + 1 + 3 + 3 + 3) + 1},
	} {
		w := test.run(rand.New(rand.NewPCG(1, 2)), 3, in, test.keys, test.keys.len())
		if w.steps != test.steps {
			t.Errorf("%v: %d steps, cleared %v, want %d", test.Algorithm, w.steps,
				w.cleared, test.steps)
		}
	}
}

// No algorithm loses fewer members than the bound has, which is right where one member has all
// keys.
func TestFewest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	s := newScene(rng, 500, 50, 20_000)
	if len(s.positives) < 100 {
		t.Fatalf("%d false positives", len(s.positives))
	}
	for _, keys := range []int{1, 10, 100} {
		bound := s.fewest(keys)
		for _, by := range selections {
			if o := s.retouch(by, keys, 1); int(o.lost) < bound || bound < 1 {
				t.Errorf("%v loses %g members of %d keys, and the bound is %d",
					by.Algorithm, o.lost, keys, bound)
			}
		}
	}
	one := newScene(rng, 100, 1, 2)
	one.positives = slices.Repeat(one.members, 9)
	if n := one.fewest(9); n != 1 {
		t.Errorf("%d members for nine keys of one", n)
	}
	three := newScene(rng, 3000, 3, 4)
	three.positives = three.members // which share no bit
	if n := three.fewest(3); n != 3 {
		t.Errorf("%d members for a key of each of three", n)
	}
}

// Of 10,000 bits 9933 are set, and 96.7 % of 1,990,000 keys are false positives, with five bits
// each: 968 to a bit.
func TestExpectedLists(t *testing.T) {
	if a, b := expectedLists(10_000); math.Abs(b.elements-968.5) > 0.5 ||
		math.Abs(a.elements-5.034) > 0.001 {
		t.Errorf("%+v, %+v", a, b)
	}
}

// A trace ends at its destination, a link of the core is one, and traffic is that of all traces.
func TestNetwork(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	n := newInternet(rng)
	c, set := n.trace(), learn(n)
	if len(set.members) != penultimates {
		t.Errorf("%d penultimate nodes", len(set.members))
	}
	for m, hops := range c.hops {
		first, seen := 0, map[int32]bool{}
		for i, h := range hops {
			if seen[h.address] {
				t.Fatalf("two hops of monitor %d are to address %d", m, h.address)
			}
			seen[h.address] = true
			if int(h.before) >= i {
				t.Fatalf("hop %d of monitor %d is behind hop %d", i, m, h.before)
			}
			if h.before < 0 {
				first++
			}
		}
		if first != 1 || len(c.last[m]) != destinations ||
			set.traffic[hops[0].address] != destinations {
			t.Errorf("monitor %d: %d gateways, %d destinations, %d traces", m, first,
				len(c.last[m]), set.traffic[hops[0].address])
		}
	}
	if hops := set.hops(); hops < 14 || hops > 20 {
		t.Errorf("%g hops", hops)
	}
	all := 0
	for _, a := range set.members {
		all += set.traffic[a]
	}
	if all != monitors*destinations {
		t.Errorf("%d traces come to penultimate nodes", all)
	}
	for i, a := range set.others[1:] {
		if set.traffic[set.others[i]] < set.traffic[a] {
			t.Fatal("the most troublesome are not first")
		}
	}
	every := slices.Repeat([]bool{true}, int(n.addresses))
	reached := float64(len(set.members) + len(set.others))
	for _, test := range []struct {
		stops []bool
		want  probed
	}{
		{set.isOne, probed{success: 1, nodes: reached}}, {nil, probed{collisions: 1, nodes: reached}},
		{every, probed{short: 1, nodes: monitors}},
	} {
		p := c.probe(test.stops)
		if (p.links == 0) != (test.want.short == 1) {
			t.Errorf("%g links are reached", p.links)
		}
		if p.links = 0; p != test.want {
			t.Errorf("%+v, want %+v", p, test.want)
		}
	}

	// After a change the list has what the paper's had, and nothing else happens.
	n.change()
	changed := n.trace().probe(set.isOne)
	for want, got := range map[float64]float64{becameShort: changed.short,
		moved: changed.collisions, 1 - becameShort - moved: changed.success} {
		if math.Abs(got-want) > 4*math.Sqrt(0.1/destinations) {
			t.Errorf("%+v", changed)
		}
	}
}
