package inpacket

import (
	"errors"
	"fmt"
)

// What can be wrong with a request. An [EncodeError] wraps one of these.
var (
	// ErrNoCandidate says that no table has a clean header for the elements.
	ErrNoCandidate = errors.New("no clean candidate")
	// ErrUnknown says that an identifier was not added to the Plane.
	ErrUnknown = errors.New("unknown identifier")
	// ErrDuplicate says that an element occurs twice.
	ErrDuplicate = errors.New("identifier twice")
)

// What can be wrong with a header on the wire. A [WireError] wraps one of these.
var (
	// ErrLength says that the data does not have the length of a header.
	ErrLength = errors.New("wrong length")
	// ErrVersion says that the header has another version than 1.
	ErrVersion = errors.New("unsupported header version")
	// ErrKind says that the header has another width, or an unknown kind.
	ErrKind = errors.New("wrong kind of header")
)

// ConfigError is the error of [New]: a field of a [Config] has a value that it cannot have.
type ConfigError struct {
	Field    string // the field of Config
	Found    any    // its value
	Expected string // what it may be, in words
}

// Error names the field, what was found and what was expected.
func (e *ConfigError) Error() string {
	return fmt.Sprintf("in-packet filter config: %s is %v, expected %s", e.Field,
		e.Found, e.Expected)
}

// EncodeError is the error of [Plane.Encode] and [Plane.Candidates].
type EncodeError struct {
	Err error // ErrNoCandidate, ErrUnknown or ErrDuplicate

	Identifier []byte // the identifier that is unknown, or that occurs twice

	// For ErrNoCandidate: the number of elements and of candidates, and the false matches, the set
	// bits and the stuck elements of the best candidate.
	Elements, Candidates int
	False, Fill, Stuck   int
}

// Error says what is wrong, with the identifier, or with the numbers of the best candidate.
func (e *EncodeError) Error() string {
	if e.Err == ErrNoCandidate {
		return fmt.Sprintf("in-packet filter: %v among %d for %d elements: the best has %d false "+
			"matches, %d set bits and %d elements that cannot be deleted",
			e.Err, e.Candidates, e.Elements, e.False, e.Fill, e.Stuck)
	}
	return fmt.Sprintf("in-packet filter: %v: %q", e.Err, e.Identifier)
}

// Unwrap returns e.Err.
func (e *EncodeError) Unwrap() error { return e.Err }

// WireError is the error of [Header.UnmarshalBinary].
type WireError struct {
	Err             error // ErrLength, ErrVersion or ErrKind
	Found, Expected int   // the length in bytes, the version, or the kind
}

// Error says what is wrong, what was found and what was expected.
func (e *WireError) Error() string {
	return fmt.Sprintf("in-packet filter: %v: found %d, expected %d", e.Err, e.Found, e.Expected)
}

// Unwrap returns e.Err.
func (e *WireError) Unwrap() error { return e.Err }

// DeviceError is the error of a [Device] for hardware that is other than expected, or for what does
// not fit it.
type DeviceError struct {
	What            string
	Found, Expected int64 // expected: exactly, or of what is counted at most
}

// Error says what was found and expected.
func (e *DeviceError) Error() string {
	return fmt.Sprintf("in-packet filter device: %s: found %#x, expected %#x", e.What, e.Found,
		e.Expected)
}
