package spectral

import (
	"fmt"
	"math"
	"runtime"
	"slices"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/internal/bloom"
	"github.com/bloomlane/bloomlane/internal/elementary"
)

// table is the counters of a filter. With a recurring minimum the second store has the counters of
// the keys that were found to have a single minimum, and the marker says which keys these are.
type table struct {
	shape
	history       base.History
	first, second store
	marker        bloom.Table
}

var _ base.Sectioned = (*table)(nil)

// Numbers of counters and their sections in files have the same names.
const (
	sectionCounters  = "counters"
	sectionSecondary = "secondary"
)

// newTable returns an empty table.
func newTable(s shape) *table {
	t := &table{shape: s}
	t.Clear()
	return t
}

// Numbers implements [base.Table].
func (t *table) Numbers() []base.Number {
	numbers := append(t.history.Numbers(),
		base.Members(&t.members),
		base.Number{Name: "times", Value: &t.times, Low: 1, High: MaxTimes, Role: base.Plan},
		base.Number{Name: "hashes", Value: &t.hashes, Low: 1, High: MaxHashes},
		base.Number{Name: "width", Value: &t.width, High: MaxWidth},
		base.Number{Name: sectionCounters, Value: &t.counters, Low: 1, High: filter.MaxBits},
	)
	switch t.rule {
	case increase:
		for i, n := range numbers {
			if n.Value == &t.history.Deleted || n.Value == &t.history.Retained {
				numbers[i].High = 0
			}
		}
	case recurring:
		numbers = append(numbers,
			base.Number{Name: sectionSecondary, Value: &t.secondary, Low: 1, High: filter.MaxBits},
			base.Number{Name: "marker-bits", Value: &t.span, Low: 1, High: filter.MaxBits})
	}
	return numbers
}

// Copies implements [base.Sectioned]: counters of variable length are packed for a file.
func (t *table) Copies() bool { return t.width == 0 }

// Names implements [base.Sectioned].
func (t *table) Names() []string {
	if t.rule == recurring {
		return []string{sectionCounters, sectionSecondary, "marker"}
	}
	return []string{sectionCounters}
}

// Sections implements [base.Sectioned]. The counters are pages (package counters), or with a width
// cells (package cells). The marker has 64 bits a word, the lowest first, and zeros behind them.
func (t *table) Sections() [][]uint64 {
	if t.rule == recurring {
		return [][]uint64{t.first.words(), t.second.words(), t.marker.Words}
	}
	return [][]uint64{t.first.words()}
}

// FitSections implements [base.Sectioned].
func (t *table) FitSections(sections [][]uint64) (err error) {
	t.first, err = t.firstSize().storeIn(sectionCounters, sections[0], t.firstRoom)
	if err != nil || t.rule != recurring {
		return err
	}
	t.second, err = t.secondSize().storeIn(sectionSecondary, sections[1], t.secondRoom)
	if err != nil {
		return err
	}
	size, marker := t.markerShape(), sections[2]
	if uint64(len(marker)) != size.Words() {
		return file.Wrong(file.ErrBounds, fmt.Sprintf("a marker of %d words", len(marker)),
			fmt.Sprint(size.Words()))
	}
	if t.Copies() {
		marker = slices.Clone(marker)
	}
	t.marker = bloom.Table{Shape: size, Words: marker}
	return nil
}

// Clear implements [base.Sectioned]. Pages of counters that grew keep their memory.
func (t *table) Clear() {
	if t.first == nil {
		t.first = t.firstSize().store(t.firstRoom())
		if t.rule == recurring {
			t.second = t.secondSize().store(t.secondRoom())
			t.marker = bloom.NewTable(t.markerShape())
		}
		return
	}
	t.first.clear()
	if t.rule == recurring {
		t.second.clear()
		clear(t.marker.Words)
	}
}

// String implements [base.Table].
func (s *shape) String() string {
	text := fmt.Sprintf("%d counters", s.counters)
	if s.width > 0 {
		text += fmt.Sprintf(" of %d bits", s.width)
	}
	text += fmt.Sprintf(", %d hashes", s.hashes)
	if s.rule == recurring {
		text += fmt.Sprintf(", %d secondary counters, a marker of %d bits", s.secondary, s.span)
	}
	return text
}

// State implements [base.Table]. It scans the counters, in a time that grows with them.
func (t *table) State() filter.State {
	bytes := t.first.bytes()
	if t.rule == recurring {
		bytes += t.second.bytes() + 8*len(t.marker.Words)
	}
	fill, _ := t.Scan()
	return filter.State{
		Bytes: bytes, Members: float64(t.history.Members()), Fill: fill,
		Rate: elementary.Pow(fill, float64(t.hashes)), Scanned: true,
	}
}

// Scan implements [base.Table].
func (t *table) Scan() (fill, most float64) {
	counters := float64(t.counters)
	return float64(t.first.used()) / counters, float64(t.hashes) / counters
}

// merge adds the counters of another table, and reserves the room of the larger plan.
func (t *table) merge(from *table) {
	t.first.merge(from.first)
	t.members, t.times = max(t.members, from.members), max(t.times, from.times)
	t.first.reserve(t.firstRoom())
}

// delete is DeleteHash.
func (t *table) delete(hash uint64) filter.Status {
	status := t.remove(hash)
	runtime.KeepAlive(t)
	return status
}

// query is QueryHash.
func (t *table) query(hash uint64) bool {
	present := t.first.query(hash)
	runtime.KeepAlive(t)
	return present
}

// count returns an estimate of how many times a key is in.
func (t *table) count(hash uint64) uint64 {
	least := t.first.minimum(hash)
	if t.rule == recurring && least > 0 && t.marker.Query(hash) {
		if second := t.second.minimum(hash); second > 0 {
			least = min(least, second)
		}
	}
	if least == t.first.highest() {
		return math.MaxUint64 // or more: it is not known
	}
	return least
}

// note counts inserts.
func (t *table) note(times uint64) {
	t.history.Inserts = base.Total(t.history.Inserts, min(times, base.MaxCount))
}

// add adds a key the given number of times, at least once, and reports whether it was present.
func (t *table) add(hash, times uint64) (present bool) {
	if t.rule == increase {
		least := t.first.minimum(hash)
		t.first.raiseTo(hash, more(least, times))
		return least > 0
	}
	least, second := t.first.raise(hash, times)
	if t.rule == recurring {
		moved := t.marker.Query(hash)
		if single := least < second; !moved && single || moved && t.second.minimum(hash) == 0 {
			t.marker.Insert(hash)
			t.second.raise(hash, more(least, times)) // all that it has
		} else if moved {
			t.second.raise(hash, times)
		}
	}
	return least > 0
}

// more returns the sum of a counter and a number, or the highest number.
func more(value, times uint64) uint64 { return value + min(times, math.MaxUint64-value) }

// remove takes a key out once.
func (t *table) remove(hash uint64) (status filter.Status) {
	if !t.first.query(hash) {
		return filter.Absent
	}
	least := t.first.lower(hash)
	if t.rule == recurring && t.marker.Query(hash) && t.second.query(hash) {
		t.second.lower(hash)
	}
	status = filter.Retained
	if least <= 1 && least < t.first.highest() {
		status = filter.Deleted
	}
	t.history.Note(status)
	return status
}

// ahead is how many keys of a batch are touched before the first of them is answered.
const ahead = 8
