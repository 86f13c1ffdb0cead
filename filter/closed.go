package filter

import "os"

// ErrClosed is the error of a filter that is closed, and of a filter that is a zero value. It wraps
// [os.ErrClosed].
var ErrClosed error = closedError{}

type closedError struct{}

// RecoverClosed makes an error of a panic with [ErrClosed]. A function that returns an error defers
// it, if it calls methods that panic, of a filter that may be closed meanwhile.
func RecoverClosed(err *error) {
	if found := recover(); found == ErrClosed {
		*err = ErrClosed
	} else if found != nil {
		panic(found)
	}
}

func (closedError) Error() string { return "filter: closed, or never made" }
func (closedError) Unwrap() error { return os.ErrClosed } // its own text speaks of a file
