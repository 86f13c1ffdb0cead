package inpacket

import (
	"errors"
	"fmt"
)

// What can be wrong with a request: an [EncodeError] wraps one of these.
var (
	ErrNoCandidate = errors.New("no clean candidate")
	ErrUnknown     = errors.New("unknown identifier")
	ErrDuplicate   = errors.New("identifier twice")
)

// What can be wrong with a header on the wire: a [WireError] wraps one of these.
var (
	ErrLength  = errors.New("wrong length")
	ErrVersion = errors.New("unsupported header version")
	ErrKind    = errors.New("wrong kind of header")
)

// ConfigError is the error of [New]: a field of a [Config] that no control plane can have.
type ConfigError struct {
	Field    string // of Config
	Found    any    // its value
	Expected string
}

func (e *ConfigError) Error() string {
	return fmt.Sprintf("in-packet filter config: %s is %v, expected %s", e.Field,
		e.Found, e.Expected)
}

// EncodeError is the error of [Plane.Encode] and [Plane.Candidates].
type EncodeError struct {
	Err error // ErrNoCandidate, ErrUnknown or ErrDuplicate

	Identifier []byte // the one that is unknown or there twice

	// Of ErrNoCandidate: the number of elements and of candidates, and the best candidate's number
	// of false matches, of ones, and of elements that could not be deleted.
	Elements, Candidates int
	False, Fill, Stuck   int
}

func (e *EncodeError) Error() string {
	if e.Err == ErrNoCandidate {
		return fmt.Sprintf("in-packet filter: %v among %d for %d elements: the best has %d false "+
			"matches, %d ones and %d elements that cannot be deleted",
			e.Err, e.Candidates, e.Elements, e.False, e.Fill, e.Stuck)
	}
	return fmt.Sprintf("in-packet filter: %v: %q", e.Err, e.Identifier)
}

// Unwrap returns e.Err.
func (e *EncodeError) Unwrap() error { return e.Err }

// WireError is the error of [Header.UnmarshalBinary].
type WireError struct {
	Err             error // ErrLength, ErrVersion or ErrKind
	Found, Expected int
}

func (e *WireError) Error() string {
	return fmt.Sprintf("in-packet filter: %v: found %d, expected %d", e.Err, e.Found, e.Expected)
}

// Unwrap returns e.Err.
func (e *WireError) Unwrap() error { return e.Err }
