package filter

import (
	"math"

	"github.com/bloomlane/bloomlane/filter/file"
)

// MaxCount is the largest value of a counter of a [History]. Counters do not grow beyond it, and a
// file with a larger one is refused.
const MaxCount = math.MaxInt

// History counts the inserts and deletes of a filter. Files hold it.
type History struct {
	Inserts  uint64 // all inserts since the filter was made
	Deleted  uint64 // deletes with the status Deleted
	Retained uint64 // deletes with the status Retained
}

// The attributes of a History in a file.
const (
	attributeInserts  = "inserts"
	attributeDeleted  = "deleted"
	attributeRetained = "retained"
)

// Total returns a + b, or MaxCount if the sum is larger.
func Total(a, b uint64) uint64 { return min(a+b, MaxCount) }

// Note counts a delete, unless its status is Absent.
func (h *History) Note(status Status) {
	switch status {
	case Deleted:
		h.Deleted = Total(h.Deleted, 1)
	case Retained:
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

// Encode stores the counters as attributes of c.
func (h *History) Encode(c *file.Contents) {
	c.Set(attributeInserts, h.Inserts)
	c.Set(attributeDeleted, h.Deleted)
	c.Set(attributeRetained, h.Retained)
}

// DecodeHistory returns the counters that Encode stored in c. Its error is a *[file.Error].
func DecodeHistory(c *file.Contents) (h History, err error) {
	for _, counter := range []struct {
		name string
		to   *uint64
	}{{attributeInserts, &h.Inserts}, {attributeDeleted, &h.Deleted},
		{attributeRetained, &h.Retained}} {
		if *counter.to, err = c.Uint(counter.name, 0, MaxCount); err != nil {
			return History{}, err
		}
	}
	return h, nil
}
