package letter

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/family/dlbf"
	"github.com/bloomlane/bloomlane/internal/workload"
	"github.com/bloomlane/bloomlane/kernel"
	"github.com/bloomlane/bloomlane/papers/claim"
)

// setting is trials of section IV: their name, where the elements come from, how many non-members
// are asked for, and how many trials a full run and a short one take, a quarter if that is 0.
type setting struct {
	name        string
	elements    elements
	queries     int
	full, short int
}

// The filters of figures 2 to 4. Of their r the text names 24, 60 and 120, and m/r = 20.
var (
	gridRegions = []int{6, 12, 24, 60, 120}
	gridMembers = []int{4, 6, 8, 10, 12, 15, 18, 22, 26, 30, 36, 40, 48, 60}
)

// ways are those to hash, and what may coincide, by what they are called in claims.
var ways = map[string]setting{
	// Some readings differ by little, so that there are more trials than the letter has.
	"may coincide":                          {name: "observed", full: 10 * letterly},
	"are distinct":                          {"distinct", distinct, 0, 10 * letterly, 0},
	"are no collision of their own element": {"once", once, 0, 10 * letterly, 0},

	"perfectly random cells": {"perfect", perfect, 0, 4 * letterly, 0},
	"a random 64-bit hash":   {"a random 64-bit hash, probed", hashed, 0, 4 * letterly, 0},
	"double hashing":         {"double hashing: (a + i b) mod m'", doubly, 0, 4 * letterly, 0},
	"FNV-1a of numbers":      {"FNV-1a of numbers in decimal, mod m'", weakly, 0, 4 * letterly, 0},
}

var wayNames = append(slices.Sorted(maps.Keys(ways)), "") // for a claim that names none

// The forms of filters in packet headers: that of LIPSIN (Jokela et al., SIGCOMM 2009), from which
// nothing is deleted, the letter's, and a block of this project.
const (
	lipsin = "LIPSIN"
	ours   = "Bloomlane"
)

// settingOf returns that of a claim, whose elements are of one kind where the claim does not say.
func settingOf(point claim.Parameters, e elements) (s setting) {
	m, r, n := point.Int("m"), point.Int("r"), point.Int("n")
	way, found := ways[point.Word("cells", wayNames...)+point.Word("hash", wayNames...)]
	switch form := point.Word("form", "", lipsin, "letter", ours); {
	case found:
		if s = way; s.elements == nil {
			s.elements = e
		}
	case form == ours:
		s = setting{name: fmt.Sprint("ours ", n), full: letterly}
	case form != "":
		s = setting{fmt.Sprint("in packets ", shapeOf(point), n), hashed, queries, letterly, 0}
	case m == bits && point.Int("k") == hashes:
		s = gridOf("grid", "standard", r, n, regions, e)
		s.full, s.short = letterly, letterly/20
		if n == members {
			s.short = letterly
		} else if slices.Contains([]int{10, 15, 30, 40, 48}, n) { // of which a sentence is
			s.short = letterly / 2
		}
	case m == 1024 && point.Int("k") == 7: // of which the letter says that they do the same
		s = gridOf("grid-1024", "standard-1024", r, n, 128, e)
		s.full, s.short = letterly/4, letterly/20
	default:
		s = setting{fmt.Sprint("other ", loadOf(point)), hashed, queries, letterly, 0}
	}
	if s.short == 0 {
		s.short = s.full / 4
	}
	return s
}

// gridOf is that of figures 2 to 4, of which figure 4 has one r, and a filter that deletes nothing.
func gridOf(name, standard string, r, n, measured int, e elements) setting {
	s := setting{name: fmt.Sprintf("%s %d %d", name, r, n), elements: e}
	if r == 0 {
		s.name = fmt.Sprintf("%s %d", standard, n)
	}
	if r == 0 || r == measured {
		s.queries = queries
	}
	return s
}

// simulated are the trials of section IV of a claim's filter.
func simulated(e elements) *claim.Simulation {
	return &claim.Simulation{
		Name: func(at claim.Parameters) string { return settingOf(at, e).name },
		Times: func(at claim.Parameters) (full, short int) {
			s := settingOf(at, e)
			return s.full, s.short
		},
		Trial: func(rng *rand.Rand, point claim.Parameters) claim.Outcome {
			if point.Text("form") == ours {
				return simulateBlock(rng, point.Int("n"))
			}
			s := settingOf(point, e)
			return simulate(rng, shapeOf(point), point.Int("n"), s.elements, s.queries)
		},
	}
}

// simulate inserts elements, and then removes all; before and after that, elements that are no
// members are queried. It returns
//
//   - of the elements, the share that is deletable, with a bit in a region without a collision, and
//     of their k bits, the share that is free, in such a region;
//   - the bits that are set before, and those that the removal resets; the share of the regions
//     that are collided; and the rates before and after;
//   - the elements that are deletable and still found after the removal, or the other way round,
//     and those that are not found when it is their turn to be removed.
func simulate(
	rng *rand.Rand,
	s dlbf.Shape,
	n int,
	e elements,
	queries int,
) claim.Outcome {
	whole, a := array(s), array(s) // all elements are removed from the one
	arena, draw := make([]uint64, 0, n*s.Hashes), e(rng, uint64(s.Cells()), s.Hashes)
	elements := make([][]uint64, n)
	for i := range elements {
		from := len(arena)
		arena = draw(arena)
		elements[i] = arena[from:]
		a.InsertAt(elements[i])
		whole.InsertAt(elements[i])
	}
	count := a.Count()
	var deletable, bits, free, wrong, missing, before, after float64
	for _, cells := range elements {
		already := free
		for i := range cells {
			if bits++; a.DeletableAt(cells[i : i+1]) {
				free++
			}
		}
		if free > already {
			deletable++
		}
	}
	// collision bits never clear, so that what is deletable stays so
	for _, cells := range elements {
		if !a.QueryAt(cells) { // what was lost earlier is so still
			missing++
		}
		if visible := a.DeletableAt(cells); (a.DeleteAt(cells) == filter.Deleted) != visible ||
			a.QueryAt(cells) == visible {
			wrong++
		}
	}
	for range queries {
		arena = draw(arena[:0])
		if whole.QueryAt(arena) {
			before += 1 / float64(queries)
		}
		if a.QueryAt(arena) {
			after += 1 / float64(queries)
		}
	}
	o := claim.Outcome{"deletable": {deletable / float64(n)}, "free": {free / bits},
		"ones": {float64(count.Ones)}, "reset": {float64(count.Ones - a.Count().Ones)},
		"collided": {float64(count.Collided) / float64(s.Regions)},
		"wrong":    {wrong}, "missing": {missing}}
	if queries > 0 {
		o["before"], o["after"] = []float64{before}, []float64{after}
	}
	return o
}

// simulateBlock is the same with a block of this project, as far as headers need it.
func simulateBlock(rng *rand.Rand, n int) claim.Outcome {
	var b kernel.Block256
	before, deletable, masks := 0., 0., make([]kernel.Block256, n)
	for i := range masks {
		masks[i] = kernel.Mask256(rng.Uint64())
		b.Insert(&masks[i])
	}
	for range queries {
		if mask := kernel.Mask256(rng.Uint64()); b.Query(&mask) {
			before += 1. / queries
		}
	}
	for i := range masks {
		if b.Delete(&masks[i]) == kernel.Deleted {
			deletable += 1 / float64(n)
		}
	}
	return claim.Outcome{"before": {before}, "deletable": {deletable}}
}

// array is an empty filter of a shape that this package chose.
func array(s dlbf.Shape) *dlbf.Array {
	a, err := dlbf.NewArray(s)
	if err != nil {
		panic(err)
	}
	return a
}

// filterOf has elements, and newFilter some new ones, with their hashes.
func filterOf(s dlbf.Shape, hashes []uint64) *dlbf.Array {
	a := array(s)
	for _, hash := range hashes {
		a.Insert(hash)
	}
	return a
}

func newFilter(rng *rand.Rand, s dlbf.Shape, n int) (a *dlbf.Array, hashes []uint64) {
	hashes = make([]uint64, n)
	workload.Fill(rng, hashes)
	return filterOf(s, hashes), hashes
}

// rate returns the false-positive rate of a filter: the chance of k random cells.
func rate(a *dlbf.Array) float64 {
	s := a.Shape()
	return math.Pow(float64(a.Count().Ones)/float64(s.Cells()), float64(s.Hashes))
}
