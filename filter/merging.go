package filter

import (
	"errors"

	"github.com/bloomlane/bloomlane/kernel"
)

// Merger is a filter that can take the members of another one.
type Merger interface {
	Stored
	// Merge adds the members of from, a filter of the same kind, key and size, which does not
	// change. On an error nothing changes. The error wraps [file.ErrKind], [file.ErrWrongKey],
	// [ErrUnequalSize], [ErrSelf], or [ErrClosed] if one of the two is closed or from is nil.
	Merge(from Stored) error
}

// Intersecter is a filter that can leave out what is not in another one.
type Intersecter interface {
	Stored
	// Intersect removes what is not in from, a filter of the same kind, key and size, which does
	// not change. A key is present afterwards only if it was present in both, and every member of
	// both is. On an error nothing changes. The errors are those of Merge.
	Intersect(from Stored) error
}

// Folder is a filter that can be made smaller, so that it merges with smaller ones, or because it
// was made before the number of its members was known.
type Folder interface {
	Stored
	// Fold returns a new filter of the kind with the same members in the memory divided by divisor,
	// which must divide the number of its blocks, or of its bits if it has no blocks. If nothing
	// was deleted, it is the filter of the same inserts in that size, bit for bit. The error wraps
	// [ErrIndivisible] or [ErrClosed].
	Fold(divisor int) (Stored, error)

	// FoldTo returns the smallest fold, down to the filter's own size, in which the members of its
	// Estimate have an expected false-positive rate of at most rate. It is planned for the inserts
	// that the filter has had. A number of blocks of [kernel.Foldable] has the most sizes. The
	// error wraps [ErrClosed], or is a *[SizingError] if the filter has too many members for the
	// rate.
	FoldTo(rate float64) (Stored, error)
}

// Estimate is a number of different members, from the bits of filters: see [kernel.Estimate].
type Estimate = kernel.Estimate

// Estimator is a filter whose bits say how many members it has, also if keys were inserted again,
// and after a merge. What deletes leave counts too: docs/theory/counting.md says by how much.
type Estimator interface {
	Stored
	// Estimate scans the table.
	Estimate() Estimate

	// EstimateCommon estimates how many members the filter has in common with other, which does not
	// change, by a scan of both. The errors are those of Merge.
	EstimateCommon(other Stored) (Estimate, error)
}

// The errors of two filters that cannot merge, beside [ErrClosed] and [file.ErrWrongKey].
var (
	// ErrUnequalSize says that the filters differ in size or settings.
	ErrUnequalSize = errors.New("filters of unequal size")
	// ErrSelf says that both are the same filter, or lie in the same memory, as two filters that
	// were decoded from the same [file.Contents] may.
	ErrSelf = errors.New("a filter cannot merge with itself")
)

// ErrIndivisible is the error of a fold of a filter whose size the divisor does not divide.
var ErrIndivisible = errors.New("a size without this divisor")
