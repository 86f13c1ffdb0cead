package retouched

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
)

// byCounts are the algorithms that do with counts.
func byCounts() []Algorithm {
	return []Algorithm{RandomSelection, MinimumFN, MaximumFP, Ratio, ImprovedMaximumFP, Randomized}
}

// With counts the same bits are cleared as with a list. The estimate of the loss has no bias, and
// its stated error is right: the mean of the errors and of their squares are within four standard
// deviations of what they must be.
func TestLossByCounts(t *testing.T) {
	trials := 240
	if testing.Short() {
		trials = 80
	}
	for kind := range 3 {
		for _, share := range []int{0, 20} { // of the members are protected, %
			rng := rand.New(rand.NewPCG(5, uint64(10*kind+share)))
			sum, variance, squares := 0.0, 0.0, 0.0
			for range trials {
				members := randomHashes(rng, 500)
				f := baseOf(t, kind, 5000, 5, members)
				counts, err := CountsOf(f, source(members))
				if err != nil {
					t.Fatal(err)
				}
				c := Config{
					Algorithm:   byCounts()[rng.IntN(6)],
					Troublesome: source(falsePositives(rng, f, rng.IntN(100))),
					Protected:   source(members[:5*share]), Seed: rng.Uint64(),
				}
				if c.Algorithm == Randomized {
					c.Bits = rng.IntN(300) + 1
				}
				c.Members = source(members)
				_, list, err := New(f, c)
				if err != nil {
					t.Fatal(err)
				}
				c.Members, c.Counts = nil, counts
				g, report, err := New(f, c)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(list.Cleared, report.Cleared) || report.Members != list.Members ||
					report.Lost.Hashes != nil {
					t.Fatalf("%v: %+v by counts, %+v by a list", c.Algorithm, report, list)
				}
				if math.Abs(float64(g.Lost())-report.Lost.Members) > 0.5 {
					t.Errorf("%d lost, the report says %g", g.Lost(), report.Lost.Members)
				}
				lost, v := list.Lost.Members-report.Lost.Members,
					report.Lost.Error*report.Lost.Error
				sum, variance, squares = sum+lost, variance+v, squares+lost*lost
			}
			if math.Abs(sum) > 4*math.Sqrt(variance) {
				t.Errorf("kind %d, %d %% protected: the losses are off by %.4g, want 0 ± %.2g",
					kind, share, sum, math.Sqrt(variance))
			}
			if ratio := squares / variance; math.Abs(ratio-1) > 4*math.Sqrt(4/float64(trials)) {
				t.Errorf("kind %d, %d %% protected: the squares are %.3g of what the error says",
					kind, share, ratio)
			}
			t.Logf("kind %d, %d %% protected: off by %.4g, deviation %.3g, squares %.3g", kind,
				share, sum, math.Sqrt(variance), squares/variance)
		}
	}
}

// A budget holds with counts too: no more members are lost.
func TestBudgetByCounts(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	spent := 0
	for range 200 {
		members := randomHashes(rng, 300)
		f := baseOf(t, rng.IntN(3), 2400, 4, members)
		counts, err := CountsOf(f, source(members))
		if err != nil {
			t.Fatal(err)
		}
		c := Config{
			Algorithm: byCounts()[rng.IntN(6)], Counts: counts,
			Troublesome: source(falsePositives(rng, f, 100)), Budget: rng.IntN(60) - 1, Bits: 200,
		}
		if c.Budget == 0 {
			continue
		}
		g, report, err := New(f, c)
		if err != nil {
			t.Fatal(err)
		}
		lost := len(members) - g.QueryHashBatch(members, nil)
		if lost > max(0, c.Budget) {
			t.Fatalf("%v: %d lost with a budget of %d", c.Algorithm, lost, c.Budget)
		}
		if len(report.Remaining) > 0 && lost > c.Budget/2 {
			spent++
		}
	}
	if spent < 50 {
		t.Errorf("%d budgets were spent", spent)
	}
}

// Counts that are not those of a filter's members are refused.
func TestWrongCounts(t *testing.T) {
	members := randomHashes(rand.New(rand.NewPCG(7, 7)), 100)
	for kind := range 3 {
		for name, change := range map[string]func(f Base, c []uint32) []uint32{
			"one too few":  func(_ Base, c []uint32) []uint32 { return c[1:] },
			"one too many": func(_ Base, c []uint32) []uint32 { return append(c, 0) },
			"none":         func(Base, []uint32) []uint32 { return []uint32{} },
			"part of a member": func(f Base, c []uint32) []uint32 {
				c[f.AppendPositions(nil, members[0])[0]]--
				return c
			},
			"another member": func(f Base, c []uint32) []uint32 {
				for _, p := range f.AppendPositions(nil, 12345) {
					c[p]++
				}
				return c
			},
		} {
			f := baseOf(t, kind, 2048, 4, members)
			counts, err := CountsOf(f, source(members))
			if err != nil {
				t.Fatal(err)
			}
			none := source(nil)
			if _, r, err := New(f, Config{Counts: counts, Troublesome: none}); err != nil ||
				r.Members != 100 || r.Algorithm != Ratio {
				t.Fatalf("kind %d: %+v (%v)", kind, r, err)
			}
			var wrong *filter.SizingError
			if g, r, err := New(f, Config{Counts: change(f, counts), Troublesome: none}); g !=
				nil || r != nil || !errors.As(err, &wrong) || wrong.Field != "Counts" {
				t.Errorf("kind %d, %s: %v", kind, name, err)
			}
		}
	}
	f := baseOf(t, 2, 2048, 4, members)
	counts, _ := CountsOf(f, source(members))
	p := f.AppendPositions(nil, members[0])
	// a member more in one lane than in another
	counts[p[0]], counts[p[1]] = counts[p[0]]-1, counts[p[1]]+1
	var wrong *filter.SizingError
	if _, _, err := New(f, Config{Counts: counts, Troublesome: source(nil)}); !errors.As(err,
		&wrong) || wrong.Field != "Counts" {
		t.Errorf("lanes of unequal sums: %v", err)
	}
	// More are protected than there are: fewer than none would be lost.
	for kind := range 3 {
		f := baseOf(t, kind, 2048, 4, members)
		counts, _ := CountsOf(f, source(members))
		twice := source(slices.Concat(members, members[:1]))
		_, _, err := New(f, Config{Counts: counts, Troublesome: source(nil), Protected: twice})
		if !errors.As(err, &wrong) || wrong.Field != "Protected" {
			t.Errorf("kind %d, a member is protected twice: %v", kind, err)
		}
	}
	if _, err := CountsOf(f,
		func(yield func(uint64, error) bool) { yield(0, errSource) }); !errors.Is(err, errSource) {
		t.Errorf("a source that fails: %v", err)
	}
}
