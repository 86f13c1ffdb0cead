// Package retouched is no API: it reproduces Donnet, Baynat and Friedman, "Retouched Bloom Filters:
// Allowing Networked Applications to Trade Off Selected False Positives Against False Negatives",
// CoNEXT 2006, in its extended version.
//
// The filters are those of package filter/family/retouched. The paper's algorithms are also run as
// they are listed, to count their steps: both clear the same bits. The figures have no readable
// values, so the published values are those of tables and sentences. Know this before you read the
// claims:
//
//   - Algorithms 3, 4, 6 and 7 count how many keys of B have a bit. Tables III and IV must come
//     from counts of FP, all false positives: then each of their cells is reproduced. With counts
//     of B few are, if β is below 1.
//   - Of 128 printed means two contradict their row: |B| + |B'| is 40 off in table I at 5 % and in
//     table II at 25 %.
//   - χ "above 1.4" and "above 1.8" does not hold at large β, by the paper's own tables.
//   - The improved Minimum FN cannot raise χ by 66 % at β = 1 %. No algorithm can lose so few
//     members: a key is removed only with a member that has one of its bits.
//   - Lemma 11 does not describe algorithm 7, which computes m ratios after each bit. Lemmas 9 and
//     10 hold if it is known where an element is in its lists.
//   - The case study used traces that are not available. Here a network by a rule (see internet)
//     has as many monitors, destinations and penultimate nodes, and changes as much from one cycle
//     to the next. The shapes of the figures are found on it. Some of the study's numbers
//     contradict each other. It gives no k: the numbers of the Bloom filter fit k = 1, and with the
//     k = 5 of section IV a path would have hundreds of nodes. But with k = 1 no algorithm has a
//     choice, and figures 20 to 22 compare two.
package retouched

import (
	"slices"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// New returns the paper.
func New() *claim.Paper {
	return &claim.Paper{
		Name: "retouched",
		Title: "Donnet, Baynat, Friedman: Retouched Bloom Filters: Allowing Networked " +
			"Applications to Trade Off Selected False Positives Against False Negatives. CoNEXT " +
			"2006, extended",
		Table: claimTable,
		Quantities: func(*trials.Run) (claim.Quantities, error) {
			return quantities(), nil
		},
		Figures: func() []claim.Plot {
			return slices.Concat(theoryPlots(), algorithmPlots(), studyPlots())
		},
	}
}
