package rolling

import (
	"context"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"testing"
)

// A lifetime draws how long a member stays in, in units that have no meaning of their own.
type lifetime func(rng *rand.Rand) float64

func oldest(*rand.Rand) float64     { return 1 }
func random(rng *rand.Rand) float64 { return rng.ExpFloat64() }

// heavyTailed is Pareto's of the second kind with the shape 1.5: it has a mean, and no variance.
func heavyTailed(rng *rand.Rand) float64 { return math.Pow(1-rng.Float64(), -1/1.5) - 1 }

// population is a number of members of which the one whose time has come is replaced by a new one, for
// ever: a heap by the time of death.
type population struct {
	rng     *rand.Rand
	life    lifetime
	members []member
}

type member struct {
	death      float64
	hash       uint64
	generation Generation
}

func newPopulation(n int, life lifetime) *population {
	p := &population{rng: rand.New(rand.NewPCG(uint64(n), 1)), life: life, members: make([]member, n)}
	for i := range p.members {
		// One after another, so that the first members go in order where all live alike.
		p.members[i] = member{death: float64(i)/float64(n) + life(p.rng), hash: p.rng.Uint64()}
	}
	for i := n/2 - 1; i >= 0; i-- {
		p.sift(i)
	}
	return p
}

// next returns the member to go, to be replaced by the one that newborn makes of it.
func (p *population) next() *member { return &p.members[0] }

func (p *population) newborn() {
	p.members[0].death += p.life(p.rng)
	p.members[0].hash = p.rng.Uint64()
}

func (p *population) sift(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(p.members); child++ {
			if p.members[child].death < p.members[least].death {
				least = child
			}
		}
		if least == i {
			return
		}
		p.members[i], p.members[least] = p.members[least], p.members[i]
		i = least
	}
}

// stragglers supplies the members of a generation, and notes that they move.
func (p *population) stragglers(_ context.Context, from, to Generation) iter.Seq2[uint64, error] {
	return func(yield func(uint64, error) bool) {
		for i := range p.members {
			if m := &p.members[i]; m.generation == from {
				m.generation = to
				if !yield(m.hash, nil) {
					return
				}
			}
		}
	}
}

// The acceptance: after 100 turnovers at most twice the planned rate, in no more memory than a counting
// Bloom filter of 4-bit counters takes for that rate, 4 * 1.44 * log2(1/rate) bits a key. With
// BLOOMLANE_CHURN=full a million members come and go, and 20,000 otherwise.
func TestRateAfterAHundredTurnovers(t *testing.T) {
	members := 20_000
	if os.Getenv("BLOOMLANE_CHURN") == "full" {
		members = 1_000_000
	} else if testing.Short() {
		members = 2000
	}
	for _, test := range []struct {
		name string
		life lifetime
		rate float64
		in   bool // whether the owner deletes from the generation that it knows
	}{
		{"delete-oldest", oldest, 0.01, false},
		{"delete-oldest", oldest, 0.001, true},
		{"delete-random", random, 0.01, true},
		{"delete-random", random, 0.001, false},
		{"heavy-tailed", heavyTailed, 0.01, false},
		{"heavy-tailed", heavyTailed, 0.001, true},
	} {
		const turnovers = 100
		p := newPopulation(members, test.life)
		f := newFilter(t, Config{Members: members, Rate: test.rate, Stragglers: p.stragglers})
		bits := 8 * float64(f.Plan().Bytes) / float64(members)
		if counting := 4 * 1.44 * math.Log2(1/test.rate); bits > counting {
			t.Errorf("%s, rate %g: %.1f bits a key, and %.1f of a counting filter", test.name, test.rate, bits, counting)
		}
		for i := range p.members {
			p.members[i].generation = mustInsert(t, f, p.members[i].hash)
		}
		var worst, last float64
		for range turnovers {
			for range members {
				m := p.next()
				from := m.generation
				if !test.in {
					from = 0
				}
				if f.DeleteHashIn(from, m.hash) == Absent {
					t.Fatalf("%s: a member is absent when deleted", test.name)
				}
				p.newborn()
				m.generation = 0 // no member while Stragglers may be asked
				m.generation = mustInsert(t, f, m.hash)
				p.sift(0)
			}
			last = f.Stats().RateNow
			worst = max(worst, last)
		}
		s := f.Stats()
		nonMembers := make([]uint64, 1<<20)
		for i := range nonMembers {
			nonMembers[i] = p.rng.Uint64()
		}
		sampled := float64(f.QueryHashBatch(nonMembers, nil)) / float64(len(nonMembers))
		for _, m := range p.members {
			if !f.QueryHash(m.hash) {
				t.Fatalf("%s: a member is not found", test.name)
			}
		}
		if worst > 2*test.rate || sampled > 2*test.rate {
			t.Errorf("%s: rate %.3g at worst, %.3g by non-members, planned %g", test.name, worst, sampled, test.rate)
		}
		moves := float64(s.Moved) / float64(s.Inserts)
		if want := movesAnInsert(f.Plan().Generations, float64(f.Plan().Capacity)/float64(members)); test.name == "delete-random" && math.Abs(moves/want-1) > 0.1 {
			t.Errorf("%s, rate %g: %.3f moves an insert, want %.3f", test.name, test.rate, moves, want)
		}
		t.Logf("%-13s rate %g: %.1f bits a key; rate after %d turnovers %.3g, at worst %.3g, by non-members %.3g; %.2f moves an insert, %.2f %% retained",
			test.name, test.rate, bits, turnovers, last, worst, sampled, moves,
			100*float64(s.Retained)/float64(s.Deleted+s.Retained))
	}
}

// movesAnInsert solves the equations of the package documentation, of members that go at random.
func movesAnInsert(generations int, capacity float64) float64 {
	g := float64(generations)
	moved := func(x float64) float64 { return -math.Expm1(-x) * math.Exp(-(g-1)*x) / -math.Expm1(-g*x) }
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
