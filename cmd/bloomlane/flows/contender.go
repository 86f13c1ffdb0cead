package flows

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/rolling"
)

// State is what the bits of a filter say: of its [filter.State] what reports have, and its regions.
type State struct {
	Rate     float64 `json:"rate_of_bits"` // of false positives; see the filter's package for how exact it is
	Fill     float64 `json:"fill"`         // the part of the data bits, or of the counters, that are set
	Collided int     `json:"collided"`     // regions with a bit that was set more than once
	Regions  int     `json:"regions"`      // all; 0 where a filter has none
}

// contender is a filter that flows run through, by the hashes of their keys, and what a run knows of it.
type contender struct {
	filter.Set     // a filter.Deleter, where flows are deleted from it
	lines      int // of memory that a query for a member reads

	// renew, where it is not nil, comes before each insert, and may put another Set of the same members here.
	renew  func() error
	builds int // by renew

	missing map[uint64]struct{} // live flows that it refused: they must not be deleted from it
}

func newContender(set filter.Set, lines int) *contender {
	return &contender{Set: set, lines: lines, missing: map[uint64]struct{}{}}
}

// insert inserts a flow that is not live. An error says that it was refused.
func (c *contender) insert(hash uint64) error {
	if err := c.try(hash); err != nil {
		c.missing[hash] = struct{}{}
		return err
	}
	return nil
}

func (c *contender) try(hash uint64) error {
	if c.renew != nil {
		if err := c.renew(); err != nil {
			return err
		}
	}
	_, err := c.InsertHash(hash)
	return err
}

// refused reports whether a live flow was refused.
func (c *contender) refused(hash uint64) bool {
	_, missing := c.missing[hash]
	return missing
}

// remove takes a live flow away, which may have been refused.
func (c *contender) remove(hash uint64) {
	if c.refused(hash) {
		delete(c.missing, hash)
		return
	}
	if deleter, ok := c.Set.(filter.Deleter); ok {
		deleter.DeleteHash(hash)
	}
}

// members leaves out the flows that were refused.
func (c *contender) members(live iter.Seq[uint64]) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for hash := range live {
			if !c.refused(hash) && !yield(hash) {
				return
			}
		}
	}
}

// state returns what the bits say: not what is expected of them, as a State that is not Scanned is.
func (c *contender) state() State {
	switch f := c.Set.(type) {
	case *deletable.Filter:
		s := f.Stats()
		return State{Rate: s.Rate, Fill: s.Fill, Collided: s.Collided, Regions: s.Regions}
	case ring:
		s := f.Stats()
		return State{Rate: s.RateNow, Fill: s.Fill, Collided: s.Collided, Regions: s.Regions}
	}
	s := c.State()
	return State{Rate: s.Rate, Fill: s.Fill}
}

// The names of the filters.
const (
	insertOnly  = "insert-only"
	deletableIs = "deletable"
	rebuild     = "rebuild"
	rollingIs   = "rolling"
	counting    = "counting"
)

// Names are the names of the filters that are compared, in this order.
var Names = []string{insertOnly, deletableIs, rebuild, rollingIs, counting}

// newFilters makes the filters, in the order of Names. Live are the hashes of the live flows at any time. A
// filter that is about to be built anew, in whole or in part, calls before, which may ask it.
func newFilters(p *plan, key key.Key, live func() iter.Seq[uint64], before func(name string)) ([]*contender, error) {
	bytes, members := p.Bytes, p.Members
	alone, err := newDeletable(p, key)
	if err != nil {
		return nil, err
	}
	again, err := newDeletable(p, key)
	if err != nil {
		return nil, err
	}
	rebuilt := newContender(again, 1)
	rebuilt.renew = (&renewal{of: rebuilt, live: live, before: func() { before(rebuild) }}).renew

	rolled := newContender(nil, generations)
	// The ring rounds down to whole tables of whole blocks: half a block more is those for sure.
	blocks := float64(bytes/deletable.BlockBytes/generations) + 0.5
	tables, err := rolling.New(rolling.Config{
		Members: members, BitsPerKey: blocks * generations * blockBits / float64(members), Generations: generations, Key: key,
		Stragglers: func(context.Context, rolling.Generation, rolling.Generation) iter.Seq2[uint64, error] {
			before(rollingIs)
			return filter.Infallible(rolled.members(live()))
		},
	})
	if err != nil {
		return nil, fmt.Errorf("flows: %w", err)
	}
	rolled.Set = ring{tables}

	plain, count := newCounters(1, bytes, p.flows), newCounters(4, bytes, members) // from plain none is ever deleted
	return []*contender{
		newContender(counted{plain}, plain.lines()),
		newContender(alone, 1),
		rebuilt,
		rolled,
		newContender(counted{count}, count.lines()),
	}, nil
}

const blockBits = float64(8 * deletable.BlockBytes)

func newDeletable(p *plan, key key.Key) (*deletable.Filter, error) {
	// The filter rounds up to whole blocks: half a block less is those for sure.
	blocks := float64(p.Bytes/deletable.BlockBytes) - 0.5
	f, err := deletable.New(deletable.Config{
		Members: p.Members, BitsPerKey: blocks * blockBits / float64(p.Members), Turnovers: p.due, Lifetime: p.lifetime, Key: key,
	})
	if err != nil {
		return nil, fmt.Errorf("flows: %w", err)
	}
	return f, nil
}

// renewal builds a deletable filter anew of the live flows when it is due. Where they are too many for its plan it is
// left as it is, and that is tried again after as many inserts as members were planned.
type renewal struct {
	of     *contender // of a *deletable.Filter
	live   func() iter.Seq[uint64]
	before func() // it is built
	again  int    // inserts before which it is not tried
}

func (r *renewal) renew() error {
	f := r.of.Set.(*deletable.Filter)
	if f.Inserts() < r.again || f.Due() == nil {
		return nil
	}
	r.before()
	anew, err := f.RebuildHash(context.Background(), filter.Infallible(r.of.members(r.live())))
	var many *deletable.TooManyError
	switch {
	case err == nil:
		r.of.Set, r.again = anew, 0
		r.of.builds++
	case errors.As(err, &many):
		r.again = f.Inserts() + many.PlannedMembers
	default:
		return err
	}
	return nil
}

// ring is a rolling filter as a filter.Deleter, whose owner does not know generations.
type ring struct{ *rolling.Filter }

func (r ring) InsertHash(hash uint64) (present bool, err error) {
	present = r.QueryHash(hash)
	_, err = r.Filter.InsertHash(hash)
	return present && err == nil, err
}

func (r ring) InsertHashBatch(hashes, present []uint64) (n int, err error) {
	return oneByOne(r.InsertHash, hashes, present)
}

func (r ring) State() filter.State {
	s := r.Stats()
	return filter.State{Bytes: r.Plan().Bytes, Members: float64(s.Members), Fill: s.Fill, Rate: s.RateNow, Scanned: true}
}

// counted is a filter of counters as a filter.Deleter.
type counted struct{ *counters }

func (c counted) InsertHash(hash uint64) (present bool, err error) {
	present = c.query(hash)
	return present, c.insert(hash)
}

func (c counted) InsertHashBatch(hashes, present []uint64) (n int, err error) {
	return oneByOne(c.InsertHash, hashes, present)
}

func (c counted) QueryHash(hash uint64) bool { return c.query(hash) }

func (c counted) QueryHashBatch(hashes, present []uint64) (count int) {
	filter.RequirePresent("QueryHashBatch", len(hashes), present)
	if present != nil {
		clear(present[:filter.Words(len(hashes))])
	}
	for i, hash := range hashes {
		if c.query(hash) {
			count++
			if present != nil {
				present[i/64] |= 1 << (i % 64)
			}
		}
	}
	return count
}

func (c counted) DeleteHash(hash uint64) filter.Status {
	if !c.query(hash) {
		return filter.Absent
	}
	c.remove(hash)
	return filter.Deleted
}

func (c counted) DeleteHashBatch(hashes []uint64, status []filter.Status) (deleted int) {
	filter.RequireStatus("DeleteHashBatch", len(hashes), status)
	for i, hash := range hashes {
		s := c.DeleteHash(hash)
		if s == filter.Deleted {
			deleted++
		}
		if status != nil {
			status[i] = s
		}
	}
	return deleted
}

func (c counted) State() filter.State {
	s := c.state()
	return filter.State{Bytes: c.bytes(), Fill: s.Fill, Rate: s.Rate, Scanned: true}
}

// oneByOne inserts a batch, a hash at a time.
func oneByOne(insert func(hash uint64) (bool, error), hashes, present []uint64) (n int, err error) {
	filter.RequirePresent("InsertHashBatch", len(hashes), present)
	if present != nil {
		clear(present[:filter.Words(len(hashes))])
	}
	for i, hash := range hashes {
		before, err := insert(hash)
		if err != nil {
			return i, err
		}
		if before && present != nil {
			present[i/64] |= 1 << (i % 64)
		}
	}
	return len(hashes), nil
}
