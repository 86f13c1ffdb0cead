package retouched

import (
	"fmt"
	"iter"
	"math"
	"slices"
)

// CountsOf returns one number per bit of a filter: how many bits of the members in list fall on it.
// It is the counting vector of the paper's CREATECV. An owner keeps the counts up to date by the
// positions of the members that come and go. The error is an *[AbsentError], [filter.ErrClosed], a
// *[filter.SizingError], or wraps the error of the source.
func CountsOf(b Base, list iter.Seq2[uint64, error]) ([]uint32, error) {
	size, err := layoutOf(b)
	if err != nil {
		return nil, err
	}
	counts, p := make([]uint32, size.bits), make([]uint64, 0, size.hashes())
	_, err = members(b, "members", list, func(hash uint64) error {
		p = b.AppendPositions(p[:0], hash)
		for _, position := range p {
			counts[position]++
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return counts, nil
}

// membersOf returns how many members the counts are of: each has its slots in each lane of one
// block. safe is the number of members of each block that must not be lost, which are among them.
func (l layout) membersOf(
	counts []uint32,
	words []uint64,
	safe map[uint64]int,
) (all int, err error) {
	for i, n := range counts {
		if n > 0 && words[i/64]>>(i%64)&1 == 0 {
			return 0, wrong("Counts", fmt.Sprintf("%d for bit %d, which is not set", n, i), "0")
		}
	}
	for block := uint64(0); block < l.bits; block += l.block {
		members := 0
		for lane := l.first; lane < l.block/l.lane; lane++ {
			sum := l.sum(counts, block+lane*l.lane)
			if lane == l.first {
				members = int(sum / uint64(l.slots))
			}
			if sum != uint64(members*l.slots) {
				return 0,
					wrong("Counts", fmt.Sprintf("a sum of %d from bit %d on", sum,
						block+lane*l.lane), fmt.Sprintf("%d for each member", l.slots))
			}
		}
		if n := safe[block/l.block]; n > members {
			return 0, wrong("Protected", fmt.Sprintf("%d with bits from %d on", n, block),
				fmt.Sprintf("at most the %d members", members))
		}
		all += members
	}
	return all, nil
}

// sum returns the sum of the counts of a lane.
func (l layout) sum(counts []uint32, lane uint64) (sum uint64) {
	for _, n := range counts[lane : lane+l.lane] {
		sum += uint64(n)
	}
	return sum
}

// lost returns how many members are expected to have a cleared bit, and the standard deviation.
//
// Given the counts, the bits of a lane belong to the slots of the members in any order, each
// equally likely. So the members of a block that keep all their bits are those whose slots a draw
// without replacement has missed. "Losses by counts" in docs/theory/retouched.md says more.
func (l layout) lost(
	counts []uint32,
	cleared []uint64,
	safe map[uint64]int,
) (mean, deviation float64) {
	cleared = slices.Clone(cleared)
	slices.Sort(cleared)
	variance := 0.0
	for len(cleared) > 0 {
		block := cleared[0] / l.block
		end := block*l.block + l.block
		n := float64(l.sum(counts, block*l.block+l.first*l.lane)/uint64(l.slots)) -
			float64(safe[block])
		one, two := 1.0, 1.0 // the probabilities that a member is kept, and that two are
		for len(cleared) > 0 && cleared[0] < end {
			lane, drawn := cleared[0]/l.lane, 0.0
			for len(cleared) > 0 && cleared[0]/l.lane == lane {
				drawn += float64(counts[cleared[0]])
				cleared = cleared[1:]
			}
			all := float64(n * float64(l.slots))
			for i := range 2 * l.slots {
				kept := max(0, all-drawn-float64(i)) / max(1, all-float64(i))
				if two *= kept; i < l.slots {
					one *= kept
				}
			}
		}
		mean += float64(n * (1 - one))
		variance += float64(n*one*(1-one)) + float64(n*(n-1)*(two-float64(one*one)))
	}
	return mean, math.Sqrt(max(0, variance))
}
