package file

import (
	"errors"
	"fmt"
	"strconv"
)

// What can be wrong with a file: an [Error] wraps one of these, or an error of the file system.
var (
	ErrNotFilter = errors.New("not a Bloomlane filter")
	ErrVersion   = errors.New("unsupported file version")
	ErrKind      = errors.New("wrong kind of filter")
	ErrLength    = errors.New("wrong length")
	ErrChecksum  = errors.New("damaged: wrong checksum")
	ErrBounds    = errors.New("number out of bounds")
	ErrWrongKey  = errors.New("wrong hash key")

	// ErrUnverified is of contents that were opened with [VerifyNever], and are to be verified.
	ErrUnverified = errors.New("opened without verification")
)

// Error is the error of a file that is read or written.
type Error struct {
	Op   string // open, save, read, …; empty where the contents are wrong wherever they come from
	Path string // empty where the filter is no file
	Err  error

	Found, Expected string // what is wrong in numbers or words, or both empty
}

func (e *Error) Error() string {
	text := "filter: "
	switch {
	case e.Path != "":
		text = fmt.Sprintf("%s filter %s: ", e.Op, e.Path)
	case e.Op != "":
		text = e.Op + " filter: "
	}
	text += e.Err.Error()
	if e.Found != "" {
		text += fmt.Sprintf(": found %s, expected %s", e.Found, e.Expected)
	}
	return text
}

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

// Wrong returns the error that contents are wrong in a way.
func Wrong(err error, found, expected string) *Error {
	return &Error{Err: err, Found: found, Expected: expected}
}

// At returns err as an *[Error] with an operation and a path.
func At(op, path string, err error) error {
	var e *Error
	if errors.As(err, &e) {
		located := *e
		located.Op, located.Path = op, path
		return &located
	}
	return &Error{Op: op, Path: path, Err: err}
}

func decimal(n uint64) string   { return strconv.FormatUint(n, 10) }
func shortest(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
