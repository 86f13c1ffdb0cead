package streams

import (
	"slices"

	"github.com/bloomlane/bloomlane/bench/studies/recording"
	"github.com/bloomlane/bloomlane/report/chart"
)

// growthFile and growthPicture are the recording in a folder, and its picture.
const (
	growthFile    = "growth.json"
	growthPicture = "growth.svg"
)

// grown is what a run of growth found.
type grown struct {
	recording.Run
	Config growthConfig `json:"config"`
	Steps  []step       `json:"steps"`
	Curves []point      `json:"curves"`
}

// growthConfig says what is compared.
type growthConfig struct {
	Least      int     `json:"least"` // members, and the most are a power of ten as many
	Most       int     `json:"most"`
	Rate       float64 `json:"rate"` // that is planned
	Rounds     int     `json:"rounds"`
	NonMembers int     `json:"non_members"` // asked at most for a rate, and members
	// Series is the members of the first filter of a scalable one, whose other filters have as
	// many. By default the library has 10,000, which makes a thousand filters of ten million.
	Series int `json:"series"`
	// Patience is the seconds that a step may take to be in each round: a filter of which one takes
	// more stops before it in the others.
	Patience float64 `json:"patience_s"`
}

// step is a filter on its way to a number of members, and there.
type step struct {
	Subject string `json:"subject"`
	Note    string `json:"note"` // how it is used
	Members int    `json:"members"`
	Shrinks bool   `json:"shrinks,omitzero"`
	Rounds  int    `json:"rounds"`
	Update  spread `json:"update"`     // a key's insert, or delete, on the way
	Longest int64  `json:"longest_ns"` // of the calls, each the least of its rounds
	Most    int    `json:"most_bytes"` // on the way
	Query   spread `json:"query"`
	Memory  memory `json:"bytes"`
	Rate    share  `json:"rate"`
	// members that were not found, of at most as many as NonMembers
	Missed int `json:"missed,omitzero"`
}

// memory is what a filter takes, in bytes.
type memory struct {
	Filter int `json:"filter"`         // that queries read, and what this moves to
	Lists  int `json:"lists,omitzero"` // beside that
	Keys   int `json:"keys,omitzero"`  // that its owner keeps
}

func (m memory) sum() int { return m.Filter + m.Lists + m.Keys }

// point is of a curve of the memory.
type point struct {
	Subject string `json:"subject"`
	Members int    `json:"members"`
	Shrinks bool   `json:"shrinks,omitzero"`
	Bytes   int    `json:"bytes"`
}

func (r *grown) Name() string { return growthFile }

func (r *grown) Check() error {
	sizes := r.Config.sizes()
	for _, s := range r.Steps {
		if !slices.Contains(sizes, s.Members) {
			return recording.Malformed("%s has %d members, want %v", s.Subject,
				s.Members, sizes)
		}
	}
	if len(r.Steps) == 0 {
		return recording.Malformed("no steps")
	}
	return nil
}

func (r *grown) Pictures() map[string]*chart.Picture {
	return map[string]*chart.Picture{growthPicture: r.picture()}
}
