package elastic

import "github.com/bloomlane/bloomlane/papers/claim"

// described is what the paper's description of its filter lacks.
func described() claim.Quantities {
	return claim.Quantities{
		"buckets that a merge reads beyond the last": {Formulas: claim.Formulas{
			"i up to m/2":     beyondLast(0),
			"i up to m/2 - 1": beyondLast(1),
		}},
		"filters that overflow by an expansion": {Formulas: claim.Formulas{
			"groups of k buckets": regrouped(func(i, k, _ int) int { return i / k }),
			"groups of a half's buckets": regrouped(func(i, k, m int) int {
				return i/m*((m+k-1)/k) + i%m/k
			}),
		}},
	}
}

// beyondLast counts the buckets beyond the last of m that a compression reads, where bucket i is
// merged with bucket i + m/2, for i from 0 to m/2 less a number.
func beyondLast(less int) claim.Formula {
	return func(at claim.Parameters) (beyond float64) {
		m := at.Int("m")
		for i := 0; i <= m/2-less; i++ {
			if i+m/2 >= m {
				beyond++
			}
		}
		return beyond
	}
}

// regrouped counts the filters of m buckets with a slot each that fit, and do not when they have
// expanded to 2m, over all hashes of m fingerprints. Buckets of a group share a bucket of level 2,
// also with one slot.
func regrouped(group func(bucket, branches, m int) int) claim.Formula {
	return func(at claim.Parameters) (overflow float64) {
		m, branches := at.Int("m"), at.Int("branches")
		fits := func(hashes []int, buckets int) bool {
			used, shared := make([]bool, buckets), make([]bool, buckets)
			for _, hash := range hashes {
				home, slot := hash%buckets, used
				if used[home] {
					home, slot = group(home, branches, m), shared
				}
				if slot[home] {
					return false
				}
				slot[home] = true
			}
			return true
		}
		hashes := make([]int, m)
		var count func(next int)
		count = func(next int) {
			if next == m {
				if fits(hashes, m) && !fits(hashes, 2*m) {
					overflow++
				}
				return
			}
			for hashes[next] = range 2 * m {
				count(next + 1)
			}
		}
		count(0)
		return overflow
	}
}
