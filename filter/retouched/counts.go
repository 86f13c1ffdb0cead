package retouched

import (
	"fmt"
	"iter"
	"math"
	"slices"
)

// CountsOf counts for each bit of a filter how many of the members' bits it is: the counting vector of the paper's
// CREATECV. An owner keeps counts up by the positions of what comes and goes. Its error wraps that of the source.
func CountsOf(of Base, members iter.Seq2[uint64, error]) ([]uint32, error) {
	size, err := shapeOf(of)
	if err != nil {
		return nil, err
	}
	counts, p := make([]uint32, size.bits), make([]uint64, 0, size.hashes())
	_, err = present(of, "members", members, func(hash uint64) error {
		p = of.AppendPositions(p[:0], hash)
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

// members returns how many members counts are of: in each lane of a block each has its slots.
func (s shape) members(counts []uint32) (all int, err error) {
	for block := uint64(0); block < uint64(len(counts)); block += s.block {
		sum := uint64(0)
		for _, n := range counts[block : block+s.block] {
			sum += uint64(n)
		}
		if sum%uint64(s.hashes()) != 0 {
			return 0, wrong("Counts", fmt.Sprintf("a sum of %d in a block", sum), fmt.Sprintf("%d for each member", s.hashes()))
		}
		all += int(sum / uint64(s.hashes()))
	}
	return all, nil
}

// lost returns how many members are expected to have none of the cleared bits left, and the standard deviation.
//
// Counts say how many bits of members were cleared, and not of whom. Given the counts the bits of a lane belong to
// the slots of the members in any order, each as likely, because hashes are uniform. So a block's members that keep
// all are those whose slots a draw without return has missed: the moments of that are exact.
func (s shape) lost(counts []uint32, cleared []uint64, safe map[uint64]int) (mean, deviation float64) {
	cleared = slices.Clone(cleared)
	slices.Sort(cleared)
	variance := 0.0
	for len(cleared) > 0 {
		block := cleared[0] / s.block
		end := block*s.block + s.block
		sum := uint64(0)
		for _, n := range counts[block*s.block : end] {
			sum += uint64(n)
		}
		n := float64(sum/uint64(s.hashes())) - float64(safe[block])
		one, two := 1.0, 1.0 // the probabilities that a member is kept, and that two are
		for len(cleared) > 0 && cleared[0] < end {
			lane, drawn := cleared[0]/s.lane, 0.0
			for len(cleared) > 0 && cleared[0]/s.lane == lane {
				drawn += float64(counts[cleared[0]])
				cleared = cleared[1:]
			}
			all := n * float64(s.slots)
			for i := range 2 * s.slots {
				kept := max(0, all-drawn-float64(i)) / max(1, all-float64(i))
				if two *= kept; i < s.slots {
					one *= kept
				}
			}
		}
		mean += n * (1 - one)
		variance += n*one*(1-one) + n*(n-1)*(two-one*one)
	}
	return mean, math.Sqrt(max(0, variance))
}
