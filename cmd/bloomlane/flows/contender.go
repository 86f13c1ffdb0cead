package flows

import (
	"context"
	"errors"
	"fmt"
	"iter"

	source "github.com/bloomlane/bloomlane/filter" // filter is a contender here
	counters "github.com/bloomlane/bloomlane/filter/counting"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/plain"
	"github.com/bloomlane/bloomlane/filter/rolling"
)

// State is what the bits of a filter say.
type State struct {
	Rate     float64 `json:"rate_of_bits"` // of false positives; see the filter's package for how exact it is
	Fill     float64 `json:"fill"`         // the part of the data bits, or of the counters, that are set
	Collided int     `json:"collided"`     // regions with a bit that was set more than once
	Regions  int     `json:"regions"`      // all; 0 where a filter has none
}

// filter is a contender: flows run through it by the hashes of their keys.
type filter interface {
	// insert inserts a flow that is not live. An error says that it was refused.
	insert(hash uint64) error
	refused(hash uint64) bool // a live flow was refused
	remove(hash uint64)       // of a live flow, which may have been refused
	query(hash uint64) bool
	state() State
	bytes() int
	lines() int // of memory that a query for a member reads
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
func newFilters(p *plan, key key.Key, live func() iter.Seq[uint64], before func(name string)) ([]filter, error) {
	bytes, members := p.Bytes, p.Members
	alone, err := newTable(p, key)
	if err != nil {
		return nil, err
	}
	again, err := newTable(p, key)
	if err != nil {
		return nil, err
	}
	// The ring rounds down to whole tables of whole blocks: half a block more is those for sure.
	blocks := float64(bytes/deletable.BlockBytes/generations) + 0.5
	ring := &ringed{missing: map[uint64]bool{}}
	ring.Filter, err = rolling.New(rolling.Config{
		Members: members, BitsPerKey: blocks * generations * blockBits / float64(members), Generations: generations, Key: key,
		Stragglers: func(context.Context, rolling.Generation, rolling.Generation) iter.Seq2[uint64, error] {
			before(rollingIs)
			return source.Infallible(ring.members(live()))
		},
	})
	if err != nil {
		return nil, fmt.Errorf("flows: %w", err)
	}
	only, err := newPlain(p.flows, bytes, key) // none ever leaves it
	if err != nil {
		return nil, err
	}
	counted, err := newCounted(members, bytes, key)
	if err != nil {
		return nil, err
	}
	return []filter{
		only,
		alone,
		&rebuilt{table: again, live: live, before: func() { before(rebuild) }},
		ring,
		counted,
	}, nil
}

// bloom is a Bloom filter: nothing leaves it.
type bloom struct{ *plain.Filter }

func newPlain(members, bytes int, key key.Key) (bloom, error) {
	members = max(1, members)
	f, err := plain.New(plain.Config{Members: members, BitsPerKey: float64(8*bytes) / float64(members), Key: key})
	if err != nil {
		return bloom{}, fmt.Errorf("flows: %w", err)
	}
	return bloom{f}, nil
}

func (b bloom) insert(hash uint64) error {
	_, err := b.InsertHash(hash)
	return err
}

func (b bloom) refused(uint64) bool    { return false }
func (b bloom) remove(uint64)          {}
func (b bloom) query(hash uint64) bool { return b.QueryHash(hash) }
func (b bloom) state() State           { return bitsState(b.State()) }
func (b bloom) bytes() int             { return b.Bits() / 8 }
func (b bloom) lines() int             { return b.Hashes() }

// counted is a Bloom filter of counters of 4 bits.
type counted struct{ *counters.Filter }

func newCounted(members, bytes int, key key.Key) (counted, error) {
	f, err := counters.New(counters.Config{Members: members, BitsPerKey: float64(8*bytes) / float64(members), Key: key})
	if err != nil {
		return counted{}, fmt.Errorf("flows: %w", err)
	}
	return counted{f}, nil
}

func (c counted) insert(hash uint64) error {
	_, err := c.InsertHash(hash)
	return err
}

func (c counted) refused(uint64) bool    { return false }
func (c counted) remove(hash uint64)     { c.DeleteHash(hash) }
func (c counted) query(hash uint64) bool { return c.QueryHash(hash) }
func (c counted) state() State           { return bitsState(c.State()) }
func (c counted) bytes() int             { return c.Cells() * c.Width() / 8 }
func (c counted) lines() int             { return c.Hashes() }

func bitsState(s source.State) State { return State{Rate: s.Rate, Fill: s.Fill} }

const blockBits = float64(8 * deletable.BlockBytes)

// table is a deletable filter.
type table struct{ *deletable.Filter }

func newTable(p *plan, key key.Key) (table, error) {
	// The filter rounds up to whole blocks: half a block less is those for sure.
	blocks := float64(p.Bytes/deletable.BlockBytes) - 0.5
	f, err := deletable.New(deletable.Config{
		Members: p.Members, BitsPerKey: blocks * blockBits / float64(p.Members), Turnovers: p.due, Lifetime: p.lifetime, Key: key,
	})
	if err != nil {
		return table{}, fmt.Errorf("flows: %w", err)
	}
	return table{f}, nil
}

func (t table) insert(hash uint64) error {
	t.InsertHash(hash)
	return nil
}

func (t table) refused(uint64) bool    { return false }
func (t table) remove(hash uint64)     { t.DeleteHash(hash) }
func (t table) query(hash uint64) bool { return t.QueryHash(hash) }
func (t table) bytes() int             { return t.Blocks() * deletable.BlockBytes }
func (t table) lines() int             { return 1 }

func (t table) state() State {
	s := t.Stats()
	return State{Rate: s.Rate, Fill: s.Fill, Collided: s.Collided, Regions: s.Regions}
}

// rebuilt is a deletable filter that is built anew of the live flows when it is due. Where they are too many for
// its plan it is left as it is, and that is tried again after as many inserts as members were planned.
type rebuilt struct {
	table
	live   func() iter.Seq[uint64]
	before func() // it is built
	builds int
	again  int // inserts before which it is not tried
}

func (r *rebuilt) insert(hash uint64) error {
	if r.Inserts() >= r.again && r.Due() != nil {
		r.before()
		anew, err := r.RebuildHash(context.Background(), source.Infallible(r.live()))
		var many *deletable.TooManyError
		switch {
		case err == nil:
			r.Filter, r.again = anew, 0
			r.builds++
		case errors.As(err, &many):
			r.again = r.Inserts() + many.PlannedMembers
		default:
			return err
		}
	}
	return r.table.insert(hash)
}

// ringed is a rolling filter. It refuses a flow where there are more live ones than were planned.
type ringed struct {
	*rolling.Filter
	missing map[uint64]bool // live flows that were refused: they must not be deleted from it
}

// members leaves out the flows that were refused.
func (r *ringed) members(live iter.Seq[uint64]) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for hash := range live {
			if !r.missing[hash] && !yield(hash) {
				return
			}
		}
	}
}

func (r *ringed) insert(hash uint64) error {
	_, err := r.InsertHash(hash)
	if err != nil {
		r.missing[hash] = true
	}
	return err
}

func (r *ringed) remove(hash uint64) {
	if r.missing[hash] {
		delete(r.missing, hash)
		return
	}
	r.DeleteHash(hash)
}

func (r *ringed) refused(hash uint64) bool { return r.missing[hash] }
func (r *ringed) query(hash uint64) bool   { return r.QueryHash(hash) }
func (r *ringed) bytes() int               { return r.Plan().Bytes }
func (r *ringed) lines() int               { return r.Plan().Generations }

func (r *ringed) state() State {
	s := r.Stats()
	return State{Rate: s.RateNow, Fill: s.Fill, Collided: s.Collided, Regions: s.Regions}
}
