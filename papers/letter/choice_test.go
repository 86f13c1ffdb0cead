package letter

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/bloomlane/bloomlane/filter/family/dlbf"
)

func randomHashes(rng *rand.Rand, n int) []uint64 {
	hashes := make([]uint64, n)
	for i := range hashes {
		hashes[i] = rng.Uint64()
	}
	return hashes
}

// candidate returns the array of hashes under a choice, and how good it is.
func candidate(s dlbf.Shape, hashes []uint64, choice int, aim goal) (*dlbf.Array, float64) {
	a, rehashed := array(s), make([]uint64, len(hashes))
	for i, hash := range hashes {
		rehashed[i] = rehash(hash, choice)
		a.Insert(rehashed[i])
	}
	return a, aim(a, rehashed)
}

// For each goal choose returns the first of the best of d arrays. It is better than one array by as
// much as the best of d arrays of other elements: sets of hash functions are as good as
// independent.
func TestPowerOfChoices(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	const d, trials = 8, 400
	s := shape(regions)
	for name, aim := range map[string]goal{
		"lowest rate": lowestRate, "most deletable": mostDeletable,
		"five chosen ones": firstDeletable(5),
	} {
		var one, best, independent []float64
		for range trials {
			hashes := randomHashes(rng, members)
			a, choice := choose(s, d, hashes, aim)
			want, first := candidate(s, hashes, 0, aim)
			highest, place := first, 0
			for other := 1; other < d; other++ {
				if b, value := candidate(s, hashes, other, aim); value > highest {
					want, highest, place = b, value, other
				}
			}
			if choice != place || !reflect.DeepEqual(a, want) {
				t.Fatalf("%s: choice %d, want %d", name, choice, place)
			}
			for _, hash := range hashes {
				if !a.Query(rehash(hash, choice)) {
					t.Fatalf("%s: a member is not present", name)
				}
			}
			random := first
			for range d - 1 {
				_, value := candidate(s, randomHashes(rng, members), 0, aim)
				random = max(random, value)
			}
			one, best, independent = append(one, first), append(best, highest),
				append(independent, random)
		}
		single, of1 := interval(one)
		chosen, of8 := interval(best)
		others, ofOthers := interval(independent)
		if chosen-of8 < single+of1 {
			t.Errorf("%s: the best of %d is %.3f ± %.3f, one is %.3f ± %.3f", name, d, chosen,
				of8, single, of1)
		}
		if chosen-of8 > others+ofOthers || chosen+of8 < others-ofOthers {
			t.Errorf("%s: the best of %d is %.3f ± %.3f, of independent ones %.3f ± %.3f", name, d,
				chosen, of8, others, ofOthers)
		}
		t.Logf("%s: one %.3f, best of %d %.3f", name, single, d, chosen)
	}
}

// interval returns the mean of a sample, and the half of its interval of 4 standard errors.
func interval(sample []float64) (mean, within float64) {
	mean, deviation := stat.MeanStdDev(sample, nil)
	return mean, 4 * deviation / math.Sqrt(float64(len(sample)))
}

func TestRehash(t *testing.T) {
	seen := map[uint64]bool{}
	for choice := range 1000 {
		seen[rehash(0x123456789abcdef, choice)] = true
	}
	if rehash(77, 0) != 77 || len(seen) != 1000 {
		t.Errorf("choice 0 of 77 is %d; %d of 1000 choices", rehash(77, 0), len(seen))
	}
}
