package counting

import (
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/internal/cells"
	"github.com/bloomlane/bloomlane/internal/elementary"
	"github.com/bloomlane/bloomlane/internal/expected"
	"github.com/bloomlane/bloomlane/internal/probe"
)

// table is the cells of a filter, 64/width a word, the least significant first, and zeros. A cell
// that has reached the highest value stays there.
type table struct {
	cells.Array
	members, hashes, width uint64
	history                base.History
}

var _ base.Flat = (*table)(nil)

// newTable returns an empty table.
func newTable(s cells.Shape, members int) *table {
	return &table{Array: cells.Of(s, base.New(s.Words)), members: uint64(members),
		hashes: uint64(s.Hashes), width: uint64(s.Width)}
}

// Numbers implements [base.Table].
func (t *table) Numbers() []base.Number {
	return append(t.history.Numbers(),
		base.Members(&t.members),
		base.Number{Name: "hashes", Value: &t.hashes, Low: 1, High: MaxHashes},
		base.Number{Name: "width", Value: &t.width, Low: 1, High: MaxWidth})
}

// Fit implements [base.Table].
func (t *table) Fit(packed []uint64) error {
	t.Array = cells.Of(cells.Shape{
		Words: uint64(len(packed)), Width: int(t.width), Hashes: int(t.hashes),
	}, packed)
	return nil
}

// Memory implements [base.Table].
func (t *table) Memory() []uint64 { return t.Packed }

// State implements [base.Table]: see [Filter].
func (t *table) State() filter.State {
	if t.history.Deleted == 0 && t.history.Retained == 0 {
		inserts := int(t.history.Inserts)
		return filter.State{
			Members: float64(inserts), Rate: shapeOf(t.Shape).Rate(inserts),
			Fill: expected.Fill(float64(inserts)*float64(t.Hashes), float64(t.Cells())),
		}
	}
	fill, _ := t.Scan()
	return filter.State{
		Members: float64(t.history.Members()), Fill: fill,
		Rate: elementary.Pow(fill, float64(t.Hashes)), Scanned: true,
	}
}

// Scan implements [base.Table].
func (t *table) Scan() (fill, most float64) {
	used, _ := t.Count()
	cells := float64(t.Cells())
	return float64(used) / cells, float64(t.Hashes) / cells
}

func (t *table) count(inserts int) {
	t.history.Inserts = base.Total(t.history.Inserts, uint64(inserts))
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
	t.history.Note(status)
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
