package dispatch

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/fallback"
)

// Hashes of columns are those of one value after another, on every implementation, at every length
// and over many calls, and nothing behind them is written.
func TestHashBatch(t *testing.T) {
	lengths := []int{3*CallBlocks + 77, 4 * CallBlocks}
	for n := range 200 {
		lengths = append(lengths, n)
	}
	for _, im := range Implementations() {
		t.Run(im.String(), func(t *testing.T) {
			for _, n := range lengths {
				testHashBatch(t, n, im.HashBatch32, fallback.XXHash32)
				testHashBatch(t, n, im.HashBatch64, fallback.XXHash64)
			}
		})
	}
}

func testHashBatch[V uint32 | uint64](
	t *testing.T,
	n int,
	batch func(values []V, hashes []uint64),
	single func(V) uint64,
) {
	t.Helper()
	const untouched = 0xA5A5A5A5A5A5A5A5
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	values, got := make([]V, n), slices.Repeat([]uint64{untouched}, n+40)
	want := slices.Clone(got)
	for i := range values {
		values[i] = V(rng.Uint64())
		want[i] = single(values[i])
	}
	before := slices.Clone(values)
	batch(values, got)
	if !slices.Equal(got, want) || !slices.Equal(values, before) {
		t.Fatalf("%d values of %T: other hashes, or a value was written", n, values)
	}
}

// Too few hashes panic before one is written.
func TestHashBatchPanics(t *testing.T) {
	for _, im := range Implementations() {
		hashes := make([]uint64, 99)
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got,
					"hashes has 99 elements, 100 values need 100") {
					t.Errorf("%v: panic %q", im, got)
				}
			}()
			im.HashBatch64(make([]uint64, 100), hashes)
		}()
		if slices.Max(hashes) != 0 {
			t.Errorf("%v: a hash was written", im)
		}
	}
}
