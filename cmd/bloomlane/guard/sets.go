package guard

import (
	"context"
	"fmt"
	"iter"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/kernel"
)

// Set is what the rules need of a set of keys.
type Set interface {
	// Insert inserts a key that is not a member and returns whether it was present before.
	Insert(key []byte) bool
	// Query reports whether a key is present.
	Query(key []byte) bool
	// Delete deletes a member.
	Delete(key []byte) kernel.Status
	// QueryBatch queries keys and returns how many are present. Bit i of hits[i/64] says whether
	// keys[i] is; hits may be nil, or else has a word for each 64 keys.
	QueryBatch(keys [][]byte, hits []uint64) int
}

// keys is a filter as a [Set].
type keys struct{ *deletable.Filter }

// Insert implements [Set].
func (k keys) Insert(key []byte) bool {
	present, err := k.Filter.Insert(key)
	if err != nil {
		panic(err) // the filter is open
	}
	return present
}

// Sets are the three sets that an engine works on.
type Sets struct {
	Good, Bad Set // of sources: the 4 or 16 bytes of their addresses
	Sequences Set // of sequences: the 4, 8 or 12 bytes of their big-endian words

	// Renew, where it is not nil, is called after each insert into Good, with the number of its members
	// and the keys of them all. It returns the set that is Good from then on, of the same members.
	Renew func(members int, live iter.Seq[[]byte]) Set
}

// Exact is an exact [Set], for audits.
type Exact map[string]struct{}

// Insert implements [Set].
func (e Exact) Insert(key []byte) bool {
	if e.Query(key) {
		return true
	}
	e[string(key)] = struct{}{}
	return false
}

// Query implements [Set].
func (e Exact) Query(key []byte) bool {
	_, present := e[string(key)]
	return present
}

// Delete implements [Set]. Its status is never Retained.
func (e Exact) Delete(key []byte) kernel.Status {
	if !e.Query(key) {
		return kernel.Absent
	}
	delete(e, string(key))
	return kernel.Deleted
}

// QueryBatch implements [Set].
func (e Exact) QueryBatch(keys [][]byte, hits []uint64) int {
	count := 0
	if hits != nil {
		clear(hits[:(len(keys)+63)/64])
	}
	for i, key := range keys {
		if !e.Query(key) {
			continue
		}
		count++
		if hits != nil {
			hits[i/64] |= 1 << (i % 64)
		}
	}
	return count
}

// NewExactSets returns three empty exact sets.
func NewExactSets() Sets { return Sets{Good: Exact{}, Bad: Exact{}, Sequences: Exact{}} }

// Limits of a [Plan], which bound what its filters allocate: 3.5 GiB each at the very worst.
const (
	MaxSources = 1 << 26
	MinRate    = 1e-12

	// MinTurnovers makes every source a hundred times a member of a new filter at most.
	MinTurnovers = 0.01
)

// Plan is what the filters are sized by. Rates are false-positive rates with all planned keys in, and that
// of the good filter, whose members come and go, also after its turnovers.
type Plan struct {
	Sources       int // different sources that are expected at a time
	Blocked       int // sources that are bad from the start
	Sequences     int // bad sequences
	GoodRate      float64
	GoodTurnovers float64 // of the sources, after which the good filter is built anew; 0: it never is
	BadRate       float64
	SequenceRate  float64
	Key           key.Key // the zero Key: a random one for each filter
}

// Filters are the three sets as filters.
type Filters struct {
	Good, Bad, Sequences *deletable.Filter

	Rebuilds int // of Good
	plan     Plan
}

// Sets returns the filters as what an engine works on.
func (f *Filters) Sets() Sets {
	sets := Sets{Good: keys{f.Good}, Bad: keys{f.Bad}, Sequences: keys{f.Sequences}}
	if f.plan.GoodTurnovers > 0 {
		sets.Renew = f.renew
	}
	return sets
}

// renew builds the good filter anew where that is due. It waits where there are more members than
// planned: such a filter would be due again soon, and in the end after every insert.
func (f *Filters) renew(members int, live iter.Seq[[]byte]) Set {
	if members > f.plan.Sources || f.Good.Due() == nil {
		return keys{f.Good}
	}
	fresh, err := f.Good.Rebuild(context.Background(), filter.Infallible(live))
	if err != nil {
		panic(err) // there are no more members than planned
	}
	f.Good = fresh
	f.Rebuilds++
	return keys{fresh}
}

// NewFilters returns empty filters. The bad one has room for all sources to turn bad.
func NewFilters(plan Plan) (*Filters, error) {
	if plan.Sources < 1 || plan.Sources > MaxSources {
		return nil, fmt.Errorf("guard: found %d expected sources, expected 1 to %d", plan.Sources, MaxSources)
	}
	if t := plan.GoodTurnovers; t != 0 && !(t >= MinTurnovers) {
		return nil, fmt.Errorf("guard: found %g turnovers of the good filter, expected 0, or %g or more", t, MinTurnovers)
	}
	f := Filters{plan: plan}
	for _, filter := range []struct {
		name      string
		to        **deletable.Filter
		members   int
		rate      float64
		turnovers float64
	}{
		{"good", &f.Good, plan.Sources, plan.GoodRate, plan.GoodTurnovers},
		{"bad", &f.Bad, plan.Sources + plan.Blocked, plan.BadRate, 0},
		{"sequence", &f.Sequences, max(1, plan.Sequences), plan.SequenceRate, 0},
	} {
		if !(filter.rate >= MinRate && filter.rate < 1) { // so written, NaN fails it too
			return nil, fmt.Errorf("guard: found %s rate %g, expected %g or more and below 1", filter.name, filter.rate, MinRate)
		}
		made, err := deletable.New(deletable.Config{Members: filter.members, Rate: filter.rate, Turnovers: filter.turnovers, Key: plan.Key})
		if err != nil {
			return nil, fmt.Errorf("guard: %s filter: %w", filter.name, err)
		}
		*filter.to = made
	}
	return &f, nil
}
