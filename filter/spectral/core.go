package spectral

import (
	"fmt"
	"io"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/internal/elementary"
)

// body is what a filter has beside its table.
type body struct {
	history     filter.History
	fingerprint uint64 // of the key; apart from it because a file is looked at without its key
}

// core is what the filters have in common.
type core struct {
	body
	table filter.Handle[table]
}

// deleter is the core of filters that delete.
type deleter struct{ core }

func (f *core) set(s state) {
	f.body = s.body
	f.table.Set(s.table)
}

func (f *core) state(k key.Key) state { return state{k, f.body, f.table.Table()} }

func (f *core) fresh(k key.Key) state {
	return state{k, body{fingerprint: f.fingerprint}, newTable(f.table.Table().shape)}
}

func (f *core) clone(k key.Key) state { return state{k, f.body, f.table.Table().clone()} }

// equal is Equal of the filter with the table t.
func (f *core) equal(t *table, other *core) bool {
	u := other.table.Table()
	return f.body == other.body && t.equal(u)
}

// Reset empties the filter. Pages of counters that grew keep their memory.
func (f *core) Reset() {
	f.table.Table().clear()
	f.history = filter.History{}
}

// Close ends the filter. It does not wait: calls that already run finish on the table that they
// have. A later call returns [filter.ErrClosed], or panics with it where it returns no error. A
// second Close returns it too. Package filter lists the exceptions, under Life cycle.
func (f *core) Close() error { return f.table.Close() }

// Closed reports whether the filter is closed, or was never made.
func (f *core) Closed() bool { return f.table.Closed() }

// Counters returns m, the number of counters. With a recurring minimum it is that of the primary
// ones.
func (f *core) Counters() int { return int(f.table.Table().shape.first.counters) }

// Hashes returns k, the number of counters of a key.
func (f *core) Hashes() int { return f.table.Table().shape.first.hashes }

// Width returns the number of bits of a counter, or 0 if counters have a variable length.
func (f *core) Width() int { return f.table.Table().shape.first.width }

// Members returns the number of members, each counted as often as it is in: the inserts less the
// deletes that found their key.
func (f *core) Members() int {
	f.table.Table()
	return f.history.Members()
}

// State returns what is known of the filter: see [filter.State]. It scans the counters, in a time
// that grows with them.
func (f *core) State() filter.State {
	t := f.table.Load()
	if t == nil {
		return filter.State{}
	}
	fill := float64(t.first.used()) / float64(t.shape.first.counters)
	return filter.State{
		Bytes: t.bytes(), Members: float64(f.history.Members()),
		Fill: fill, Rate: elementary.Pow(fill, float64(t.shape.first.hashes)), Scanned: true,
	}
}

// ScanFill returns the share of the counters in use and the most that an insert adds to it: see
// [filter.Scanner].
func (f *core) ScanFill() (fill, most float64, err error) {
	t := f.table.Load()
	if t == nil {
		return 0, 0, filter.ErrClosed
	}
	counters := float64(t.shape.first.counters)
	return float64(t.first.used()) / counters, float64(t.shape.first.hashes) / counters, nil
}

// String returns the size of the filter and the fingerprint of its key. It never prints the key or
// the table.
func (f *core) String() string {
	t := f.table.Load()
	if t == nil {
		return "spectral filter, closed"
	}
	return fmt.Sprintf("%v filter of %v, key with fingerprint %016x", t.rule, t.shape,
		f.fingerprint)
}

// Format prints String for every verb, so that a log gets one line and not the table.
func (f *core) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, f.String()) }

func (s shape) String() string {
	text := fmt.Sprintf("%d counters", s.first.counters)
	if s.first.width > 0 {
		text += fmt.Sprintf(" of %d bits", s.first.width)
	}
	text += fmt.Sprintf(", %d hashes", s.first.hashes)
	if s.rule == recurring {
		text += fmt.Sprintf(", %d secondary counters, a marker of %d bits", s.second.counters,
			s.marker.Span)
	}
	return text
}

var errNil = fmt.Errorf("merge: %w: found nil, expected a filter", filter.ErrClosed)

func (f *core) merge(other *core) error {
	to, from := f.table.Load(), other.table.Load()
	if err := filter.CheckMerge("merge", f.mergeable(to), other.mergeable(from)); err != nil {
		return err
	}
	to.first.merge(from.first)
	f.history.Add(other.history)
	return nil
}

func (f *core) mergeable(t *table) filter.Mergeable {
	if t == nil {
		return filter.Mergeable{}
	}
	return filter.Mergeable{Open: true, Fingerprint: f.fingerprint, Shape: t.shape.String(),
		Memory: t}
}
