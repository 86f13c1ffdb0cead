// Package sets is no API: it has what simulations run beside each other: exact sets, and filters that
// are built anew of them.
package sets

import (
	"context"
	"errors"
	"iter"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
)

// Renewed is a deletable filter that is built anew of its members when it is due, before a single insert.
// Where they are too many for its plan it is left as it is, and that is tried again after as many inserts
// as members were planned: with each insert it would take for ever.
type Renewed struct {
	*deletable.Filter
	Live   func() iter.Seq[uint64] // the hashes of the members; nil: it is never built anew
	Before func()                  // called before each build, or nil
	Builds int                     // so far

	again int // inserts before which no build is tried
}

// InsertHash implements [filter.Set].
func (r *Renewed) InsertHash(hash uint64) (present bool, err error) {
	if r.Live != nil && r.Inserts() >= r.again && r.Due() != nil {
		if err := r.build(); err != nil {
			return false, err
		}
	}
	return r.Filter.InsertHash(hash)
}

func (r *Renewed) build() error {
	if r.Before != nil {
		r.Before()
	}
	fresh, err := r.RebuildHash(context.Background(), filter.Infallible(r.Live()))
	var many *deletable.TooManyError
	switch {
	case err == nil:
		r.Filter, r.again = fresh, 0
		r.Builds++
	case errors.As(err, &many):
		r.again = r.Inserts() + many.PlannedMembers
	default:
		return err
	}
	return nil
}
