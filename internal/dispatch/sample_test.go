package dispatch

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// A sample has the hashes whose product is below the limit and no other, on every implementation,
// at every length and over many calls, and no word behind theirs is written.
func TestSample(t *testing.T) {
	const untouched = 0xA5A5A5A5A5A5A5A5
	lengths := []int{3*CallKeys + 77, 4 * CallKeys}
	for n := range 200 {
		lengths = append(lengths, n)
	}
	for _, im := range Implementations() {
		t.Run(im.String(), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			found := 0
			for _, n := range lengths {
				hashes := make([]uint64, n)
				for i := range hashes {
					hashes[i] = rng.Uint64()
				}
				odd, some := rng.Uint64()|1, rng.Uint64()
				if n > 0 {
					some = hashes[rng.IntN(n)] * odd
				}
				for _, limit := range []uint64{0, 1, 1 << 58, some, some + 1, 1<<64 - 1} {
					got := slices.Repeat([]uint64{untouched}, n/64+3)
					want := slices.Clone(got)
					clear(want[:(n+63)/64])
					for i, h := range hashes {
						if h*odd < limit {
							want[i/64] |= 1 << (i % 64)
							found++
						}
					}
					before := slices.Clone(hashes)
					im.Sample(hashes, got, odd, limit)
					if !slices.Equal(got, want) || !slices.Equal(hashes, before) {
						t.Fatalf("%d hashes, limit %#x: other answers, or a hash was written", n,
							limit)
					}
				}
			}
			if found == 0 {
				t.Error("no hash was in a sample: the test shows nothing")
			}
		})
	}
}

// Too few words of answers panic before one is written.
func TestSamplePanics(t *testing.T) {
	for _, im := range Implementations() {
		present := []uint64{1}
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got,
					"present has 1 words, 65 keys need 2") {
					t.Errorf("%v: panic %q", im, got)
				}
			}()
			im.Sample(make([]uint64, 65), present, 1, 1)
		}()
		if present[0] != 1 {
			t.Errorf("%v: a word was written", im)
		}
	}
}
