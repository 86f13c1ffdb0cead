package kernel

import (
	"math"
	"math/bits"
	"testing"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// Fresh tables of a million random keys have the rates of docs/theory.md. The false-positive
// rate is the mean over the blocks of the product of the lanes' fills, which is the probability
// that a uniform hash is present. A sample of non-members checks it.
func TestExpectedRates(t *testing.T) {
	if testing.Short() {
		t.Log("a tenth of the keys")
	}
	t.Run("512", func(t *testing.T) {
		for _, want := range []expectation{
			{8, 4.48, 34.1}, {10, 1.81, 58.6}, {12, 0.81, 75.9},
			{16, 0.21, 92.2}, {20, 0.068, 97.2}, {24, 0.027, 98.9},
		} {
			testExpectedRates(t, methods512(), want)
		}
	})
	t.Run("256", func(t *testing.T) {
		for _, want := range []expectation{{12, 0.98, 73.0}, {16, 0.28, 89.6}, {20, 0.100, 95.7}} {
			testExpectedRates(t, methods256(), want)
		}
	})
}

// expectation has the false positives and the deletable keys of a table in percent, to the digits
// of the page.
type expectation struct {
	bitsPerKey, falsePositives, deletable float64
}

func testExpectedRates[T fallback.Lane](t *testing.T, s subject[T], want expectation) {
	keys, nonMembers := 1_000_000, 2_000_000
	if testing.Short() {
		keys, nonMembers = 100_000, 200_000
	}
	rng := seeded[T](uint64(want.bitsPerKey))
	width := float64(fallback.LaneBits[T]())
	table := make([][8]T, int(float64(keys)*want.bitsPerKey/(8*width)))
	hashes := workload.Hashes(rng, keys)
	s.insertBatch(table, hashes, nil)

	rate := 0.0
	for i := range table {
		product := 1.0
		for _, lane := range table[i][fallback.CollisionLanes:] {
			product *= float64(bits.OnesCount64(uint64(lane))) / width
		}
		rate += product / float64(len(table))
	}
	// Half a unit of the last digit that the table prints, and 3 % for the sample of blocks.
	digit := math.Pow(10, math.Floor(math.Log10(want.falsePositives))-1)
	if got := 100 * rate; math.Abs(got-want.falsePositives) > digit+0.03*want.falsePositives {
		t.Errorf("%v bits per key: %.4f %% false positives, want %v %%", want.bitsPerKey, got,
			want.falsePositives)
	}

	sampled := float64(s.queryBatch(table, workload.Hashes(rng, nonMembers), nil))
	if mean := rate * float64(nonMembers); math.Abs(sampled-mean) > 6*math.Sqrt(mean) {
		t.Errorf("%v bits per key: %v of %v non-members are present, the fills say %.0f",
			want.bitsPerKey, sampled, nonMembers, mean)
	}

	deletable := 0
	for _, h := range hashes {
		block, mask := &table[fallback.Index(h, uint64(len(table)))], fallback.Mask[T](h)
		var free T
		for _, lane := range mask {
			free |= lane &^ block[0]
		}
		if free != 0 {
			deletable++
		}
	}
	if got := 100 * float64(deletable) / float64(keys); math.Abs(got-want.deletable) > 0.5 {
		t.Errorf("%v bits per key: %.2f %% deletable, want %v %%", want.bitsPerKey, got,
			want.deletable)
	}
}
