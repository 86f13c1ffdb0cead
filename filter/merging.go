package filter

import "errors"

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

// Folder is a filter that can be halved, so that it merges with smaller ones.
type Folder interface {
	Stored
	// Fold returns a new filter of the kind with the same members in half the memory. The error
	// wraps [ErrOddSize] or [ErrClosed].
	Fold() (Stored, error)
}

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
