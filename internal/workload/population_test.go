package workload

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter/planning"
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

// lives are lifetimes with their theory: the part of the members in equilibrium that are younger
// than x, which is also the part that leaves before another x.
func lives(t *testing.T) map[string]func(x float64) float64 {
	t.Helper()
	// half of all live for 0.2 times as long as the others, and the mean is 1
	const brief, long = 0.2 / 0.6, 1 / 0.6
	observed := filepath.Join(t.TempDir(), "lifetimes")
	if err := os.WriteFile(observed, []byte("1\n3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return map[string]func(x float64) float64{
		"oldest":     func(x float64) float64 { return min(x, 1) },
		"random":     func(x float64) float64 { return 1 - math.Exp(-x) },
		"pareto:1.5": func(x float64) float64 { return 1 - 1/math.Sqrt(1+2*x) },
		"mixture:0.5:0.2": func(x float64) float64 {
			return 0.5*brief*(1-math.Exp(-x/brief)) + 0.5*long*(1-math.Exp(-x/long))
		},
		"@" + observed: func(x float64) float64 { return (min(x, 0.5) + min(x, 1.5)) / 2 },
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
	for name, theory := range lives(t) {
		p := NewPopulation(members, must[planning.Lifetime](t)(ParseLifetime(name, nil)),
			newRand(5))
		now := 0.0
		born := slices.Repeat([]float64{math.Inf(-1)}, members)
		for turnovers := range 4 {
			rests, ages := make([]float64, members), make([]float64, members)
			for i, l := range p.leave {
				rests[i], ages[i] = l.at-now, now-born[l.place]
			}
			if d := distance(rests, theory, math.Inf(1)); d > limit {
				t.Errorf("%s, %d turnovers: rests are %.4f off the theory, want at most %.4f", name,
					turnovers, d, limit)
			}
			if d := distance(ages, theory, now); d > limit {
				t.Errorf("%s, %d turnovers: ages are %.4f off the theory, want at most %.4f", name,
					turnovers, d, limit)
			}
			if math.Abs(now-float64(turnovers)) > 0.05 {
				t.Errorf("%s: %d turnovers took %.3f mean lifetimes", name, turnovers, now)
			}
			for range members {
				now = p.leave[0].at
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
	for name := range lives(t) {
		for _, members := range []int{1, 2, 3, 10, 67} {
			life := must[planning.Lifetime](t)(ParseLifetime(name, nil))
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
	p := NewPopulation(4, planning.Random(), newRand(1))
	got := fmt.Sprintf("%x", p.Hashes())
	gone, come := p.Replace()
	got += fmt.Sprintf(" %x %x", gone, come)
	const want = "[1a3d1e601c115a0b 1b19209a87b1226d ef1e7da7935e9b56 e9ba58c435477cdc] " +
		"1a3d1e601c115a0b 4bed81895646bf1c"
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestParseLifetime(t *testing.T) {
	write := func(content string) string {
		name := filepath.Join(t.TempDir(), "lifetimes")
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return "@" + name
	}
	for _, test := range []struct{ text, want string }{
		{"oldest", "oldest"}, {"random", "random"}, {"pareto:1.5", "pareto:1.5"},
		{"mixture:0.9:0.1", "mixture:0.9:0.1"},
		{write("3\n 1.5\n40\n"), "observed:3"},
	} {
		if life, err := ParseLifetime(test.text, nil); err != nil || life.String() != test.want {
			t.Errorf("%s: %v (%v), want %s", test.text, life, err, test.want)
		}
	}
	for _, test := range []struct{ text, want string }{
		{"eternal", "eternal"}, {"pareto:1", "shape above 1"}, {"@", "no such file"},
		{write("3\nlong\n"), "line 2: found \"long\", expected a number"},
		{write(""), "at least one sample"},
		{write(strings.Repeat("1\n", 1_000_001)), "more than 1000000 lifetimes"},
		{write(strings.Repeat("1", 1<<17)), "line 1"}, {write("-1\n"), "above 0"},
	} {
		if life, err := ParseLifetime(test.text, nil); err == nil ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%.40s: %v (%v), want an error with %q", test.text, life, err, test.want)
		}
	}
}
