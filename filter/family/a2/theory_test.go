package a2

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/internal/bloom"
	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// interval returns the mean of a sample, and the half of its interval of 4 standard errors.
func interval(sample []float64) (mean, within float64) {
	for _, x := range sample {
		mean += x / float64(len(sample))
	}
	for _, x := range sample {
		within += (x - mean) * (x - mean)
	}
	return mean, 4 * math.Sqrt(within) / float64(len(sample))
}

// With both buffers full the rate is the planned one: by the bits, by sampled keys, by the theory
// and by the state. Over a turn it has the mean of equation 6.
func TestRateIsThatOfTheTheory(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for _, test := range []struct {
		config  Config
		filters int
	}{
		{Config{Members: 1000, Rate: 0.5}, 400}, {Config{Members: 300, Rate: 0.1}, 1000},
		{Config{Members: 2000, Rate: 0.01}, 200},
		{Config{Members: 1000, Rate: 0.001}, 400},
		{Config{Members: 1000, BitsPerKey: 12, Hashes: 2}, 400},
		{Config{Members: 500, BitsPerKey: 4}, 800},
	} {
		const samples = 1000
		c := test.config
		var full, half, turn, sampled []float64
		var f *Filter
		for range test.filters {
			f = newFilter(t, c)
			fillTo(t, f, rng, 2, c.Members/2)
			half = append(half, f.Stats().Rate)
			fillTo(t, f, rng, 3, 1)
			sum, points := 0.0, 0
			for came := 0; base.Open(&f.Body).held < uint64(c.Members); came++ {
				if came%(c.Members/16) == c.Members/32 {
					sum += f.Stats().Rate
					points++
				}
				mustInsert(t, f, rng.Uint64())
			}
			turn = append(turn, sum/float64(points))
			full = append(full, f.Stats().Rate)
			sampled = append(sampled,
				float64(f.QueryHashBatch(workload.Hashes(rng, samples), nil))/samples)
		}
		want := f.Shape().Rate(2 * c.Members)
		mean, within := interval(full)
		if math.Abs(mean-want) > within+0.002*want || c.Rate > 0 &&
			(want > c.Rate || mean > c.Rate+within) {
			t.Errorf("%+v: rate %.5g ± %.1g, in theory %.5g", c, mean, within, want)
		}
		if got, error := interval(sampled); math.Abs(got-mean) > error+within {
			t.Errorf("%+v: rate %.5g ± %.1g by samples, %.5g by the bits", c, got, error, mean)
		}
		if said := f.State(); math.Abs(said.Rate-want) > 1e-12 ||
			said.Members != 2*float64(c.Members) || said.Scanned ||
			math.Abs(said.Fill-fillOf(f)) > 0.1*said.Fill {
			t.Errorf("%+v: the state is %+v, fill %.3f", c, said, fillOf(f))
		}
		over, error := interval(turn)
		if theory := meanRate(base.Open(&f.Body).Shape, c.Members); math.Abs(over-theory) >
			error+0.03*theory {
			t.Errorf("%+v: over a turn %.5g ± %.1g, in theory %.5g", c, over, error, theory)
		}
		f = newFilter(t, c)
		fillTo(t, f, rng, 2, c.Members/2)
		if got, error := interval(half); math.Abs(got-f.State().Rate) > error+0.003*got {
			t.Errorf("%+v: with the first half full %.5g ± %.1g, by the state %.5g", c, got, error,
				f.State().Rate)
		}
		t.Logf("%+v: %v: full %.5g ± %.1g, theory %.5g; over a turn %.5g, theory %.5g", c,
			base.Open(&f.Body).Shape, mean, within, want, over,
			meanRate(base.Open(&f.Body).Shape, c.Members))
	}
}

// With both buffers full the mean rate of small windows is little above the planned one, because
// the formulas take the number of set bits as normal.
func TestSmallWindows(t *testing.T) {
	filters := 20_000
	if testing.Short() {
		filters = 4000
	}
	for _, test := range []struct {
		window int
		most   float64
	}{{1, 1.05}, {3, 1.05}, {10, 1.05}, {30, 1.05}, {100, 1.01}, {300, 1.01}} {
		for _, rate := range []float64{0.5, 0.1, 0.001} {
			f := newFilter(t, Config{Members: test.window, Rate: rate})
			rng := rand.New(rand.NewPCG(12, uint64(test.window)))
			rates := make([]float64, max(400, filters/test.window))
			for i := range rates {
				f.Reset()
				fillTo(t, f, rng, 1, test.window)
				rates[i] = f.Stats().Rate
			}
			if mean, within := interval(rates); mean > test.most*rate+within {
				t.Errorf("a window of %d: a rate of %.5g ± %.2g, want at most %g of %g",
					test.window, mean, within, test.most, rate)
			}
		}
	}
}

// fillTo inserts random keys until the given turns were made and the first buffer has the given
// keys.
func fillTo(t *testing.T, f *Filter, rng *rand.Rand, turns, keys int) {
	t.Helper()
	for table := base.Open(&f.Body); table.turns < uint64(turns) || table.held < uint64(keys); {
		if _, err := f.InsertHash(rng.Uint64()); err != nil {
			t.Fatal(err)
		}
	}
}

func fillOf(f *Filter) float64 {
	s := f.Stats()
	return float64(s.First.Ones+s.Second.Ones) / float64(f.Shape().Bits)
}

// A size by a rate is the smallest that keeps it, and near equations 3 and 4. A size by bits has
// exactly these bits.
func TestSizing(t *testing.T) {
	for _, members := range []int{1, 10, 1000, 1_000_000} {
		for _, rate := range []float64{0.9, 0.5, 0.1, 0.01, 1e-4, 1e-9} {
			f := newFilter(t, Config{Members: members, Rate: rate})
			if got := f.Shape().Rate(2 * members); got > rate {
				t.Errorf("%v: a rate of %g, planned %g", f, got, rate)
			}
			size := base.Open(&f.Body).Shape
			for size.Span, size.Hashes = size.Span-1, 1; size.Span > 0 &&
				size.Hashes <= MaxHashes; size.Hashes++ {
				of := size.Rate(arrivals(size, members))
				if either(of, of) < rate*(1-1e-3) {
					t.Errorf("%d members, rate %g: %v is smaller than %v and keeps the rate",
						members, rate, size, f)
				}
			}
			best := -math.Log2(1 - math.Sqrt(1-rate)) // equation 3
			bits := 2 * best / math.Ln2               // equation 4
			if got := float64(f.Shape().Bits) / float64(members); members >= 1000 && rate <= 0.01 &&
				(math.Abs(got/bits-1) > 0.01 || math.Abs(float64(f.Shape().Hashes)-best) > 1) {
				t.Errorf("%d members, rate %g: %.2f bits per key and %d hashes, by the equations "+
					"%.2f and %.2f",
					members, rate, got, f.Shape().Hashes, bits, best)
			}
		}
	}
	if f := newFilter(t, Config{Members: 1000, BitsPerKey: 15.9999}); f.Shape().Bits != 16_000 ||
		f.Shape().Hashes != 6 || f.State().Bytes != 2000 {
		t.Errorf("%v, %d bits in %d bytes", f, f.Shape().Bits, f.State().Bytes)
	}
	if f := newFilter(t, Config{Members: 1001, BitsPerKey: 9, Hashes: 3}); f.Shape().Bits != 9010 ||
		f.Shape().Hashes != 3 || f.Shape().Window != 1001 {
		t.Errorf("%v, %d bits", f, f.Shape().Bits)
	}
	for field, all := range map[string][]Config{
		"Members": {{Rate: 0.1}, {Members: -1, Rate: 0.1}},
		"BitsPerKey": {{Members: 1}, {Members: 1, BitsPerKey: 3.99},
			{Members: 1, BitsPerKey: math.NaN()}, {Members: 1 << 30, BitsPerKey: 1 << 12}},
		"Rate": {{Members: 1, Rate: 1}, {Members: 1, Rate: -0.1},
			{Members: planning.MaxMembers, Rate: 0.5}},
		"Hashes": {{Members: 1, Rate: 0.1, Hashes: -1},
			{Members: 1, Rate: 0.1, Hashes: MaxHashes + 1}},
	} {
		for _, c := range all {
			var sizing *filter.SizingError
			if _, err := New(c); !errors.As(err, &sizing) || sizing.Field != field ||
				sizing.Kind != "a2" {
				t.Errorf("%+v: %v, want an error of %s", c, err, field)
			}
		}
	}
}

// Equation 5: the number of keys that come to a buffer until it has counted n.
func TestArrivals(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for _, test := range []struct {
		shape   bloom.Shape
		counted int
	}{
		{bloom.Shape{Blocks: 1, Span: 1000, Hashes: 1}, 700},
		{bloom.Shape{Blocks: 1, Span: 2000, Hashes: 2}, 800},
		{bloom.Shape{Blocks: 1, Span: 5000, Hashes: 7}, 500},
		{bloom.Shape{Blocks: 1, Span: 1000, Hashes: 4}, 400},
	} {
		var came []float64
		for range 1000 {
			b, counted, n := bloom.NewTable(test.shape), 0, 0.0
			for ; counted < test.counted; n++ {
				if !b.Insert(rng.Uint64()) {
					counted++
				}
			}
			came = append(came, n)
		}
		mean, within := interval(came)
		if got := float64(arrivals(test.shape, test.counted)); math.Abs(got-mean) > within+1 {
			t.Errorf("%v: %.1f ± %.1f keys until %d are counted, in theory %.0f", test.shape, mean,
				within, test.counted, got)
		}
	}
	if got := arrivals(bloom.Shape{Blocks: 1, Span: 100, Hashes: 7}, 0); got != 0 {
		t.Errorf("%d keys before the first", got)
	}
}

// double is double buffering: what is inserted goes to the active buffer, and from its half on to
// the other too; only the active one is asked; when it has its keys, it is cleared, and the other
// is the active one.
type double struct {
	active, next bloom.Table
	planned      int // keys of a buffer
	held, warm   int
}

func (d *double) insert(hash uint64) {
	if !d.active.Insert(hash) {
		d.held++
	}
	if 2*d.held > d.planned && !d.next.Insert(hash) {
		d.warm++
	}
	if d.held >= d.planned {
		clear(d.active.Words)
		d.active, d.next = d.next, d.active
		d.held, d.warm = d.warm, 0
	}
}

// Equations 7 and 8: for how many other keys a key is present in two active buffers, and in double
// buffering with the same bits and the same highest rate.
func TestWindowAgainstDoubleBuffering(t *testing.T) {
	const bits, keys = 1 << 16, 40_000
	rng := rand.New(rand.NewPCG(8, 8))
	for _, rate := range []float64{0.05, 0.01, 0.001} {
		// The most keys that either keeps the rate with.
		half := rate / (1 + math.Sqrt(1-rate))
		ours, theirs := most(bits/2, half), most(bits/2, rate)
		a := newFilter(t, Config{Members: ours, BitsPerKey: bits / float64(ours)})
		size := bloom.Plan{Inserts: theirs}.OfBits(bits / 2)
		d := &double{active: bloom.NewTable(size), next: bloom.NewTable(size), planned: theirs}
		query := func(hash uint64) bool { return d.active.Query(hash) }
		least, mean, highest := lifetimes(rng, keys, func(h uint64) { mustInsert(t, a, h) },
			a.QueryHash, func() float64 { return a.Stats().Rate })
		dLeast, dMean, dHighest := lifetimes(rng, keys, d.insert, query, func() float64 {
			_, rate := d.active.Count()
			return rate
		})
		n, nd := float64(ours), float64(theirs)
		if least < ours || float64(least) > 1.01*n || math.Abs(mean/(1.5*n)-1) > 0.03 {
			t.Errorf("rate %g: of two active buffers %d others at least, %.0f in the mean, want "+
				"%.0f, %.0f", rate, least, mean, n, 1.5*n)
		}
		if math.Abs(float64(dLeast)/(nd/2)-1) > 0.03 || math.Abs(dMean/(0.75*nd)-1) > 0.03 {
			t.Errorf("rate %g: of double buffering %d others at least, %.0f in the mean, want "+
				"%.0f, %.0f", rate, dLeast, dMean, nd/2, 0.75*nd)
		}
		for name, got := range map[string]float64{"two active buffers": highest,
			"double buffering": dHighest} {
			if math.Abs(got/rate-1) > 0.1 {
				t.Errorf("rate %g: of %s at most %.4g", rate, name, got)
			}
		}
		want := 2 * math.Log2(1/rate) / math.Log2(1/half) // equation 8
		if got := float64(least) / float64(dLeast); math.Abs(got/want-1) > 0.04 {
			t.Errorf("rate %g: the windows' ratio is %.3f, in theory %.3f", rate, got, want)
		}
		t.Logf("rate %g: %d to %.0f others, and %d to %.0f of double buffering: %.3f times, in "+
			"theory %.3f", rate, least, 2*n-1, dLeast, nd,
			float64(least)/float64(dLeast), want)
	}
}

// most returns the most keys that a buffer has at most a rate with.
func most(bits uint64, rate float64) int {
	n := int(float64(bits) * math.Ln2 / math.Log2(1/rate))
	for (bloom.Plan{Inserts: n}).OfBits(bits).Rate(n) > rate {
		n--
	}
	return n
}

// lifetimes returns for how many others a key is present, at least and in the mean over keys of all
// places in a turn, and the highest rate on the way. A key is gone where it or one of the next
// three is, which false positives seldom hide.
func lifetimes(
	rng *rand.Rand,
	keys int,
	insert func(uint64),
	query func(uint64) bool,
	rate func() float64,
) (least int, mean, highest float64) {
	hashes := workload.Hashes(rng, 2*keys)
	for _, hash := range hashes[:keys] {
		insert(hash)
	}
	least = math.MaxInt
	next, sum, gone := keys/2, 0, 0 // of the keys in between not all are there any more
	for next < keys && !queryAll(query, hashes[next:next+4]) {
		next++
	}
	for i, hash := range hashes[keys:] {
		insert(hash)
		for ; !queryAll(query, hashes[next:next+4]); next++ {
			others := keys + i - 1 - next // before this one
			least, sum, gone = min(least, others), sum+others, gone+1
		}
		if i%16 == 0 {
			highest = max(highest, rate())
		}
	}
	return least, float64(sum) / float64(gone), highest
}

// queryAll reports whether all of some keys are present.
func queryAll(query func(uint64) bool, keys []uint64) bool {
	for _, key := range keys {
		if !query(key) {
			return false
		}
	}
	return true
}

// meanRate returns the rate of a filter whose second buffer is full, in the mean over a turn:
// equation 6.
func meanRate(s bloom.Shape, planned int) float64 {
	const steps = 64
	came, mean := arrivals(s, planned), 0.0
	for i := range steps {
		mean += s.Rate(came*(2*i+1)/(2*steps)) / steps
	}
	return either(s.Rate(came), mean)
}

// Sizes, some of which the package documentation has.
func TestDocumentedSizes(t *testing.T) {
	const members = 1_000_000
	for _, test := range []struct {
		config        Config
		bits, percent float64
		k             int
	}{
		{Config{Rate: 0.05}, 15.40, 5, 5}, {Config{Rate: 0.01}, 22.08, 1, 8},
		{Config{Rate: 0.001}, 31.64, 0.1, 11}, {Config{Rate: 0.0001}, 41.23, 0.01, 14},
		{Config{Rate: 0.00001}, 50.82, 0.001, 18},
		{Config{BitsPerKey: 8}, 8, 30.0, 3}, {Config{BitsPerKey: 10}, 10, 18.6, 3},
		{Config{BitsPerKey: 12}, 12, 11.3, 4}, {Config{BitsPerKey: 16}, 16, 4.34, 6},
		{Config{BitsPerKey: 20}, 20, 1.64, 7}, {Config{BitsPerKey: 24}, 24, 0.629, 8},
		{Config{BitsPerKey: 32}, 32, 0.0918, 11},
	} {
		test.config.Members = members
		s, err := test.config.Shape()
		bits, percent := float64(s.Bits)/members, 100*s.Rate(2*members)
		if err != nil || math.Abs(bits-test.bits) > 0.006 ||
			math.Abs(percent/test.percent-1) > 0.006 || s.Hashes != test.k {
			t.Errorf("%+v: %.3f bits per key, %.4g %%, k = %d, want %+v (%v)", test.config, bits,
				percent, s.Hashes, test, err)
		}
	}
}
