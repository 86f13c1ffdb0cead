package letter

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// related is what section II says of other filters.
func related(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	// A counting filter at its optimum has ln 2 throws a counter.
	throws := distuv.Poisson{Lambda: math.Ln2}
	for _, m := range []int{bits, 1_000_000} {
		c := 1
		for float64(m)*throws.Survival(math.Exp2(float64(c))-1) > 0.01 {
			c++
		}
		claims = append(claims, claim.Claim{
			Item: "related work",
			Where: `section II: counters of "typically 3 or 4 bits to avoid counter ` +
				`overflows"`,
			Parameters: map[string]any{"m": m},
			Quantity:   "least bits a counter, for fewer than 0.01 overflows in a filter",
			Unit:       claim.Number,
			Published:  claim.Published{Value: new(3.5), Least: new(3.0), Most: new(4.0)},
			Interval:   claim.Exact(float64(c)),
			Reading:    claim.Literal,
		})
	}

	// The d-left counting filter of Bonomi et al.: four subtables of buckets of eight cells, three
	// quarters full, each a fingerprint and a counter of two bits. A non-member is compared with
	// the 24 cells that are in use.
	for _, fingerprint := range []int{8, 10, 12, 14, 16} {
		rate := 24 * math.Exp2(-float64(fingerprint))
		perElement := float64(fingerprint+2) / 0.75
		counting := 4 * math.Log2(1/rate) / math.Ln2
		claims = append(claims, claim.Claim{
			Item: "related work",
			Where: `section II: the d-left counting filter "requires about half the ` +
				`bit-space m of a 4-bit CBF"`,
			Parameters: map[string]any{"fingerprint bits": fingerprint},
			Quantity:   "bits per element, as a share of a 4-bit counting filter's",
			Unit:       claim.Share,
			Published:  claim.About(0.5), Interval: claim.Exact(perElement / counting),
			Reading: fmt.Sprintf("at a rate of %.2g", rate),
			Why: fmt.Sprintf("%.1f and %.1f bits per element: a fingerprint needs a little more "+
				"than log2(1/rate)/0.75 bits, four-bit counters need 5.8 log2(1/rate), so the "+
				"share falls from one half at a rate near 0.02",
				perElement, counting),
		})
	}

	// Variable-length signatures of Lu et al.: an element is found by q of its k bits, and a
	// removal resets k-q+1.
	const k, q, number = hashes, 4, letterly
	missing := trials.Each(run, "variable-length signatures", number, func(rng *rand.Rand) float64 {
		set, draw := make([]bool, bits), perfect(rng, bits, k)
		var elements [][]uint64
		for range members {
			elements = append(elements, draw(nil))
			for _, cell := range elements[len(elements)-1] {
				set[cell] = true
			}
		}
		const removed = members / 2
		for _, cells := range elements[:removed] {
			for _, cell := range cells[:k-q+1] {
				set[cell] = false
			}
		}
		lost := 0
		for _, cells := range elements[removed:] {
			found := 0
			for _, cell := range cells {
				if set[cell] {
					found++
				}
			}
			if found < q {
				lost++
			}
		}
		return float64(lost) / (members - removed)
	})
	claims = append(claims, claim.Claim{
		Item: "related work",
		Where: `section II: the filter with variable-length signatures "is prone to ` +
			`false negatives"`,
		Parameters: map[string]any{"m": bits, "k": k, "q": q, "n": members},
		Quantity:   "members not found after half of the elements are removed", Unit: claim.Share,
		Published: claim.Trend(claim.Higher), Interval: claim.Mean(missing), Trials: number,
		Reading: claim.Literal,
	})

	// The collision bitmap, and the counters that it stands for.
	return append(claims, claim.Claim{
		Item:       "related work",
		Where:      `abstract: deletions "at a fraction of the cost in memory consumption"`,
		Parameters: parameters(shape(regions), members),
		Quantity:   "bits for a cell, less the 3 of a counting filter", Unit: claim.Number,
		Published: claim.Trend(claim.Lower),
		Interval:  claim.Exact(float64(bits)/float64(shape(regions).Cells()) - 3),
		Reading:   claim.Literal,
	}, claim.Claim{
		Item: "related work",
		Where: `section II: the spectral filter and "an optimal Bloom filter ` +
			`replacement" have "a non-negligible complexity overhead"`,
		Quantity: "complexity", Unit: claim.Number, Reading: claim.Literal,
		Why: "the letter gives no measure of it",
	}), nil
}
