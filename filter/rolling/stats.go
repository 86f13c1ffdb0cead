package rolling

import (
	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/internal/expected"
)

const (
	regions   = 64                  // of a block: a column of a Block512 is one
	dataLanes = fallback.K          // of a block, in each of which a key owns a bit
	dataBits  = dataLanes * regions // of a block: those beside its collision lane
)

// Stats are the statistics of a filter, taken by one scan of its tables.
type Stats struct {
	Plan

	Live    int // generations in use
	Members int // at most so many: inserts into the live generations less deletes that were certainly there

	Inserts  int // ever made by the caller
	Moved    int // stragglers inserted again, ever
	Deleted  int // deletes that cleared bits
	Retained int // deletes that could clear none
	Expired  int // members, at most, whose generation went with them, by [Config.Expire]
	Retired  int // generations, ever

	Fill     float64 // the part of the data bits of all tables that is set
	Regions  int     // of all tables, 64 a block
	Collided int     // regions with a bit that was set more than once

	// RateNow is the false-positive rate that the bits have now, or a little more: it is the sum over
	// the live generations, and a stranger that two of them show counts twice. It is of this filter
	// and its hash key, where Rate and Rate99 are expectations.
	RateNow float64
}

// Stats scans the tables and returns the statistics. Of a filter that was never made they are zero.
func (f *Filter) Stats() Stats {
	if len(f.live) == 0 {
		return Stats{}
	}
	s := Stats{
		Plan:     f.plan,
		Regions:  f.plan.Generations * f.plan.Blocks * regions,
		Live:     len(f.live),
		Inserts:  int(f.counters.inserts),
		Moved:    int(f.counters.moved),
		Deleted:  int(f.counters.deleted),
		Retained: int(f.counters.retained),
		Expired:  int(f.counters.expired),
		Retired:  int(f.counters.retired),
	}
	ones := 0
	for i := range f.live {
		s.Members += f.live[i].left
		s.RateNow += expected.RateOf(f.live[i].table)
		bits, collided := f.live[i].table.Count()
		ones += bits
		s.Collided += collided
	}
	s.Fill = float64(ones) / float64(f.plan.Generations*f.plan.Blocks*dataBits)
	s.RateNow = min(1, s.RateNow)
	return s
}
