package errata

import (
	"math"

	"github.com/bloomlane/bloomlane/papers/claim"
)

// garden has what the article's sentences give without its formulas.
func garden() []row {
	return []row{
		{
			place: "Terminology to A2, lines 25-137", kind: lost, says: "formulas, and what they are made of",
			must:     "the text at hand has none of them: package papers/garden takes them from the cited papers",
			quantity: "formulas", Published: exactly(0),
		},
		{
			place: "Counting, line 65, deletions", kind: wrong,
			says: "deletions necessarily introduce false negatives",
			must: "deletes of members take none from a filter of counters that do not overflow: a counter is " +
				"decremented, and no set bit is flipped back to 0 while another item holds it",
			quantity:  "members lost when another one is deleted, in all filters of 4 counters and 3 items",
			Published: claim.Trend(claim.Higher), value: lostByCounting(),
		},
		{
			place: "Counting, line 65, insert", kind: inconsistency,
			says:     "inserting an item corresponds to incrementing a counter",
			must:     "k counters, as the caption above it has it (lines 63-64)",
			quantity: "increments by one item with k = 3", Published: exactly(1),
			value: float64(sum(counted(8, []int{1, 4, 6}))),
		},
		{
			place: "Counting, line 74, and Terminology, line 37", kind: inconsistency,
			says:      "a false negative (FN) has a probability; undercounts are also FNs",
			must:      "two words for two things: an item that is undercounted is still a member that is found",
			quantity:  "answers to whether an item, inserted 5 times in counters up to 3, is an FN",
			Published: single(), value: results(min(5, 3) < 5, min(5, 3) == 0),
		},
		{
			place: "Spectral, line 107", kind: wrong,
			says: "the Fast-AMS sketch is the count-min sketch with the median instead of the minimum",
			must: "each counter also needs a random sign of each item, without which its errors are all of one " +
				"sign and no median of them is the count",
			quantity:  "mean error of a counter of 2, over all hash functions of 2 items",
			Published: nearly(0), value: sketchError(1), corrected: new(sketchError(-1)),
		},
		{
			place: "Stable, line 122", kind: misleading, says: "counters represent the age of items",
			must:     "the rest of their time: a counter is highest when its item is new, and then falls",
			quantity: "counter of an item of age 0, in cells of 2 bits", Published: exactly(0), value: 1<<2 - 1,
		},
		{
			place: "Stable, line 126", kind: wrong,
			says:      "the fraction of zeros will eventually become constant",
			must:      "its expected value converges, and the fraction itself goes on varying",
			quantity:  "variance of the fraction for ever, with two cells of a bit, k = 1 and one decrement",
			Published: exactly(0), value: zerosVariance(),
		},
		{
			place: "Terminology, line 39, and A2, line 132", kind: inconsistency,
			says:     "full when the items exceed the capacity; full when it has reached its capacity",
			must:     "one of them: the swap is an item sooner or later",
			quantity: "answers to how many items are in a full filter of capacity 3", Published: single(),
			value: results(first(func(n int) bool { return n > 3 }), first(func(n int) bool { return n >= 3 })),
		},
		{
			place: "A2, line 134", kind: wrong, says: "one bit vector is always full",
			must:      "from the first swap on; before it none is",
			quantity:  "share of the first 100 inserts after which one of two vectors of capacity 10 is full",
			Published: nearly(1), value: fullShare(10, 100),
		},
		slips(
			slip{15, "navigate to new page", "navigate to a new page"},
			slip{39, "when then number", "when the number"}, slip{49, "Afer", "After"},
			slip{65, "part of a bits", "part of the bits"}, slip{67, "selction", "selection"},
			slip{76, "from using of", "from using"}, slip{97, "removing of items", "removing items"},
			slip{111, "A problem all", "A problem of all"},
			slip{144, "Golomb Compressed Sets", "Golomb-coded sets"},
		),
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

// lostByCounting deletes the first of three items of two cells, in all filters of four counters.
func lostByCounting() (missing float64) {
	each(4, 6, func(d []int) {
		counters := counted(4, d[:2], d[2:4], d[4:])
		for _, cell := range d[:2] {
			counters[cell]--
		}
		missing += count(least(counters, d[2:4]) == 0, least(counters, d[4:]) == 0)
	})
	return missing
}

// sketchError returns the mean error of an item's counter, of two, where another item came once, over all
// cells of both and signs of the other one: 1 and another one, which is 1 too where there are none.
func sketchError(other float64) (mean float64) {
	each(2, 3, func(d []int) {
		if d[0] == d[1] {
			mean += []float64{1, other}[d[2]] / 8
		}
	})
	return mean
}

// zerosVariance returns the variance of the fraction of zeros in a stable filter of two cells of a bit. An
// insert clears a random cell, and then sets a random one.
func zerosVariance() float64 {
	p := [2][2]float64{{1, 0}, {0, 0}} // of the cells' values
	for range 200 {
		var next [2][2]float64
		each(2, 4, func(d []int) {
			cells := [2]int{d[0], d[1]}
			cells[d[2]] = 0
			cells[d[3]] = 1
			next[cells[0]][cells[1]] += p[d[0]][d[1]] / 4
		})
		p = next
	}
	mean := (p[0][1] + p[1][0]) / 2
	return (p[0][1]+p[1][0])*math.Pow(0.5-mean, 2) + p[1][1]*mean*mean + p[0][0]*math.Pow(1-mean, 2)
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
