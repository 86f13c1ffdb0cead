package rolling

import (
	"fmt"
	"runtime"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/internal/expected"
)

// Promises is the set of promises of this kind. A filter with [Config.Expire] also forgets: see
// [Filter.Promises].
const Promises = base.NoFalseNegatives | base.Deletes | base.KeepsRate

// Kind describes the kind, for programs that work with any kind. Its New makes filters of 4
// generations whose members do not expire. Set a source of stragglers by [Filter.SetStragglers], or
// replace the oldest members and delete by generation. Otherwise inserts fail with [ErrStragglers]
// when the ring is full.
//
// New ignores the Lifetime and the Reinserts of a Sizing, and accepts any valid Turnovers, because
// the bound of the rate does not depend on them.
var Kind = base.Kind{
	Name: kindName,
	Source: "a ring of deletable filters, of Rothenberg, Macapuna, Verdi and Magalhães: The " +
		"Deletable Bloom Filter (IEEE Communications Letters, 2010)",
	Promises: Promises,
	New: base.NewOf(func(s filter.Sizing) (*Filter, error) {
		// in this form NaN fails too
		if !(s.Turnovers >= 0 && s.Turnovers <= planning.MaxTurnovers) {
			return nil,
				wrong("Turnovers", s.Turnovers, fmt.Sprintf("0 to %d", planning.MaxTurnovers))
		}
		return New(Config{Members: s.Members, BitsPerKey: s.BitsPerKey, Rate: s.Rate, Key: s.Key})
	}),
	Decode: base.DecodeOf(Decode),
}

// wrong returns the error of a field with a value that no filter can have.
func wrong(field string, found any, expected string) *filter.SizingError {
	return &filter.SizingError{Kind: kindName, Field: field, Found: found, Expected: expected}
}

// State returns the size, the members, the fill and the rate: see [filter.State]. Before the first
// delete it computes fill and rate from the counters, and later from a scan of the tables. Rate
// takes the generations as independent, and is slightly less than [Stats.Rate], which is their
// sum. Members is inserts minus deletes; if members expire, it is the largest number that may be
// left in the generations.
func (f *Filter) State() filter.State {
	r := base.Held(&f.Life)
	if r == nil {
		return filter.State{}
	}
	s := filter.State{Bytes: r.shape.Bytes(), Scanned: r.counters.deleted != 0 ||
		r.counters.retained != 0}
	if !r.expire {
		s.Members = float64(r.counters.inserts - min(r.counters.inserts,
			r.counters.deleted+r.counters.retained))
	}
	absent := 1.0
	for i := range r.live {
		g := &r.live[i]
		if r.expire {
			s.Members += float64(g.left)
		}
		if s.Scanned {
			ones, _ := g.table.Count()
			s.Fill += float64(ones) / float64(r.shape.Blocks*dataBits)
			absent *= 1 - expected.RateOf(g.table)
		} else {
			s.Fill += expected.Fill(float64(g.inserts), float64(regions*r.shape.Blocks))
			absent *= 1 - deletable.Shape{Blocks: r.shape.Blocks}.Rate(g.inserts)
		}
	}
	s.Fill /= float64(r.shape.Generations)
	s.Rate = 1 - absent
	runtime.KeepAlive(r)
	return s
}

// ScanFill returns the share of the data bits in use, of all generations, and the most that an
// insert adds to it: see [filter.Scanner].
func (f *Filter) ScanFill() (fill, most float64, err error) {
	r := base.Held(&f.Life)
	if r == nil {
		return 0, 0, filter.ErrClosed
	}
	ones := 0
	for i := range r.live {
		n, _ := r.live[i].table.Count()
		ones += n
	}
	runtime.KeepAlive(r)
	bits := float64(r.shape.Generations * r.shape.Blocks * dataBits)
	return float64(ones) / bits, dataLanes / bits, nil
}
