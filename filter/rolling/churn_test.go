package rolling

import (
	"context"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/internal/require"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// member is a key of a filter, and its generation.
type member struct {
	hash       uint64
	generation Generation
}

// population is a set of members that come and go, with the generation of each, by place.
type population struct {
	*workload.Population
	generations []Generation
}

func newPopulation(n int, life planning.Lifetime) *population {
	return &population{workload.NewPopulation(n, life, rand.New(rand.NewPCG(uint64(n), 1))),
		make([]Generation, n)}
}

// stragglers supplies the members of a generation, and notes that they move.
func (p *population) stragglers(_ context.Context, from, to Generation) iter.Seq2[uint64, error] {
	return func(yield func(uint64, error) bool) {
		for place, hash := range p.Hashes() {
			if p.generations[place] == from {
				p.generations[place] = to
				if !yield(hash, nil) {
					return
				}
			}
		}
	}
}

// After 100 turnovers the rate is at most twice the planned one, in no more memory than a Bloom
// filter of 4-bit counters needs for that rate, which is 4 * 1.44 * log2(1/rate) bits per key. With
// BLOOMLANE_CHURN=full there are a million members, and otherwise 2,000.
func TestRateAfterAHundredTurnovers(t *testing.T) {
	require.Once(t)
	members := 2000
	if os.Getenv("BLOOMLANE_CHURN") == "full" {
		members = 1_000_000
	}
	for _, test := range []struct {
		name string // the name of the lifetime
		rate float64
		in   bool // whether the owner deletes from the generation that it knows
	}{
		{"oldest", 0.01, false},
		{"oldest", 0.001, true},
		{"random", 0.01, true},
		{"random", 0.001, false},
		{"pareto:1.5", 0.01, false},
		{"pareto:1.5", 0.001, true},
	} {
		const turnovers = 100
		life, err := planning.ParseLifetime(test.name)
		if err != nil {
			t.Fatal(err)
		}
		p := newPopulation(members, life)
		f := newFilter(t, Config{Members: members, Rate: test.rate, Stragglers: p.stragglers})
		bits := 8 * float64(f.Shape().Bytes()) / float64(members)
		if counting := 4 * 1.44 * math.Log2(1/test.rate); bits > counting {
			t.Errorf("%s, rate %g: %.1f bits per key, and %.1f of a counting filter", test.name,
				test.rate, bits, counting)
		}
		for place, hash := range p.Hashes() {
			p.generations[place] = mustInsert(t, f, hash)
		}
		var worst, last float64
		for range turnovers {
			for range members {
				place := p.Next()
				from := p.generations[place]
				if !test.in {
					from = 0
				}
				if f.DeleteHashIn(from, p.Hashes()[place]) == Absent {
					t.Fatalf("%s: a member is absent when deleted", test.name)
				}
				_, come := p.Replace()
				p.generations[place] = 0 // it is no member while Stragglers may run
				p.generations[place] = mustInsert(t, f, come)
			}
			last = f.Stats().Rate
			worst = max(worst, last)
		}
		s := f.Stats()
		nonMembers := make([]uint64, 1<<20)
		workload.Fill(rand.New(rand.NewPCG(uint64(members), 2)), nonMembers)
		sampled := float64(f.QueryHashBatch(nonMembers, nil)) / float64(len(nonMembers))
		for hash := range p.Live() {
			if !f.QueryHash(hash) {
				t.Fatalf("%s: a member is not found", test.name)
			}
		}
		if worst > 2*test.rate || sampled > 2*test.rate {
			t.Errorf("%s: rate %.3g at worst, %.3g by non-members, planned %g", test.name, worst,
				sampled, test.rate)
		}
		moves := float64(s.Moved) / float64(s.Inserts)
		if want := movesAnInsert(f.Shape().Generations,
			float64(f.Shape().Capacity)/float64(members)); test.name == "random" &&
			math.Abs(moves/want-1) > 0.1 {
			t.Errorf("%s, rate %g: %.3f moves an insert, want %.3f", test.name,
				test.rate, moves, want)
		}
		t.Logf("%-13s rate %g: %.1f bits per key; rate after %d turnovers %.3g, at worst %.3g, "+
			"by non-members %.3g; %.2f moves an insert, %.2f %% retained",
			test.name, test.rate, bits, turnovers, last, worst, sampled, moves,
			100*float64(s.Retained)/float64(s.Deleted+s.Retained))
	}
}

// movesAnInsert solves the equation of docs/theory/rolling.md, for members that leave at random.
func movesAnInsert(generations int, capacity float64) float64 {
	g := float64(generations)
	moved := func(x float64) float64 {
		return -math.Expm1(-x) * math.Exp(-(g-1)*x) /
			-math.Expm1(-g*x)
	}
	low, high := 0.0, capacity
	for range 60 {
		if x := (low + high) / 2; x+moved(x) < capacity {
			low = x
		} else {
			high = x
		}
	}
	return moved(low) / low
}
