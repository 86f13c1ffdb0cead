package expected

import (
	"math"
	"math/rand/v2"
	"os"
	"sort"
	"testing"
)

// throw puts keys into blocks of random cells, and returns which cells are hit. place returns the
// cells of a key in its block.
func throw(rng *rand.Rand, hit []bool, cells, keys int, place func() []int) {
	for range keys {
		first := rng.IntN(len(hit)/cells) * cells
		for _, cell := range place() {
			hit[first+cell] = true
		}
	}
}

func zeros(hit []bool) (n int) {
	for _, h := range hit {
		if !h {
			n++
		}
	}
	return n
}

// shapes are the blocks of the filters, and how a key hits one.
func shapes(rng *rand.Rand) map[string]struct {
	Block
	place func() []int
} {
	lanes := func(count, bits int) func() []int {
		cells := make([]int, count)
		return func() []int {
			for i := range cells {
				cells[i] = bits*i + rng.IntN(bits)
			}
			return cells
		}
	}
	bits := func(k int) func() []int {
		cells := make([]int, k)
		return func() []int {
			for i := range cells {
				cells[i] = rng.IntN(512)
			}
			return cells
		}
	}
	type shape = struct {
		Block
		place func() []int
	}
	return map[string]shape{
		"deletable": {Lanes{7, 64}.Block(), lanes(7, 64)},
		"split":     {Lanes{8, 32}.Block(), lanes(8, 32)},
		"blocked":   {BlockOfBits(512, 8), bits(8)},
	}
}

// Estimates of tables, and of what two have in common, have no bias that matters, and the intervals
// have the true number in 95 % of the tables, from few keys a block to nearly full ones. With
// BLOOMLANE_ESTIMATES=full there are 4,000.
func TestEstimate(t *testing.T) {
	tables := 300
	if os.Getenv("BLOOMLANE_ESTIMATES") == "full" {
		tables = 4000
	}
	rng := rand.New(rand.NewPCG(5, 8))
	const nblocks = 40
	for name, s := range shapes(rng) {
		for _, each := range []int{1, 16, 60, 150} { // keys a block
			ours, theirs, both := each*nblocks/2, each*nblocks/4, each*nblocks/4
			covered, coveredBoth, sum, square := 0, 0, 0.0, 0.0
			for range tables {
				a, b := make([]bool, nblocks*s.Cells), make([]bool, nblocks*s.Cells)
				throw(rng, a, s.Cells, both, s.place)
				copy(b, a)
				throw(rng, a, s.Cells, ours, s.place)
				throw(rng, b, s.Cells, theirs, s.place)
				within := func(e Estimate, want int) int {
					if e.Low <= float64(want) && float64(want) <= e.High {
						return 1
					}
					return 0
				}
				got := s.Estimate(zeros(a), nblocks)
				n := got.Members
				covered += within(got, ours+both)
				sum += n
				square += (n - float64(ours+both)) * (n - float64(ours+both))
				merged := make([]bool, len(a))
				for i := range merged {
					merged[i] = a[i] || b[i]
				}
				coveredBoth += within(s.Common(zeros(a), zeros(b), zeros(merged), nblocks), both)
			}
			count := float64(tables)
			mean, deviation := sum/count, math.Sqrt(square/count)
			want := math.Sqrt(s.Variance(float64(ours+both), nblocks))
			t.Logf("%s, %d keys a block: mean %.2f of %d, deviation %.2f, by formula %.2f, "+
				"covered %.3f, common %.3f", name, each, mean, ours+both, deviation, want,
				float64(covered)/count, float64(coveredBoth)/count)
			const sigmas = 4.5
			if math.Abs(mean-float64(ours+both)) > (0.05+sigmas/math.Sqrt(count))*want {
				t.Errorf("%s, %d keys a block: %g keys in the mean of the estimates, want %d", name,
					each, mean, ours+both)
			}
			if math.Abs(deviation/want-1) > 0.02+sigmas/math.Sqrt(2*count) {
				t.Errorf("%s, %d keys a block: a deviation of %g, want %g", name, each, deviation,
					want)
			}
			for _, got := range []int{covered, coveredBoth} {
				if part := float64(got) / count; math.Abs(part-0.95) >
					0.01+sigmas*math.Sqrt(0.95*0.05/count) {
					t.Errorf("%s, %d keys a block: %.1f %% of the intervals have the number", name,
						each, 100*part)
				}
			}
		}
	}
}

// The error at 16 bits a key is that of the documentation, and no number is too large.
func TestEstimateError(t *testing.T) {
	for name, block := range map[string]Block{
		"deletable": Lanes{7, 64}.Block(), "split": Lanes{8, 32}.Block(),
		"blocked": BlockOfBits(512, 8),
	} {
		const keys = 1 << 26
		bits := 512
		if name == "split" {
			bits = 256
		}
		one := math.Sqrt(block.Variance(keys, 16*keys/bits) / keys)
		t.Logf("%s: %.3f / sqrt(n)", name, one)
		if !(one < 0.22) {
			t.Errorf("%s: an error of %g / sqrt(n), want 0.22", name, one)
		}
		if small := math.Sqrt(block.Variance(1e5, 16e5/bits) / 1e5); math.Abs(small/one-1) > 0.01 {
			t.Errorf("%s: an error of %g / sqrt(n) of a smaller table, want %g", name, small, one)
		}
	}
	if e := (Lanes{7, 64}).Block().Estimate(0, 10); !(e.Low > 1000 && e.Members < 1e5) ||
		!math.IsInf(e.High, 1) {
		t.Errorf("a full table: %+v", e)
	}
}

// The same holds for a table of many keys, in the long form ten million, whose blocks are drawn and not filled key by key: the load of
// a block is drawn, and the clear bits of a lane from their distribution for the load.
func TestEstimateOfMany(t *testing.T) {
	tables, nblocks := 100, 10_000
	if os.Getenv("BLOOMLANE_ESTIMATES") == "full" {
		tables, nblocks = 200, 312_500
	}
	keys := 32 * nblocks
	rng := rand.New(rand.NewPCG(13, 21))
	const lanes, bits = 7, 64
	// distribution[load][clear] is the probability of at most that many clear bits
	distribution := [][]float64{make([]float64, bits+1)}
	distribution[0][bits] = 1
	for load := 1; load < 128; load++ {
		last, next := distribution[load-1], make([]float64, bits+1)
		for clear := range bits + 1 {
			next[clear] = last[clear] * float64(bits-clear) / bits
			if clear < bits {
				next[clear] += last[clear+1] * float64(clear+1) / bits
			}
		}
		distribution = append(distribution, next)
	}
	for _, d := range distribution {
		for i := range bits {
			d[i+1] += d[i]
		}
	}
	block, covered := Lanes{lanes, bits}.Block(), 0
	loads := make([]uint8, nblocks)
	for range tables {
		clear(loads)
		for range keys {
			loads[rng.Uint64()>>32*uint64(nblocks)>>32]++
		}
		zeros := 0
		for _, load := range loads {
			for range lanes {
				u := rng.Float64()
				zeros += sort.SearchFloat64s(distribution[load], u)
			}
		}
		if e := block.Estimate(zeros, nblocks); e.Low <= float64(keys) && float64(keys) <= e.High {
			covered++
		}
	}
	part, count := float64(covered)/float64(tables), float64(tables)
	t.Logf("%.1f %% of the intervals", 100*part)
	if math.Abs(part-0.95) > 0.01+4.5*math.Sqrt(0.95*0.05/count) {
		t.Errorf("%.1f %% of the intervals have the number", 100*part)
	}
}
