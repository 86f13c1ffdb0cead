package file

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/bloomlane/bloomlane/internal/legible"
)

// What can be wrong with a file. An [Error] wraps one of these, or an error of the file system.
var (
	// ErrNotFilter says that the file does not begin with [Magic], or is not a regular file.
	ErrNotFilter = errors.New("not a Bloomlane filter")
	// ErrVersion says that the file has a version that this package does not know.
	ErrVersion = errors.New("unsupported file version")
	// ErrKind says that the file is of another kind than expected, or of an unknown kind.
	ErrKind = errors.New("wrong kind of filter")
	// ErrLength says that the file is shorter or longer than its header says.
	ErrLength = errors.New("wrong length")
	// ErrChecksum says that the header or a piece of a section does not have its checksum.
	ErrChecksum = errors.New("damaged: wrong checksum")
	// ErrBounds says that a number, a name or a padding byte is not what the format or the kind
	// allows.
	ErrBounds = errors.New("number out of bounds")
	// ErrWrongKey says that the key given is not the key of the filter.
	ErrWrongKey = errors.New("wrong hash key")
	// ErrUnverified says that Verify was called on contents that were opened with [VerifyNever].
	ErrUnverified = errors.New("opened without verification")
)

// The most bytes that an [Error] prints of a path, of an error of the file system, and of what was
// found and expected, which a forged file chooses. Longer texts are cut in their middle.
const (
	mostPath     = 256
	mostErr      = mostPath + 128 // it has the path once more
	mostFound    = 72
	mostExpected = 160
)

// Error is the error of reading, writing or decoding a file.
type Error struct {
	Op   string // such as open, read, save or verify; empty for an error of a kind's Decode
	Path string // empty if the contents did not come from a path
	Err  error  // one of the errors above, or an error of the file system

	Found, Expected string // what was found and what was expected, in words, or both empty
}

// Error names the operation and the path, what is wrong, what was found and what was expected. It
// has at most 300 bytes beside the path, and shortens a long path.
func (e *Error) Error() string {
	text := "filter: "
	switch {
	case e.Path != "":
		text = fmt.Sprintf("%s filter %s: ", e.Op, legible.Cut(e.Path, mostPath))
	case e.Op != "":
		text = e.Op + " filter: "
	}
	text += legible.Cut(e.Err.Error(), mostErr)
	if e.Found != "" {
		text += fmt.Sprintf(": found %s, expected %s", legible.Cut(e.Found, mostFound),
			legible.Cut(e.Expected, mostExpected))
	}
	return text
}

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

// Wrong returns an *[Error] that wraps err, with what was found and what was expected.
func Wrong(err error, found, expected string) *Error {
	return &Error{Err: err, Found: found, Expected: expected}
}

// At returns err as an *[Error] with an operation and a path. If err is or wraps an *[Error], the
// result is a copy of that one.
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
