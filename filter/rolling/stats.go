package rolling

import (
	"runtime"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/internal/expected"
)

const (
	regions   = 64                  // regions per block
	dataLanes = fallback.K          // data lanes per block
	dataBits  = dataLanes * regions // data bits per block
)

// Stats are statistics of a filter, from its counters and one scan of its tables.
type Stats struct {
	Live int // generations in use
	// Members is the largest number of members that there may be: inserts into the live generations
	// minus deletes that were certainly there.
	Members int

	Inserts  int // all inserts by the caller
	Moved    int // all inserts of stragglers
	Deleted  int // deletes that cleared bits
	Retained int // deletes that cleared no bit
	Expired  int // the most members that expired with their generation
	Retired  int // all generations that were emptied

	Fill     float64 // the share of the data bits of all tables that are set
	Regions  int     // regions of all tables, 64 per block
	Collided int     // regions in which a bit was set more than once

	// Rate is the false-positive rate now, or slightly more: it is the sum over the live
	// generations, and a non-member that two of them show counts twice. It is computed from the
	// bits of this filter, while the planned rates are expectations.
	Rate float64

	PlannedRate   float64 // the [Shape.Rate] of any number of inserts
	PlannedRate99 float64 // the [Shape.Rate99]
}

// Stats scans the tables and returns the statistics. If the filter is closed, they are zero.
func (f *Filter) Stats() Stats {
	r := base.Held(&f.Life)
	if r == nil {
		return Stats{}
	}
	s := Stats{
		Regions:  r.shape.Generations * r.shape.Blocks * regions,
		Live:     len(r.live),
		Inserts:  int(r.counters.inserts),
		Moved:    int(r.counters.moved),
		Deleted:  int(r.counters.deleted),
		Retained: int(r.counters.retained),
		Expired:  int(r.counters.expired),
		Retired:  int(r.counters.retired),

		PlannedRate:   r.planned.mean,
		PlannedRate99: r.rate99(),
	}
	ones := 0
	for i := range r.live {
		s.Members += r.live[i].left
		s.Rate += expected.RateOf(r.live[i].table)
		bits, collided := r.live[i].table.Count()
		ones += bits
		s.Collided += collided
	}
	s.Fill = float64(ones) / float64(r.shape.Generations*r.shape.Blocks*dataBits)
	s.Rate = min(1, s.Rate)
	runtime.KeepAlive(r)
	return s
}
