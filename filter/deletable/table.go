package deletable

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/internal/expected"
	"github.com/bloomlane/bloomlane/internal/legible"
	"github.com/bloomlane/bloomlane/kernel"
)

// sectionLifetime of a file is the name of the lifetime, if turnovers are planned.
const sectionLifetime = "lifetime"

// table is the blocks of a filter, its plan, and what it counts.
type table struct {
	blocks  kernel.Table512
	plan    plan
	history base.History
	round   round
}

var (
	_ base.Sectioned       = (*table)(nil)
	_ base.Comparer[table] = (*table)(nil)
)

// newTable returns an empty table for a plan.
func newTable(nblocks int, p plan) *table {
	return &table{blocks: kernel.NewTable512(nblocks), plan: p.named()}
}

// Numbers implements [base.Table].
func (t *table) Numbers() []base.Number {
	p, r := &t.plan, &t.round
	rate := base.Float("planned-rate", &p.rate, math.SmallestNonzeroFloat64, 1)
	turnovers := base.Float("turnovers", &p.turnovers, 0, planning.MaxTurnovers)
	reinserts := base.Float("reinserts", &p.reinserts, planning.MinReinserts, planning.MaxReinserts)
	reinserts.With = reinserts.Value
	begun := func(name string, value *uint64, low uint64) base.Number {
		return base.Number{Name: name, Value: value, Low: low, High: base.MaxCount,
			Role: base.State, With: &r.next}
	}
	return append(t.history.Numbers(), base.Members(&p.members), rate, turnovers, reinserts,
		begun("refresh-block", &r.next, 1), begun("refresh-deleted", &r.deleted, 0),
		begun("refresh-retained", &r.retained, 0))
}

// Names implements [base.Sectioned].
func (t *table) Names() []string {
	if !t.plan.changes() {
		return []string{"blocks"}
	}
	return []string{"blocks", sectionLifetime}
}

// Sections implements [base.Sectioned].
func (t *table) Sections() [][]uint64 {
	if !t.plan.changes() {
		return [][]uint64{t.blocks.Words()}
	}
	return [][]uint64{t.blocks.Words(), t.lifetimeText()}
}

// lifetimeText returns the name of the lifetime. One that [planning.ParseLifetime] cannot read by
// its name is replaced by [planning.Oldest].
func (t *table) lifetimeText() []uint64 {
	name := t.plan.lifetime.String()
	if _, err := planning.ParseLifetime(name); err != nil {
		name = planning.Oldest().String()
	}
	return file.TextWords(name)
}

// Agrees implements [base.Comparer]: a lifetime may have no name.
func (t *table) Agrees(other *table) bool { return t.plan.lifetime == other.plan.lifetime }

// Copies implements [base.Sectioned].
func (t *table) Copies() bool { return false }

// Clear implements [base.Sectioned].
func (t *table) Clear() { t.blocks.Reset() }

// Renew implements [base.Sectioned].
func (t *table) Renew() { t.blocks = kernel.NewTable512(len(t.blocks)) }

// FitSections implements [base.Sectioned].
func (t *table) FitSections(sections [][]uint64) error {
	// a copy keeps a lifetime that has no name
	if len(sections) > 1 && !slices.Equal(sections[1], t.lifetimeText()) {
		text := file.TextOf(sections[1])
		lifetime, err := planning.ParseLifetime(text)
		// a lifetime has one spelling
		if err != nil || !slices.Equal(sections[1], file.TextWords(lifetime.String())) {
			const most = 40
			return file.Wrong(file.ErrBounds, "a lifetime "+strconv.Quote(legible.Cut(text, most)),
				"the name of one")
		}
		t.plan.lifetime = lifetime
	}
	lanes := sections[0]
	if len(lanes)%fallback.Lanes != 0 || len(lanes)/fallback.Lanes > MaxBlocks {
		return file.Wrong(file.ErrBounds, fmt.Sprintf("blocks of %d words", len(lanes)),
			fmt.Sprintf("1 to %d times %d", MaxBlocks, fallback.Lanes))
	}
	t.blocks = kernel.TableOfWords(lanes)
	p, r, nblocks := &t.plan, &t.round, len(t.blocks)
	switch {
	case p.turnovers != 0 && p.reinserts != 0:
		return file.Wrong(file.ErrBounds, "turnovers and reinserts", "one of them")
	case r.next >= uint64(nblocks):
		return file.Wrong(file.ErrBounds, fmt.Sprintf("refresh-block %d", r.next),
			fmt.Sprintf("1 to %d", nblocks-1))
	case r.deleted > t.history.Deleted || r.retained > t.history.Retained:
		return file.Wrong(file.ErrBounds,
			fmt.Sprintf("refresh-deleted %d and refresh-retained %d", r.deleted, r.retained),
			fmt.Sprintf("at most %d and %d", t.history.Deleted, t.history.Retained))
	}
	t.plan = p.named()
	return nil
}

// String implements [base.Table].
func (t *table) String() string { return t.shape().String() }

// State implements [base.Table]. Before the first delete fill and rate follow from the counters,
// and later from a scan of the table.
func (t *table) State() filter.State {
	s := filter.State{
		Bytes: t.shape().Bytes(), Members: float64(t.history.Members()),
	}
	if t.history.Deleted == 0 && t.history.Retained == 0 {
		inserts := int(t.history.Inserts)
		s.Rate, s.Fill = t.shape().Rate(inserts), expectedFill(inserts, len(t.blocks))
		return s
	}
	s.Fill, _ = t.Scan()
	s.Rate, s.Scanned = expected.RateOf(t.blocks), true
	return s
}

// Scan implements [base.Table].
func (t *table) Scan() (fill, most float64) {
	ones, _ := t.blocks.Count()
	bits := float64(len(t.blocks) * dataLanes * laneBits)
	return float64(ones) / bits, dataLanes / bits
}

// expectedFill returns the expected share of the data bits that are set after a number of inserts.
// Each insert sets one bit per lane.
func expectedFill(inserts, nblocks int) float64 {
	return expected.Fill(float64(inserts), float64(laneBits*nblocks))
}

// merge joins the blocks and the plans.
func (t *table) merge(from *table) {
	t.blocks.Merge(from.blocks)
	if t.plan.below(&from.plan) {
		t.plan = from.plan
	}
}
