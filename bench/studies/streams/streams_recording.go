package streams

import (
	"slices"

	"github.com/bloomlane/bloomlane/bench/studies/recording"
	"github.com/bloomlane/bloomlane/report/chart"
)

// streamsFile is the recording in a folder.
const streamsFile = "streams.json"

// compared is what a run of streams found.
type compared struct {
	recording.Run
	Settings settings `json:"settings"`
	Served   []served `json:"served"`
	Timed    []timed  `json:"timed"`
}

// settings says what is compared.
type settings struct {
	Members    int     `json:"members"` // at a time, and inserts of a window
	Bits       []int   `json:"bits_per_key"`
	Draws      int     `json:"draws"` // of the multiset, per member
	Exponent   float64 `json:"exponent"`
	Windows    int     `json:"windows"`     // of the stream with duplicates
	Turnovers  int     `json:"turnovers"`   // of members that come and go
	NonMembers int     `json:"non_members"` // asked at most for a rate

	timing
}

// standardStreams takes minutes of a core.
var standardStreams = settings{
	Members: 100_000, Bits: []int{16, 32}, Draws: 8, Exponent: 1, Windows: 16, Turnovers: 10,
	NonMembers: 1 << 23,
	timing:     standardTiming,
}

// quickStreams takes seconds.
var quickStreams = settings{
	Members: 4000, Bits: []int{32}, Draws: 8, Exponent: 1, Windows: 12, Turnovers: 3,
	NonMembers: 1 << 17,
	timing:     quickTiming,
}

// served is what a kind did with a stream.
type served struct {
	Kind    string  `json:"kind"`
	Stream  string  `json:"stream"`
	Budget  int     `json:"budget"`           // bits per key, at most
	Cannot  string  `json:"cannot,omitempty"` // why it was not given the stream
	Bits    float64 `json:"bits_per_key,omitempty"`
	Rate    share   `json:"rate,omitzero"`
	Missed  share   `json:"missed,omitzero"` // members that were not found
	Refused int     `json:"refused,omitempty"`

	Counts  *counts `json:"counts,omitempty"` // where it counts
	Lost    share   `json:"lost,omitzero"`    // members, after deletes of others
	Stay    share   `json:"stay,omitzero"`    // of those deleted
	Old     share   `json:"old,omitzero"`     // keys from long ago that were present
	Owned   bool    `json:"owned,omitempty"`  // its owner deletes what leaves the window
	Fresh   share   `json:"fresh,omitzero"`   // the rate before anything was deleted
	Deleted share   `json:"deleted,omitzero"` // deletes after which the key was not present
}

// counts are beside how often keys came.
type counts struct {
	Wrong share   `json:"wrong"`
	Low   share   `json:"low"`
	Error float64 `json:"error"` // in the mean over the keys
}

// timed is the times of a filter, of this project or of another library.
type timed struct {
	Subject string  `json:"subject"`
	Budget  int     `json:"budget"`
	Bits    float64 `json:"bits_per_key"`
	placed
}

func (r *compared) Name() string                        { return streamsFile }
func (r *compared) Pictures() map[string]*chart.Picture { return nil }

func (r *compared) Check() error {
	for _, s := range r.Served {
		if !slices.Contains(r.Settings.Bits, s.Budget) ||
			!slices.ContainsFunc(streams, func(of stream) bool { return of.name == s.Stream }) {
			return recording.Malformed("%s at %d bits per key in %q", s.Kind,
				s.Budget, s.Stream)
		}
	}
	return nil
}
