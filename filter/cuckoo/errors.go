package cuckoo

import (
	"errors"
	"fmt"
)

// ErrFull says that a filter had no place for a fingerprint.
var ErrFull = errors.New("full")

// FullError is the error of an insert that found no place: of a filter that is nearly full, or of a
// key that has filled both its buckets with copies. It wraps [ErrFull].
type FullError struct {
	Members int // in the filter
	Slots   int // of the filter
}

func (e *FullError) Error() string {
	return fmt.Sprintf("cuckoo filter: %v: no place for a fingerprint beside %d in %d slots",
		ErrFull, e.Members, e.Slots)
}

// Unwrap returns [ErrFull].
func (e *FullError) Unwrap() error { return ErrFull }
