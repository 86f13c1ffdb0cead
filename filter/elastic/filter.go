package elastic

import (
	"slices"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/internal/expected"
	"github.com/bloomlane/bloomlane/kernel"
)

// Filter is an elastic filter of keys. Make one with [New], [Open] or [Load]. From the types that
// it embeds it has:
//
//   - keys: [filter.KeyedSet.Insert], [filter.Keyed.Query], [filter.KeyedDeleter.Delete]; the same
//     for strings (InsertString, QueryString, DeleteString), for uint64s (InsertUint64) and for
//     many keys (InsertBatch, InsertStringBatch, InsertSeq)
//   - hashing: [filter.Keyed.Hash], HashString, HashUint64, [filter.Keyed.Key]
//   - files: [filter.Keyed.Save], WriteTo, AppendBinary, MarshalBinary
//   - state: [base.Life.String], Format, [filter.Keyed.MarshalJSON], LogValue
//   - life: [base.Life.Close], Closed
//
// One goroutine at a time may insert, delete, merge, save, or make any other call. Beside it any
// number of goroutines may query (QueryHash, QueryHashBatch and the forms of these for keys) and
// close the filter, and none of them waits. A query finds every key whose insert has returned
// before the query begins and that was not deleted since.
type Filter struct {
	filter.KeyedDeleter
	base.Life[table] // of the table that queries read

	plan    plan
	most    int // members: those of the plan, or of the largest table
	members int
	next    *table // that the lists move to, or nil
	moved   int    // units: see move.go

	work *work
}

// work is what the calls that write work in. It is behind a pointer, because a value that holds a
// filter may be printed.
type work struct {
	one             kernel.SplitBlockTable // a block
	hashes, entries []uint64
}

// New returns an empty filter of the size that config asks for. The error is a
// *[filter.SizingError].
func New(config Config) (*Filter, error) {
	p, err := config.solve()
	if err != nil {
		return nil, err
	}
	k, err := base.KeyOrNew(kindName, config.Key)
	if err != nil {
		return nil, err
	}
	if !k.Algorithm().MayBeSeen() {
		return nil, config.wrong("Key", k.Algorithm(), key.AESPMAC.String()+
			", because files of elastic filters show hashes")
	}
	return filterOf(newTable(p.blocks, p.arena()), k, k.Identity(), p), nil
}

func filterOf(t *table, k key.Key, identity key.Identity, p plan) *Filter {
	f := &Filter{plan: p, most: min(p.most, p.furthest(maxBlocks)), work: &work{
		one: kernel.NewSplitBlockTable(1)}}
	f.KeyedDeleter = filter.NewKeyedDeleter(k, f)
	base.Begin(&f.Life, kindName, t, identity)
	return f
}

// sibling returns a filter of the plan and key of f, with the table t.
func (f *Filter) sibling(t *table) *Filter {
	return filterOf(t, f.Key(), base.Identity(&f.Life), f.plan)
}

// Clone returns a copy of the filter, in memory of its own.
func (f *Filter) Clone() *Filter {
	t := base.Require(&f.Life)
	a := t.arena.clone()
	g := f.sibling(t.clone(a))
	g.members, g.moved = f.members, f.moved
	if f.next != nil {
		if f.next.arena != t.arena {
			a = f.next.arena.clone()
		}
		g.next = f.next.clone(a)
	}
	return g
}

// Equal reports whether both filters have the same key, plan, size and members: they answer alike,
// go on alike, and have the same files.
func (f *Filter) Equal(other *Filter) bool {
	t, u := base.Require(&f.Life), base.Require(&other.Life)
	return base.Identity(&f.Life) == base.Identity(&other.Life) && f.plan == other.plan &&
		len(t.blocks) == len(u.blocks) && f.nextBlocks() == other.nextBlocks() &&
		f.moved == other.moved && slices.Equal(f.sorted(t), other.sorted(u))
}

// Fresh returns an empty filter of the same plan, size and key: see [filter.Rebuilder].
func (f *Filter) Fresh() filter.Stored {
	base.Require(&f.Life)
	return f.sibling(newTable(f.plan.blocks, f.plan.arena()))
}

// Reset empties the filter, and gives it the size that it was made with.
func (f *Filter) Reset() {
	t := base.Require(&f.Life)
	f.next, f.moved, f.members = nil, 0, 0
	base.Replace(&f.Life, t, newTable(f.plan.blocks, f.plan.arena()))
}

// Members returns the number of members, each key counted as often as it is in.
func (f *Filter) Members() int {
	base.Require(&f.Life)
	return f.members
}

// Limit returns the number of members at which the filter grows again: see [filter.Grower].
func (f *Filter) Limit() int {
	nblocks := len(base.Require(&f.Life).blocks)
	if next := f.nextBlocks(); next != 0 {
		nblocks = next
	}
	return min(f.plan.limit(nblocks), f.most)
}

// Most returns how far the filter can grow: an insert of more members is refused with a
// *[FullError].
func (f *Filter) Most() int {
	base.Require(&f.Life)
	return f.most
}

// State returns what is known of the filter: see [filter.State]. It follows from the number of
// members, in a time that does not grow with the table, and is right after any deletes. Members
// counts each key as often as it is in.
func (f *Filter) State() filter.State {
	t := base.Held(&f.Life)
	if t == nil {
		return filter.State{}
	}
	stats := f.stats(t)
	return filter.State{
		Bytes: stats.FastBytes + stats.SlowBytes, Members: float64(f.members),
		Most: float64(f.most),
		Fill: f.fill(t),
		Rate: expected.Rate(f.members, len(t.blocks), blockShape),
	}
}

// ScanFill returns the fill of [Filter.State], which follows from the members, and the most that an
// insert adds to it: see [filter.Scanner].
func (f *Filter) ScanFill() (fill, most float64, err error) {
	t := base.Held(&f.Life)
	if t == nil {
		return 0, 0, filter.ErrClosed
	}
	return f.fill(t), float64(blockShape.Count) / float64(blockBits*len(t.blocks)), nil
}

func (f *Filter) fill(t *table) float64 {
	lane := expected.Lanes{Count: 1, Bits: blockShape.Bits}
	return expected.Rate(f.members, len(t.blocks), lane)
}

// Stats is the memory of a filter.
type Stats struct {
	Blocks    int  // the blocks that queries read, of 256 bits each
	FastBytes int  // bytes of the blocks, and of those that they move to
	SlowBytes int  // bytes of the lists
	Moving    bool // there is a move to twice as many blocks or to half of them
}

// Stats returns the memory of the filter. For a closed filter it returns zero.
func (f *Filter) Stats() Stats {
	t := base.Held(&f.Life)
	if t == nil {
		return Stats{}
	}
	return f.stats(t)
}

func (f *Filter) stats(t *table) Stats {
	s := Stats{Blocks: len(t.blocks), FastBytes: t.fastBytes(), SlowBytes: t.slowBytes() +
		t.arena.bytes()}
	if f.next != nil {
		s.Moving = true
		s.FastBytes += f.next.fastBytes()
		s.SlowBytes += f.next.slowBytes()
		if f.next.arena != t.arena {
			s.SlowBytes += f.next.arena.bytes()
		}
	}
	return s
}
