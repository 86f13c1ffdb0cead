package deletable

import (
	"runtime"

	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/internal/expected"
)

// Stats are statistics of a filter, from its counters and one scan of its table. The names in JSON
// do not change.
type Stats struct {
	Planned int `json:"planned"` // the planned number of members
	Members int `json:"members"` // inserts minus deletes: see [Filter.Members]
	Inserts int `json:"inserts"` // see [Filter.Inserts]
	Deleted int `json:"deleted"` // deletes that cleared bits
	// deletes that cleared no bit; these former members are still found
	Retained int `json:"retained"`
	// Absent counts deletes of keys that were not present, since the filter was made, opened or
	// reset: files do not have it. If it is above 0, the program deletes keys that are no members.
	// Then about Absent*Rate more of its deletes were of false positives, which looked like deletes
	// of members: each may have lost some members.
	Absent int `json:"absent"`

	Blocks int `json:"blocks"` // blocks of the table
	Bytes  int `json:"bytes"`  // memory of the table
	Ones   int `json:"ones"`   // data bits that are set, out of 448 per block
	// all regions, 64 per block; a region is a column of the data lanes of a block
	Regions int `json:"regions"`
	// regions in which a bit was set more than once, so that deletes clear no bit
	Collided int `json:"collided"`

	Fill float64 `json:"fill"` // Ones divided by the number of data bits

	// Rate is the false-positive rate now: the probability that a non-member with a uniform hash is
	// present. It is computed from the bits and no estimate: the mean over the blocks of the
	// product of the fills of their seven data lanes.
	Rate float64 `json:"rate"`

	Turnovers        float64 `json:"turnovers"`         // turnovers so far: see [Filter.Turnovers]
	PlannedTurnovers float64 `json:"planned_turnovers"` // planned turnovers before a rebuild
	PlannedReinserts float64 `json:"planned_reinserts"` // see [Config.Reinserts]

	// PlannedRate is the expected false-positive rate at the end of the planned turnovers, or in
	// the steady state with the planned re-inserts. Without either, it is [Shape.Rate] with
	// the planned members. It is a mean over hash keys, and about half of all filters are above it:
	// see [planning.Prediction.Rate99]. [planning.Prediction.Extrapolated] says when it is less
	// certain.
	PlannedRate float64 `json:"planned_rate"`
}

// Stats scans the table and returns its statistics. If the filter is closed, they are zero.
func (f *Filter) Stats() Stats {
	t := base.Live(&f.Body)
	if t == nil {
		return Stats{}
	}
	s := t.stats()
	s.Absent = int(f.absent)
	return s
}

func (t *table) stats() Stats {
	ones, collided := t.blocks.Count()
	s := Stats{
		Planned:  int(t.plan.members),
		Members:  t.history.Members(),
		Inserts:  int(t.history.Inserts),
		Deleted:  int(t.history.Deleted),
		Retained: int(t.history.Retained),
		Blocks:   len(t.blocks),
		Bytes:    t.shape().Bytes(),
		Ones:     ones,
		Regions:  len(t.blocks) * laneBits,
		Collided: collided,

		Fill: float64(ones) / float64(len(t.blocks)) / (dataLanes * laneBits),
		Rate: expected.RateOf(t.blocks),

		Turnovers:        t.turnovers(),
		PlannedTurnovers: t.plan.turnovers,
		PlannedReinserts: t.plan.reinserts,
		PlannedRate:      t.plan.rate,
	}
	runtime.KeepAlive(t)
	return s
}
