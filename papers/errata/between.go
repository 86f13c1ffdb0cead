package errata

import (
	"github.com/bloomlane/bloomlane/papers/claim"
)

// between has what documents say against each other.
func between() []row {
	return []row{
		{
			place: "summary, line 90, and letter, p. 2, line 72, and p. 3, line 96",
			kind:  contradiction,
			says: "deletes introduce false negatives, or the size increases by at least roughly " +
				"double; r is 5 or 10 % of m",
			must: "the double is that of a flag for each bit: the letter's regions take a ninth " +
				"more at r = 24, without false negatives",
			quantity:  "bits by those that are left for elements, less 2",
			Published: claim.Trend(claim.Higher),
			value:     float64(letters.Bits)/float64(letters.Cells()) - 2,
		},
	}
}
