package rolling

import (
	"context"
	"runtime"
	"slices"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/kernel"
)

// Rotate closes the newest generation and opens another one, as an insert does if the newest is
// full. Call it by the clock if members expire after hours, say: with [Config.Expire] a member
// stays for at least Generations-1 and at most Generations rotations.
//
// The error is [filter.ErrClosed], or a *[StragglersError] that wraps the error of Stragglers, or
// that of ctx if it ended first. On an error nothing changes, and every member is still found.
func (f *Filter) Rotate(ctx context.Context) error {
	r := base.Held(&f.Life)
	if r == nil {
		return filter.ErrClosed
	}
	err := r.rotate(ctx, 0)
	runtime.KeepAlive(r)
	return err
}

// rotate is Rotate for an insert that has put keys into the generations from keep on. keep is 0 if
// it has not.
func (r *ring) rotate(ctx context.Context, keep Generation) error {
	r.retireEmpty()
	if r.expire {
		to := r.number()
		// It compares numbers and does not count free tables: a generation that became empty early
		// must not make the others live longer.
		for len(r.live) > 0 && to-r.live[0].number >= Generation(r.shape.Generations) {
			// a batch is inserted whole, or stops here
			if oldest := &r.live[0]; keep != 0 && oldest.number >= keep {
				r.last--
				return &StragglersError{filter.ErrFull, oldest.number, oldest.left,
					r.shape.Capacity - 1}
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

// makeRoom makes the newest generation accept an insert. For keep see rotate.
func (r *ring) makeRoom(keep Generation) error {
	// A move makes no room if all inserts of the oldest generation are still members, or are
	// visible there. If that is so for every generation, there are more members than planned, or
	// the tables are so small that members of other generations are false positives of the oldest.
	for range r.shape.Generations + 1 {
		if r.newest().inserts < r.shape.Capacity {
			return nil
		}
		if err := r.rotate(context.Background(), keep); err != nil {
			return err
		}
	}
	if r.newest().inserts < r.shape.Capacity {
		return nil
	}
	return &StragglersError{filter.ErrFull, r.live[0].number, r.live[0].left, r.shape.Capacity - 1}
}

// moveOldest retires the oldest generation and opens a new one with the members that are left.
// Nothing changes until it is certain that they fit.
func (r *ring) moveOldest(ctx context.Context, keep Generation) error {
	oldest := &r.live[0]
	if r.stragglers == nil {
		return &StragglersError{ErrStragglers, oldest.number, oldest.left, 0}
	}
	if keep != 0 && oldest.number >= keep {
		// it has keys of a batch that its owner does not count as members yet
		return &StragglersError{filter.ErrFull, oldest.number, oldest.left, r.shape.Capacity - 1}
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
		// If another generation shows the key too, it may be a member there only. It is moved in
		// any case, because it may be a member here.
		if !oldest.table.Query(hash) {
			continue
		}
		if len(hashes) == r.shape.Capacity {
			return &StragglersError{filter.ErrFull, from, len(hashes) + 1, r.shape.Capacity}
		}
		hashes = append(hashes, hash)
	}
	if ctx.Err() != nil { // a source may stop then without an error
		return &StragglersError{Err: context.Cause(ctx), Generation: from, Found: len(hashes)}
	}
	r.retire(0)
	g := r.open(to)
	g.table.QueryInsertBatch(hashes, nil)
	g.inserts, g.left = len(hashes), len(hashes)
	count(&r.counters.moved, len(hashes))
	return nil
}

// number returns the next number of a generation.
func (r *ring) number() Generation {
	r.last++
	return r.last
}

// open makes a free table the newest generation.
func (r *ring) open(number Generation) *generation {
	table := r.free[len(r.free)-1]
	// a filter that was read has no free tables: a small file must not need the memory of a large
	// one
	if table == nil {
		table = kernel.NewTable512(r.shape.Blocks)
	}
	r.free = r.free[:len(r.free)-1]
	r.live = append(r.live, generation{table: table, number: number})
	return r.newest()
}

// retire empties the table of live generation i.
func (r *ring) retire(i int) {
	table := r.live[i].table
	table.Reset()
	r.free = append(r.free, table)
	r.live = slices.Delete(r.live, i, i+1)
	count(&r.counters.retired, 1)
}

// retireEmpty retires the generations without members, also the newest, which is about to be
// closed.
func (r *ring) retireEmpty() {
	for i := len(r.live) - 1; i >= 0; i-- {
		if r.live[i].left == 0 {
			r.retire(i)
		}
	}
}
