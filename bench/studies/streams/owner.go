package streams

import (
	"context"
	"iter"
	"math/bits"
	"slices"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/rolling"
)

const (
	reinserts  = 1  // an insert
	stepBlocks = 64 // of a refresh
	listed     = 16 // members of a list, about
)

// owner is of a filter that asks for its members.
type owner interface {
	add(hash uint64)    // after its insert
	remove(hash uint64) // before its delete
	// step does what is due after an insert, and returns how many members were inserted again since
	// the last.
	step() (reinserts int, err error)
}

// generations keeps the generation of each member of a rolling filter.
type generations struct {
	ring  *rolling.Filter
	born  map[uint64]rolling.Generation
	moved int
}

// newGenerations returns an owner whose filter has yet to be made, of its stragglers.
func newGenerations() *generations { return &generations{born: map[uint64]rolling.Generation{}} }

func (o *generations) add(hash uint64)    { o.born[hash] = o.ring.Newest() }
func (o *generations) remove(hash uint64) { delete(o.born, hash) }

func (o *generations) step() (again int, err error) {
	again, o.moved = o.moved, 0
	return again, nil
}

func (o *generations) stragglers(
	_ context.Context,
	from, to rolling.Generation,
) iter.Seq2[uint64, error] {
	return filter.Infallible(func(yield func(uint64) bool) {
		for hash, generation := range o.born {
			if generation == from {
				o.born[hash] = to
				if o.moved++; !yield(hash) {
					return
				}
			}
		}
	})
}

// intervals keeps the members of a filter by intervals of their hashes, and refreshes it.
type intervals struct {
	filter *deletable.Filter
	steps  *deletable.Refresher
	lists  [][]uint64
	shift  int // of a hash, to the number of its list
}

func newIntervals(f *deletable.Filter, members int) (*intervals, error) {
	steps, err := deletable.NewRefresher(f, reinserts, stepBlocks)
	width := bits.Len(uint(members / listed))
	return &intervals{filter: f, steps: steps, lists: make([][]uint64, 1<<width),
		shift: 64 - width}, err
}

func (o *intervals) add(hash uint64) {
	list := &o.lists[hash>>o.shift]
	*list = append(*list, hash)
}

func (o *intervals) remove(hash uint64) {
	list := &o.lists[hash>>o.shift]
	i, last := slices.Index(*list, hash), len(*list)-1
	(*list)[i] = (*list)[last]
	*list = (*list)[:last]
}

// between yields the members whose hashes are from low to high.
func (o *intervals) between(low, high uint64) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for i := low >> o.shift; i <= high>>o.shift; i++ {
			for _, hash := range o.lists[i] {
				if low <= hash && hash <= high && !yield(hash) {
					return
				}
			}
		}
	}
}

// step refreshes the blocks that are due.
func (o *intervals) step() (reinserts int, err error) {
	for {
		first, end, due := o.steps.Next()
		if !due {
			return reinserts, nil
		}
		n, err := refresh(o.filter, first, end, o.between)
		if err != nil {
			return reinserts, err
		}
		reinserts += n
	}
}

// refresh refreshes the blocks from first to end from a list of members by interval, and returns
// how many there were.
func refresh(
	f *deletable.Filter,
	first, end int,
	between func(low, high uint64) iter.Seq[uint64],
) (members int, err error) {
	err = f.RefreshHash(context.Background(), first, end,
		func(low, high uint64) iter.Seq2[uint64, error] {
			return filter.Infallible(func(yield func(uint64) bool) {
				for hash := range between(low, high) {
					if members++; !yield(hash) {
						return
					}
				}
			})
		})
	return members, err
}
