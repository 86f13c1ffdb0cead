package garden

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/filter/plain"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// basic is the section on the basic filter.
var basic = []claim.Part{errorOfBasic}

// classical is the formula of the basic filter's rate.
func classical(m, k, n float64) float64 { return math.Pow(-math.Expm1(-k*n/m), k) }

// optimalBits is how many bits a key takes at the optimum for a rate.
func optimalBits(rate float64) float64 { return -math.Log(rate) / (math.Ln2 * math.Ln2) }

// plainOf is a basic filter of m bits.
func plainOf(m, k, n int) *plain.Filter {
	f := must(plain.New(plain.Config{Members: n, BitsPerKey: float64(m) / float64(n), Hashes: k, Key: secret}))
	if f.Bits() != m {
		panic(fmt.Sprintf("garden: a filter of %d bits, want %d", f.Bits(), m))
	}
	return f
}

// errorOfBasic is the probability of a Bloom error.
func errorOfBasic(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	const m, k, n = 10_000, 7, 1000
	trial := number(run, 500, 100)
	rates := trials.Each(run, "error of basic", trial, func(rng *rand.Rand) float64 {
		f := plainOf(m, k, n)
		for range n {
			must(f.InsertHash(rng.Uint64()))
		}
		const asked = 2000
		found := 0
		for range asked {
			if f.QueryHash(rng.Uint64()) {
				found++
			}
		}
		return float64(found) / asked
	})
	return []claim.Claim{{
		Item: "basic: errors", Where: `section Basic: "the probability of a Bloom error is"`,
		Parameters: map[string]any{"m": m, "k": k, "n": n}, Quantity: "rate, as a multiple of its formula",
		Unit: claim.Number, Published: one(), Theory: claim.By(restored, 1),
		Interval: multiple(claim.Mean(rates), classical(m, k, n)), Trials: trial, Reading: claim.Literal,
	}}, nil
}
