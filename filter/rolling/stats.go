package rolling

import (
	"runtime"

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
	Planned

	Live int // generations in use
	// at most so many: inserts into the live generations less deletes that were certainly there
	Members int

	Inserts  int // ever made by the caller
	Moved    int // stragglers inserted again, ever
	Deleted  int // deletes that cleared bits
	Retained int // deletes that could clear none
	Expired  int // members, at most, whose generation went with them, by [Config.Expire]
	Retired  int // generations, ever

	Fill     float64 // the part of the data bits of all tables that is set
	Regions  int     // of all tables, 64 a block
	Collided int     // regions with a bit that was set more than once

	// RateNow is the false-positive rate that the bits have now, or a little more: it is the sum
	// over the live generations, and a non-member that two of them show counts twice. It is of this
	// filter and its hash key, where Rate and Rate99 are expectations.
	RateNow float64
}

// Stats scans the tables and returns the statistics. Of a closed filter they are zero.
func (f *Filter) Stats() Stats {
	r := f.ring.Load()
	if r == nil {
		return Stats{}
	}
	s := Stats{
		Planned:  r.plan,
		Regions:  r.plan.Generations * r.plan.Blocks * regions,
		Live:     len(r.live),
		Inserts:  int(r.counters.inserts),
		Moved:    int(r.counters.moved),
		Deleted:  int(r.counters.deleted),
		Retained: int(r.counters.retained),
		Expired:  int(r.counters.expired),
		Retired:  int(r.counters.retired),
	}
	ones := 0
	for i := range r.live {
		s.Members += r.live[i].left
		s.RateNow += expected.RateOf(r.live[i].table)
		bits, collided := r.live[i].table.Count()
		ones += bits
		s.Collided += collided
	}
	s.Fill = float64(ones) / float64(r.plan.Generations*r.plan.Blocks*dataBits)
	s.RateNow = min(1, s.RateNow)
	runtime.KeepAlive(r)
	return s
}
