package dlbf

import (
	"fmt"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/internal/elementary"
	"github.com/bloomlane/bloomlane/internal/expected"
)

// table is the array of a filter, with its plan and history.
type table struct {
	Array
	planned, bits uint64
	history       base.History
}

var _ base.Flat = (*table)(nil)

// Numbers implements [base.Table].
func (t *table) Numbers() []base.Number {
	return append(t.history.Numbers(),
		base.Members(&t.planned),
		base.Number{Name: "bits", Value: &t.bits, Low: 2, High: filter.MaxBits},
		base.Number{Name: "regions", Value: &t.regions, Low: 1, High: filter.MaxBits / 2},
		base.Number{Name: "hashes", Value: &t.hashes, Low: 1, High: MaxHashes},
	)
}

// Fit implements [base.Table].
func (t *table) Fit(bits []uint64) error {
	size := Shape{int(t.bits), int(t.regions), int(t.hashes)}
	if err := size.Check(); err != nil {
		return file.Wrong(file.ErrBounds, fmt.Sprintf("regions %d of %d bits", t.regions, t.bits),
			fmt.Sprintf("1 to %d", t.bits/2))
	}
	if size.words() != len(bits) {
		return file.Wrong(file.ErrBounds, fmt.Sprintf("%d words of %d bits", len(bits), t.bits),
			fmt.Sprintf("%d words", size.words()))
	}
	if used := t.bits % 64; used != 0 && bits[len(bits)-1]>>used != 0 {
		return file.Wrong(file.ErrBounds, "bits behind the last", "zeros")
	}
	t.Array = arrayOf(size, bits)
	if t.ones(uint64(size.UsedRegions()), t.regions) != 0 {
		return file.Wrong(file.ErrBounds, "collisions in regions without cells", "zeros")
	}
	return nil
}

// Memory implements [base.Table].
func (t *table) Memory() []uint64 { return t.words }

// String implements [base.Table].
func (t *table) String() string { return t.shape.String() }

// State implements [base.Table]. Before the first delete it follows from the number of inserts.
// After it State counts the cells, in a time that grows with the table.
func (t *table) State() filter.State {
	s := filter.State{Members: float64(t.history.Members())}
	if t.history.Deleted == 0 && t.history.Retained == 0 {
		inserts := float64(t.history.Inserts)
		s.Fill = expected.Fill(inserts*float64(t.hashes), float64(t.cells))
		s.Rate = t.shape.Rate(int(inserts))
		return s
	}
	s.Fill, _ = t.Scan()
	s.Rate, s.Scanned = elementary.Pow(s.Fill, float64(t.hashes)), true
	return s
}

// Scan implements [base.Table].
func (t *table) Scan() (fill, most float64) {
	cells := float64(t.cells)
	return float64(t.used()) / cells, float64(t.hashes) / cells
}

func (t *table) count(inserts int) {
	t.history.Inserts = base.Total(t.history.Inserts, uint64(inserts))
}

func (t *table) delete(hash uint64) filter.Status {
	status := t.Delete(hash)
	t.history.Note(status)
	return status
}

func (t *table) merge(from *table) { t.Array.merge(&from.Array) }
