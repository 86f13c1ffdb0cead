package flows

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/audit"
	counters "github.com/bloomlane/bloomlane/filter/counting" // counting is a name here
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/elastic"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/plain"
	"github.com/bloomlane/bloomlane/filter/rolling"
	"github.com/bloomlane/bloomlane/packets/sets"
)

// State is what the bits of a filter say: of its [filter.State] what reports have, and its regions.
// The elastic filter's rate and fill are those expected of its members.
type State struct {
	Memory
	// of false positives; see the filter's package for how exact it is
	Rate float64 `json:"rate_of_bits"`
	// the part of the data bits, or of the counters, that are set
	Fill     float64 `json:"fill"`
	Collided int     `json:"collided"` // regions with a bit that was set more than once
	Regions  int     `json:"regions"`  // all; 0 where a filter has none
}

// subject is a filter that flows run through, by the hashes of their keys, and what a run knows of
// it.
type subject struct {
	filter.Set // a filter.Deleter, where flows are deleted from it
	Totals
	shadow  *audit.Filter       // or nil; else it is the Set
	scales  *scales             // or nil: its size is fixed
	missing map[uint64]struct{} // live flows that it refused: they must not be deleted from it
}

func newSubject(name string, set filter.Set, lines int) *subject {
	totals := Totals{Filter: name, Lines: lines, Worst: Worst{Keeps: true}}
	return &subject{set, totals, nil, nil, map[uint64]struct{}{}}
}

// insert inserts a flow that is not live. An error says that it was refused.
func (s *subject) insert(hash uint64) error {
	_, err := s.InsertHash(hash)
	if err != nil {
		s.Refused++
		s.missing[hash] = struct{}{}
	}
	return err
}

// find asks for a live flow, if the filter took it.
func (s *subject) find(hash uint64) {
	if !s.QueryHash(hash) && !s.refused(hash) {
		s.FalseNegatives++
	}
}

// refused reports whether a live flow was refused.
func (s *subject) refused(hash uint64) bool {
	_, missing := s.missing[hash]
	return missing
}

// remove takes a live flow away, which may have been refused.
func (s *subject) remove(hash uint64) {
	if s.refused(hash) {
		delete(s.missing, hash)
	} else if deleter, ok := s.Set.(filter.Deleter); ok {
		deleter.DeleteHash(hash)
	}
}

// members leaves out the flows that were refused.
func (s *subject) members(live iter.Seq[uint64]) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for hash := range live {
			if !s.refused(hash) && !yield(hash) {
				return
			}
		}
	}
}

// audit puts the filter under audit, if it is one that deletes.
func (s *subject) audit(every int, secret uint64) (err error) {
	d, ok := s.Set.(audit.Deleter)
	if !ok {
		return nil
	}
	if s.shadow, err = audit.New(d, audit.Config{Every: every, Secret: secret}); err == nil {
		s.Set = s.shadow
	}
	return err
}

// contents returns the filter without its audit.
func (s *subject) contents() filter.Set {
	if s.shadow != nil {
		of, _ := filter.As[filter.Set](s.shadow.Unwrap())
		return of
	}
	return s.Set
}

// state returns what the bits say: not what is expected of them, as a State that is not Scanned is.
func (s *subject) state() State {
	same := Memory{Bytes: s.Bytes}
	switch f := s.contents().(type) {
	case interface{ Stats() deletable.Stats }:
		stats := f.Stats()
		return State{same, stats.Rate, stats.Fill, stats.Collided, stats.Regions}
	case *rolling.Filter:
		stats := f.Stats()
		return State{same, stats.Rate, stats.Fill, stats.Collided, stats.Regions}
	case *plain.Filter:
		stats := f.Stats()
		return State{Memory: same, Rate: stats.Rate, Fill: stats.Fill}
	case *counters.Filter:
		fill := float64(f.Stats().Used) / float64(f.Shape().Cells)
		return State{Memory: same, Rate: math.Pow(fill, float64(f.Shape().Hashes)), Fill: fill}
	case *elastic.Filter:
		same = memoryOf(f.Stats())
	}
	state := s.State()
	return State{Memory: same, Rate: state.Rate, Fill: state.Fill}
}

// The names of the filters.
const (
	insertOnly  = "insert-only"
	deletableIs = "deletable"
	rebuild     = "rebuild"
	refresh     = "refresh"
	rollingIs   = "rolling"
	counting    = "counting"
	elasticIs   = "elastic"
)

// Names are the names of the filters that are compared, in this order. The last one grows, and all
// others have the same memory.
var Names = []string{insertOnly, deletableIs, rebuild, refresh, rollingIs, counting, elasticIs}

// newFilters makes the filters, in the order of Names. Live are the hashes of the live flows at any
// time. A filter that is about to be rebuilt, or one of its tables, calls before, which may ask
// it.
func newFilters(p *plan, key key.Key, live *sets.Exact, before func(*subject)) ([]*subject, error) {
	alone, err1 := newDeletable(p, p.due, 0, key)
	again, err2 := newDeletable(p, p.due, 0, key)
	// deletable filters refuse no flow: all that are live are members
	rebuilt := newSubject(rebuild, nil, 1)
	rebuilt.Set = &sets.Renewed{Filter: again, Live: live.Interval,
		Before: func() { before(rebuilt) }}
	parts, err6 := newDeletable(p, 0, p.Reinserts, key)
	rolled := newSubject(rollingIs, nil, generations)
	// The ring rounds down to whole tables of whole blocks: half a block more is those for sure.
	blocks := float64(p.Bytes/deletable.BlockBytes/generations) + 0.5
	tables, err3 := rolling.New(rolling.Config{
		Members: p.Members, BitsPerKey: blocks * generations * blockBits / float64(p.Members),
		Generations: generations, Key: key,
		Stragglers: func(
			context.Context,
			rolling.Generation,
			rolling.Generation,
		) iter.Seq2[uint64, error] {
			before(rolled)
			return filter.Infallible(rolled.members(live.All()))
		},
	})
	rolled.Set = tables

	// none is ever deleted from the plain filter
	bits, inserts := float64(8*p.Bytes), max(1, p.flows)
	only, err4 := plain.New(plain.Config{Members: inserts, BitsPerKey: bits / float64(inserts),
		Key: key})
	counts, err5 := counters.New(counters.Config{Members: p.Members,
		BitsPerKey: bits / float64(p.Members), Key: key})
	grows, err7 := newElastic(p, key)
	if err := errors.Join(err1, err2, err3, err4, err5, err6, err7); err != nil {
		return nil, fmt.Errorf("flows: %w", err)
	}
	p.Refreshed = parts.Stats().PlannedRate
	steps, err := deletable.NewRefresher(parts, 0, 0)
	if err != nil {
		return nil, fmt.Errorf("flows: %w", err)
	}
	refreshed := newSubject(refresh, &sets.Renewed{Filter: parts, Live: live.Interval,
		Steps: steps}, 1)
	growing := newSubject(elasticIs, grows, 1)
	growing.scales = newScales(grows, p.start())
	growing.Growth = &growing.scales.Growth
	all := []*subject{
		newSubject(insertOnly, only, only.Shape().Hashes), newSubject(deletableIs, alone, 1),
		rebuilt, refreshed, rolled,
		newSubject(counting, counts, counts.Shape().Hashes), growing,
	}
	for _, f := range all {
		f.Bytes = f.State().Bytes
	}
	return all, nil
}

const blockBits = float64(8 * deletable.BlockBytes)

func newDeletable(p *plan, turnovers, reinserts float64, key key.Key) (*deletable.Filter, error) {
	// The filter rounds up to whole blocks: half a block less is those for sure.
	blocks := float64(p.Bytes/deletable.BlockBytes) - 0.5
	return deletable.New(deletable.Config{
		Members: p.Members, BitsPerKey: blocks * blockBits / float64(p.Members),
		Turnovers: turnovers, Reinserts: reinserts,
		Lifetime: p.lifetime, Key: key,
	})
}
