package rolling

import (
	"context"
	"fmt"
	"io"
	"iter"
	"runtime"
	"slices"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/kernel"
)

// Generation is the number of a generation. The first is 1, later ones have higher numbers, and no
// number comes again before [Filter.Reset]. The zero Generation is none: where it is asked for, it
// means "not known".
type Generation uint64

// Status is the result of a delete.
type Status = filter.Status

// The results of a delete.
const (
	Absent   = kernel.Absent   // no generation shows the key: it was no member, and nothing changed
	Retained = kernel.Retained // no member now, but visible until its generation retires
	Deleted  = kernel.Deleted  // at least one of its bits was cleared
)

// Stragglers supplies the members that are left in the oldest generation: see [Config.Stragglers].
type Stragglers = func(ctx context.Context, from, to Generation) iter.Seq2[uint64, error]

// Filter is a deletable Bloom filter of keys that come and go. Make one with [New], [Open] or
// [Load].
//
// It is not safe for concurrent use where one of the calls writes (insert, delete, rotate). Any
// number of goroutines may query a filter, save it or take its statistics, while nobody writes it,
// also while it is closed: [Filter.Close] waits for none of them, and none of them faults.
type Filter struct {
	filter.KeyedDeleter
	ring filter.Handle[ring]

	// fingerprint is that of the key. It is apart from it because a file is looked at without its
	// key.
	fingerprint uint64
}

// ring is the tables of a filter, and all that it knows of them. Tables in a mapped file stay as
// long as contents are reachable, so whoever uses a table keeps the ring alive.
type ring struct {
	plan       Planned
	members    int // planned, at a time
	stragglers Stragglers
	expire     bool
	contents   *file.Contents

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

// counters is what a filter knows of its history. They stay at [filter.MaxCount].
type counters struct {
	inserts, moved, deleted, retained, expired, retired uint64
}

// count adds to a counter.
func count(counter *uint64, n int) { *counter = filter.Total(*counter, uint64(n)) }

// New returns an empty filter. Its error is a *[filter.SizingError].
func New(config Config) (*Filter, error) {
	plan, err := config.Planned()
	if err != nil {
		return nil, err
	}
	if config.Key.IsZero() {
		config.Key = key.New()
	}
	r := &ring{plan: plan, members: config.Members, stragglers: config.Stragglers,
		expire: config.Expire}
	f := filterOf(r.empty(), config.Key)
	f.fingerprint = config.Key.Fingerprint()
	return f, nil
}

// empty returns a ring of the same plan with nothing in it.
func (r *ring) empty() *ring {
	e := &ring{plan: r.plan, members: r.members, stragglers: r.stragglers, expire: r.expire}
	e.make()
	for i := range e.free {
		e.free[i] = kernel.NewTable512(e.plan.Blocks)
	}
	e.open(e.number())
	return e
}

// make makes room for the generations that are not live. Their tables are made when they are
// opened.
func (r *ring) make() {
	r.live = slices.Grow(r.live, r.plan.Generations-len(r.live))
	r.free = make([]kernel.Table512, r.plan.Generations-len(r.live), r.plan.Generations)
}

// filterOf returns a filter of a ring.
func filterOf(r *ring, k key.Key) *Filter {
	f := new(Filter)
	f.KeyedDeleter = filter.NewKeyedDeleter(k, f)
	f.ring.Set(r)
	return f
}

// SetStragglers makes source what supplies the stragglers from now on, as [Config.Stragglers] does
// for a new filter: a file has no function, so whoever opens one sets it. nil is for none. Its
// error is [filter.ErrClosed], or a *[filter.SizingError] where lifetimes end by [Config.Expire].
func (f *Filter) SetStragglers(source Stragglers) error {
	r := f.ring.Load()
	switch {
	case r == nil:
		return filter.ErrClosed
	case r.expire && source != nil:
		return wrong("Stragglers", "a function", "nil, because of Expire")
	}
	r.stragglers = source
	return nil
}

// Expires reports whether lifetimes end: see [Config.Expire].
func (f *Filter) Expires() bool { return f.ring.Table().expire }

// Promises returns what this filter promises: what the [Kind] does, and that it forgets where
// lifetimes end.
func (f *Filter) Promises() filter.Promise { return f.ring.Table().promises() }

func (r *ring) promises() filter.Promise {
	if r.expire {
		return Promises | filter.Forgets
	}
	return Promises
}

// Clone returns a filter like f, in memory of its own, with the same source of stragglers.
func (f *Filter) Clone() *Filter {
	r := f.ring.Table()
	c := *r
	c.contents = nil
	c.live = slices.Clone(r.live)
	c.make()
	for i := range c.live {
		c.live[i].table = kernel.NewTable512(r.plan.Blocks)
		copy(c.live[i].table, r.live[i].table)
	}
	runtime.KeepAlive(r)
	g := filterOf(&c, f.Key())
	g.fingerprint = f.fingerprint
	return g
}

// Reset empties the filter: nothing is left of its history, and it is as new. The numbers of
// generations begin again.
func (f *Filter) Reset() {
	r := f.ring.Table()
	for len(r.live) > 0 {
		r.retire(0)
	}
	r.last, r.counters = 0, counters{}
	r.open(r.number())
	runtime.KeepAlive(r)
}

// Fresh returns an empty filter of the same plan, size and key: see [filter.Rebuilder]. It has the
// same source of stragglers.
func (f *Filter) Fresh() filter.Stored {
	g := filterOf(f.ring.Table().empty(), f.Key())
	g.fingerprint = f.fingerprint
	return g
}

// Equal reports whether f and other have the same key, plan, history and bits. A source of
// stragglers is not compared.
func (f *Filter) Equal(other *Filter) bool {
	r, s := f.ring.Table(), other.ring.Table()
	equal := f.fingerprint == other.fingerprint && r.plan == s.plan && r.members == s.members &&
		r.expire == s.expire && r.last == s.last && r.counters == s.counters &&
		slices.EqualFunc(r.live, s.live, func(g, h generation) bool {
			return g.number == h.number && g.inserts == h.inserts && g.left == h.left &&
				slices.Equal(g.table, h.table)
		})
	runtime.KeepAlive(r)
	runtime.KeepAlive(s)
	return equal
}

// String returns the size and the fingerprint of the key. It never prints the key, nor the tables.
func (f *Filter) String() string {
	r := f.ring.Load()
	if r == nil {
		return "rolling filter, closed"
	}
	return fmt.Sprintf("rolling filter of %d tables of %d blocks, key with fingerprint %016x",
		r.plan.Generations, r.plan.Blocks, f.fingerprint)
}

// Format prints String for every verb, so that a log has a line and not the tables.
func (f *Filter) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, f.String()) }

// Planned returns what the filter was sized to.
func (f *Filter) Planned() Planned { return f.ring.Table().plan }

// Newest returns the generation that the last insert went into, and that the next goes into unless
// it is full.
func (f *Filter) Newest() Generation { return f.ring.Table().newest().number }

// Full reports whether the newest generation is full, so that the next insert rotates first. An
// owner whose Stragglers may take long calls [Filter.Rotate] then, with a context of its own.
func (f *Filter) Full() bool {
	r := f.ring.Table()
	return r.newest().inserts >= r.plan.Capacity
}

// Close ends the filter: calls from then on fail or panic with [filter.ErrClosed], the next Close
// too. Calls that run now finish first: the memory or the mapping goes when the last of them has
// returned, at a garbage collection.
func (f *Filter) Close() error { return f.ring.Close() }

// Closed reports whether the filter is closed, or was never made.
func (f *Filter) Closed() bool { return f.ring.Closed() }

func (r *ring) newest() *generation { return &r.live[len(r.live)-1] }

// find returns the index of a live generation, or -1.
func (r *ring) find(number Generation) int {
	for i := range r.live {
		if r.live[i].number == number {
			return i
		}
	}
	return -1
}
