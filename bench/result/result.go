// Package result is no API: it is the result of a run of the benchmark, as its JSON has it: the doc
// of these types is the schema. Schema grows with every change that is not only a new field.
//
// A *subject* is what is timed: an implementation, another library's filter, or a floor, which is a
// bare loop over the same memory. A *group* is the subjects that are timed side by side: on the
// same keys, slice by slice and round by round, so that the i-th samples of two of them are from
// the same time. A ratio is within a group.
//
// A time is in nanoseconds per unit (a key, a block, a mask), and a sample is the mean of one round
// over all keys. Samples have four significant digits.
package result

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/aclements/go-moremath/stats"
)

// Schema is the version of the schema that this package reads and writes.
const Schema = 2

// Run is a run of the benchmark.
type Run struct {
	Schema int `json:"schema"`
	Machine
	// the least difference of two times that the clock gives
	ClockStep       float64   `json:"clock_step_ns"`
	CacheBytes      Caches    `json:"cache_bytes"`
	Implementations []string  `json:"implementations"` // that this CPU can run, best first
	Notes           []string  `json:"notes"`           // what was skipped, and why
	Libraries       []Library `json:"libraries,omitempty"`
	Hash            string    `json:"hash,omitempty"` // of our keys of bytes; none is HighwayHash-64
	// that the loops over peers' calls were compiled as in a program; else see [SlowLoops]
	PlainLoops bool       `json:"plain_loops,omitempty"`
	Groups     []Group    `json:"groups"`
	Latencies  []Latency  `json:"latencies"`
	Accuracy   []Accuracy `json:"accuracy"`
}

// SlowLoops says what is wrong with the peers of a run without PlainLoops.
const SlowLoops = "In this recording the compiler inlined no call in the loops over other " +
	"libraries' calls: a query of one key takes up to three times as long as in a program."

// Machine is when, where and of what a run is.
type Machine struct {
	Date     string `json:"date"`               // of its beginning, RFC 3339
	Revision string `json:"revision,omitempty"` // of the project, where the build tells
	Go       string `json:"go"`
	CPU      string `json:"cpu"`
	Platform string `json:"platform"`
	Cores    int    `json:"cores"`
}

// Library is where a peer is from, and how it was used.
type Library struct {
	Name    string `json:"name"` // as in Subject
	Module  string `json:"module"`
	Version string `json:"version"`
	Use     string `json:"use"` // the filter's shape, and which of its calls were made
	// that the filter hashes its keys, which is then in its times
	Hashes bool   `json:"hashes"`
	Hash   string `json:"hash,omitempty"`  // of keys of bytes, where such were timed
	Keyed  bool   `json:"keyed,omitempty"` // that the hash is under a secret
}

// Caches has the sizes of the CPU's data caches in bytes, -1 where it does not tell.
type Caches struct {
	L1   int `json:"l1"`
	L2   int `json:"l2"`
	L3   int `json:"l3"`
	Last int `json:"last_level"`
}

// Kind says what a subject is.
type Kind string

const (
	Implementation Kind = "implementation" // of ours: one of a CPU's, or what chooses one
	Floor          Kind = "floor"          // a bare loop over the same memory
	Peer           Kind = "peer"           // another library's filter, or hash
)

// The forms of an operation.
const (
	FormBatch  = "batch"  // thousands of keys per call
	FormSingle = "single" // a loop over calls of one key
	FormCalls  = "calls"  // batches by the keys per call, beside a loop over calls of one key
	// the positions of what is present, beside the same from a bitmap
	FormSelection = "selection"
	FormCores     = "cores" // batches on one core and on several, which share a table
	// hashes of keys, one key per call, of which each waits for the one before
	FormChain = "chain"
	// what a batch of keys of bytes is made of: its subjects are the steps below
	FormStack = "stack"
)

// InStrings is behind the length of keys that are strings.
const InStrings = "-string"

// What filters of equal members have in common beside peers.
const (
	AtEqualBits = "equal-bits"
	AtEqualRate = "equal-rate"
)

// The methods of Table512 and Table256, which programs call: they run the best implementation for
// their width.
const (
	Methods      = "methods"       // of one key
	BatchMethods = "batch methods" // of thousands
)

// The subjects of a stack: hashes alone; whole queries of a table in the first-level cache; and on
// the table of the group, batches of ready hashes, and of keys.
const (
	StepHash  = "hash"
	StepIndex = "hash and index"
	StepReady = "ready hashes"
	StepKeys  = "keys"
)

// Of an implementation a selection has three subjects: itself, the bitmap of its query, and that
// bitmap and a loop in Go over it. These are what their names have behind the implementation's.
const (
	SelectBitmap = ", bitmap"
	SelectLoop   = ", bitmap and loop"
)

// HashSeparator is between the name of an implementation and that of a hash function, of subjects
// of ours in a group of hashes. One without a function is of HighwayHash-64.
const HashSeparator = ", "

// HashFunction returns the parts of the name of a subject of ours in a group of hashes.
func (s Subject) HashFunction() (implementation, function string) {
	implementation, function, _ = strings.Cut(s.Name, HashSeparator)
	return implementation, cmp.Or(function, DefaultHash)
}

// DefaultHash is the hash function of recordings that name none.
const DefaultHash = "HighwayHash-64"

// HashFunction is that of our keys of bytes.
func (r *Run) HashFunction() string { return cmp.Or(r.Hash, DefaultHash) }

// Conditions are what the subjects of a group share.
type Conditions struct {
	// query, select, insert, delete, build, merge, match, copy or hash
	Operation string `json:"operation"`
	// of a query: hit, miss or mixed, half of each; of a select: tenth, half or all are present
	Keys string `json:"keys,omitempty"`
	// the length of keys of bytes, such as 8 or 8-64, and behind it InStrings; none of hashes
	KeyBytes string `json:"key_bytes,omitempty"`
	Form     string `json:"form"`              // one of the forms above
	Against  string `json:"against,omitempty"` // of a group with peers: what is equal
	// 512 or 256; 0 beside peers, where a group has both
	BlockBits int `json:"block_bits,omitempty"`
	// 4KiB, huge or heap, which is what the Go runtime gives
	Pages string `json:"pages,omitempty"`
	Bytes int64  `json:"table_bytes,omitempty"` // beside peers, of ours at 16 bits per key
	// of a group with peers: the keys that each filter holds
	Members int64  `json:"members,omitempty"`
	Masks   int    `json:"masks,omitempty"`
	Cores   int    `json:"cores"` // that ran the same loop at once; the time is of each
	Unit    string `json:"unit"`  // key, block or mask
}

// Group is subjects that were timed side by side, in the order of the run.
type Group struct {
	Conditions
	Subjects []Subject `json:"subjects"`
}

// Subject is what one subject of a group took, and what it answered.
type Subject struct {
	Kind Kind   `json:"kind"`
	Name string `json:"name"` // of the implementation, floor or peer
	// keys per call, in a group of form calls; 1 for single keys
	Batch int `json:"batch,omitempty"`
	// that it ran; a sample is the mean of one, or of neighbours where there were many
	Rounds int `json:"rounds,omitempty"`
	// the sum over slices of the least time that any round took
	Least   float64   `json:"least_ns"`
	Samples []float64 `json:"samples_ns"` // see Rounds
	// keys, blocks, … that a sample is the mean of, where they were counted
	Units int64 `json:"units,omitempty"`
	// the share of keys present, present before the insert, or deleted
	Yes float64 `json:"yes,omitempty"`
	// Of a filter of this project or of a peer, beside peers:
	// the memory of the filter over its members
	BytesPerKey float64 `json:"bytes_per_key,omitempty"`
	Rate        float64 `json:"rate,omitempty"` // of false positives, as measured
	// members that the filter did not find, of those asked
	Lost int64 `json:"lost,omitempty"`
}

// Of returns the subjects of one kind.
func (g Group) Of(kind Kind) (subjects []Subject) {
	for _, s := range g.Subjects {
		if s.Kind == kind {
			subjects = append(subjects, s)
		}
	}
	return subjects
}

// Fastest returns the subject of a kind that has the lowest Least, and false where there is none.
func (g Group) Fastest(kind Kind) (fastest Subject, ok bool) {
	for _, s := range g.Of(kind) {
		if !ok || s.Least < fastest.Least {
			fastest, ok = s, true
		}
	}
	return fastest, ok
}

// ToFloor is the time of a subject over that of the fastest floor of its group, 0 where there is
// none.
func (g Group) ToFloor(s Subject) float64 {
	if floor, ok := g.Fastest(Floor); ok && floor.Least > 0 {
		return s.Least / floor.Least
	}
	return 0
}

// FloorSamples has for each round the least that a floor of the group took, nil where there is
// none.
func (g Group) FloorSamples() (least []float64) {
	for _, floor := range g.Of(Floor) {
		if least == nil {
			least = slices.Clone(floor.Samples)
		}
		for i := range min(len(least), len(floor.Samples)) {
			least[i] = min(least[i], floor.Samples[i])
		}
	}
	return least
}

// Latency is the distribution of the time of a call.
type Latency struct {
	Operation string `json:"operation"`
	BlockBits int    `json:"block_bits"`
	Form      string `json:"form"`  // single or batch: the methods of a table
	Batch     int    `json:"batch"` // keys per call; 1 in form single
	Bytes     int64  `json:"table_bytes"`
	// whether other goroutines allocated all the time, so that the garbage collector worked
	Loaded    bool    `json:"gc_load"`
	Calls     int64   `json:"calls"`
	Collected int64   `json:"gc_cycles"` // garbage collections that ended meanwhile
	P50       float64 `json:"p50_ns"`    // of a call, all its keys
	P99       float64 `json:"p99_ns"`
	P999      float64 `json:"p999_ns"`
	Max       float64 `json:"max_ns"`
}

// Accuracy is what a filter answers after it has got its members, at one size.
type Accuracy struct {
	Name       string   `json:"name"`
	Kind       Kind     `json:"kind"`
	Members    int64    `json:"members"`
	Bits       float64  `json:"bits_per_key"`             // of memory that the filter really takes
	Asked      float64  `json:"bits_per_key_asked"`       // that were asked for; a filter may round
	NonMembers int64    `json:"non_members"`              // that it was asked for
	Positives  int64    `json:"false_positives"`          // of them, found
	Rate       float64  `json:"rate"`                     // Positives over NonMembers
	Predicted  *float64 `json:"predicted_rate,omitempty"` // by the filter's own theory
	Lost       int64    `json:"lost"`                     // members that were not found
	// members that the filter did not take: full
	Refused int64 `json:"refused"`
	// Deletable is the share of members that a delete makes invisible when each is deleted from the
	// full filter; nil where the filter cannot delete.
	Deletable          *float64 `json:"deletable,omitempty"`
	PredictedDeletable *float64 `json:"predicted_deletable,omitempty"`
	// DeleteLost counts, after half of the members have been deleted, members of the other half
	// that are no longer found.
	DeleteLost int64 `json:"delete_lost"`
}

// Note adds a line on what was skipped, and why, unless it is there.
func (r *Run) Note(format string, args ...any) {
	if line := fmt.Sprintf(format, args...); !slices.Contains(r.Notes, line) {
		r.Notes = append(r.Notes, line)
	}
}

// Round returns a sample to the four digits that a recording keeps.
func Round(ns float64) float64 {
	// what is out of range is an infinity
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(ns, 'g', 4, 64), 64)
	return rounded
}

// Quantile returns what a part of samples does not exceed, between two of them if need be: 0 is the
// least, 0.5 the median, and 1 the most. Of no samples it is 0.
func Quantile(samples []float64, part float64) float64 {
	if len(samples) == 0 {
		return 0
	}
	return stats.Sample{Xs: samples, Sorted: slices.IsSorted(samples)}.Quantile(part)
}
