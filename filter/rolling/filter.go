package rolling

import (
	"context"
	"fmt"
	"io"
	"iter"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/kernel"
)

// Generation is the number of a generation. The first is 1, later ones have higher numbers, and no
// number comes again. The zero Generation is none: where it is asked for, it means "not known".
type Generation uint64

// Status is the result of a delete.
type Status = kernel.Status

// The results of a delete.
const (
	Absent   = kernel.Absent   // no generation shows the key: it was no member, and nothing changed
	Retained = kernel.Retained // no member now, but visible until its generation retires
	Deleted  = kernel.Deleted  // at least one of its bits was cleared
)

// Filter is a deletable Bloom filter of keys that come and go. Make one with [New].
//
// It is not safe for concurrent use where one of the calls writes (insert, delete, rotate). Any number
// of goroutines may query a filter, or take its statistics, while nobody writes it.
type Filter struct {
	key        key.Key
	plan       Plan
	stragglers func(ctx context.Context, from, to Generation) iter.Seq2[uint64, error]
	expire     bool

	live     []generation      // oldest first; there is always one, the newest, that takes inserts
	free     []kernel.Table512 // empty
	last     Generation        // the highest number given away
	counters counters
}

// generation is a table and what is known of its members.
type generation struct {
	table   kernel.Table512
	number  Generation
	inserts int // into the table
	left    int // inserts less deletes that were certainly here: at most so many members are left
}

type counters struct {
	inserts, moved, deleted, retained, expired, retired uint64
}

// New returns an empty filter. Its error is a *[ConfigError].
func New(config Config) (*Filter, error) {
	plan, err := config.Plan()
	if err != nil {
		return nil, err
	}
	if config.Key.IsZero() {
		config.Key = key.New()
	}
	f := &Filter{
		key:        config.Key,
		plan:       plan,
		stragglers: config.Stragglers,
		expire:     config.Expire,
		live:       make([]generation, 0, plan.Generations),
		free:       make([]kernel.Table512, 0, plan.Generations),
	}
	for range plan.Generations {
		f.free = append(f.free, kernel.NewTable512(plan.Blocks))
	}
	f.open(f.number())
	return f, nil
}

// require panics with [filter.ErrClosed] where f was never made.
func (f *Filter) require() {
	if len(f.live) == 0 {
		panicClosed()
	}
}

// panicClosed is apart from require, which is inlined so.
func panicClosed() { panic(filter.ErrClosed) }

// String returns the size and the fingerprint of the key. It never prints the key, nor the tables.
func (f *Filter) String() string {
	if len(f.live) == 0 {
		return "rolling filter, never made"
	}
	return fmt.Sprintf("rolling filter of %d tables of %d blocks, %v", f.plan.Generations, f.plan.Blocks, f.key)
}

// Format prints String for every verb, so that a log has a line and not the tables.
func (f *Filter) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, f.String()) }

// Key returns the hash key.
func (f *Filter) Key() key.Key {
	f.require()
	return f.key
}

// Plan returns what the filter was sized to.
func (f *Filter) Plan() Plan {
	f.require()
	return f.plan
}

// Hash returns the hash of a key of bytes: [key.Key.Hash] of the filter's key.
func (f *Filter) Hash(key []byte) uint64 {
	f.require()
	return f.key.Hash(key)
}

// HashUint64 returns the hash of a uint64: [key.Key.HashUint64] of the filter's key.
func (f *Filter) HashUint64(key uint64) uint64 {
	f.require()
	return f.key.HashUint64(key)
}

// Newest returns the generation that the next insert goes into, unless it is full.
func (f *Filter) Newest() Generation {
	f.require()
	return f.newest().number
}

// Full reports whether the newest generation is full, so that the next insert rotates first. An owner whose
// Stragglers may take long calls [Filter.Rotate] then, with a context of its own.
func (f *Filter) Full() bool {
	f.require()
	return f.newest().inserts >= f.plan.Capacity
}

func (f *Filter) newest() *generation { return &f.live[len(f.live)-1] }

// find returns the index of a live generation, or -1.
func (f *Filter) find(number Generation) int {
	for i := range f.live {
		if f.live[i].number == number {
			return i
		}
	}
	return -1
}
