package elastic

import (
	"github.com/bloomlane/bloomlane/papers/claim"
)

// This file has what the paper's description of its filter lacks.

func described() claim.Quantities {
	return claim.Quantities{
		"buckets that a merge reads beyond the last": {Formulas: claim.Formulas{
			"i up to m/2":     beyondLast(0),
			"i up to m/2 - 1": beyondLast(1),
		}},
		"filters that overflow by an expansion": {Formulas: claim.Formulas{
			"groups of k buckets":        regrouped(func(i, k, _ int) int { return i / k }),
			"groups of a half's buckets": regrouped(ownGroups),
		}},
	}
}

// beyondLast counts the buckets beyond the last of m that a compression reads, where bucket i is
// merged with bucket i + m/2, for i from 0 to m/2 less a number.
func beyondLast(less int) func(claim.Parameters) float64 {
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

// ownGroups are those of which each half of the table before an expansion has its own.
func ownGroups(bucket, branches, m int) int {
	groups := (m + branches - 1) / branches
	return bucket/m*groups + bucket%m/branches
}

// regrouped counts the filters of m buckets with a slot each that fit, and do not when they have
// expanded to 2m, over all hashes of m fingerprints. Buckets of a group share a bucket of level 2,
// also with one slot.
func regrouped(group func(bucket, branches, m int) int) func(claim.Parameters) float64 {
	return func(at claim.Parameters) (overflow float64) {
		m, branches := at.Int("m"), at.Int("branches")
		fits := func(hashes []int, buckets int) bool {
			loads, beyond := make([]int, buckets), make([]int, buckets)
			for _, hash := range hashes {
				if bucket := hash % buckets; loads[bucket] > 0 {
					beyond[group(bucket, branches, m)]++
				} else {
					loads[bucket]++
				}
			}
			for _, number := range beyond {
				if number > 1 {
					return false
				}
			}
			return true
		}
		for hashes := make([]int, m); ; {
			if fits(hashes, m) && !fits(hashes, 2*m) {
				overflow++
			}
			next := 0 // the first hash that can go on
			for ; next < m && hashes[next] == 2*m-1; next++ {
				hashes[next] = 0
			}
			if next == m {
				return overflow
			}
			hashes[next]++
		}
	}
}
