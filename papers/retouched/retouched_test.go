package retouched

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/papers/claim/claimtest"
)

// What the run finds that CI makes.
func TestPaper(t *testing.T) {
	if testing.Short() {
		return
	}
	found := claimtest.Run(t, New(), 500, 150)
	found.TheoryHolds(t, "", 100, 0.005) // the tables' own numbers are off by some 1 %
}

// Trials have the parameters that a row says, or it is refused.
func TestRefused(t *testing.T) {
	claimtest.Refuses(t, New(), [][3]string{
		{"χ", "algorithm=Ratio; β=0.01; m=200000", "found m=200000, expected 100000"},
		{"success", "set=rbf; m=60000; β=0.25", "found set=rbf"},
	})
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
		keys          int
		bits          []uint64
		losses, gains int
	}{
		// Bit 3 of the first key, 5 of the second, and the third is gone.
		{minimumFN, 3, []uint64{3, 5}, 2, 2},
		// The first of equals, twice.
		{maximumFP, 3, []uint64{2, 3}, 2, 4},
		// Each bit has one key of B.
		{maximumFP.asPrinted(), 1, []uint64{2}, 1, 1},
		// 2/2 against 1/2, and then 2/2 against 1/1.
		{ratio, 3, []uint64{3, 2}, 3, 4},
		// The first key is in bit 3 no more.
		{maximumFP.improve(), 3, []uint64{2, 3}, 2, 3},
		// 2/2 against 1/2, and then 2/1 against 1/1.
		{ratio.improve(), 3, []uint64{3, 5}, 2, 3},
		// Nobody is lost twice.
		{minimumFN.improve(), 2, []uint64{3, 5}, 2, 2},
		// 2/1 against 1/1.
		{ratio.asPrinted(), 1, []uint64{3}, 1, 1},
	} {
		for _, l := range []lookup{byHandle, bySearch, byScan} {
			w := listing{selection: test.selection, lookup: l}.run(nil, m, in, keys, test.keys)
			if !slices.Equal(w.cleared, test.bits) || w.losses != test.losses &&
				test.countsMembers() || w.gains != test.gains && test.countsKeys() {
				t.Errorf("%v: bits %v, which have %d members and %d keys; want %+v", test.Algorithm,
					w.cleared, w.losses, w.gains, test)
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
		{listing{selection: better, lookup: bySearch}, elements{2, []uint64{0, 2}},
			4 + (2 + 2 + 1 + 3 + 1)},
		{listing{selection: better, lookup: byScan}, keys,
			4 + (2 + 2 + 1 + 3 + 3) + (2 + 2 + 1 + 3 + 3) + 1},
		{listing{selection: ratio.improve()}, keys, 4 + 6 + 3 + (2 + 2 + 1 + 3 + 5) +
			(2 + 2 + 1 + 3 + 3) + 1},
		{listing{selection: ratio.improve(), recompute: true}, keys,
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
			if o, _ := s.retouch(by, keys, 1); int(o[lost]) < bound || bound < 1 {
				t.Errorf("%v loses %g members of %d keys, and the bound is %d",
					by.Algorithm, o[lost], keys, bound)
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
	if got := expectedLists(10_000); math.Abs(got[inCells+"v_B"]-968.5) > 0.5 ||
		math.Abs(got[inCells+"v_A"]-5.034) > 0.001 {
		t.Errorf("%+v", got)
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
	c.number()
	for end, stop := range map[string][]bool{success: set.isOne, collisions: nil,
		stoppingShort: slices.Repeat([]bool{true}, int(n.addresses))} {
		p := c.probe(stop)
		if p[end] != 1 || p[success]+p[stoppingShort]+p[collisions] != 1 {
			t.Errorf("%s: %v", end, p)
		}
		if end == stoppingShort && (p[nodes] != monitors || p[links] != 0) ||
			end != stoppingShort && p[nodes] != float64(len(set.members)+len(set.others)) {
			t.Errorf("%s: %g nodes and %g links are reached", end, p[nodes], p[links])
		}
	}

	// After a change the list has what the paper's had, and nothing else happens.
	n.change()
	changed := n.trace().probe(set.isOne)
	for end, want := range map[string]float64{stoppingShort: becameShort, collisions: moved,
		success: 1 - becameShort - moved} {
		if math.Abs(changed[end]-want) > 4*math.Sqrt(0.1/destinations) {
			t.Errorf("%+v", changed)
		}
	}
}
