package errata

import (
	"math/rand/v2"

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
			place:     "Counting, line 65, insert",
			kind:      inconsistency,
			says:      "inserting an item corresponds to incrementing a counter",
			must:      "k counters, as the caption above it has it (lines 63-64)",
			quantity:  "increments by one item with k = 3",
			Published: exactly(1),
			value:     float64(sum(counted(8, []int{1, 4, 6}))),
		},
		{
			place: "Counting, line 74, and Terminology, line 37",
			kind:  inconsistency,
			says:  "a false negative (FN) has a probability; undercounts are also FNs",
			must: "two words for two things: an item that is undercounted is still a member " +
				"that is found",
			quantity: "FNs by an item inserted 5 times in counters up to 3, by the one and by " +
				"the other",
			Published: exactly(count(min(5, 3) == 0)),
			value:     count(min(5, 3) < 5),
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
			place: "Spectral, line 103",
			kind:  wrong,
			says:  "recurring minimum does at least as well as minimum selection",
			must: "not for each item: the second filter misses what comes while its minimum " +
				"recurs, and gives less than the count, as minimum selection never does",
			quantity:  "counts below the true one, of 2000, with a second filter of no errors",
			Published: exactly(0),
			value:     recurringMinimum(),
		},
		{
			place: "Stable, line 124",
			kind:  undefined,
			says:  "decrement cells chosen uniformly at random",
			must: "say whether a cell can be chosen twice, or a run of neighbours is taken, " +
				"as the paper does",
			quantity: "probability with which one of two cells is spared by two decrements, the " +
				"same twice or not",
			Published: exactly(spared(true)),
			value:     spared(false),
		},
		{
			place: "Spectral, line 107",
			kind:  wrong,
			says: "the Fast-AMS sketch is the count-min sketch with the median instead of the " +
				"minimum",
			must: "each counter also needs a random sign of each item, without which its errors " +
				"are all of one sign and no median of them is the count",
			quantity:  "mean error of a counter of 2, over all hash functions of 2 items",
			Published: nearly(0),
			value:     sketchError(1),
			corrected: new(sketchError(-1)),
		},
		{
			place: "Stable, line 122",
			kind:  misleading,
			says:  "counters represent the age of items",
			must: "the rest of their time: a counter is highest when its item is new, and " +
				"then falls",
			quantity:  "counter of an item of age 0, in cells of 2 bits",
			Published: exactly(0),
			value:     1<<2 - 1,
		},
		{
			place: "Terminology, line 39, and A2, line 132",
			kind:  inconsistency,
			says: "full when the items exceed the capacity; " +
				"full when it has reached its capacity",
			must:      "one of them: the swap is an item sooner or later",
			quantity:  "items in a full filter of capacity 3, by the one and by the other",
			Published: exactly(first(func(n int) bool { return n > 3 })),
			value:     first(func(n int) bool { return n >= 3 }),
		},
		{
			place: "A2, line 134",
			kind:  wrong,
			says:  "one bit vector is always full",
			must:  "from the first swap on; before it none is",
			quantity: "share of the first 100 inserts after which one of two vectors of " +
				"capacity 10 is full",
			Published: nearly(1),
			value:     fullShare(10, 100),
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

func sum(counters []int) (total int) {
	for _, c := range counters {
		total += c
	}
	return total
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

// fullShare returns the share of some inserts of new items after which one of A2's vectors is full.
func fullShare(capacity, inserts int) (share float64) {
	active, passive := 0, 0
	for range inserts {
		if active++; active == capacity {
			active, passive = 1, active
		}
		share += count(active == capacity || passive == capacity) / float64(inserts)
	}
	return share
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

// recurringMinimum returns how many counts of five items are below their own with the recurring
// minimum of Cohen and Matias, in 400 streams of 20 and a first filter of 8 counters. The second
// filter is one of no errors.
func recurringMinimum() (below float64) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		counters, second, times := make([]int, 8), make([]int, 5), make([]int, 5)
		var items [5][]int
		for i := range items {
			items[i] = []int{rng.IntN(8), rng.IntN(8), rng.IntN(8)}
		}
		recurs := func(i int) bool {
			minima := 0
			for _, cell := range items[i] {
				minima += int(count(counters[cell] == least(counters, items[i])))
			}
			return minima > 1
		}
		for range 20 {
			i := rng.IntN(5)
			times[i]++
			for _, cell := range items[i] {
				counters[cell]++
			}
			switch {
			case recurs(i):
			case second[i] > 0:
				second[i]++
			default:
				second[i] = least(counters, items[i])
			}
		}
		for i := range items {
			below += count(!recurs(i) && second[i] > 0 && second[i] < times[i])
		}
	}
	return below
}

// spared returns the probability that the first of two cells is not decremented by two random
// decrements.
func spared(twice bool) (p float64) {
	all := 0.
	each(2, 2, func(d []int) {
		if twice || d[0] != d[1] {
			all++
			p += count(d[0] != 0 && d[1] != 0)
		}
	})
	return p / all
}
