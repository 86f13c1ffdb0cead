package retouched

import (
	"math/rand/v2"
	"slices"
)

// listing is an algorithm as the paper lists it, run step by step so that the steps can be counted.
// It clears the bits that package filter/family/retouched clears.
type listing struct {
	selection
	lookup
}

// elements are the positions of elements, k of each one after another.
type elements struct {
	k         int
	positions []uint64
}

func (e elements) len() int             { return len(e.positions) / e.k }
func (e elements) cells(i int) []uint64 { return e.positions[i*e.k:][:e.k] }
func (e elements) first(n int) elements { return elements{e.k, e.positions[:n*e.k]} }

// lookup is how an element is removed from the lists that it is in: as "remove all occurrences of x
// from v" leaves open; and of the ratios, whether all m are computed after each bit.
type lookup int

const (
	byHandle lookup = iota
	bySearch
	byScan
	eachRatio // byHandle
)

func (l lookup) String() string {
	return [...]string{"it is known where an element is in its lists, and ratios are computed " +
		"where they are used", "REMOVE searches the element's own k lists",
		"REMOVE goes through all lists, as printed",
		"COMPUTERATIO after each bit, as algorithm 7 has it"}[l]
}

// tally is the paper's counting vector or, with lists, its vector of lists. It counts what it reads
// and writes: cells, and entries of lists.
type tally struct {
	keys   elements
	counts []int
	lists  [][]int
	lookup lookup
	steps  int
	peak   int // the largest count
}

func newTally(cells int, members elements, lists bool, l lookup) *tally {
	t := &tally{keys: members, counts: make([]int, cells), lookup: l, steps: len(members.positions)}
	for _, p := range members.positions {
		t.counts[p]++
	}
	if lists {
		t.lists = make([][]int, cells)
		room := make([]int, len(members.positions))
		for p, n := range t.counts {
			t.lists[p], room = room[:0:n], room[n:]
		}
		for i := range members.len() {
			for _, p := range members.cells(i) {
				t.lists[p] = append(t.lists[p], i)
			}
		}
	}
	t.peak = slices.Max(t.counts)
	return t
}

// clear follows the clearing of bit p.
func (t *tally) clear(p uint64) {
	t.steps++
	if t.lists == nil {
		t.counts[p] = 0
		return
	}
	for _, i := range slices.Clone(t.lists[p]) {
		if t.lookup == byScan {
			t.steps += len(t.counts)
		}
		for _, q := range t.keys.cells(i) {
			t.steps++
			place := slices.Index(t.lists[q], i)
			if place < 0 { // i is in the list twice, and was removed twice
				continue
			}
			if t.lookup == bySearch || t.lookup == byScan {
				t.steps += place
			}
			t.lists[q] = slices.Delete(t.lists[q], place, place+1)
			t.counts[q]--
		}
	}
}

// work is what a run of an algorithm cleared, and what that took.
type work struct {
	cleared []uint64 // in their order
	steps   int      // cells, entries of lists and positions that were read or written
	entries int      // of lists, at first
	peak    int      // the largest count
}

// run runs the algorithm on a filter of m bits and the first of its false positives, until none of
// these has all its bits. Of bits that are as good the first is chosen.
func (l listing) run(rng *rand.Rand, m int, members, positives elements, keys int) (w work) {
	set := make([]bool, m)
	for _, p := range members.positions {
		set[p] = true
	}
	one := &tally{counts: slices.Repeat([]int{1}, len(set))}
	costs, gains := one, one
	var tallies []*tally
	if l.countsMembers() {
		costs = newTally(len(set), members, l.improved(), l.lookup)
		tallies = append(tallies, costs)
	}
	if l.countsKeys() {
		counted := positives
		if !l.all {
			counted = positives.first(keys)
		}
		gains = newTally(len(set), counted, l.improved(), l.lookup)
		tallies = append(tallies, gains)
	}
	if len(tallies) == 2 {
		w.steps += len(set)
	}
	for i := range keys {
		own := positives.cells(i)
		if unset := slices.IndexFunc(own, func(p uint64) bool { return !set[p] }); unset >= 0 {
			w.steps += unset + 1
			continue
		}
		w.steps += len(own)
		best := own[0]
		if len(tallies) == 0 {
			best = own[rng.IntN(len(own))]
			w.steps++
		} else {
			for _, p := range own {
				w.steps++
				if costs.counts[p]*gains.counts[best] < costs.counts[best]*gains.counts[p] {
					best = p
				}
			}
		}
		w.cleared = append(w.cleared, best)
		w.steps++
		set[best] = false
		for _, t := range tallies {
			t.clear(best)
		}
		if l.lookup == eachRatio {
			w.steps += len(set)
		}
	}
	for _, t := range tallies {
		w.steps += t.steps
		w.peak = max(w.peak, t.peak)
		if l.improved() {
			w.entries += len(t.keys.positions)
		}
	}
	return w
}
