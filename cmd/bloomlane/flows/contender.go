package flows

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"

	"github.com/bloomlane/bloomlane/filter"
	counters "github.com/bloomlane/bloomlane/filter/counting" // counting is a name here
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/plain"
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
	case *rolling.Filter:
		s := f.Stats()
		return State{Rate: s.RateNow, Fill: s.Fill, Collided: s.Collided, Regions: s.Regions}
	case *plain.Filter:
		s := f.Stats()
		return State{Rate: s.Rate, Fill: s.Fill}
	case *counters.Filter:
		fill := float64(f.Stats().Used) / float64(f.Cells())
		return State{Rate: math.Pow(fill, float64(f.Hashes())), Fill: fill}
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
	rolled.Set = tables

	all := max(1, p.flows) // none is ever deleted from the plain filter
	only, err := plain.New(plain.Config{Members: all, BitsPerKey: float64(8*bytes) / float64(all), Key: key})
	if err != nil {
		return nil, fmt.Errorf("flows: %w", err)
	}
	counts, err := counters.New(counters.Config{Members: members, BitsPerKey: float64(8*bytes) / float64(members), Key: key})
	if err != nil {
		return nil, fmt.Errorf("flows: %w", err)
	}
	return []*contender{
		newContender(only, only.Hashes()),
		newContender(alone, 1),
		rebuilt,
		rolled,
		newContender(counts, counts.Hashes()),
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

// renewal builds a deletable filter anew of the live flows when it is due. Where they are too many for its
// plan it is left as it is, and that is tried again after as many inserts as members were planned.
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
