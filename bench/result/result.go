// Package result is what a run of the benchmark found, as its JSON has it: the schema is the doc of
// these types. Fields are only added; Schema grows when one changes its meaning.
//
// A time is in nanoseconds a unit (a key, a block, a mask, a line), and a sample is the mean of one round
// over all keys of a stream. Contenders of one group (see [Timing.Group]) had the same keys, by turns, in
// the same rounds, so the i-th samples of two of them are of the same time.
package result

import (
	"fmt"
	"slices"
)

// Schema is the version of the schema that this package writes.
const Schema = 1

// Run is a run of the benchmark.
type Run struct {
	Schema     int        `json:"schema"`
	Date       string     `json:"date"`               // of its beginning, RFC 3339
	Revision   string     `json:"revision,omitempty"` // of the project, where the build tells
	Go         string     `json:"go"`
	CPU        string     `json:"cpu"`
	Platform   string     `json:"platform"`
	Cores      int        `json:"cores"`
	ClockStep  float64    `json:"clock_step_ns"` // the least difference of two times that the clock gives
	CacheBytes Caches     `json:"cache_bytes"`
	Features   []string   `json:"features"`            // the implementations that package kernel can run here, best first
	Notes      []string   `json:"notes"`               // what was skipped, and why
	Libraries  []Library  `json:"libraries,omitempty"` // whose filters were measured
	Timings    []Timing   `json:"timings"`
	Latencies  []Latency  `json:"latencies"`
	Accuracy   []Accuracy `json:"accuracy"`
}

// Library is where a peer is from, and how it was used.
type Library struct {
	Name    string `json:"name"` // as in Timing
	Module  string `json:"module"`
	Version string `json:"version"`
	Use     string `json:"use"` // the filter's shape, and which of its calls were made
	// Hashes says that the filter hashes its keys, which is then in its times: it takes no hashes.
	Hashes bool `json:"hashes"`
}

// Caches has the sizes of the CPU's data caches in bytes, -1 where it does not tell.
type Caches struct {
	L1   int `json:"l1"`
	L2   int `json:"l2"`
	L3   int `json:"l3"`
	Last int `json:"last_level"`
}

// Kind says what a contender is.
type Kind string

const (
	Kernel Kind = "kernel" // an implementation of package kernel, or a way to call it
	Floor  Kind = "floor"  // a bare loop over the same memory
	Peer   Kind = "peer"   // another library's filter
)

// The forms of an operation.
const (
	FormBatch  = "batch"  // thousands of keys a call
	FormSingle = "single" // a loop over calls of one key
	FormCalls  = "calls"  // batches by the keys of a call, beside a loop over calls of one key
	FormCores  = "cores"  // batches on one core and on several, which share a table
)

// The two ways to hold filters of equal members against each other.
const (
	AtEqualBits = "equal-bits"
	AtEqualRate = "equal-rate"
)

// The methods of Table512 and Table256, which programs call: they run the best implementation for their width.
const (
	Methods      = "methods"       // of one key
	BatchMethods = "batch methods" // of thousands
)

// Group is what contenders that are held against each other share: a ratio is within a group.
type Group struct {
	Operation string `json:"operation"`         // query, insert, delete, merge, match or copy
	Asked     string `json:"asked,omitempty"`   // of a query: hit, miss or mixed, half of each
	Form      string `json:"form"`              // one of the forms above
	Against   string `json:"against,omitempty"` // of a group with peers: one of the two ways above
	Lane      int    `json:"lane_bits"`         // 64 or 32: the width of ours in the group, a block being 8 lanes
	Pages     string `json:"pages,omitempty"`   // 4KiB, huge or heap, which is what the Go runtime gives
	Bytes     int64  `json:"table_bytes,omitempty"`
	Members   int64  `json:"members,omitempty"` // of a group with peers: the keys that each filter holds
	Masks     int    `json:"masks,omitempty"`
	Cores     int    `json:"cores"` // that ran the same loop at once; the time is of each
	Unit      string `json:"unit"`  // key, block, mask or line
}

// Timing is the time of one contender in one group.
type Timing struct {
	Group
	Kind     Kind      `json:"kind"`
	Name     string    `json:"name"`                     // of the implementation, floor or peer
	Distance *int      `json:"distance,omitempty"`       // keys that it prefetches ahead, where that was chosen
	Batch    int       `json:"batch,omitempty"`          // keys a call, in a group of form calls; 1 for single keys
	Rounds   int       `json:"rounds,omitempty"`         // that it ran; a sample is the mean of one, or of neighbours where there were many
	Least    float64   `json:"least_ns"`                 // the sum over slices of the least time that any round took
	Median   float64   `json:"median_ns"`                // of the samples
	Spread   float64   `json:"spread"`                   // of the samples: the interquartile range over the median
	Samples  []float64 `json:"samples_ns"`               // see Rounds
	Units    int64     `json:"units,omitempty"`          // keys, blocks, … that a sample is the mean of, where it was counted
	Ratio    *float64  `json:"ratio_to_floor,omitempty"` // Least over the least of the group's floors
	Yes      float64   `json:"yes"`                      // the share of keys present, present before the insert, or deleted
	// Of a filter, ours or a peer's, that was held against peers:
	Held float64 `json:"bytes_a_key,omitempty"` // the memory of the filter over its members
	Rate float64 `json:"rate,omitempty"`        // its false positives, as measured
	// Lost counts members that the filter did not find, of those asked.
	Lost int64 `json:"lost,omitempty"`
}

// Latency is the distribution of the time of a call.
type Latency struct {
	Operation string  `json:"operation"`
	Lane      int     `json:"lane_bits"`
	Name      string  `json:"name"`
	Batch     int     `json:"batch"` // keys a call; 1 with Form single is a scalar call
	Form      string  `json:"form"`
	Bytes     int64   `json:"table_bytes"`
	Loaded    bool    `json:"gc_load"` // whether other goroutines allocated all the time, so that the garbage collector worked
	Calls     int64   `json:"calls"`
	Collected int64   `json:"gc_cycles"` // garbage collections that ended meanwhile
	P50       float64 `json:"p50_ns"`    // of a call, all its keys
	P99       float64 `json:"p99_ns"`
	P999      float64 `json:"p999_ns"`
	Max       float64 `json:"max_ns"`
}

// Accuracy is what a filter answers after it has got its members, at one size.
type Accuracy struct {
	Name      string   `json:"name"`
	Kind      Kind     `json:"kind"`
	Members   int64    `json:"members"`
	Bits      float64  `json:"bits_a_key"`               // of memory that the filter really takes
	Asked     float64  `json:"bits_asked"`               // that were asked for; a filter may round
	Strangers int64    `json:"strangers"`                // keys asked that are no members
	Positives int64    `json:"false_positives"`          // of them, found
	Rate      float64  `json:"rate"`                     // Positives over Strangers
	Predicted *float64 `json:"predicted_rate,omitempty"` // by the filter's own theory
	Lost      int64    `json:"lost"`                     // members that were not found
	Refused   int64    `json:"refused"`                  // members that the filter did not take: full
	// Deletable is the share of members that a delete makes invisible when each is deleted from the full
	// filter; nil where the filter cannot delete.
	Deletable          *float64 `json:"deletable,omitempty"`
	PredictedDeletable *float64 `json:"predicted_deletable,omitempty"`
	// DeleteLost counts, after half of the members have been deleted, members of the other half that are no longer found.
	DeleteLost int64 `json:"delete_lost"`
}

// Note adds a line on what was skipped, and why, unless it is there.
func (r *Run) Note(format string, args ...any) {
	if line := fmt.Sprintf(format, args...); !slices.Contains(r.Notes, line) {
		r.Notes = append(r.Notes, line)
	}
}
