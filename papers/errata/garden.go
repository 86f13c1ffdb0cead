package errata

import (
	"github.com/bloomlane/bloomlane/papers/claim"
)

// garden has what the article's sentences give without its formulas.
func garden() []row {
	return []row{
		{
			place: "Terminology to A2, lines 25-137",
			kind:  lost,
			says:  "formulas, and what they are made of",
			must: "the text at hand has none of them: package papers/garden takes them from " +
				"the cited papers",
			quantity: "formulas",
		},
		{
			place: "Counting, line 65, deletions",
			kind:  wrong,
			says:  "deletions necessarily introduce false negatives",
			must: "deletes of members take none from a filter of counters that do not overflow: " +
				"a counter is decremented, and no set bit is flipped back to 0 while another " +
				"item holds it",
			quantity: "members lost when another one is deleted, in all filters of 4 counters " +
				"and 3 items",
			Published: claim.Trend(claim.Higher),
			value:     lostByCounting(decremented),
		},
		{
			place: "Bitwise, line 85",
			kind:  undefined,
			says: "if there is enough room, increment; if the counter overflows, insert into the " +
				"next level and remove it from this one",
			must: "an item has k counters: say whether one that is full moves it or all do. If " +
				"one does, the removal takes the counts of others, which then are not found",
			quantity: "count of the first of two items that share a counter, if all move the " +
				"other and if one",
			Published: exactly(float64(bitwise(2))),
			value:     float64(bitwise(1)),
		},
		{
			place: "Spectral, line 95",
			kind:  holds,
			says:  "the minimum is the most accurate count, and minimum increase keeps to it",
			quantity: "estimates below the count or above minimum selection's, in all filters of " +
				"3 counters and 3 items and all streams of 4",
			Published: exactly(0),
			value:     minimumIncrease(),
		},
		{
			place:     "Spectral, line 97",
			kind:      holds,
			says:      "minimum increase should not be used when items are removed",
			quantity:  "members lost by a delete, in all filters of 4 counters and 3 items",
			Published: claim.Trend(claim.Higher),
			value:     lostAfterMinimumIncrease(),
		},
		{
			place: "Spectral, line 107",
			kind:  wrong,
			says: "the Fast-AMS sketch can be derived by taking the median of the counters " +
				"instead of their minimum",
			must: "each counter also needs a random sign of each item, without which its errors " +
				"are all of one sign and no median of them is the count",
			quantity:  "mean error of a counter of 2, over all hash functions of 2 items",
			Published: nearly(0),
			value:     sketchError(1),
			corrected: new(sketchError(-1)),
		},
	}
}

// counted returns some counters after inserts of items, each its cells.
func counted(cells int, items ...[]int) []int {
	counters := make([]int, cells)
	for _, item := range items {
		for _, cell := range item {
			counters[cell]++
		}
	}
	return counters
}

// least returns the counter of an item.
func least(counters, item []int) int {
	found := counters[item[0]]
	for _, cell := range item {
		found = min(found, counters[cell])
	}
	return found
}

func decremented(counter int) int { return counter - 1 }

// lostByCounting deletes the first of three items of two cells, in all filters of four counters,
// and returns how often another one is lost.
func lostByCounting(deleted func(counter int) int) (missing float64) {
	each(4, 6, func(d []int) {
		counters := counted(4, d[:2], d[2:4], d[4:])
		for _, cell := range d[:2] {
			counters[cell] = deleted(counters[cell])
		}
		missing += count(least(counters, d[2:4]) == 0, least(counters, d[4:]) == 0)
	})
	return missing
}

// sketchError returns the mean error of an item's counter, of two, where another item came once,
// over all cells of both and signs of the other one: 1 and another one, which is 1 too where there
// are none.
func sketchError(other float64) (mean float64) {
	each(2, 3, func(d []int) {
		if d[0] == d[1] {
			mean += []float64{1, other}[d[2]] / 8
		}
	})
	return mean
}

// bitwise inserts two items that share one of their two counters of a bit, and returns the first
// level's count of the first. The second one moves to the next level if a number of its counters
// are full.
func bitwise(full int) int {
	x, y := []int{0, 1}, []int{1, 2}
	counters := counted(3, x)
	overflow := 0
	for _, cell := range y {
		overflow += counters[cell]
	}
	for _, cell := range y {
		if counters[cell] = 1; overflow >= full {
			counters[cell] = 0
		}
	}
	return least(counters, x)
}

// increase adds an item to those of its counters that are least.
func increase(counters, item []int) {
	to := least(counters, item) + 1
	for _, cell := range item {
		counters[cell] = max(counters[cell], to)
	}
}

// minimumIncrease returns how many estimates by minimum increase are less than the count, or more
// than those by minimum selection.
func minimumIncrease() (off float64) {
	each(3, 6, func(cells []int) {
		items := [][]int{cells[:2], cells[2:4], cells[4:]}
		each(3, 4, func(stream []int) {
			least1, least2, times := make([]int, 3), make([]int, 3), make([]int, 3)
			for _, i := range stream {
				increase(least1, items[i])
				times[i]++
				for _, cell := range items[i] {
					least2[cell]++
				}
			}
			for i, item := range items {
				found := least(least1, item)
				off += count(found < times[i], found > least(least2, item))
			}
		})
	})
	return off
}

// lostAfterMinimumIncrease deletes the first of three items.
func lostAfterMinimumIncrease() (missing float64) {
	each(4, 6, func(d []int) {
		counters := make([]int, 4)
		for i := 0; i < 6; i += 2 {
			increase(counters, d[i:i+2])
		}
		for _, cell := range d[:2] {
			counters[cell] = max(0, counters[cell]-1)
		}
		missing += count(least(counters, d[2:4]) == 0, least(counters, d[4:]) == 0)
	})
	return missing
}
