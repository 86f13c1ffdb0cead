package flows

import (
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/filter/rolling"
	"github.com/bloomlane/bloomlane/packets/sets"
)

// newTestFilters makes filters beside an exact set.
func newTestFilters(
	t *testing.T,
	members int,
	bitsPerKey, turnovers float64,
) ([]*subject, *sets.Exact) {
	t.Helper()
	bytes, err := memory(members, bitsPerKey)
	if err != nil {
		t.Fatal(err)
	}
	live := new(sets.Exact)
	p := &plan{Members: members, Bytes: bytes, Reinserts: 1, flows: 2 * members, due: turnovers,
		lifetime: planning.Random()}
	filters, err := newFilters(p, key.New(), live, func(*subject) {})
	if err != nil {
		t.Fatal(err)
	}
	return filters, live
}

// TestEqualMemory holds all filters but the one that grows to the same bytes, which are the bits
// that were asked for and at most three blocks more than whole blocks.
func TestEqualMemory(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range rounds(300) {
		members, bits := 1+random.IntN(20_000), 1+60*random.Float64()
		filters, _ := newTestFilters(t, members, bits, 1)
		size := float64(members) * bits / 8
		for i, f := range filters[:len(filters)-1] {
			if got := f.State().Bytes; got != filters[0].State().Bytes || float64(got) < size ||
				float64(got) >= size+float64(generations*deletable.BlockBytes) {
				t.Fatalf("%d members at %g bits: %s has %d bytes, %s %d, want the same and %.1f "+
					"at least", members, bits, Names[i], got, Names[0],
					filters[0].State().Bytes, size)
			}
		}
	}
	for _, test := range []struct {
		members int
		bits    float64
	}{{0, 8}, {1, 0}, {1, -1}, {1, math.NaN()}, {1, math.Inf(1)}, {math.MaxInt / 8, 8},
		{math.MaxInt, 1}, {1 << 26, 512}} {
		if _, err := memory(test.members, test.bits); err == nil {
			t.Errorf("%+v: no error", test)
		}
	}
}

// TestNoFilterLosesAMember lets random members come, go and come back, also many more than
// planned: each filter finds all that it took, at any time. Only the rolling one refuses any, and
// only where there are more.
func TestNoFilterLosesAMember(t *testing.T) {
	refused, builds := 0, map[string]int{}
	for seed := range rounds(60) {
		random := rand.New(rand.NewPCG(seed, 3))
		members := 1 + random.IntN(200)
		filters, live := newTestFilters(t, members, 1+40*random.Float64(), 2*random.Float64())
		keys := make([]uint64, 3*members) // some of them come again
		for i := range keys {
			keys[i] = random.Uint64()
		}
		most := members
		if seed%3 == 0 {
			most = 3 * members
		}
		for step := range 3000 {
			hash := keys[random.IntN(len(keys))]
			if live.QueryHash(hash) {
				for _, f := range filters {
					f.remove(hash)
				}
				live.DeleteHash(hash)
			} else if live.Len() < most {
				for i, f := range filters {
					if err := f.insert(hash); err != nil {
						var e *rolling.StragglersError
						if Names[i] != rollingIs || !errors.As(err, &e) || live.Len() < members {
							t.Fatalf("seed %d: %s refuses one of %d, %d planned: %v", seed,
								Names[i], live.Len()+1, members, err)
						}
						if !f.refused(hash) {
							t.Fatalf("seed %d: %s refused a flow, and does not know",
								seed, Names[i])
						}
						refused++
					}
				}
				_, _ = live.InsertHash(hash)
			}
			if step%10 != 0 {
				continue
			}
			for hash := range live.All() {
				for i, f := range filters {
					if !f.QueryHash(hash) && !f.refused(hash) {
						t.Fatalf("seed %d, step %d: %s lost one of %d members", seed, step,
							Names[i], live.Len())
					}
				}
			}
		}
		for _, name := range []string{rebuild, refresh} {
			builds[name] += filters[slices.Index(Names, name)].Set.(*sets.Renewed).Builds
		}
	}
	if refused == 0 || builds[rebuild] == 0 || builds[refresh] == 0 {
		t.Errorf("%d refused, built %v: want some of each", refused, builds)
	}
}

// TestBefore: before a filter is rebuilt, or a table of it, it can be asked, and has all its
// collided regions still.
func TestBefore(t *testing.T) {
	const members = 500
	bytes, err := memory(members, 16)
	if err != nil {
		t.Fatal(err)
	}
	p := &plan{Members: members, Bytes: bytes, Reinserts: 1, flows: members, due: 1,
		lifetime: planning.Random()}
	var filters []*subject
	before := map[string]int{}
	filters, err = newFilters(p, key.New(), new(sets.Exact), func(f *subject) {
		before[f.Filter]++
		if s := f.state(); s.Collided == 0 || s.Rate == 0 {
			t.Errorf("%s before it is rebuilt: %+v", f.Filter, s)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(8, 8))
	for range 10 * members {
		hash := random.Uint64()
		for _, f := range filters {
			_ = f.insert(hash)
		}
	}
	if builds := filters[slices.Index(Names, rebuild)].Set.(*sets.Renewed).Builds; builds == 0 ||
		before[rebuild] != builds || before[rollingIs] == 0 {
		t.Errorf("built %d times, after %v", builds, before)
	}
}

// TestRefusedFlows: a flow that the rolling filter refused is no straggler, and its end deletes
// nothing.
func TestRefusedFlows(t *testing.T) {
	filters, live := newTestFilters(t, 50, 1, 1)
	rolled := filters[slices.Index(Names, rollingIs)]
	random := rand.New(rand.NewPCG(10, 10))
	for range 500 {
		hash := random.Uint64()
		_ = rolled.insert(hash)
		_, _ = live.InsertHash(hash)
	}
	missing := maps.Clone(rolled.missing)
	if taken := live.Len() - len(missing); taken < 50 || len(missing) < 50 {
		t.Fatalf("%d taken, %d refused: the test shows too little", taken, len(missing))
	}
	stragglers := 0
	for hash := range rolled.members(live.All()) {
		stragglers++
		if _, is := missing[hash]; is {
			t.Fatal("a refused flow is a straggler")
		}
	}
	ring := rolled.Set.(*rolling.Filter)
	before := ring.Stats()
	for hash := range missing {
		rolled.remove(hash)
		if rolled.refused(hash) {
			t.Fatal("a flow that has ended is refused")
		}
	}
	if stragglers != live.Len()-len(missing) || ring.Stats() != before {
		t.Errorf("%d stragglers; %+v, want %+v as before", stragglers, ring.Stats(), before)
	}
}

// TestAListThatLacksAFlow: a flow that the list of a refresh lacks is lost, and that is a failure.
func TestAListThatLacksAFlow(t *testing.T) {
	const members = 500
	filters, live := newTestFilters(t, members, 64, 1)
	refreshed := filters[slices.Index(Names, refresh)]
	random := rand.New(rand.NewPCG(12, 12))
	insert := func() uint64 {
		hash := random.Uint64()
		if err := refreshed.insert(hash); err != nil {
			t.Fatal(err)
		}
		return hash
	}
	var all []uint64
	for range members {
		all = append(all, insert())
		_, _ = live.InsertHash(all[len(all)-1])
	}
	lacking := all[members-1]
	live.DeleteHash(lacking)
	for _, hash := range all[:members-1] {
		refreshed.remove(hash)
		live.DeleteHash(hash)
		_, _ = live.InsertHash(insert())
	}
	refreshed.find(lacking)
	r := &Report{Totals: []Totals{refreshed.Totals}}
	if builds := refreshed.Set.(*sets.Renewed).Builds; refreshed.FalseNegatives != 1 ||
		r.Failure() == nil || builds != 1 {
		t.Errorf("%d flows lost in %d rounds, want 1: %v", refreshed.FalseNegatives,
			builds, r.Failure())
	}
}
