package streams

import (
	"github.com/bloomlane/bloomlane/bench/studies/recording"
	"github.com/bloomlane/bloomlane/report/chart"
)

// turned is what a run of churn found.
type turned struct {
	recording.Run
	Config config `json:"config"`
	Rows   []row  `json:"rows"`
	Steady []row  `json:"steady"` // of which Rates are after 0, 1, 2, … turnovers
}

func (r *turned) Name() string { return churnFile }

func (r *turned) Check() error {
	for _, row := range r.Rows {
		if len(row.Rates) != len(r.Config.Turnovers) || len(row.Deletes) != len(row.Rates) {
			return recording.Malformed("%s has %d rates, want %d", row.Subject, len(row.Rates),
				len(r.Config.Turnovers))
		}
	}
	return nil
}

func (r *turned) Pictures() map[string]*chart.Picture {
	return map[string]*chart.Picture{pictureFile: r.picture()}
}

// config says what is compared.
type config struct {
	Members    int    `json:"members"`
	Bits       []int  `json:"bits_per_key"`
	Turnovers  []int  `json:"turnovers"`
	Lifetime   string `json:"lifetime"`
	NonMembers int    `json:"non_members"` // asked at most for a rate

	timing

	SteadyBits       []int `json:"steady_bits_per_key"`
	SteadyTurnovers  int   `json:"steady_turnovers"`
	SteadyNonMembers int   `json:"steady_non_members"`
}

// row is what one filter did.
type row struct {
	Subject string  `json:"subject"`
	Keeps   string  `json:"keeps"`        // what its owner keeps
	Budget  int     `json:"budget"`       // bits per member, at most
	Bits    float64 `json:"bits_per_key"` // that it took
	Rates   []share `json:"rates"`        // non-members that were present, at each of the turnovers
	// after which the key was not present, since the turnovers before
	Deletes []share `json:"deletes"`
	Inserts int     `json:"inserts"`
	Refused int     `json:"refused"` // of these
	Again   int     `json:"again"`   // members that were inserted again
	Lost    int     `json:"lost"`    // members that were not refused, and are not found at the end
	placed
}

// times are of the operations, in ns per key.
type times struct {
	Query  spread `json:"query"`
	Delete spread `json:"delete"`
	Insert spread `json:"insert"`
	Again  spread `json:"again"`          // a member that is inserted again, where some are
	Count  spread `json:"count,omitzero"` // how often a key is a member, where it is told
}
