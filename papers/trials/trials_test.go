package trials

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

// The same seed gives the same results on any number of cores; another seed, name or trial gives
// others.
func TestEach(t *testing.T) {
	draw := func(cores int, seed uint64, name string) []uint64 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		return Each(&Run{Seed: seed}, name, 1000,
			func(rng *rand.Rand) uint64 { return rng.Uint64() })
	}
	first := draw(1, 1, "a")
	for cores := range 8 {
		if !slices.Equal(draw(1+cores, 1, "a"), first) {
			t.Errorf("%d cores give other results than one", 1+cores)
		}
	}
	seen := map[uint64]bool{}
	for _, results := range [][]uint64{first, draw(2, 2, "a"), draw(2, 1, "b"), draw(2, 1, "")} {
		for _, x := range results {
			if seen[x] {
				t.Fatal("two trials have the same random numbers")
			}
			seen[x] = true
		}
	}
	func() {
		defer func() {
			if found := recover(); found != "trial" {
				t.Errorf("%v, want the panic of a trial", found)
			}
		}()
		Each(&Run{}, "a", 1000, func(*rand.Rand) int { panic("trial") })
	}()
	if got := Column([]int{1, 2},
		func(x *int) float64 { return float64(*x) / 2 }); !slices.Equal(got, []float64{0.5, 1}) {
		t.Error(got)
	}
}
