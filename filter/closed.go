package filter

import "os"

// ErrClosed is the error of a filter that is closed, and of a filter that is a zero value. It wraps
// [os.ErrClosed].
var ErrClosed error = closedError{}

type closedError struct{}

func (closedError) Error() string { return "filter: closed, or never made" }
func (closedError) Unwrap() error { return os.ErrClosed } // its own text speaks of a file
