package workload

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

func must[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// lifetime is a distribution with its theory. younger is the part of the members in equilibrium
// that are younger than x, which is also the part that leaves before another x.
type lifetime struct {
	draw    func(rng *rand.Rand) float64
	younger func(x float64) float64
}

func (l lifetime) Draw(rng *rand.Rand) float64 { return l.draw(rng) }

func (l lifetime) DrawRest(rng *rand.Rand) float64 {
	u, low, high := rng.Float64(), 0.0, 1.0
	for l.younger(high) < u {
		high *= 2
	}
	for range 53 { // the bits of u
		if middle := (low + high) / 2; l.younger(middle) < u {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// random is the lifetime of members of which a random one leaves.
var random = lifetime{
	(*rand.Rand).ExpFloat64,
	func(x float64) float64 { return -math.Expm1(-x) },
}

func lives() map[string]lifetime {
	// half of all live for 0.2 times as long as the others, and the mean is 1
	const brief, long = 0.2 / 0.6, 1 / 0.6
	either := func(rng *rand.Rand, short, other float64) float64 {
		if rng.Float64() < 0.5 {
			return short
		}
		return other
	}
	return map[string]lifetime{
		"constant": {
			func(*rand.Rand) float64 { return 1 },
			func(x float64) float64 { return min(x, 1) },
		},
		"random": random,
		"heavy": { // a Pareto distribution with the shape of 1.5
			func(rng *rand.Rand) float64 { return 0.5 * math.Expm1(rng.ExpFloat64()/1.5) },
			func(x float64) float64 { return 1 - 1/math.Sqrt(1+2*x) },
		},
		"mixture": {
			func(rng *rand.Rand) float64 { return either(rng, brief, long) * rng.ExpFloat64() },
			func(x float64) float64 {
				return 0.5*brief*(1-math.Exp(-x/brief)) + 0.5*long*(1-math.Exp(-x/long))
			},
		},
		"two values": {
			func(rng *rand.Rand) float64 { return either(rng, 0.5, 1.5) },
			func(x float64) float64 { return (min(x, 0.5) + min(x, 1.5)) / 2 },
		},
	}
}

// distance is Kolmogorov's: the furthest that the distribution of the samples is from the theory,
// below an age.
func distance(samples []float64, theory func(x float64) float64, below float64) (furthest float64) {
	slices.Sort(samples)
	n := float64(len(samples))
	for i, x := range samples {
		if x < below {
			furthest = max(furthest, math.Abs(theory(x)-float64(i)/n),
				math.Abs(theory(x)-float64(i+1)/n))
		}
	}
	return furthest
}

// A population begins in equilibrium, and stays there: ages and rests are those of the theory, and
// as many leave in a mean lifetime as there are members.
func TestEquilibrium(t *testing.T) {
	const members = 20_000
	limit := 1.95 / math.Sqrt(members) // exceeded once in a thousand times
	for name, life := range lives() {
		p := NewPopulation(members, life, newRand(5))
		now := 0.0
		born := slices.Repeat([]float64{math.Inf(-1)}, members)
		for turnovers := range 4 {
			rests, ages := make([]float64, members), make([]float64, members)
			for i, l := range p.leave {
				rests[i], ages[i] = l.end-now, now-born[l.place]
			}
			if d := distance(rests, life.younger, math.Inf(1)); d > limit {
				t.Errorf("%s, %d turnovers: rests are %.4f off the theory, want at most %.4f", name,
					turnovers, d, limit)
			}
			if d := distance(ages, life.younger, now); d > limit {
				t.Errorf("%s, %d turnovers: ages are %.4f off the theory, want at most %.4f", name,
					turnovers, d, limit)
			}
			if math.Abs(now-float64(turnovers)) > 0.05 {
				t.Errorf("%s: %d turnovers took %.3f mean lifetimes", name, turnovers, now)
			}
			for range members {
				now = p.leave[0].end
				place := p.Next()
				p.Replace()
				born[place] = now
			}
		}
	}
}

// A population is what its definition says, without a heap: the member with the earliest time
// leaves, and its place is taken by a new one.
func TestPopulationIsItsDefinition(t *testing.T) {
	for name, life := range lives() {
		for _, members := range []int{1, 2, 3, 10, 67} {
			p, rng := NewPopulation(members, life, newRand(9)), newRand(9)
			type member struct {
				leaves float64
				hash   uint64
			}
			var all []member
			for range members {
				all = append(all, member{life.DrawRest(rng), rng.Uint64()})
			}
			if p.Len() != members {
				t.Fatalf("%d members, want %d", p.Len(), members)
			}
			for step := range 500 {
				want := 0
				for i := range all {
					if all[i].leaves < all[want].leaves {
						want = i
					}
				}
				gone := all[want].hash
				all[want].leaves += life.Draw(rng)
				all[want].hash = rng.Uint64()
				place := p.Next()
				if p.Hashes()[place] != gone {
					t.Fatalf("%s, step %d: the next to leave is %x, want %x", name, step,
						p.Hashes()[place], gone)
				}
				before := slices.Clone(p.Hashes())
				left, came := p.Replace()
				before[place] = came
				if left != gone || came != all[want].hash || !slices.Equal(p.Hashes(), before) {
					t.Fatalf("%s, step %d: %x replaced by %x, want %x by %x, and no other", name,
						step, left, came, gone, all[want].hash)
				}
				var hashes []uint64
				for _, m := range all {
					hashes = append(hashes, m.hash)
				}
				slices.Sort(hashes)
				if live := slices.Sorted(p.Live()); !slices.Equal(live, hashes) {
					t.Fatalf("%s, step %d: the live hashes are not those of the members", name,
						step)
				}
			}
		}
	}
}

// What a population gives first is the recorded studies' first.
func TestPopulationIsRepeatable(t *testing.T) {
	p := NewPopulation(4, random, newRand(1))
	got := fmt.Sprintf("%x", p.Hashes())
	gone, come := p.Replace()
	got += fmt.Sprintf(" %x %x", gone, come)
	const want = "[1a3d1e601c115a0b 1b19209a87b1226d ef1e7da7935e9b56 e9ba58c435477cdc] " +
		"1a3d1e601c115a0b 4bed81895646bf1c"
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
