package filter

import (
	"errors"
	"fmt"

	"github.com/bloomlane/bloomlane/filter/file"
)

// What keeps two filters from merging, beside [ErrClosed] and [file.ErrWrongKey].
var (
	ErrUnequalSize = errors.New("filters of unequal size")
	ErrSelf        = errors.New("a filter cannot merge with itself")
)

// Mergeable is what [CheckMerge] has to know of a filter.
type Mergeable struct {
	Open        bool
	Fingerprint uint64 // of the key
	Shape       string // sizes and settings in words; equal for filters that merge
}

// CheckMerge returns an error unless two filters can be merged. It wraps [ErrClosed], [file.ErrWrongKey] or
// [ErrUnequalSize].
func CheckMerge(to, from Mergeable) error {
	switch {
	case !to.Open || !from.Open:
		return fmt.Errorf("merge: %w", ErrClosed)
	case to.Fingerprint != from.Fingerprint:
		return fmt.Errorf("merge: %w: found fingerprint %016x, expected %016x",
			file.ErrWrongKey, from.Fingerprint, to.Fingerprint)
	case to.Shape != from.Shape:
		return fmt.Errorf("merge: %w: found %s, expected %s", ErrUnequalSize, from.Shape, to.Shape)
	}
	return nil
}
