package sharded

import (
	"errors"
	"log/slog"
	"math"
	"reflect"
	"runtime"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/internal/expected"
	"github.com/bloomlane/bloomlane/kernel"
)

// plan finds out how many members and inserts are planned: a filter with the most inserts says it.
func (t *table) plan() error {
	d, err := deletable.Decode(t.contents(t.blocks.Words(),
		base.History{Inserts: base.MaxCount}), key.Unknown())
	if err != nil {
		return err
	}
	t.plannedInserts = math.MaxInt
	var due *deletable.RebuildError
	if errors.As(d.Due(), &due) { // not so if re-inserts are planned
		t.planned, t.plannedInserts = due.PlannedMembers, uint64(due.PlannedInserts)
	}
	return nil
}

// view returns a deletable filter in the memory of t, which others write, or in a copy under the
// race detector. It is for scans, by loads of single words: see docs/theory/sharded.md. It takes
// hashes only.
func (t *table) view() (*deletable.Filter, error) {
	if fallback.Race {
		return deletable.Decode(t.copied(), key.Unknown())
	}
	c := t.contents(t.blocks.Words(), t.histories())
	c.KeepAlive(t)
	return deletable.Decode(c, key.Unknown())
}

// State returns the size, the members, the fill and the rate: see [deletable.Filter.State]. It
// scans the table only if something was deleted since the filter was made or rebuilt. Others may
// write meanwhile, and wait for nothing.
func (f *Filter) State() filter.State {
	t := base.Held(&f.Life)
	if t == nil {
		return filter.State{}
	}
	h, size := t.histories(), t.shape()
	s := filter.State{Bytes: size.Bytes(), Members: float64(h.Members())}
	if h.Deleted > 0 || h.Retained > 0 {
		s.Fill, s.Rate = t.scan()
		s.Scanned = true
		return s
	}
	s.Fill = expected.Fill(float64(h.Inserts), float64(64*size.Blocks))
	s.Rate = size.Rate(int(h.Inserts))
	return s
}

// ScanFill returns the share of the bits in use and the most that an insert adds to it: see
// [filter.Scanner]. Others may write meanwhile, and wait for nothing.
func (f *Filter) ScanFill() (fill, most float64, err error) {
	t := base.Held(&f.Life)
	if t == nil {
		return 0, 0, filter.ErrClosed
	}
	fill, _ = t.scan()
	return fill, fallback.K / float64(len(t.blocks)*fallback.K*64), nil
}

// scan returns the share of the data bits in use, and the rate.
func (t *table) scan() (fill, rate float64) {
	ones, blocks := 0, float64(len(t.blocks))
	if !fallback.Race {
		ones, _ = t.blocks.Count()
		rate = expected.RateOf(t.blocks)
	} else {
		for i := range t.blocks {
			block := kernel.Table512{t.load(i)}
			found, _ := block.Count()
			ones += found
			rate += expected.RateOf(block) / blocks
		}
	}
	runtime.KeepAlive(t)
	return float64(ones) / (blocks * fallback.K * 64), rate
}

// Stats are statistics of a filter. In JSON and in logs they have names in lower case, such as
// planned_rate, which do not change:
//
//	expvar.Publish("guests", expvar.Func(func() any { return f.Stats() }))
type Stats struct {
	deletable.Stats

	Rebuilding bool `json:"rebuilding"` // a rebuild, a refresh or a merge is running
}

// LogValue returns the statistics as a group of attributes, with the names of the JSON. It
// implements [slog.LogValuer].
func (s Stats) LogValue() slog.Value {
	var attributes []slog.Attr
	all := reflect.ValueOf(s)
	for _, field := range reflect.VisibleFields(all.Type()) {
		if name := field.Tag.Get("json"); name != "" {
			value := all.FieldByIndex(field.Index).Interface()
			attributes = append(attributes, slog.Any(name, value))
		}
	}
	return slog.GroupValue(attributes...)
}

// Stats scans the table: see [deletable.Filter.Stats]. Others may write meanwhile, and wait for
// nothing. If the filter is closed, they are zero.
func (f *Filter) Stats() Stats {
	t := base.Held(&f.Life)
	if t == nil {
		return Stats{}
	}
	d, err := t.view()
	if err != nil {
		return Stats{}
	}
	s := Stats{d.Stats(), t.turns.Load()%2 != 0}
	s.Absent = int(t.absents())
	return s
}

// Health scans the table and compares it with its plan: see [deletable.Filter.Health]. Its
// predictions take as long as there, so call it once in minutes. Others may write meanwhile, and
// wait for nothing. If the filter is closed, Health has only Due.
func (f *Filter) Health() deletable.Health {
	t := base.Held(&f.Life)
	if t == nil {
		return deletable.Health{Due: filter.ErrClosed}
	}
	d, err := t.view()
	if err != nil {
		return deletable.Health{Due: err}
	}
	h := d.Health()
	h.Absent = int(t.absents())
	return h
}

// Due returns a *[deletable.RebuildError] if the filter has had more inserts than planned: see
// [deletable.Filter.Due]. It adds up the counters of all stripes, in less than a microsecond or,
// while a rebuild, a refresh or a merge runs, two: call it now and then, and not after each insert.
// If the filter is closed, Due returns [filter.ErrClosed].
func (f *Filter) Due() error {
	t := base.Held(&f.Life)
	if t == nil {
		return filter.ErrClosed
	}
	h := t.histories()
	if h.Inserts <= t.plannedInserts {
		return nil
	}
	return &deletable.RebuildError{Inserts: int(h.Inserts), PlannedInserts: int(t.plannedInserts),
		Members: h.Members(), PlannedMembers: t.planned}
}

// History returns the numbers of inserts and deletes, and so the number of members, from the
// counters that Due adds up.
func (f *Filter) History() base.History { return base.Require(&f.Life).histories() }

// Shape returns the size of the filter.
func (f *Filter) Shape() deletable.Shape { return base.Require(&f.Life).shape() }

func (t *table) shape() deletable.Shape { return deletable.Shape{Blocks: len(t.blocks)} }
