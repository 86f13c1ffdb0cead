package filter

import (
	"math"

	"github.com/bloomlane/bloomlane/filter/file"
)

// MaxCount is the largest value of a counter, and the largest that is read from a file. Counters
// stay there: a filter that has had more inserts is long full.
const MaxCount = math.MaxInt

// History counts what was done to a filter that deletes. Files hold it.
type History struct {
	Inserts  uint64 // ever made
	Deleted  uint64 // deletes with the status Deleted
	Retained uint64 // deletes with the status Retained
}

// The attributes of a History in a file.
const (
	attributeInserts  = "inserts"
	attributeDeleted  = "deleted"
	attributeRetained = "retained"
)

// Total returns the sum of two counters, or MaxCount where it is more.
func Total(a, b uint64) uint64 { return min(a+b, MaxCount) }

// Note counts a delete, unless it found nothing.
func (h *History) Note(status Status) {
	switch status {
	case Deleted:
		h.Deleted = Total(h.Deleted, 1)
	case Retained:
		h.Retained = Total(h.Retained, 1)
	}
}

// Add adds the counters of another filter, which is merged.
func (h *History) Add(other History) {
	h.Inserts = Total(h.Inserts, other.Inserts)
	h.Deleted = Total(h.Deleted, other.Deleted)
	h.Retained = Total(h.Retained, other.Retained)
}

// Members returns inserts less deletes, and 0 where keys that were no members were deleted so
// often.
func (h *History) Members() int {
	gone := h.Deleted + h.Retained
	if gone > h.Inserts {
		return 0
	}
	return int(h.Inserts - gone)
}

// Encode sets the attributes of a file.
func (h *History) Encode(c *file.Contents) {
	c.Set(attributeInserts, h.Inserts)
	c.Set(attributeDeleted, h.Deleted)
	c.Set(attributeRetained, h.Retained)
}

// DecodeHistory returns the counters of a file. Its error is a *[file.Error].
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
