package deletable

import (
	"errors"
	"fmt"
)

// What can be wrong with a file: a [FileError] wraps one of these, [ErrWrongKey], or an error of
// the file system.
var (
	ErrNotFilter = errors.New("not a Bloomlane filter")
	ErrVersion   = errors.New("unsupported file version")
	ErrLength    = errors.New("wrong length")
	ErrChecksum  = errors.New("damaged: wrong checksum")
	ErrBounds    = errors.New("number out of bounds")
)

// FileError is the error of [Open], [Inspect] and [Filter.Save].
type FileError struct {
	Op   string // open, save
	Path string
	Err  error

	Found, Expected string // what is wrong in numbers or words, or both empty
}

func (e *FileError) Error() string {
	text := fmt.Sprintf("%s filter %s: %v", e.Op, e.Path, e.Err)
	if e.Found != "" {
		text += fmt.Sprintf(": found %s, expected %s", e.Found, e.Expected)
	}
	return text
}

// Unwrap returns e.Err.
func (e *FileError) Unwrap() error { return e.Err }

// wrong returns the error that a file is wrong in a way; Open and Inspect add the path.
func wrong(err error, found, expected any) *FileError {
	return &FileError{Err: err, Found: fmt.Sprint(found), Expected: fmt.Sprint(expected)}
}

// fileError returns err as a *FileError with its operation and path.
func fileError(op, path string, err error) error {
	var e *FileError
	if !errors.As(err, &e) {
		e = &FileError{Err: err}
	}
	e.Op, e.Path = op, path
	return e
}
