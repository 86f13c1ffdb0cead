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

// ErrOddSize is why a filter does not fold into half its size.
var ErrOddSize = errors.New("an odd size has no half")

// Mergeable is what [CheckMerge] has to know of a filter.
type Mergeable struct {
	Open        bool
	Fingerprint uint64 // of the key
	Shape       string // sizes and settings in words; equal for filters that merge
}

// CheckMerge returns an error unless two filters can be merged, or put together by another
// operation, which op names. It wraps [ErrClosed], [file.ErrWrongKey] or [ErrUnequalSize].
func CheckMerge(op string, to, from Mergeable) error {
	switch {
	case !to.Open || !from.Open:
		return fmt.Errorf("%s: %w", op, ErrClosed)
	case to.Fingerprint != from.Fingerprint:
		return fmt.Errorf("%s: %w: found fingerprint %016x, expected %016x", op,
			file.ErrWrongKey, from.Fingerprint, to.Fingerprint)
	case to.Shape != from.Shape:
		return fmt.Errorf("%s: %w: found %s, expected %s", op, ErrUnequalSize, from.Shape, to.Shape)
	}
	return nil
}
