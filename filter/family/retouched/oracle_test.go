package retouched

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/bloomlane/bloomlane/internal/probe"
)

// oracle is the paper's algorithms as they are listed, scans and all: it is written to be compared
// with the listings. It has the filter's positions, and nothing else of the package. What the
// listings leave open is as [Config] and [Algorithm] state it: the order of B, ties, protected
// members, the budget and the limits.
type oracle struct {
	v         []bool
	a, b      [][]uint64 // positions of the members and of the troublesome keys
	others    [][]uint64 // of other false positives
	protected []bool     // by position
	algorithm Algorithm
	config    Config
	random    *rand.PCG

	vA, vB  []int   // counting vectors
	lA, lB  [][]int // ElementList vectors
	r       []ratio
	cleared []uint64
}

type ratio struct{ a, b int }

func (x ratio) less(y ratio) bool { return x.a*y.b < y.a*x.b }

func (o *oracle) membershipTest(positions []uint64) bool {
	for _, p := range positions {
		if !o.v[p] {
			return false
		}
	}
	return true
}

// createVector is CREATECV and CREATEFV of Algorithms 2 to 4.
func (o *oracle) createVector(of [][]uint64) []int {
	v := make([]int, len(o.v))
	for _, key := range of {
		for _, p := range key {
			v[p]++
		}
	}
	return v
}

// createLists is CREATECV and CREATEFV of Algorithms 5 to 7.
func (o *oracle) createLists(of [][]uint64) [][]int {
	l := make([][]int, len(o.v))
	for i, key := range of {
		for _, p := range key {
			l[p] = append(l[p], i)
		}
	}
	return l
}

// bitClearing is BITCLEARING: it removes all occurrences of the elements of a cell from all cells.
func bitClearing(l [][]int, index uint64) {
	for _, x := range slices.Clone(l[index]) {
		for p := range l {
			l[p] = slices.DeleteFunc(l[p], func(y int) bool { return x == y })
		}
	}
}

// size is the vector that a choice is made by: counts, or sizes of lists.
func size(v []int, l [][]int, p uint64) int {
	if l != nil {
		return len(l[p])
	}
	return v[p]
}

// computeRatio is COMPUTERATIO of Algorithms 4 and 7.
func (o *oracle) computeRatio() {
	for i := range o.v {
		if b := size(o.vB, o.lB, uint64(i)); o.v[i] && b > 0 {
			o.r[i] = ratio{size(o.vA, o.lA, uint64(i)), b}
		}
	}
}

// lost returns which members are lost.
func (o *oracle) lost(were []int) (lost []int) {
	for _, i := range were {
		if !o.membershipTest(o.a[i]) {
			lost = append(lost, i)
		}
	}
	return lost
}

// allowed returns whether a bit may be cleared.
func (o *oracle) allowed(were []int, p uint64) bool {
	if o.protected[p] {
		return false
	}
	if o.config.Budget == 0 {
		return true
	}
	o.v[p] = false
	after := len(o.lost(were))
	o.v[p] = true
	before := len(o.lost(were))
	return after == before || after <= o.config.Budget
}

func (o *oracle) run() {
	var members []int // that are present
	for i, a := range o.a {
		if o.membershipTest(a) {
			members = append(members, i)
		}
	}
	var troublesome []int
	var present [][]uint64
	for i, b := range o.b {
		if o.membershipTest(b) {
			troublesome = append(troublesome, i)
			present = append(present, b)
		}
	}
	for _, b := range o.others {
		if o.membershipTest(b) {
			present = append(present, b)
		}
	}
	were := make([][]uint64, 0, len(members))
	for _, i := range members {
		were = append(were, o.a[i])
	}
	o.r = make([]ratio, len(o.v))
	switch o.algorithm {
	case MinimumFN:
		o.vA = o.createVector(were)
	case MaximumFP:
		o.vB = o.createVector(present)
	case Ratio:
		o.vA, o.vB = o.createVector(were), o.createVector(present)
		o.computeRatio()
	case ImprovedMinimumFN:
		o.lA = o.createLists(were)
	case ImprovedMaximumFP:
		o.lB = o.createLists(present)
	case ImprovedRatio:
		o.lA, o.lB = o.createLists(were), o.createLists(present)
		o.computeRatio()
	case Randomized:
		o.randomized(members, troublesome)
		return
	}
	for _, i := range troublesome {
		if o.done(troublesome) {
			break
		}
		bi := o.b[i]
		if !o.membershipTest(bi) {
			continue
		}
		var candidates []uint64
		for _, p := range bi {
			if o.allowed(members, p) {
				candidates = append(candidates, p)
			}
		}
		if len(candidates) == 0 {
			continue
		}
		index := candidates[0]
		switch o.algorithm {
		case RandomSelection:
			index = candidates[probe.Reduce(o.random.Uint64(), uint64(len(candidates)))]
		case MinimumFN, ImprovedMinimumFN: // MININDEX
			for _, p := range candidates {
				if size(o.vA, o.lA, p) < size(o.vA, o.lA, index) {
					index = p
				}
			}
		case MaximumFP, ImprovedMaximumFP: // MAXINDEX
			for _, p := range candidates {
				if size(o.vB, o.lB, p) > size(o.vB, o.lB, index) {
					index = p
				}
			}
		case Ratio, ImprovedRatio: // MINRATIO
			for _, p := range candidates {
				if o.r[p].less(o.r[index]) {
					index = p
				}
			}
		}
		o.v[index] = false
		o.cleared = append(o.cleared, index)
		switch o.algorithm {
		case MinimumFN:
			o.vA[index] = 0
		case MaximumFP:
			o.vB[index] = 0
		case Ratio:
			o.vA[index], o.vB[index], o.r[index] = 0, 0, ratio{}
		case ImprovedMinimumFN:
			bitClearing(o.lA, index)
		case ImprovedMaximumFP:
			bitClearing(o.lB, index)
		case ImprovedRatio:
			bitClearing(o.lA, index)
			bitClearing(o.lB, index)
			o.r[index] = ratio{}
			o.computeRatio()
		}
	}
}

// randomized is section III-B: bits that are set, each as likely.
func (o *oracle) randomized(members, troublesome []int) {
	var order []uint64
	for p, set := range o.v {
		if set {
			order = append(order, uint64(p))
		}
	}
	for i := range order {
		if o.done(troublesome) || o.config.Bits == 0 &&
			o.boughtOff(troublesome) == len(troublesome) {
			return
		}
		j := i + int(probe.Reduce(o.random.Uint64(), uint64(len(order)-i)))
		order[i], order[j] = order[j], order[i]
		if o.allowed(members, order[i]) {
			o.v[order[i]] = false
			o.cleared = append(o.cleared, order[i])
		}
	}
}

func (o *oracle) boughtOff(troublesome []int) (n int) {
	for _, i := range troublesome {
		if !o.membershipTest(o.b[i]) {
			n++
		}
	}
	return n
}

func (o *oracle) done(troublesome []int) bool {
	return o.config.Bits > 0 && len(o.cleared) >= o.config.Bits ||
		o.config.Target > 0 && o.boughtOff(troublesome) >= o.config.Target
}

func (o *oracle) String() string { return fmt.Sprintf("%v of %d bits", o.algorithm, len(o.v)) }
