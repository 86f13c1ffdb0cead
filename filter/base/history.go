package base

import (
	"math"

	"github.com/bloomlane/bloomlane/filter"
)

// MaxCount is the largest value of a counter of a [History]. Counters do not grow beyond it, and a
// file with a larger one is refused.
const MaxCount = math.MaxInt

// History counts the inserts and deletes of a filter. Files hold it.
type History struct {
	Inserts  uint64 // all inserts since the filter was made, or was rebuilt with its members
	Deleted  uint64 // deletes with the status Deleted, since then
	Retained uint64 // deletes with the status Retained, since then
}

// Total returns a + b, or MaxCount if the sum is larger.
func Total(a, b uint64) uint64 { return min(a+b, MaxCount) }

// Note counts a delete, unless its status is Absent.
func (h *History) Note(status filter.Status) {
	switch status {
	case filter.Deleted:
		h.Deleted = Total(h.Deleted, 1)
	case filter.Retained:
		h.Retained = Total(h.Retained, 1)
	}
}

// Add adds the counters of another filter, after a merge.
func (h *History) Add(other History) {
	h.Inserts = Total(h.Inserts, other.Inserts)
	h.Deleted = Total(h.Deleted, other.Deleted)
	h.Retained = Total(h.Retained, other.Retained)
}

// Members returns inserts minus deletes, which is the number of members under the contract of
// deletion. It returns 0 if there were more deletes than inserts.
func (h History) Members() int {
	gone := h.Deleted + h.Retained
	if gone > h.Inserts {
		return 0
	}
	return int(h.Inserts - gone)
}

// Numbers returns the counters, for a [Table] or for files of other kinds.
func (h *History) Numbers() []Number {
	return []Number{
		Inserts(&h.Inserts),
		{Name: "deleted", Value: &h.Deleted, High: MaxCount, Role: Count},
		{Name: "retained", Value: &h.Retained, High: MaxCount, Role: Count},
	}
}
