package deletable

import (
	"runtime"

	"github.com/bloomlane/bloomlane/internal/expected"
)

// Stats are the statistics of a filter, taken by one scan of its table.
type Stats struct {
	Planned  int // the members that the size was chosen for
	Members  int // inserts less deletes: see [Filter.Members]
	Inserts  int // see [Filter.Inserts]
	Deleted  int // deletes that cleared bits
	Retained int // deletes that could clear none: former members that stay visible

	Blocks   int // of the table
	Bytes    int // of the table
	Ones     int // data bits that are set, of 448 a block
	Regions  int // 64 a block: a region is a column of a block's data lanes
	Collided int // regions with a bit that was set more than once: no bit in them is ever cleared

	Fill float64 // Ones as a part of all data bits

	// Rate is the false-positive rate now: the probability that a non-member, a key whose hash is
	// uniform and that was never inserted, is present. It is exact for these bits: the mean over
	// the blocks of the product of their seven lanes' fills.
	Rate float64

	Turnovers        float64 // made: see [Filter.Turnovers]
	PlannedTurnovers float64 // until the filter is to be built anew
	// per insert, of a filter that is never built anew: see [Config.Reinserts]
	PlannedReinserts float64

	// PlannedRate is the false-positive rate that is expected at the end of the planned turnovers,
	// or for ever with the planned re-inserts; without any, it is the [ExpectedRate] with the
	// planned members in. It is a mean over hash keys, and about half of all filters are above it:
	// the smaller they are, the further. See [planning.Prediction.Rate99], and
	// [planning.Prediction.Extrapolated] for where it is less certain.
	PlannedRate float64
}

// Stats scans the table and returns its statistics. Of a closed filter they are zero.
func (f *Filter) Stats() Stats {
	t := f.table.Load()
	if t == nil {
		return Stats{}
	}
	ones, collided := t.blocks.Count()
	s := Stats{
		Planned:  int(f.plan.members),
		Members:  f.history.Members(),
		Inserts:  int(f.history.Inserts),
		Deleted:  int(f.history.Deleted),
		Retained: int(f.history.Retained),
		Blocks:   len(t.blocks),
		Bytes:    len(t.blocks) * BlockBytes,
		Ones:     ones,
		Regions:  len(t.blocks) * laneBits,
		Collided: collided,

		Fill: float64(ones) / float64(len(t.blocks)) / (dataLanes * laneBits),
		Rate: expected.RateOf(t.blocks),

		Turnovers:        f.turnovers(),
		PlannedTurnovers: f.plan.turnovers,
		PlannedReinserts: f.plan.reinserts,
		PlannedRate:      f.plan.rate,
	}
	runtime.KeepAlive(t)
	return s
}
