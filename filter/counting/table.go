package counting

import (
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/internal/cells"
	"github.com/bloomlane/bloomlane/internal/expected"
	"github.com/bloomlane/bloomlane/internal/probe"
)

// rate returns the expected false-positive rate with a number of members in. Members that were
// deleted do not matter: a cell is above 0 only if a member has it, unless the cell is saturated.
// So the rate is that of a Bloom filter with a bit per cell.
func rate(s cells.Shape, members int) float64 {
	return expected.RateOfBits(float64(members), float64(s.Cells()), s.Hashes)
}

// table is the cells of a filter, whose highest value stays, and, if they lie in a file, its
// contents. A mapping lasts as long as these contents are reachable, so code that uses the words
// keeps the table alive.
type table struct {
	cells.Array
	contents *file.Contents
}

func (t *table) insert(hash uint64) (present bool) {
	present = true
	for range t.Hashes {
		hash = probe.Next(hash)
		word, shift := t.Cell(hash)
		count := *word >> shift & t.Highest
		if count == 0 {
			present = false
		}
		if count < t.Highest {
			*word += 1 << shift
		}
	}
	return present
}

func (t *table) delete(hash uint64) filter.Status {
	if !t.Query(hash) {
		return filter.Absent
	}
	status := filter.Retained
	for range t.Hashes {
		hash = probe.Next(hash)
		word, shift := t.Cell(hash)
		// A cell that a key has twice is at least 2 if the key is a member, and may be 0 if not.
		count := *word >> shift & t.Highest
		if count > 0 && count < t.Highest {
			*word -= 1 << shift
		}
		if count == 1 && count < t.Highest {
			status = filter.Deleted
		}
	}
	return status
}

// merge adds the cells of another table.
func (t *table) merge(from *table) {
	for i, word := range from.Packed {
		sum := uint64(0)
		for shift := 0; shift+t.Width <= 64; shift += t.Width {
			count := t.Packed[i]>>shift&t.Highest + word>>shift&t.Highest
			sum |= min(count, t.Highest) << shift
		}
		t.Packed[i] = sum
	}
}
