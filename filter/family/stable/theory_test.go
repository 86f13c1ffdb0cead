package stable

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// chain returns the probability that a cell is 0 after n inserts: step by step, from a value.
func chain(s Shape, from, n int) float64 {
	m := float64(s.Cells())
	p, q := float64(s.Decrements)/m, 1-math.Pow(1-1/m, float64(s.Hashes))
	share := make([]float64, s.Highest()+1)
	share[from] = 1
	for range n {
		for value := range s.Highest() { // take one
			down := p * share[value+1]
			share[value] += down
			share[value+1] -= down
		}
		for value := range share { // set
			share[value] *= 1 - q
		}
		share[s.Highest()] += q
	}
	return share[0]
}

// Equations 1, 4 and 5 agree with what a cell does, insert by insert. The paper's equation 1 is
// near.
func TestEquations(t *testing.T) {
	for _, s := range []Shape{
		{10, 1, 3, 5}, {10, 1, 6, 640}, {20, 2, 4, 17}, {40, 3, 5, 67}, {100, 4, 6, 142},
		{30, 5, 1, 1}, {7, 8, 9, 50}, {1, 4, 64, 16},
	} {
		for _, n := range []int{0, 1, 2, s.Highest() - 1, s.Highest(), 30, 100, 1000, 20_000} {
			if got, want := s.Zeros(n), chain(s, 0, n); math.Abs(got-want) > 1e-10 {
				t.Errorf("%v: after %d inserts %.12g are 0, want %.12g", s, n, got, want)
			}
			want := chain(s, s.Highest(), n)
			if got := s.fallen(n); math.Abs(got-want) > 1e-10 || want > 1e-200 &&
				math.Abs(got/want-1) > 1e-6 {
				t.Errorf("%v: after %d inserts a cell is 0 with %.12g, want %.12g", s, n, got, want)
			}
			missed := 1 - math.Pow(1-want, float64(s.Hashes))
			if got := s.Missed(n); math.Abs(got-missed) > 1e-9 {
				t.Errorf("%v: %.12g are missed after %d, want %.12g", s, got, n, missed)
			}
			if got, want := s.Rate(n),
				math.Pow(1-chain(s, 0, n), float64(s.Hashes)); math.Abs(got-want) > 1e-9 {
				t.Errorf("%v: a rate of %.12g after %d, want %.12g", s, got, n, want)
			}
		}
		if got, want := s.StablePoint(), s.Zeros(1_000_000); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v: the stable point is %.12g, the limit %.12g", s, got, want)
		}
		k, m, p := float64(s.Hashes), float64(s.Cells()), float64(s.Decrements)
		if k > m/10 {
			continue
		}
		printed := math.Pow(1/(1+1/(p*(1/k-1/m))), float64(s.Highest()))
		if got := s.StablePoint(); math.Abs(got-printed) >
			k/m*printed*float64(s.Highest())*k/p+1e-12 {
			t.Errorf("%v: the stable point is %.6g, the paper's %.6g", s, got, printed)
		}
	}
}

// The decrements for a rate are the fewest that keep it, and those of the paper's equation but for
// rounding.
func TestDecrementsForARate(t *testing.T) {
	for _, s := range []Shape{{1000, 1, 3, 0}, {1000, 2, 6, 0}, {1000, 3, 5, 0}, {1000, 4, 1, 0},
		{5000, 6, 10, 0}} {
		for _, rate := range []float64{0.3, 0.05, 0.01, 0.001} {
			planned, found := s.decrementsFor(rate)
			k, m := float64(s.Hashes), float64(s.Cells())
			paper := 1 /
				((1/math.Pow(1-math.Pow(rate, 1/k), 1/float64(s.Highest())) - 1) * (1/k - 1/m))
			if !found {
				if paper < m {
					t.Errorf("%v: none for a rate of %g, the paper has %g", s, rate, paper)
				}
				continue
			}
			fewer := planned
			fewer.Decrements--
			if planned.StableRate() > rate || fewer.Decrements > 0 && fewer.StableRate() <= rate ||
				math.Abs(float64(planned.Decrements)-paper) > 1+paper*k/m {
				t.Errorf("%v: a rate of %g for %g; the paper has P = %g", planned,
					planned.StableRate(), rate, paper)
			}
		}
	}
}

// simulated are shapes of what the simulations are about: few and many decrements, narrow and wide
// cells.
var simulated = []Shape{
	{20, 1, 3, 11}, {60, 2, 4, 30}, {64, 3, 5, 67}, {80, 4, 6, 142}, {80, 4, 3, 40},
	{130, 5, 6, 296}, {200, 8, 2, 700},
}

// interval returns a mean, and 4 of its standard deviations.
func interval(x []float64) (mean, within float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		within += (v - mean) * (v - mean)
	}
	return mean, 4 * math.Sqrt(within/float64(len(x)-1)/float64(len(x)))
}

// The part of the cells that are 0 goes to the stable point by equation 4, and stays there. The
// rate is that of equation 2. The fill of a filter of few cells varies, which raises the rate: here
// by 3 % at most.
func TestConvergence(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	for _, s := range simulated {
		seed := rng.Uint64()
		t.Run(s.String(), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(seed, 3))
			// to empty a cell
			turn := int(float64(s.Highest())*float64(s.Cells())/float64(s.Decrements)) + 1
			steps := []int{turn / 4, turn / 2, turn, 2 * turn, 6 * turn, 12 * turn}
			zeros, rates := make([][]float64, len(steps)), make([][]float64, len(steps))
			for range 150 {
				f, done := newShape(t, s), 0
				// else all filters take from the same cells
				base.Open(&f.Body).random = rng.Uint64() | 1
				for i, step := range steps {
					insert(t, f, workload.Hashes(rng, step-done))
					done = step
					const probes = 500
					zeros[i] = append(zeros[i], 1-f.State().Fill)
					rates[i] = append(rates[i],
						float64(f.QueryHashBatch(workload.Hashes(rng, probes), nil))/probes)
				}
			}
			for i, step := range steps {
				if got, within := interval(zeros[i]); math.Abs(got-s.Zeros(step)) > within+1e-9 {
					t.Errorf("after %d: %.4f ± %.4f are 0, want %.4f", step, got, within,
						s.Zeros(step))
				}
				got, within := interval(rates[i])
				within += 3.0 / 150 / 500 // where none, or one, of all was found
				if want := s.Rate(step); got < want-within || got > 1.03*want+within {
					t.Errorf("after %d: rate %.5f ± %.5f, want %.5f", step, got, within, want)
				}
			}
			if end := s.Zeros(steps[5]); math.Abs(end-s.StablePoint()) > 0.01 {
				t.Errorf("%.4f after %d, the stable point is %.4f", end, steps[5], s.StablePoint())
			}
		})
	}
}

// The mean rate, over the time after many inserts, is at most the planned one in windows of 1,000
// keys, and little above it in smaller ones.
func TestSmallWindows(t *testing.T) {
	looks := 20_000
	if testing.Short() {
		looks = 4000
	}
	for _, test := range []struct {
		window int
		most   float64
	}{{10, 1.15}, {100, 1.05}, {1000, 1}} {
		for _, rate := range []float64{0.1, 0.001} {
			for _, c := range []Config{{}, {Width: 1, Missed: 0.9}, {Width: 2, Missed: 0.5}} {
				c.Members, c.Rate = test.window, rate
				f, rng := newFilter(t, c), rand.New(rand.NewPCG(11, uint64(test.window)))
				insert(t, f, workload.Hashes(rng, 20*test.window))
				groups := make([]float64, 40) // of looks that follow one another
				for i := range looks {
					insert(t, f, workload.Hashes(rng, max(1, test.window/20)))
					groups[i*len(groups)/looks] += f.State().Rate *
						float64(len(groups)) / float64(looks)
				}
				if mean, within := interval(groups); mean > test.most*rate+within {
					t.Errorf("%+v: a rate of %.5g ± %.2g, want at most %g of the planned one", c,
						mean, within, test.most)
				}
			}
		}
	}
}

// A key is missed by equation 6, by how many others came after it, also in a filter that is not
// stable yet.
func TestMissed(t *testing.T) {
	for _, s := range simulated {
		t.Run(s.String(), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(5, 3))
			turn := int(float64(s.Highest())*float64(s.Cells())/float64(s.Decrements)) + 1
			gaps := []int{0, turn / 8, turn / 4, turn / 2, turn, 2 * turn, 8 * turn}
			missed := make([][]float64, len(gaps))
			for round := range 100 {
				f := newShape(t, s)
				base.Open(&f.Body).random = rng.Uint64() | 1
				insert(t, f, workload.Hashes(rng, round%4*turn))
				stream := workload.Hashes(rng, 9*turn)
				insert(t, f, stream)
				for i, gap := range gaps { // of the keys with about that gap
					from, to := len(stream)-gap-1-gap/50, len(stream)-gap
					found := f.QueryHashBatch(stream[from:to], nil)
					want := 0.0
					for g := gap; g <= gap+gap/50; g++ {
						want += s.Missed(g) / float64(to-from)
					}
					missed[i] = append(missed[i], 1-float64(found)/float64(to-from)-want)
				}
			}
			for i, gap := range gaps {
				off, within := interval(missed[i])
				if math.Abs(off) > within+0.01 || gap == 0 && off != 0 {
					t.Errorf("%.4f of keys are missed after %d others, %+.4f ± %.4f", s.Missed(gap),
						gap, off, within)
				}
			}
		})
	}
}

// Keys that come again leave more cells at 0 than keys that differ. So the stable point, and the
// rate there, are bounds. The more a stream is skewed, the further it is from them.
func TestDuplicatesLowerTheRate(t *testing.T) {
	s := Shape{200, 3, 5, 67}
	before := s.StablePoint()
	for _, skew := range []float64{1.05, 1.3, 2} {
		r := rand.New(rand.NewPCG(9, 3))
		zipf := rand.NewZipf(r, skew, 1, 1<<30)
		f := newShape(t, s)
		var zeros []float64
		for step := range 40_000 {
			if _, err := f.InsertUint64(zipf.Uint64()); err != nil {
				t.Fatal(err)
			}
			if step > 5000 && step%100 == 0 {
				zeros = append(zeros, 1-f.State().Fill)
			}
		}
		mean, _ := interval(zeros)
		if mean < before+0.005 {
			t.Errorf("skew %g: %.4f are 0, want more than %.4f", skew, mean, before)
		}
		before = mean
	}
}

// The tails of a binomial distribution are those of its terms, where they are tiny too.
func TestAtLeast(t *testing.T) {
	for _, n := range []int{0, 1, 5, 40, 300} {
		for _, p := range []float64{1e-9, 0.01, 0.3, 0.5, 0.97, 1} {
			terms := []float64{1} // of n trials, one more at a time
			for range n {
				terms = append(terms, 0)
				for i := len(terms) - 1; i > 0; i-- {
					terms[i] = terms[i]*(1-p) + terms[i-1]*p
				}
				terms[0] *= 1 - p
			}
			sum := 0.0
			for number := n; number >= 0; number-- {
				sum += terms[number]
				if got := atLeast(number, n, p); math.Abs(got-sum) > 1e-11 || sum > 1e-280 &&
					sum < 1e-3 && math.Abs(got/sum-1) > 1e-9 {
					t.Errorf("%d of %d with %g: %g, want %g", number, n, p, got, sum)
				}
			}
			if got := atLeast(n+1, n, p); got != 0 {
				t.Errorf("%d of %d: %g", n+1, n, got)
			}
		}
	}
}

// Sizes, some of which the package documentation has.
func TestDocumentedSizes(t *testing.T) {
	for _, test := range []struct {
		config     Config
		bits, rate float64 // per key, and in percent
		k, p       int
	}{
		{Config{Rate: 0.1}, 30.8, 10, 3, 71}, {Config{Rate: 0.01}, 68.1, 1, 6, 142},
		{Config{Rate: 0.001}, 107.3, 0.1, 9, 212}, {Config{Rate: 0.0001}, 148.6, 0.01, 12, 283},
		{Config{BitsPerKey: 16}, 16, 27.8, 2, 39}, {Config{BitsPerKey: 32}, 32, 9.32, 3, 73},
		{Config{BitsPerKey: 64}, 64, 1.28, 5, 136}, {Config{BitsPerKey: 96}, 96, 0.193, 8, 192},
		{Config{BitsPerKey: 128}, 128, 0.0312, 10, 249},
		{Config{Rate: 0.01, Width: 1}, 311.7, 1, 3, 11},
		{Config{Rate: 0.01, Width: 2}, 93.2, 1, 4, 30},
		{Config{Rate: 0.01, Width: 3}, 72.7, 1, 5, 67},
		{Config{Rate: 0.01, Width: 5}, 74.7, 1, 6, 296},
		{Config{Rate: 0.01, Missed: 0.5}, 50.5, 1, 6, 142},
		{Config{Rate: 0.01, Missed: 0.01}, 90.6, 1, 6, 142},
		{Config{Rate: 0.01, Missed: 0.001}, 114.8, 1, 6, 142},
	} {
		test.config.Members = 1_000_000
		s, err := test.config.Shape()
		bits, rate := 64e-6*float64(s.Words), 100*s.StableRate()
		if err != nil || math.Abs(bits-test.bits) > 0.05 || rate > 1.005*test.rate ||
			rate < 0.95*test.rate || s.Hashes != test.k || s.Decrements != test.p {
			t.Errorf("%+v: %v, %.1f bits per key, rate %.3g %%, want %+v (%v)", test.config, s,
				bits, rate, test, err)
		}
		if test.config.Missed != 0 || test.config.Width != 0 || test.config.Rate != 0.01 {
			continue
		}
		if at9, at5 := s.Missed(900_000), s.Missed(500_000); math.Abs(at9-0.046) > 0.001 ||
			math.Abs(at5-0.00016) > 0.00001 {
			t.Errorf("%v: %.3g missed at nine tenths of the window, and %.3g at half", s, at9, at5)
		}
	}
}
