package saturation

import (
	"fmt"
	"io"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/file"
)

// Error is the error of a refused insert, with the fill of the filter and the largest fill allowed,
// both from 0 to 1. It wraps [filter.ErrFull].
type Error struct{ Fill, Most float64 }

// Error has both fills.
func (e *Error) Error() string {
	return fmt.Sprintf("filter: %v: the fill is %.4f, expected less than %g", filter.ErrFull,
		e.Fill, e.Most)
}

// Unwrap returns [filter.ErrFull].
func (e *Error) Unwrap() error { return filter.ErrFull }

// Config says when a filter is saturated.
type Config struct {
	// Fill is the share of the bits, or of the cells, that may be in use, as [filter.Scanner]
	// measures it: above 0, and at most 1. Inserts end at most a 500th of it, or one insert, above
	// it. A Bloom filter with the best number of hashes has a fill of 0.5 with its planned members.
	Fill float64

	// Saturated is called with the state and the measured fill if the filter is as full as Fill,
	// unless it is nil. If it returns nil, this insert and the next ones are made, and it is called
	// again after as many inserts as can add a 500th of Fill. If it returns an error, the insert
	// returns an error that wraps it. An insert by the Filter during the call is refused with an
	// *[Error], unless the call has made room.
	Saturated func(filter.State) error
}

// Filter is a filter under a limit: it has the inserts of a filter, which it limits, and its
// queries. Make one with [New]. From the types that it embeds it has:
//
//   - keys: [filter.KeyedSet.Insert], [filter.Keyed.Query]; the same for strings (InsertString,
//     QueryString), for uint64s (InsertUint64) and for many keys (InsertBatch, InsertStringBatch,
//     InsertSeq)
//   - hashing: [filter.Keyed.Hash], HashString, HashUint64, [filter.Keyed.Key]
//   - files: [filter.Keyed.Save], WriteTo, AppendBinary, MarshalBinary
//   - state: [filter.Keyed.MarshalJSON], LogValue
//
// An insert writes to it, so it needs the Filter for itself. It answers as the filter does, and
// queries may run as the package of that says. What the filter can do beyond a [filter.StoredSet],
// such as deletes, is reached by [Filter.Unwrap].
type Filter struct {
	filter.KeyedSet
	set    filter.StoredSet
	config Config

	unseen   int     // inserts until the next look at the fill
	full     error   // the error of refused inserts, or nil
	when     float64 // the members when it became full
	refusals int     // refusals until the next look
	asking   bool    // Saturated runs
}

const kindName = "saturated" // in errors

// New returns a filter under a limit. The error is a *[filter.SizingError] if config.Fill is out of
// its range. For a closed filter, and for nil, it wraps [filter.ErrClosed].
func New(set filter.StoredSet, config Config) (*Filter, error) {
	if !(config.Fill > 0 && config.Fill <= 1) {
		return nil, &filter.SizingError{Kind: kindName, Field: "Fill", Found: config.Fill,
			Expected: "above 0 and at most 1"}
	}
	if set == nil || set.Closed() {
		return nil, fmt.Errorf("saturation: %w: expected an open filter", filter.ErrClosed)
	}
	s := &Filter{set: set, config: config}
	s.KeyedSet = filter.NewKeyedSet(set.Key(), s)
	return s, nil
}

// bytesPerLook is how many bytes a table has per refused insert between two looks at it.
const bytesPerLook = 64

// check looks at the fill of the filter if a look is due. It returns an error if the filter accepts
// no insert.
//
// A look scans the table. It tells the fill, and the most that an insert adds to it in a filter of
// this kind and size. No look is needed before as many inserts as reach the limit if each adds the
// most. That gives some dozen looks until a filter is full, and near the limit one per 500th of it.
// The number of inserts tells nothing, because a key that comes again adds no bits.
func (s *Filter) check() error {
	if s.unseen > 0 {
		return nil
	}
	if counted, ok := s.set.(counter); ok && s.full != nil && s.refusals > 0 {
		members, err := members(counted)
		if err != nil {
			return err
		}
		if float64(members) >= s.when {
			// a look may scan the table, so it is rare; a refresh may empty the filter without a
			// delete
			s.refusals--
			return s.full
		}
	}
	fill, most, err := s.set.ScanFill()
	if err != nil {
		return err
	}
	const rarely = 1 << 30                              // inserts between two looks at most
	step := max(1, min(s.config.Fill/500/most, rarely)) // inserts that add a 500th at most
	s.full = nil
	if fill < s.config.Fill {
		s.unseen = int(max(step, min((s.config.Fill-fill)/most, rarely)))
		return nil
	}
	if s.asking {
		return &Error{fill, s.config.Fill}
	}
	state := s.set.State()
	state.Fill = fill
	if s.config.Saturated == nil {
		s.full, s.when, s.refusals = &Error{fill, s.config.Fill}, state.Members,
			state.Bytes/bytesPerLook
		return s.full
	}
	if err := s.ask(state); err != nil {
		return fmt.Errorf("filter: %w", err)
	}
	s.unseen = int(step)
	return nil
}

// ask calls Saturated.
func (s *Filter) ask(state filter.State) error {
	s.asking = true
	defer func() { s.asking = false }()
	return s.config.Saturated(state)
}

// counter is a filter that counts its members.
type counter interface{ Members() int }

// members returns the number of members, or [filter.ErrClosed] if the filter is closed.
func members(of counter) (n int, err error) {
	defer base.RecoverClosed(&err)
	return of.Members(), nil
}

// InsertHash inserts the key with this hash: see [filter.Set]. The error wraps [filter.ErrFull] or
// the error of Config.Saturated, or is the error of the filter.
func (s *Filter) InsertHash(hash uint64) (present bool, err error) {
	if s.set == nil {
		return false, filter.ErrClosed
	}
	if err := s.check(); err != nil {
		return false, err
	}
	if present, err = s.set.InsertHash(hash); err == nil {
		s.unseen--
	}
	return present, err
}

// InsertHashBatch inserts hashes one after another: see [filter.Set]. The errors are those of
// InsertHash.
func (s *Filter) InsertHashBatch(hashes, present []uint64) (n int, err error) {
	if s.Closed() {
		return 0, filter.ErrClosed
	}
	base.RequirePresent("InsertHashBatch", len(hashes), present)
	for n < len(hashes) {
		if err := s.check(); err != nil {
			return n, err
		}
		inserted := min(s.unseen, len(hashes)-n)
		if n%64 == 0 && (inserted >= 64 || n+inserted == len(hashes)) {
			if n+inserted < len(hashes) {
				inserted &^= 63
			}
			answers := present
			if present != nil {
				answers = present[n/64 : (n+inserted+63)/64]
			}
			inserted, err = s.set.InsertHashBatch(hashes[n:n+inserted], answers)
		} else {
			var was bool
			if was, err = s.set.InsertHash(hashes[n]); err != nil {
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

// QueryHash queries the filter: see [filter.Querier].
func (s *Filter) QueryHash(hash uint64) bool {
	s.require()
	return s.set.QueryHash(hash)
}

// QueryHashBatch queries the filter: see [filter.Querier].
func (s *Filter) QueryHashBatch(hashes, present []uint64) int {
	s.require()
	return s.set.QueryHashBatch(hashes, present)
}

func (s *Filter) require() {
	if s.set == nil {
		panic(filter.ErrClosed)
	}
}

// State returns what the filter knows of itself: see [filter.State].
func (s *Filter) State() filter.State {
	if s.set == nil {
		return filter.State{}
	}
	return s.set.State()
}

// ScanFill measures the filter: see [filter.Scanner].
func (s *Filter) ScanFill() (fill, most float64, err error) {
	if s.set == nil {
		return 0, 0, filter.ErrClosed
	}
	return s.set.ScanFill()
}

// Unwrap returns the filter under the limit, for [filter.As]; nil for a zero value.
func (s *Filter) Unwrap() filter.Stored {
	if s.set == nil {
		return nil
	}
	return s.set
}

// String returns the String of the filter, and its limit.
func (s *Filter) String() string {
	if s.set == nil {
		return "saturated filter, closed"
	}
	return fmt.Sprintf("saturated %v, at a fill of %g", s.set, s.config.Fill)
}

// Format prints String for every verb.
func (s *Filter) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, s.String()) }

// Contents returns what a file of the filter holds, with nothing of the limit: see
// [filter.Content].
func (s *Filter) Contents() (*file.Contents, error) {
	if s.set == nil {
		return nil, filter.ErrClosed
	}
	return s.set.Contents()
}

// Closed reports whether the filter is closed, or was never made.
func (s *Filter) Closed() bool { return s.set == nil || s.set.Closed() }

// Close closes the filter under the limit.
func (s *Filter) Close() error {
	if s.set == nil {
		return filter.ErrClosed
	}
	return s.set.Close()
}
