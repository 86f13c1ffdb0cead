// Package saturation ends the inserts into a filter when it is too full: at a fill that its owner
// sets, inserts are refused with [ErrSaturated], or the owner is called. It is for filters of any
// kind, and for members whose number nobody knows beforehand: a filter that takes more members than
// it was made for has more false positives, and says so only when it is asked.
//
// Queries and deletes go to the filter itself. Only what is inserted by way of the [Set] is looked
// at.
package saturation

import (
	"errors"
	"fmt"
	"io"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/file"
)

// ErrSaturated is why an insert is refused: the filter is as full as it may be.
var ErrSaturated = errors.New("saturated")

// Error says how full a filter is whose inserts are refused. It wraps [ErrSaturated].
type Error struct{ Fill, Most float64 }

func (e *Error) Error() string {
	return fmt.Sprintf("filter: %v: the fill is %.4f, expected less than %g", ErrSaturated,
		e.Fill, e.Most)
}

func (e *Error) Unwrap() error { return ErrSaturated }

// Config says when a filter is saturated.
type Config struct {
	// Fill is the part of the bits, or cells, that may be in use, as [filter.State] has it: above
	// 0, and at most 1. At 0.5 a Bloom filter of its best k is as full as it was planned to be.
	Fill float64

	// Saturated, if it is not nil, is called with the state when the filter is as full as that, in
	// place of refusing: where it returns nil the insert is made, and so are the next ones, a
	// thousandth of the members, until it is called again. Where it returns an error the insert is
	// refused with that.
	Saturated func(filter.State) error
}

// Filter is what can be watched: any kind of filter that takes members.
type Filter interface {
	filter.Stored
	filter.Set
}

// Set is the inserts of a filter, and its queries. Make one with [New]. What is safe beside what is
// a matter of the filter.
type Set struct {
	filter.KeyedSet
	of     Filter
	config Config

	unseen   int // inserts until the fill is looked at
	full     error
	when     float64 // members when it was full
	refusals int     // until it is looked at whether it still is
}

// New returns a set that inserts into a filter until this is too full. Its error is a
// *[filter.SizingError].
func New(of Filter, config Config) (*Set, error) {
	if !(config.Fill > 0 && config.Fill <= 1) {
		return nil, &filter.SizingError{Kind: "saturated", Field: "Fill", Found: config.Fill,
			Expected: "above 0 and at most 1"}
	}
	s := &Set{of: of, config: config}
	s.KeyedSet = filter.NewKeyedSet(of.Key(), s)
	return s, nil
}

// mostPerByte is the most that an insert adds to the fill, times the bytes of the table. A
// deletable filter has 1, a counting filter half of its hashes, any other an eighth of them or
// less.
const mostPerByte = 8

// bytesPerLook is how many bytes of a table are there for each refused insert that a look at it
// comes after.
const bytesPerLook = 64

// check asks the filter how full it is, where that is due, and returns an error where it takes no
// more.
//
// Fill grows the slower the fuller a filter is: a new member has fewer bits that are not set yet.
// So the next inserts add at most what the members have each added so far, if none of these was
// inserted twice, or what an insert can add at all. The fill needs no look until as many are in as
// would reach the limit at the larger of the two paces. That is some dozen looks until a filter is
// full, and near the limit one for each thousandth of the members.
func (s *Set) check() error {
	if s.unseen > 0 {
		return nil
	}
	if counted, ok := s.of.(interface{ Members() int }); ok && s.full != nil && s.refusals > 0 &&
		float64(counted.Members()) >= s.when {
		// a look may take a scan of the table, and a refresh empties it without a delete
		s.refusals--
		return s.full
	}
	state := s.of.State()
	// of as many members at most as a table has bytes
	step := max(1, int(min(state.Members, float64(state.Bytes))/1000))
	s.full = nil
	if state.Fill < s.config.Fill {
		// NaN or infinite where nothing is in
		pace := max(state.Fill/state.Members, mostPerByte/float64(state.Bytes))
		left := (s.config.Fill - state.Fill) / pace
		if !(left < 1<<30) {
			left = 0
		}
		s.unseen = max(step, int(left))
		return nil
	}
	if s.config.Saturated == nil {
		s.full, s.when, s.refusals = &Error{state.Fill, s.config.Fill}, state.Members,
			state.Bytes/bytesPerLook
		return s.full
	}
	if err := s.config.Saturated(state); err != nil {
		return fmt.Errorf("filter: %w", err)
	}
	s.unseen = step
	return nil
}

// InsertHash inserts the key of a hash: see [filter.Set]. Its error wraps [ErrSaturated], or is the
// filter's.
func (s *Set) InsertHash(hash uint64) (present bool, err error) {
	if s.of == nil {
		return false, filter.ErrClosed
	}
	if err := s.check(); err != nil {
		return false, err
	}
	if present, err = s.of.InsertHash(hash); err == nil {
		s.unseen--
	}
	return present, err
}

// InsertHashBatch inserts the keys of hashes: see [filter.Set]. Its error wraps [ErrSaturated], or
// is the filter's.
func (s *Set) InsertHashBatch(hashes, present []uint64) (n int, err error) {
	if s.Closed() {
		return 0, filter.ErrClosed
	}
	filter.RequirePresent("InsertHashBatch", len(hashes), present)
	for n < len(hashes) {
		if err := s.check(); err != nil {
			return n, err
		}
		inserted := min(s.unseen, len(hashes)-n)
		if n%64 == 0 && (inserted >= 64 || n+inserted == len(hashes)) { // answers that begin a word
			if n+inserted < len(hashes) {
				inserted &^= 63
			}
			answers := present
			if present != nil {
				answers = present[n/64 : (n+inserted+63)/64]
			}
			inserted, err = s.of.InsertHashBatch(hashes[n:n+inserted], answers)
		} else {
			var was bool
			if was, err = s.of.InsertHash(hashes[n]); err != nil {
				return n, err
			}
			inserted = 1
			if present != nil {
				note(present, n, was)
			}
		}
		n += inserted
		s.unseen -= inserted
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// note writes answer i, and clears the rest of its word if it is the first there.
func note(present []uint64, i int, was bool) {
	if i%64 == 0 {
		present[i/64] = 0
	}
	if was {
		present[i/64] |= 1 << (i % 64)
	}
}

// QueryHash asks the filter: see [filter.Querier].
func (s *Set) QueryHash(hash uint64) bool {
	s.require()
	return s.of.QueryHash(hash)
}

// QueryHashBatch asks the filter: see [filter.Querier].
func (s *Set) QueryHashBatch(hashes, present []uint64) int {
	s.require()
	return s.of.QueryHashBatch(hashes, present)
}

func (s *Set) require() {
	if s.of == nil {
		panic(filter.ErrClosed)
	}
}

// State returns the filter's: see [filter.State].
func (s *Set) State() filter.State {
	if s.of == nil {
		return filter.State{}
	}
	return s.of.State()
}

// Unwrap returns the filter itself.
func (s *Set) Unwrap() Filter {
	if s.Closed() {
		panic(filter.ErrClosed)
	}
	return s.of
}

// String returns that of the filter, and its limit.
func (s *Set) String() string {
	if s.of == nil {
		return "saturating filter, closed"
	}
	return fmt.Sprintf("%v, to a fill of %g", s.of, s.config.Fill)
}

// Format prints String for every verb.
func (s *Set) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, s.String()) }

// Contents returns what a file of the filter holds, which is nothing of the limit: see
// [filter.Content].
func (s *Set) Contents() (*file.Contents, error) {
	if s.of == nil {
		return nil, filter.ErrClosed
	}
	return s.of.Contents()
}

// Closed reports whether the filter is closed, or was never made.
func (s *Set) Closed() bool { return s.of == nil || s.of.Closed() }

// Close closes the filter.
func (s *Set) Close() error {
	if s.of == nil {
		return filter.ErrClosed
	}
	return s.of.Close()
}
