package rolling

import (
	"fmt"
	"math"
	"runtime"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/internal/expected"
)

// Promises is what the kind promises. With [Config.Expire] a filter forgets as well: see
// [Filter.Promises].
const Promises = filter.NoFalseNegatives | filter.Deletes | filter.KeepsRate

// Kind is the kind of these filters, of 4 generations, in which no lifetime ends. Whoever makes or
// opens one by its kind sets a source of stragglers with [Filter.SetStragglers], or replaces the
// oldest members and deletes by generation, or meets [ErrStragglers].
//
// Turnovers and lifetimes need no plan: the rate is kept, whatever comes and goes. So New takes any
// of them that a Sizing may have.
var Kind = filter.Kind{
	Name: kindName,
	Source: "a ring of deletable filters, of Rothenberg, Macapuna, Verdi and Magalhães: The " +
		"Deletable Bloom Filter (IEEE Communications Letters, 2010)",
	Promises: Promises,
	New: filter.NewOf(func(s filter.Sizing) (*Filter, error) {
		// so written, NaN fails it too
		if !(s.Turnovers >= 0 && s.Turnovers <= planning.MaxTurnovers) {
			return nil,
				wrong("Turnovers", s.Turnovers, fmt.Sprintf("0 to %d", planning.MaxTurnovers))
		}
		return New(Config{Members: s.Members, BitsPerKey: s.BitsPerKey, Rate: s.Rate, Key: s.Key})
	}),
	Decode: filter.DecodeOf(Decode),
}

// wrong returns the error that there is no filter of a field's value.
func wrong(field string, found any, expected string) *filter.SizingError {
	return &filter.SizingError{Kind: kindName, Field: field, Found: found, Expected: expected}
}

// State returns what the filter can tell of itself: see [filter.State]. Before the first delete
// that is by the counters, and later by a scan of the tables. Its Rate takes the generations as
// independent, so that a key that two show counts once: [Stats.RateNow] is their sum, and a little
// more. Members counts inserts less deletes, and where lifetimes end, what is left in the
// generations at most.
func (f *Filter) State() filter.State {
	r := f.ring.Load()
	if r == nil {
		return filter.State{}
	}
	s := filter.State{Bytes: r.plan.Bytes, Scanned: r.counters.deleted != 0 ||
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
			s.Fill += float64(ones) / float64(r.plan.Blocks*dataBits)
			absent *= 1 - expected.RateOf(g.table)
		} else {
			s.Fill += -math.Expm1(float64(g.inserts) *
				math.Log1p(-1/float64(regions*r.plan.Blocks)))
			absent *= 1 - deletable.ExpectedRate(g.inserts, r.plan.Blocks)
		}
	}
	s.Fill /= float64(r.plan.Generations)
	s.Rate = 1 - absent
	runtime.KeepAlive(r)
	return s
}
