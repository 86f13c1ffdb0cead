package rolling

import (
	"context"
	"iter"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/kernel"
)

// Generation is the number of a generation. The first is 1, and later ones have higher numbers. No
// number is used twice before [Filter.Reset]. As an argument, 0 stands for an unknown generation.
type Generation uint64

// Status is the result of a delete.
type Status = filter.Status

// The results of a delete.
const (
	// Absent says that no generation shows the key, so it was no member. Nothing changed.
	Absent = kernel.Absent
	// Retained says that the key is no member any more, but is found until its generation retires.
	Retained = kernel.Retained
	// Deleted says that at least one bit of the key was cleared.
	Deleted = kernel.Deleted
)

// Stragglers lists the members that are left in the oldest generation: see [Config.Stragglers].
type Stragglers = func(ctx context.Context, from, to Generation) iter.Seq2[uint64, error]

// Filter is a deletable Bloom filter of keys that come and go. Make one with [New], [Open] or
// [Load]. From the types that it embeds it has:
//
//   - keys: [filter.KeyedSet.Insert], [filter.Keyed.Query], [filter.KeyedDeleter.Delete]; the same
//     for strings (InsertString, QueryString, DeleteString), for uint64s (InsertUint64) and for
//     many keys (InsertBatch, InsertStringBatch, InsertSeq)
//   - hashing: [filter.Keyed.Hash], HashString, HashUint64, [filter.Keyed.Key]
//   - files: [filter.Keyed.Save], WriteTo, AppendBinary, MarshalBinary
//   - state: [base.Life.String], Format, [filter.Keyed.MarshalJSON], LogValue
//   - life: [base.Life.Close], Closed
//
// Any number of goroutines may query, save or take statistics of a filter at the same time. A call
// that writes, such as an insert, a delete or a rotation, needs the filter for itself. Any call may
// run during Close, which waits for none.
type Filter struct {
	filter.KeyedDeleter
	base.Life[ring]
}

// ring has the tables of a filter and their state. Tables in a mapped file are valid as long as the
// contents are reachable, so a function that uses a table keeps the ring alive.
type ring struct {
	shape      Shape
	members    int // the planned number at a time
	planned    *rates
	stragglers Stragglers
	expire     bool
	contents   *file.Contents

	live     []generation      // oldest first; the last one takes inserts and always exists
	free     []kernel.Table512 // empty tables
	last     Generation        // the highest number so far
	counters counters
}

// rates are those of a plan: see [Shape.Rate] and [Shape.Rate99]. Files have them. The second takes
// longer than the rest of a new filter, so it is computed when it is asked for.
type rates struct {
	mean float64
	once sync.Once
	of99 float64 // or 0 before once
}

func (r *ring) rate99() float64 {
	p := r.planned
	p.once.Do(func() {
		if p.of99 == 0 {
			p.of99 = r.shape.Rate99()
		}
	})
	return p.of99
}

// generation is a table and what is known of its members.
type generation struct {
	table   kernel.Table512
	number  Generation
	inserts int // inserts into the table
	// inserts minus deletes that were certainly here; an upper bound of the members left
	left int
}

// counters count the history of a filter. They do not grow beyond [base.MaxCount].
type counters struct {
	inserts, moved, deleted, retained, expired, retired uint64
}

// count adds to a counter.
func count(counter *uint64, n int) { *counter = base.Total(*counter, uint64(n)) }

// New returns an empty filter for config. The error is a *[filter.SizingError] that names the field
// of config, what it is and what it may be.
func New(config Config) (*Filter, error) {
	size, err := config.Shape()
	if err != nil {
		return nil, err
	}
	k, err := base.KeyOrNew(kindName, config.Key)
	if err != nil {
		return nil, err
	}
	r := &ring{shape: size, members: config.Members, stragglers: config.Stragglers,
		expire: config.Expire, planned: &rates{mean: size.Rate(math.MaxInt)}}
	return filterOf(r.empty(), k, k.Identity()), nil
}

// empty returns an empty ring with the same plan.
func (r *ring) empty() *ring {
	e := &ring{shape: r.shape, members: r.members, stragglers: r.stragglers, expire: r.expire,
		planned: r.planned}
	e.make()
	for i := range e.free {
		e.free[i] = kernel.NewTable512(e.shape.Blocks)
	}
	e.open(e.number())
	return e
}

// make makes room for the generations that are not live. Their tables are allocated when they are
// opened.
func (r *ring) make() {
	r.live = slices.Grow(r.live, r.shape.Generations-len(r.live))
	r.free = make([]kernel.Table512, r.shape.Generations-len(r.live), r.shape.Generations)
}

// filterOf returns a filter of a ring.
func filterOf(r *ring, k key.Key, identity key.Identity) *Filter {
	f := new(Filter)
	f.become(r, k, identity)
	return f
}

func (f *Filter) become(r *ring, k key.Key, identity key.Identity) {
	f.KeyedDeleter = filter.NewKeyedDeleter(k, f)
	base.Begin(&f.Life, kindName, r, identity)
}

// sibling returns a filter of a ring, with the key of f.
func (f *Filter) sibling(r *ring) *Filter {
	return filterOf(r, f.Key(), base.Identity(&f.Life))
}

// SetStragglers sets the source of stragglers, as [Config.Stragglers] does for a new filter. Call
// it after opening a filter, because a file holds no function. nil stands for no source. The error
// is [filter.ErrClosed], or a *[filter.SizingError] if members expire.
func (f *Filter) SetStragglers(source Stragglers) error {
	r := base.Held(&f.Life)
	switch {
	case r == nil:
		return filter.ErrClosed
	case r.expire && source != nil:
		return wrong("Stragglers", "a function", "nil, because of Expire")
	}
	r.stragglers = source
	return nil
}

// Expires reports whether members expire: see [Config.Expire].
func (f *Filter) Expires() bool { return base.Require(&f.Life).expire }

// promises are those of the [Kind], and Forgets if members expire.
func (r *ring) promises() base.Promise {
	if r.expire {
		return Promises | base.Forgets
	}
	return Promises
}

// Clone returns a copy of f in memory of its own, with the same source of stragglers.
func (f *Filter) Clone() *Filter {
	r := base.Require(&f.Life)
	c := *r
	c.contents = nil
	c.live = slices.Clone(r.live)
	c.make()
	for i := range c.live {
		c.live[i].table = kernel.NewTable512(r.shape.Blocks)
		copy(c.live[i].table, r.live[i].table)
	}
	runtime.KeepAlive(r)
	return f.sibling(&c)
}

// Reset removes all members and clears the history, so that f is as new. The numbers of generations
// start again at 1.
func (f *Filter) Reset() {
	r := base.Require(&f.Life)
	for len(r.live) > 0 {
		r.retire(0)
	}
	r.last, r.counters = 0, counters{}
	r.open(r.number())
	runtime.KeepAlive(r)
}

// Fresh returns an empty filter with the same plan, size, key and source of stragglers: see
// [filter.Rebuilder].
func (f *Filter) Fresh() filter.Stored { return f.sibling(base.Require(&f.Life).empty()) }

// Equal reports whether f and other have the same key, plan, history and bits. It does not compare
// sources of stragglers.
func (f *Filter) Equal(other *Filter) bool {
	r, s := base.Require(&f.Life), base.Require(&other.Life)
	equal := base.Identity(&f.Life) == base.Identity(&other.Life) &&
		r.shape == s.shape && r.planned.mean == s.planned.mean && r.rate99() == s.rate99() &&
		r.members == s.members && r.expire == s.expire && r.last == s.last && r.counters == s.counters &&
		slices.EqualFunc(r.live, s.live, func(g, h generation) bool {
			return g.number == h.number && g.inserts == h.inserts && g.left == h.left &&
				slices.Equal(g.table, h.table)
		})
	runtime.KeepAlive(r)
	runtime.KeepAlive(s)
	return equal
}

// String returns the size, in words.
func (r *ring) String() string { return r.shape.String() }

// Newest returns the generation of the last insert. The next insert goes into it too, unless it is
// full.
func (f *Filter) Newest() Generation { return base.Require(&f.Life).newest().number }

// Full reports whether the newest generation is full, so that the next insert rotates first. If
// your Stragglers may take long, call [Filter.Rotate] then, with a context.
func (f *Filter) Full() bool {
	r := base.Require(&f.Life)
	return r.newest().inserts >= r.shape.Capacity
}

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
