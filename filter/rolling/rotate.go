package rolling

import (
	"context"
	"runtime"
	"slices"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/kernel"
)

// Rotate closes the newest generation and opens another, as an insert does when the newest is full.
// An owner with lifetimes in hours calls it by the clock: with [Config.Expire] a member is in for
// Generations-1 rotations at least, and for Generations at most.
//
// Its error is a *[StragglersError]: then every member is as visible as before. It wraps the error
// of Stragglers, or of ctx where that ended first.
func (f *Filter) Rotate(ctx context.Context) error {
	r := f.ring.Load()
	if r == nil {
		return filter.ErrClosed
	}
	err := r.rotate(ctx, 0)
	runtime.KeepAlive(r)
	return err
}

// rotate is Rotate for an insert that has put keys into the generations from keep on, or 0 for
// none.
func (r *ring) rotate(ctx context.Context, keep Generation) error {
	r.retireEmpty()
	if r.expire {
		to := r.number()
		// By number, not by how many tables are free: a generation that emptied early must not make
		// the others live longer.
		for len(r.live) > 0 && to-r.live[0].number >= Generation(r.plan.Generations) {
			// a batch is in whole, or says where it ends
			if oldest := &r.live[0]; keep != 0 && oldest.number >= keep {
				r.last--
				return &StragglersError{ErrFull, oldest.number, oldest.left, r.plan.Capacity - 1}
			}
			count(&r.counters.expired, r.live[0].left)
			r.retire(0)
		}
		r.open(to)
		return nil
	}
	if len(r.free) > 0 {
		r.open(r.number())
		return nil
	}
	return r.moveOldest(ctx, keep)
}

// makeRoom sees to it that the newest generation takes an insert. For keep see rotate.
func (r *ring) makeRoom(keep Generation) error {
	// A move leaves no room where all inserts of the oldest generation are still members, or are
	// visible there. If each of the generations is such, there are more members than were planned
	// for, or the tables are so small that stragglers of other generations are false positives of
	// this one.
	for range r.plan.Generations + 1 {
		if r.newest().inserts < r.plan.Capacity {
			return nil
		}
		if err := r.rotate(context.Background(), keep); err != nil {
			return err
		}
	}
	if r.newest().inserts < r.plan.Capacity {
		return nil
	}
	return &StragglersError{ErrFull, r.live[0].number, r.live[0].left, r.plan.Capacity - 1}
}

// moveOldest retires the oldest generation and opens a new one with the members that its owner says
// are left. Nothing changes before it is known that they fit.
func (r *ring) moveOldest(ctx context.Context, keep Generation) error {
	oldest := &r.live[0]
	if r.stragglers == nil {
		return &StragglersError{ErrStragglers, oldest.number, oldest.left, 0}
	}
	if keep != 0 && oldest.number >= keep {
		// It has keys of a batch that its owner does not know of yet.
		return &StragglersError{ErrFull, oldest.number, oldest.left, r.plan.Capacity - 1}
	}
	from, to := oldest.number, r.number()
	var hashes []uint64
	for hash, err := range r.stragglers(ctx, from, to) {
		if err == nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return &StragglersError{Err: err, Generation: from, Found: len(hashes)}
		}
		// A key that another generation shows as well may be a member there only. It is moved all
		// the same, because it may be one here.
		if !oldest.table.Query(hash) {
			continue
		}
		if len(hashes) == r.plan.Capacity {
			return &StragglersError{ErrFull, from, len(hashes) + 1, r.plan.Capacity}
		}
		hashes = append(hashes, hash)
	}
	if ctx.Err() != nil { // a source may stop at it without a word
		return &StragglersError{Err: context.Cause(ctx), Generation: from, Found: len(hashes)}
	}
	r.retire(0)
	g := r.open(to)
	g.table.InsertBatch(hashes, nil)
	g.inserts, g.left = len(hashes), len(hashes)
	count(&r.counters.moved, len(hashes))
	return nil
}

// number gives a number away.
func (r *ring) number() Generation {
	r.last++
	return r.last
}

// open makes a free table the newest generation.
func (r *ring) open(number Generation) *generation {
	table := r.free[len(r.free)-1]
	// of a filter that was read: a small file must not take the memory of a large one
	if table == nil {
		table = kernel.NewTable512(r.plan.Blocks)
	}
	r.free = r.free[:len(r.free)-1]
	r.live = append(r.live, generation{table: table, number: number})
	return r.newest()
}

// retire empties the table of the generation with an index.
func (r *ring) retire(i int) {
	table := r.live[i].table
	table.Reset()
	r.free = append(r.free, table)
	r.live = slices.Delete(r.live, i, i+1)
	count(&r.counters.retired, 1)
}

// retireEmpty retires the generations whose members are all gone, the newest included: it is about
// to be closed.
func (r *ring) retireEmpty() {
	for i := len(r.live) - 1; i >= 0; i-- {
		if r.live[i].left == 0 {
			r.retire(i)
		}
	}
}
