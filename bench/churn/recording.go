package churn

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/bloomlane/bloomlane/bench/result"
)

// schema is the version of a recording's JSON.
const schema = 1

// recording is what a run found, as its JSON has it.
type recording struct {
	Schema   int     `json:"schema"`
	Date     string  `json:"date"` // of its beginning, RFC 3339
	Revision string  `json:"revision,omitempty"`
	Go       string  `json:"go"`
	CPU      string  `json:"cpu"`
	Platform string  `json:"platform"`
	Cores    int     `json:"cores"`
	Seconds  float64 `json:"seconds"` // that it took
	Config   config  `json:"config"`
	Rows     []row   `json:"rows"`
	Steady   []row   `json:"steady"` // of which Rates are after 0, 1, 2, … turnovers

	Libraries []result.Library `json:"libraries"`
}

// config says what is compared.
type config struct {
	Members    int    `json:"members"`
	Bits       []int  `json:"bits_per_key"`
	Turnovers  []int  `json:"turnovers"`
	Lifetime   string `json:"lifetime"`
	NonMembers int    `json:"non_members"` // asked at most for a rate

	Cache  int64 `json:"cache_bytes"`  // of each filter that is timed in the cache
	Memory int64 `json:"memory_bytes"` // and in memory
	Rounds int   `json:"rounds"`       // of times in the cache; half of them in memory

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
	Deletes []share `json:"deletes"`      // after which the key was not present, since the turnovers before
	Inserts int     `json:"inserts"`
	Refused int     `json:"refused"` // of these
	Again   int     `json:"again"`   // members that were inserted again
	Lost    int     `json:"lost"`    // members that were not refused, and are not found at the end
	Cache   *times  `json:"cache,omitempty"`
	Memory  *times  `json:"memory,omitempty"`
}

// share is a part of a whole, both counted.
type share struct {
	Count int `json:"count"`
	Of    int `json:"of"`
}

func (s share) value() float64 { return float64(s.Count) / float64(max(1, s.Of)) }

// interval is Wilson's, at a confidence of 95 %.
func (s share) interval() (low, high float64) {
	const z = 1.96
	n, p := float64(max(1, s.Of)), s.value()
	middle, half := p+z*z/(2*n), z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	low, high = max(0, (middle-half)/(1+z*z/n)), min(1, (middle+half)/(1+z*z/n))
	if s.Count == 0 {
		low = 0
	}
	return low, high
}

// times are of the operations, in ns per key.
type times struct {
	Query  spread `json:"query"`
	Delete spread `json:"delete"`
	Insert spread `json:"insert"`
	Again  spread `json:"again"` // a member that is inserted again, where some are
}

// spread is of the times of the rounds.
type spread struct {
	Least    float64 `json:"least_ns"`
	Quartile float64 `json:"quartile_ns"` // that a quarter of them do not exceed
}

// errRecording says that something is no recording.
var errRecording = errors.New("malformed recording")

func (r *recording) write(w io.Writer) error {
	return json.NewEncoder(w).Encode(r)
}

// read reads a recording. Its error wraps errRecording, or is the reader's.
func read(from io.Reader) (*recording, error) {
	text, err := io.ReadAll(from)
	if err != nil {
		return nil, err
	}
	r := new(recording)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("%w: %w", errRecording, err)
	}
	if r.Schema != schema {
		return nil, fmt.Errorf("%w: schema %d, want %d", errRecording, r.Schema, schema)
	}
	for _, row := range r.Rows {
		if len(row.Rates) != len(r.Config.Turnovers) || len(row.Deletes) != len(row.Rates) {
			return nil, fmt.Errorf("%w: %s has %d rates, want %d",
				errRecording, row.Subject, len(row.Rates), len(r.Config.Turnovers))
		}
	}
	return r, nil
}
