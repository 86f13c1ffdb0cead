package dlbf

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
)

func randomHashes(rng *rand.Rand, n int) []uint64 {
	hashes := make([]uint64, n)
	for i := range hashes {
		hashes[i] = rng.Uint64()
	}
	return hashes
}

// candidate returns the array of hashes under a choice, and how good it is.
func candidate(s Shape, hashes []uint64, choice int, goal Goal) (*Array, float64) {
	a, rehashed := newArray(s), make([]uint64, len(hashes))
	for i, hash := range hashes {
		rehashed[i] = Rehash(hash, choice)
		a.Insert(rehashed[i])
	}
	return a, goal(a, rehashed)
}

// For each goal Choose returns the first of the best of d arrays. It is better than one array by as
// much as the best of d arrays of other elements: sets of hash functions are as good as
// independent.
func TestPowerOfChoices(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	const d, trials = 8, 400
	for name, goal := range map[string]Goal{
		"lowest rate": LowestRate, "most deletable": MostDeletable,
		"five chosen ones": FirstDeletable(5),
	} {
		var one, best, independent []float64
		for range trials {
			hashes := randomHashes(rng, letterN)
			a, choice, err := Choose(letter, d, hashes, goal)
			if err != nil {
				t.Fatal(err)
			}
			want, first := candidate(letter, hashes, 0, goal)
			highest, at := first, 0
			for other := 1; other < d; other++ {
				if b, value := candidate(letter, hashes, other, goal); value > highest {
					want, highest, at = b, value, other
				}
			}
			if choice != at || !slices.Equal(a.words, want.words) {
				t.Fatalf("%s: choice %d, want %d", name, choice, at)
			}
			for _, hash := range hashes {
				if !a.Query(Rehash(hash, choice)) {
					t.Fatalf("%s: a member is not present", name)
				}
			}
			random := first
			for range d - 1 {
				_, value := candidate(letter, randomHashes(rng, letterN), 0, goal)
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
	a, choice, err := Choose(letter, 1, nil, LowestRate)
	if err != nil || choice != 0 || a.Count() != (Counts{}) {
		t.Errorf("choice %d of no elements (%v)", choice, err)
	}
	var sizing *filter.SizingError
	if _, _, err := Choose(letter, 0, nil, LowestRate); !errors.As(err, &sizing) ||
		sizing.Field != "d" {
		t.Errorf("%v of no choices", err)
	}
}

func TestFirstDeletable(t *testing.T) {
	hashes := randomHashes(rand.New(rand.NewPCG(7, 7)), letterN)
	if _, _, err := Choose(letter, 2, hashes, FirstDeletable(letterN)); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		n    int
		want string
	}{
		{letterN + 1, fmt.Sprintf("dlbf: FirstDeletable(%d) of %d elements, expected at least %d",
			letterN+1, letterN, letterN+1)},
		{-1, "dlbf: FirstDeletable of -1 elements, expected at least 0"},
	} {
		t.Run(fmt.Sprint(test.n), func(t *testing.T) {
			defer func() {
				if got := recover(); got != test.want {
					t.Errorf("panic %v, want %s", got, test.want)
				}
			}()
			_, _, _ = Choose(letter, 2, hashes, FirstDeletable(test.n))
		})
	}
}

func TestRehash(t *testing.T) {
	seen := map[uint64]bool{}
	for choice := range 1000 {
		seen[Rehash(0x123456789abcdef, choice)] = true
	}
	if Rehash(77, 0) != 77 || len(seen) != 1000 {
		t.Errorf("choice 0 of 77 is %d; %d of 1000 choices", Rehash(77, 0), len(seen))
	}
}
