package rolling

import (
	"context"
	"slices"

	"github.com/bloomlane/bloomlane/filter"
)

// Rotate closes the newest generation and opens another, as an insert does when the newest is full. An
// owner with lifetimes in hours calls it by the clock: with [Config.Expire] a member is in for
// Generations-1 rotations at least, and for Generations at most.
//
// Its error is a *[StragglersError]: then every member is as visible as before. It wraps the error of
// Stragglers, or of ctx where that ended first.
func (f *Filter) Rotate(ctx context.Context) error {
	if len(f.live) == 0 {
		return filter.ErrClosed
	}
	return f.rotate(ctx, 0)
}

// rotate is Rotate for an insert that has put keys into the generations from keep on, or 0 for none.
func (f *Filter) rotate(ctx context.Context, keep Generation) error {
	f.retireEmpty()
	if f.expire {
		to := f.number()
		// By number, not by how many tables are free: a generation that emptied early must not make
		// the others live longer.
		for len(f.live) > 0 && to-f.live[0].number >= Generation(f.plan.Generations) {
			f.counters.expired += uint64(f.live[0].left)
			f.retire(0)
		}
		f.open(to)
		return nil
	}
	if len(f.free) > 0 {
		f.open(f.number())
		return nil
	}
	return f.moveOldest(ctx, keep)
}

// makeRoom sees to it that the newest generation takes an insert. For keep see rotate.
func (f *Filter) makeRoom(keep Generation) error {
	if len(f.live) == 0 {
		return filter.ErrClosed
	}
	// A move leaves no room where all inserts of the oldest generation are still members, or are visible
	// there. If each of the generations is such, there are more members than were planned for, or the tables
	// are so small that stragglers of other generations are false positives of this one.
	for range f.plan.Generations + 1 {
		if f.newest().inserts < f.plan.Capacity {
			return nil
		}
		if err := f.rotate(context.Background(), keep); err != nil {
			return err
		}
	}
	if f.newest().inserts < f.plan.Capacity {
		return nil
	}
	return &StragglersError{ErrFull, f.live[0].number, f.live[0].left, f.plan.Capacity - 1}
}

// moveOldest retires the oldest generation and opens a new one with the members that its owner says
// are left. Nothing changes before it is known that they fit.
func (f *Filter) moveOldest(ctx context.Context, keep Generation) error {
	oldest := &f.live[0]
	if f.stragglers == nil {
		return &StragglersError{ErrStragglers, oldest.number, oldest.left, 0}
	}
	if keep != 0 && oldest.number >= keep {
		// It has keys of a batch that its owner does not know of yet.
		return &StragglersError{ErrFull, oldest.number, oldest.left, f.plan.Capacity - 1}
	}
	from, to := oldest.number, f.number()
	var hashes []uint64
	for hash, err := range f.stragglers(ctx, from, to) {
		if err == nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return &StragglersError{Err: err, Generation: from, Found: len(hashes)}
		}
		// A key that another generation shows as well may be a member there only. It is moved all the
		// same, because it may be one here.
		if !oldest.table.Query(hash) {
			continue
		}
		if len(hashes) == f.plan.Capacity {
			return &StragglersError{ErrFull, from, len(hashes) + 1, f.plan.Capacity}
		}
		hashes = append(hashes, hash)
	}
	if ctx.Err() != nil { // a source may stop at it without a word
		return &StragglersError{Err: context.Cause(ctx), Generation: from, Found: len(hashes)}
	}
	f.retire(0)
	g := f.open(to)
	g.table.InsertBatch(hashes, nil)
	g.inserts, g.left = len(hashes), len(hashes)
	f.counters.moved += uint64(len(hashes))
	return nil
}

// number gives a number away.
func (f *Filter) number() Generation {
	f.last++
	return f.last
}

// open makes a free table the newest generation.
func (f *Filter) open(number Generation) *generation {
	table := f.free[len(f.free)-1]
	f.free = f.free[:len(f.free)-1]
	f.live = append(f.live, generation{table: table, number: number})
	return f.newest()
}

// retire empties the table of the generation with an index.
func (f *Filter) retire(i int) {
	table := f.live[i].table
	table.Reset()
	f.free = append(f.free, table)
	f.live = slices.Delete(f.live, i, i+1)
	f.counters.retired++
}

// retireEmpty retires the generations whose members are all gone, the newest included: it is about to
// be closed.
func (f *Filter) retireEmpty() {
	for i := len(f.live) - 1; i >= 0; i-- {
		if f.live[i].left == 0 {
			f.retire(i)
		}
	}
}
