package filter

import "os"

// ErrClosed is the error of a filter that is closed, or was never made. It wraps [os.ErrClosed].
var ErrClosed error = closedError{}

type closedError struct{}

func (closedError) Error() string { return "filter: closed, or never made" }
func (closedError) Unwrap() error { return os.ErrClosed } // whose text speaks of a file
