package filter

import (
	"errors"
	"fmt"

	"github.com/bloomlane/bloomlane/filter/file"
)

// The errors of two filters that cannot merge, beside [ErrClosed] and [file.ErrWrongKey].
var (
	// ErrUnequalSize says that the filters differ in size or settings.
	ErrUnequalSize = errors.New("filters of unequal size")
	// ErrSelf says that both are the same filter, or lie in the same memory, as two filters that
	// were decoded from the same [file.Contents] may.
	ErrSelf = errors.New("a filter cannot merge with itself")
)

// ErrOddSize is the error of a fold of a filter whose size has no half.
var ErrOddSize = errors.New("an odd size has no half")

// Mergeable is what [CheckMerge] needs to know about a filter.
type Mergeable struct {
	Open        bool   // the filter is not closed
	Fingerprint uint64 // the fingerprint of its hash key
	Shape       string // its size and settings in words, equal for filters that merge
	Memory      any    // a pointer to the start of its table
}

// CheckMerge returns an error unless the filters to and from can be merged, or combined by another
// operation, which op names. The error wraps [ErrClosed], [file.ErrWrongKey], [ErrUnequalSize] or
// [ErrSelf].
func CheckMerge(op string, to, from Mergeable) error {
	switch {
	case !to.Open || !from.Open:
		return fmt.Errorf("%s: %w", op, ErrClosed)
	case to.Fingerprint != from.Fingerprint:
		return fmt.Errorf("%s: %w: found fingerprint %016x, expected %016x", op,
			file.ErrWrongKey, from.Fingerprint, to.Fingerprint)
	case to.Shape != from.Shape:
		return fmt.Errorf("%s: %w: found %s, expected %s", op, ErrUnequalSize, from.Shape, to.Shape)
	case to.Memory == from.Memory:
		return fmt.Errorf("%s: %w", op, ErrSelf)
	}
	return nil
}
