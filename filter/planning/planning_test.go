package planning

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
)

func TestPatterns(t *testing.T) {
	for _, w := range []float64{1, 2, 32, 64} {
		sum := 0.0
		for i := range patterns {
			sum += patterns[i].probability(w)
		}
		if len(patterns) != 15 || math.Abs(sum-1) > 1e-12 {
			t.Errorf("%d patterns in %g columns, with the probabilities %v in all, want 15 and 1",
				len(patterns), w, sum)
		}
	}
	// as docs/theory/planning.md says
	for _, test := range []struct{ w, distinct float64 }{{64, 0.712}, {32, 0.494}} {
		for i := range patterns {
			if got := patterns[i].probability(test.w); len(patterns[i].groups) == lanes &&
				math.Abs(got-test.distinct) > 0.001 {
				t.Errorf("all columns differ with %.4f, want %.3f", got, test.distinct)
			}
		}
	}
}

// The moments of the quadrature are those of the binomial distribution, to the degree that
// binomialNodes promises.
func TestBinomialNodes(t *testing.T) {
	for _, test := range []struct {
		trials int
		p      float64
	}{{1, 0.5}, {3, 0.2}, {40, 0.5}, {100, 0.01}, {64, 0.9}, {2000, 0.02}} {
		const count = 6
		mean := float64(test.trials) * test.p
		nodes := binomialNodes(mean, test.p, count)
		for degree := range 2 * count {
			want := 0.0
			for n := range test.trials + 1 {
				choose, _ := math.Lgamma(float64(test.trials + 1))
				a, _ := math.Lgamma(float64(n + 1))
				b, _ := math.Lgamma(float64(test.trials - n + 1))
				chance := math.Exp(choose - a - b + float64(n)*math.Log(test.p) +
					float64(test.trials-n)*math.Log1p(-test.p))
				want += chance * math.Pow(float64(n)/mean, float64(degree))
			}
			got := 0.0
			for _, node := range nodes {
				got += node.weight * math.Pow(node.x/mean, float64(degree))
			}
			if math.Abs(got-want) > 1e-8*want {
				t.Errorf("%d trials of %g: moment %d is %v, want %v", test.trials, test.p,
					degree, got, want)
			}
		}
	}
}

// Predictions have enough nodes: with more, the rate is the same within 0.1 %, and Rate99 within 2
// % or less. The tables have few keys per block, because there it matters most.
func TestEnoughNodes(t *testing.T) {
	brief, err := Mixture(0.9, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		table  Table
		rate99 float64
	}{
		// the rate is 2e-9, where it does not matter
		{Table{Blocks: 1000, Members: 2000, Turnovers: 1, Lifetime: brief}, 0.1},
		{Table{BlockBits: 256, Blocks: 10_000, Members: 8000, Turnovers: 20}, 0.02},
		{Table{BlockBits: 256, Blocks: 1000, Members: 1000, Turnovers: 10}, 0.01},
		{Table{Blocks: 100, Members: 800, Turnovers: 2}, 0.02},
		{Table{Blocks: 1000, Members: 16_000, Turnovers: 5}, 0.02},
	} {
		p, more := test.table.predict(), test.table.predictBy(nodes{12, 8}, nodes{4, 4})
		if math.Abs(p.Rate/more.Rate-1) > 0.001 || math.Abs(p.Rate99/more.Rate99-1) > test.rate99 ||
			math.Abs(p.Deletability-more.Deletability) > 0.001 {
			t.Errorf("%+v: %+v, with more nodes %+v", test.table, p, more)
		}
	}
}

// Of the keys that left, early ones count for more than late ones: a block with more of them than
// the mean has more keys of each class, and most of the early classes.
func TestInfluence(t *testing.T) {
	past := newHistory(64, 4, 10, Random(), 1)
	crowded := 0
	past.influence(1000).each(nodes{stayed: 1, left: 4},
		func(got *arrivals, part float64, surplus [2]float64) {
			early, late := got.left[1], got.left[ages-1]
			if surplus[1] > 0 {
				crowded++
				if !(early > 1.02*late && late > 1) {
					t.Errorf("%g keys more have left: %+v", surplus[1], got)
				}
			} else if early > late {
				t.Errorf("%g keys fewer have left: %+v", -surplus[1], got)
			}
		})
	if crowded != 2 {
		t.Errorf("%d of 4 nodes are above the mean, want 2", crowded)
	}
}

// A prediction outside the range of the simulations is marked.
func TestExtrapolated(t *testing.T) {
	for _, test := range []struct {
		members   int
		bits      float64
		turnovers float64
		want      bool
	}{
		{304, 64, 100, false}, {299, 64, 100, true}, {1000, 65, 100, true}, {1000, 64, 101, true},
		{1000, 384, 10, false}, {1000, 385, 10, true}, {1000, 384, 10.5, true},
		{99, 4000, 0, false}, {1_000_000, 0.1, 100, false}, {1_000_000, 0.1, 1000, true},
	} {
		for _, blockBits := range []int{512, 256} {
			table := Table{BlockBits: blockBits, Members: test.members, Turnovers: test.turnovers}
			// rounded down
			table.Blocks = int(test.bits * float64(test.members) / float64(table.blockBits()))
			if test.want {
				table.Blocks++
			}
			if p := table.predict(); p.Extrapolated != test.want {
				t.Errorf("%+v, %g bits per key: %+v, want %v", table,
					table.BitsPerKey(), p, test.want)
			}
		}
	}
	for _, test := range []struct {
		members         int
		bits, reinserts float64
		want            bool
	}{
		{304, 64, 0.1, false}, {299, 64, 0.1, true}, {2048, 8, 1, false}, {2047, 8, 1, true},
		{1024, 64.5, 0.1, true},
		{1024, 64, 0.099, true},
		{1024, 384, 0.25, false}, {1024, 384.5, 0.25, true}, {1024, 384, 0.249, true},
		{1024, 384, MaxReinserts, false},
	} {
		table := Table{Members: test.members, Reinserts: test.reinserts,
			Blocks: int(test.bits * float64(test.members) / 512)}
		table = table.Steady()
		if p := table.predict(); p.Extrapolated != test.want {
			t.Errorf("%+v, %g bits per key: %+v, want %v", table, table.BitsPerKey(), p, test.want)
		}
	}
}

// The number of ages is enough: with eight times as many, the rate is the same within 1 %, also if
// a lifetime ends between two of them.
func TestEnoughAges(t *testing.T) {
	lives := lifetimes(t)
	for _, life := range []Lifetime{lives[1], lives[3], lives[len(lives)-1]} {
		for _, table := range []Table{
			{Blocks: 1000, Members: 64_000, Reinserts: 1},
			{Blocks: 1000, Members: 32_000, Reinserts: 0.7},
			{Blocks: 1000, Members: 16_000, Reinserts: 0.25},
			{Blocks: 1000, Members: 8000, Reinserts: HeldReinserts},
			{BlockBits: 256, Blocks: 1000, Members: 2000, Reinserts: HeldReinsertsWide},
		} {
			table.Lifetime = life
			table = table.Steady()
			const many = 8 * ageNodes
			rate := 0.0
			for i := range many {
				rate += table.rateAfter(table.Turnovers*(float64(i)+0.5)/many) / many
			}
			if p := table.predict(); math.Abs(p.Rate/rate-1) > 0.01 {
				t.Errorf("%+v: rate %g, with more ages %g", table, p.Rate, rate)
			}
		}
	}
}

func lifetimes(t *testing.T) []Lifetime {
	t.Helper()
	all := []Lifetime{{}, Oldest(), Random()}
	for _, shape := range []float64{1.2, 2, 5} {
		life, err := Pareto(shape)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, life)
	}
	mixed, err := Mixture(0.9, 0.1)
	if err != nil {
		t.Fatal(err)
	}
	seen, err := Observed([]float64{30, 1, 2, 100, 2})
	if err != nil {
		t.Fatal(err)
	}
	return append(all, mixed, seen)
}

// lived is E[min(D, x)] for lifetimes with the mean 1, and the distribution function of the rest of
// a lifetime.
func TestLifetimes(t *testing.T) {
	draws, wider := 40_000, 1.0
	if testing.Short() {
		draws, wider = 10_000, 2
	}
	for _, life := range lifetimes(t) {
		rng := rand.New(rand.NewPCG(3, 4))
		lived := life.distribution().lived
		if lived(0) != 0 || math.Abs(lived(1e300)-1) > 1e-6 {
			t.Errorf("%v: lived from %g to %g, want 0 to 1", life, lived(0), lived(1e300))
		}
		ages := []float64{0.1, 0.5, 1, 3}
		sums, left := make([]float64, len(ages)), make([]float64, len(ages))
		for range draws {
			whole, rest := life.Draw(rng), life.DrawRest(rng)
			for i, x := range ages {
				sums[i] += min(whole, x) / float64(draws)
				if rest <= x {
					left[i] += 1 / float64(draws)
				}
			}
		}
		for i, x := range ages {
			if want := lived(x); math.Abs(sums[i]-want) > 0.02*wider*max(1, x) ||
				math.Abs(left[i]-want) > 0.01*wider {
				t.Errorf("%v: lived(%g) is %.4f, and draws have %.4f, rests %.4f", life, x, want,
					sums[i], left[i])
			}
		}
	}
}

// Samples of a lifetime give the same prediction as the lifetime itself.
func TestObserved(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	samples := make([]float64, 20_000)
	for i := range samples {
		samples[i] = 17 * Random().Draw(rng)
	}
	seen, err := Observed(samples)
	if err != nil {
		t.Fatal(err)
	}
	table := Table{Blocks: 1000, Members: 32_000, Turnovers: 1.5, Lifetime: seen}
	got := table.predict()
	table.Lifetime = Random()
	if want := table.predict(); math.Abs(got.Rate/want.Rate-1) > 0.01 ||
		math.Abs(got.Deletability-want.Deletability) > 0.005 {
		t.Errorf("%+v by samples, want %+v", got, want)
	}
}

func TestLifetimesRefuse(t *testing.T) {
	for _, test := range []struct {
		name string
		make func() (Lifetime, error)
		want string
	}{
		{"no mean", func() (Lifetime, error) { return Pareto(1) },
			"planning: Lifetime is 1, expected a Pareto shape above 1"},
		{"NaN", func() (Lifetime, error) { return Pareto(math.NaN()) },
			"planning: Lifetime is NaN, expected a Pareto shape above 1"},
		{"infinite", func() (Lifetime, error) { return Pareto(math.Inf(1)) },
			"planning: Lifetime is +Inf, expected a Pareto shape above 1"},
		{"no part", func() (Lifetime, error) { return Mixture(0, 0.5) },
			"planning: Lifetime is 0, expected a part of short-lived members above 0 and below 1"},
		{"NaN part", func() (Lifetime, error) { return Mixture(math.NaN(), 0.5) },
			"planning: Lifetime is NaN, expected a part of short-lived members above 0 and " +
				"below 1"},
		{"no ratio", func() (Lifetime, error) { return Mixture(0.5, 1) },
			"planning: Lifetime is 1, expected a ratio of the two lifetimes above 0 and below 1"},
		{"no sample", func() (Lifetime, error) { return Observed(nil) },
			"planning: Lifetime is 0, expected at least one sample"},
		{"a sample of 0", func() (Lifetime, error) { return Observed([]float64{1, 0}) },
			"planning: Lifetime is 0, expected samples above 0 and finite"},
		{"overflow", func() (Lifetime, error) { return Observed([]float64{1e308, 1e308}) },
			"planning: Lifetime is +Inf, expected samples with a finite sum"},
	} {
		_, err := test.make()
		var e *InputError
		if !errors.As(err, &e) || err.Error() != test.want {
			t.Errorf("%s: %v, want %s", test.name, err, test.want)
		}
	}
}

func TestPredictRefuses(t *testing.T) {
	good := Table{Blocks: 10, Members: 100}
	for _, test := range []struct {
		change func(*Table)
		field  string
	}{
		{func(t *Table) { t.BlockBits = 504 }, "BlockBits"},
		{func(t *Table) { t.BlockBits = -512 }, "BlockBits"},
		{func(t *Table) { t.Blocks = 0 }, "Blocks"},
		{func(t *Table) { t.Blocks = MaxBlocks + 1 }, "Blocks"},
		{func(t *Table) { t.Members = 0 }, "Members"},
		{func(t *Table) { t.Members = math.MinInt }, "Members"},
		{func(t *Table) { t.Turnovers = -1 }, "Turnovers"},
		{func(t *Table) { t.Turnovers = MaxTurnovers + 1 }, "Turnovers"},
		{func(t *Table) { t.Turnovers = math.NaN() }, "Turnovers"},
		{func(t *Table) { t.Turnovers = math.Inf(1) }, "Turnovers"},
	} {
		table := good
		test.change(&table)
		_, err := table.Predict()
		var e *InputError
		if !errors.As(err, &e) || e.Field != test.field {
			t.Errorf("%+v: %v, want an *InputError of %s", table, err, test.field)
		}
	}
}

func TestBlocksFor(t *testing.T) {
	for _, test := range []struct {
		blockBits, members int
		bitsPerKey         float64
		want               int // 0 stands for an error
	}{
		{512, 1_000_000, 16, 31250}, {0, 1_000_000, 16, 31250}, {256, 1_000_000, 16, 62500},
		{512, 1, 1, 1}, {512, 33, 16, 2}, {512, MaxBlocks, 512, MaxBlocks},
		{512, MaxBlocks, 513, 0}, {512, 0, 16, 0}, {384, 1, 16, 0}, {512, 1, 0, 0}, {512, 1, -1, 0},
		{512, 1, math.NaN(), 0}, {512, 1, math.Inf(1), 0}, {512, math.MaxInt, 16, 0},
	} {
		got, err := BlocksFor(test.blockBits, test.members, test.bitsPerKey)
		var e *InputError
		if got != test.want || errors.As(err, &e) != (test.want == 0) {
			t.Errorf("%d members at %g bits, blocks of %d: %d, %v, want %d", test.members,
				test.bitsPerKey, test.blockBits, got, err, test.want)
		}
	}
}

// Over the whole range of inputs, predictions are probabilities. Beyond numerical error, more
// turnovers do not lower the rate, and more blocks do not raise it.
func TestPredictionsAreSane(t *testing.T) {
	const slack = 0.01 // relative to the rate; it shows at less than two keys per block
	for _, life := range lifetimes(t)[3:4] {
		for _, members := range []int{1, 1000, 1 << 30} {
			for _, bits := range []float64{0.1, 16, 64, 500, 1e6} {
				blocks := int(min(MaxBlocks, max(1, float64(members)*bits/512)))
				last := Prediction{Deletability: 1}
				for _, turnovers := range []float64{0, 1e-9, 0.1, 3, MaxTurnovers} {
					table := Table{Blocks: blocks, Members: members, Turnovers: turnovers,
						Lifetime: life}
					p := table.predict()
					// the model is not for this: a single key does not collide with itself
					if members < 100 {
						last = Prediction{Deletability: 1}
					}
					if !(p.Rate >= last.Rate*(1-slack) && p.Rate <= 1 && p.Deletability >= 0 &&
						p.Deletability <= last.Deletability+0.02) {
						t.Errorf("%v: %+v, and %+v before", table, p, last)
					}
					table.Blocks = min(MaxBlocks, table.Blocks+1+table.Blocks/8)
					if more := table.predict(); members >= 100 && more.Rate > p.Rate*(1+slack) {
						t.Errorf("%v: %+v, and %+v in %d blocks", table, more, p, blocks)
					}
					last = p
				}
			}
		}
	}
}

// The table of docs/churn.md: rates and deletable parts, both in %, after some turnovers.
func TestChurnPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/churn.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "| bits per key | fresh | 1 turnover | 2 | 5 |")
	rows := 0
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		bits, err := strconv.ParseFloat(cells[0], 64)
		if err != nil {
			if rows > 0 {
				break
			}
			continue // the lines above the rows
		}
		rows++
		blocks, err := BlocksFor(512, 1_000_000, bits)
		if err != nil || len(cells) != 5 {
			t.Fatalf("%q: %v", line, err)
		}
		for i, turnovers := range []float64{0, 1, 2, 5} {
			table := Table{Blocks: blocks, Members: 1_000_000, Turnovers: turnovers}
			p := table.predict()
			digits := 0 // two digits count
			for scale := 100 * p.Rate; scale < 9.95; scale *= 10 {
				digits++
			}
			if want := fmt.Sprintf("%.*f, %.0f", digits, 100*p.Rate,
				100*p.Deletability); cells[1+i] != want {
				t.Errorf("%g bits per key, %g turnovers: %q, want %q", bits, turnovers,
					cells[1+i], want)
			}
		}
	}
	if rows != 3 {
		t.Errorf("%d rows, want 3", rows)
	}
}

// After hardly any turnover the prediction is that of the fresh table, which is exact.
func TestChurnStartsFresh(t *testing.T) {
	for _, blockBits := range []int{512, 256} {
		for _, members := range []int{100, 1000, 10_000} {
			fresh := Table{BlockBits: blockBits, Blocks: 300, Members: members}
			hardly := fresh
			hardly.Turnovers = 1e-7
			a, b := fresh.predict(), hardly.predict()
			if math.Abs(a.Rate-b.Rate) > 1e-3*a.Rate ||
				math.Abs(a.Deletability-b.Deletability) > 0.01 {
				t.Errorf("blocks of %d bits, %d members: %+v fresh, %+v after hardly any turnover",
					blockBits, members, a, b)
			}
		}
	}
}

// The share of retained members is that of its definition, over every assignment of the keys of a
// small block.
func TestRetainedExactly(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, test := range []struct{ w, others int }{{4, 1}, {4, 5}, {8, 9}, {32, 40}, {64, 70}} {
		trials := 30_000
		if testing.Short() {
			trials = 3000
		}
		kept := 0
		for range trials {
			hit := make([][]int, lanes)
			var own [lanes]int
			collided := make([]bool, test.w)
			for lane := range hit {
				hit[lane] = make([]int, test.w)
				for key := range test.others + 1 {
					column := rng.IntN(test.w)
					if hit[lane][column]++; hit[lane][column] > 1 {
						collided[column] = true
					}
					if key == 0 {
						own[lane] = column
					}
				}
			}
			all := true
			for _, column := range own {
				all = all && collided[column]
			}
			if all {
				kept++
			}
		}
		got, want := newColumns(float64(test.w)).retained(float64(test.others)),
			float64(kept)/float64(trials)
		if math.Abs(got-want) > 4.5*math.Sqrt(max(want*(1-want), 1e-4)/float64(trials)) {
			t.Errorf("%d columns, %d others: %.5f, by trials %.5f", test.w, test.others, got, want)
		}
	}
}

// Reference measurements of the format by independent simulations that replace the oldest member:
// the rate after some turnovers, and the deletable share if it is known.
func TestReferenceMeasurements(t *testing.T) {
	const unknown = -1
	for _, test := range []struct {
		bitsPerKey, turnovers, rate, deletable float64
	}{
		{12, 0, 0.0081, 0.76}, {12, 1, 0.089, 0.21}, {12, 2, 0.30, 0.05}, {12, 5, 0.85, unknown},
		{16, 0, 0.0021, 0.92}, {16, 1, 0.023, 0.52}, {16, 2, 0.105, unknown},
		{16, 5, 0.61, unknown},
		{24, 0, 0.00028, 0.99}, {24, 1, 0.0020, 0.87}, {24, 2, 0.0115, 0.70},
		{24, 5, 0.18, unknown},
	} {
		blocks, err := BlocksFor(512, 1_000_000, test.bitsPerKey)
		if err != nil {
			t.Fatal(err)
		}
		table := Table{Blocks: blocks, Members: 1_000_000, Turnovers: test.turnovers}
		p, err := table.Predict()
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(p.Rate/test.rate-1) > 0.05 || test.deletable != unknown &&
			math.Abs(p.Deletability-test.deletable) > 0.01 {
			t.Errorf("%g bits per key, %g turnovers: %+v, want rate %g, deletable %g",
				test.bitsPerKey, test.turnovers, p, test.rate, test.deletable)
		}
	}
}

func TestFreshPanics(t *testing.T) {
	for name, call := range map[string]func(){
		"rate, inserts":     func() { FreshRate(512, -1, 5) },
		"rate, blocks":      func() { FreshRate(512, 5, 0) },
		"rate, bits":        func() { FreshRate(64, 5, 5) },
		"deletable, bits":   func() { FreshDeletability(0, 5, 5) },
		"deletable, none":   func() { FreshDeletability(512, 0, 5) },
		"deletable, blocks": func() { FreshDeletability(512, 5, 0) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			call()
		}()
	}
}

func BenchmarkPredict(b *testing.B) {
	table := Table{Blocks: 31250, Members: 1_000_000, Turnovers: 5}
	for b.Loop() {
		table.predict()
	}
}
