// Package sets is no API: it has exact sets, audits, and deletable filters that are rebuilt or refreshed from them.
package sets

import (
	"context"
	"errors"
	"iter"
	"math"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
)

// Renewed is a deletable filter that is renewed from a list of its members, before single inserts:
// it is rebuilt when it is due, or, if it has Steps, the blocks that are due are refreshed. If
// there are more members than planned, it is not rebuilt. That is tried again after as many inserts
// as members were planned, because a try with each insert would be too slow.
type Renewed struct {
	*deletable.Filter
	// the members in an interval of hashes; nil: it is never renewed
	Live   func(low, high uint64) iter.Seq[uint64]
	Steps  *deletable.Refresher // or nil
	Builds int                  // so far, or rounds of steps

	wait int // inserts before which no build is tried
}

// InsertHash implements [filter.Set].
func (r *Renewed) InsertHash(hash uint64) (present bool, err error) {
	switch {
	case r.Live == nil:
	case r.Steps != nil:
		err = r.refresh()
	case r.Inserts() >= r.wait && r.Due() != nil:
		err = r.build()
	}
	if err != nil {
		return false, err
	}
	return r.Filter.InsertHash(hash)
}

func (r *Renewed) refresh() error {
	for first, end, due := r.Steps.Next(); due; first, end, due = r.Steps.Next() {
		err := r.RefreshHash(context.Background(), first, end,
			func(low, high uint64) iter.Seq2[uint64, error] {
				return filter.Infallible(r.Live(low, high))
			})
		if err != nil {
			return err
		}
		if end == r.Shape().Blocks {
			r.Builds++
		}
	}
	return nil
}

func (r *Renewed) build() error {
	fresh, err := r.RebuildHash(context.Background(), filter.Infallible(r.Live(0, math.MaxUint64)))
	var many *deletable.TooManyError
	switch {
	case errors.Is(err, filter.ErrEmptySource) && r.Members() == 0: // all have left
		fresh = r.Fresh().(*deletable.Filter)
		fallthrough
	case err == nil:
		r.Filter, r.wait = fresh, 0
		r.Builds++
	case errors.As(err, &many):
		r.wait = r.Inserts() + many.PlannedMembers
	default:
		return err
	}
	return nil
}
