package guard

import (
	"fmt"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/packets/sets"
)

// Deleter is what an engine needs of a [filter.Deleter].
type Deleter interface {
	InsertHash(hash uint64) (present bool, err error)
	QueryHash(hash uint64) (present bool)
	QueryHashBatch(hashes, present []uint64) (count int)
	DeleteHash(hash uint64) filter.Status
}

// Set is a set of keys of bytes: any filter that deletes, or an exact set, and the key of its
// hashes.
type Set struct {
	Deleter
	Key key.Key
}

// Insert inserts a key that is not a member, and reports whether it was present before.
func (s Set) Insert(key []byte) (present bool, err error) { return s.InsertHash(s.Key.Hash(key)) }

// Query reports whether a key is present.
func (s Set) Query(key []byte) bool { return s.QueryHash(s.Key.Hash(key)) }

// Delete deletes a member.
func (s Set) Delete(key []byte) filter.Status { return s.DeleteHash(s.Key.Hash(key)) }

// Sets are the three sets that an engine works on.
type Sets struct {
	Good, Bad Set // of sources: the 4 or 16 bytes of their addresses
	Sequences Set // of sequences: the 4, 8 or 12 bytes of their big-endian words

	// Spares reports whether a source with a third strike is not moved to the bad set; nil: none is
	// spared.
	Spares func(source []byte) bool
}

// NewExactSets returns three empty exact sets, each under a key of its own: no false positive of a
// filter is one of theirs.
func NewExactSets() Sets {
	exact := func() Set { return Set{new(sets.Exact), key.New()} }
	return Sets{Good: exact(), Bad: exact(), Sequences: exact()}
}

// Limits of a [Sizing], which bound what its filters allocate: 3.5 GiB each at the very worst.
const (
	MaxSources = 1 << 26
	MinRate    = 1e-12

	// MinTurnovers makes every source a hundred times a member of a new filter at most.
	MinTurnovers = 0.01
)

// Sizing is what the filters are sized by. Rates are false-positive rates with all planned keys in,
// and that of the good filter, whose members come and go, also after its turnovers.
type Sizing struct {
	Sources int // different sources that are expected at a time
	Blocked int // sources that are bad from the start
	// sources that must never be blocked: if there are any, the blocked ones have a filter of their
	// own
	NeverBlock int
	Sequences  int // bad sequences
	GoodRate   float64
	// of the sources, after which the good filter is rebuilt; 0: it never is
	GoodTurnovers float64
	// per insert of a source, where the good filter is refreshed instead, or 0
	GoodReinserts float64
	BadRate       float64
	SequenceRate  float64
	Key           key.Key // the zero Key: a random one for each filter
}

// Filters are the three sets as filters.
type Filters struct {
	Good           sets.Renewed
	Bad, Sequences *deletable.Filter
}

// Sets returns the filters as what an engine works on.
func (f *Filters) Sets() Sets {
	return Sets{Good: Set{&f.Good, f.Good.Key()}, Bad: setOf(f.Bad), Sequences: setOf(f.Sequences)}
}

// setOf returns a filter as a set of keys under its own key.
func setOf(f *deletable.Filter) Set { return Set{f, f.Key()} }

// NewFilters returns empty filters. The bad one has room for all sources to turn bad. With sources
// never to block it has no room for the blocked ones, and half the rate, because packets ask two
// filters.
func NewFilters(sizing Sizing) (*Filters, error) {
	if sizing.Sources < 1 || sizing.Sources > MaxSources {
		return nil, fmt.Errorf("--sources is %d, expected 1 to %d", sizing.Sources, MaxSources)
	}
	if t := sizing.GoodTurnovers; t != 0 && !(t >= MinTurnovers) {
		return nil, fmt.Errorf("--good-turnovers is %g, expected 0, or %g or more", t, MinTurnovers)
	}
	var f Filters
	bad, share := sizing.Sources+sizing.Blocked, 1.0
	if sizing.NeverBlock > 0 {
		bad, share = sizing.Sources, 0.5
	}
	for _, filter := range []struct {
		name      string
		to        **deletable.Filter
		members   int
		rate      float64
		share     float64 // of the rate
		turnovers float64
		reinserts float64
	}{
		{"good", &f.Good.Filter, sizing.Sources, sizing.GoodRate, 1, sizing.GoodTurnovers,
			sizing.GoodReinserts},
		{"bad", &f.Bad, bad, sizing.BadRate, share, 0, 0},
		{"sequence", &f.Sequences, max(1, sizing.Sequences), sizing.SequenceRate, 1, 0, 0},
	} {
		if !(filter.rate >= MinRate && filter.rate < 1) { // so written, NaN fails it too
			const text = "--%s-rate is %g, expected %g or more and below 1"
			return nil, fmt.Errorf(text, filter.name, filter.rate, MinRate)
		}
		made, err := deletable.New(deletable.Config{
			Members: filter.members, Rate: filter.share * filter.rate, Turnovers: filter.turnovers,
			Reinserts: filter.reinserts, Key: sizing.Key,
		})
		if err != nil {
			return nil, fmt.Errorf("guard: %s filter: %w", filter.name, err)
		}
		*filter.to = made
	}
	if sizing.GoodReinserts > 0 {
		var err error
		if f.Good.Steps, err = deletable.NewRefresher(f.Good.Filter, 0, 0); err != nil {
			return nil, fmt.Errorf("guard: good filter: %w", err)
		}
	}
	return &f, nil
}
