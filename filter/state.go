package filter

import (
	"encoding/json"
	"errors"
	"log/slog"
	"math"
)

// State describes a filter at one moment. Its names in JSON and in logs do not change, so that a
// program can collect it as metrics: see [Keyed.MarshalJSON]. It takes microseconds, unless it is
// Scanned, which takes up to about a millisecond per MiB: docs/decisions/api.md has the times.
type State struct {
	// Bytes is the memory of the table.
	Bytes int `json:"bytes"`

	// Members is the number of members. If the filter counts its inserts and deletes, it is their
	// difference, which is right under the contract of deletion. Otherwise it is an estimate from
	// the bits.
	Members float64 `json:"members"`

	// Most is the number of members beyond which inserts fail. It is 0 if there is no such number,
	// or if it depends on the members.
	Most float64 `json:"most"`

	// Fill is the share of the bits, or of the cells, that are in use: 0 to 1.
	Fill float64 `json:"fill"`

	// Rate is the false-positive rate now: the probability that a non-member with a uniform hash is
	// present.
	Rate float64 `json:"rate"`

	// Scanned says that Fill and Rate were computed from a scan of the whole table. If it is false,
	// they are expected values for the number of inserts, and State took no scan.
	Scanned bool `json:"scanned"`
}

// LogValue returns the state as a group of attributes with the names of its JSON. Numbers of
// members are rounded: slog prints 2e+06 of a float. It implements [slog.LogValuer].
func (s State) LogValue() slog.Value {
	return slog.GroupValue(slog.Int("bytes", s.Bytes),
		slog.Int64("members", int64(math.Round(s.Members))),
		slog.Int64("most", int64(math.Round(s.Most))), slog.Float64("fill", s.Fill),
		slog.Float64("rate", s.Rate), slog.Bool("scanned", s.Scanned))
}

// state returns the state of the filter, or a zero State for a zero value.
func (q *Keyed) state() State {
	if q.content == nil {
		return State{}
	}
	return q.content.State()
}

// MarshalJSON returns the [State] of the filter, so that a filter can be a metric:
//
//	expvar.Publish("guests", expvar.Func(func() any { return f }))
//
// The state of a filter whose State is Scanned takes a scan of the table. That of a closed filter
// is zero. MarshalBinary has the members.
func (q *Keyed) MarshalJSON() ([]byte, error) { return json.Marshal(q.state()) }

// errJSON is the error of UnmarshalJSON.
var errJSON = errors.New("filter: found JSON, which has the state of a filter and no members, " +
	"expected what MarshalBinary wrote, for the UnmarshalBinary of a filter with its key")

// UnmarshalJSON returns an error, and the filter stays as it is: its JSON is a [State], and
// UnmarshalBinary of its kind reads what MarshalBinary wrote.
func (q *Keyed) UnmarshalJSON([]byte) error { return errJSON }

// LogValue returns the [State] of the filter, for package slog: see [State.LogValue].
func (q *Keyed) LogValue() slog.Value { return q.state().LogValue() }
