package errata

import (
	"github.com/bloomlane/bloomlane/papers/claim"
)

// between has what documents say against each other.
func between() []row {
	return []row{
		{
			place: "garden, line 65, and summary, line 68",
			kind:  contradiction,
			says: "deletions necessarily introduce false negatives; a counting filter " +
				"prevents them",
			must: "neither: deletes of members lose none while no counter overflows (see garden, " +
				"line 65), and lose some where one did and is decremented",
			quantity: "members lost by a delete, in all filters of 3 counters of a bit and 3 " +
				"items, which stop at 1",
			Published: exactly(0),
			value:     lostByOverflow(decremented),
		},
		{
			place: "retouched, p. 19, lines 2170-2173, and garden, line 74",
			kind:  contradiction,
			says:  "false negatives arise if counters overflow; one typically stops counting",
			must: "not if a counter that has stopped is not decremented any more: it stays, " +
				"as a false positive",
			quantity:  "members lost by a delete, as above",
			Published: claim.Trend(claim.Higher),
			value:     lostByOverflow(func(int) int { return 1 }),
		},
		{
			place: "summary, line 90, and letter, p. 2, line 72",
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

// lostByOverflow deletes the first of three items of two cells, in all filters of three counters
// that stop at 1, and returns how often another one is lost. A counter that has stopped goes where
// stopped says.
func lostByOverflow(stopped func(counter int) int) (missing float64) {
	each(3, 6, func(d []int) {
		full := counted(3, d[:2], d[2:4], d[4:])
		counters := make([]int, 3)
		for i, c := range full {
			counters[i] = min(c, 1)
		}
		for _, cell := range d[:2] {
			switch {
			case full[cell] > 1:
				counters[cell] = max(0, stopped(counters[cell]))
			default:
				counters[cell]--
			}
		}
		missing += count(least(counters, d[2:4]) == 0, least(counters, d[4:]) == 0)
	})
	return missing
}
