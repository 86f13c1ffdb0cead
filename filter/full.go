package filter

import "errors"

// ErrFull is what the error of an insert wraps that finds no room, in a filter of any kind. The
// types of these errors, such as those of packages cuckoo and elastic, have the numbers. A member
// that is deleted may make room.
var ErrFull = errors.New("full")
