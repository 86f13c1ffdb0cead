package kernel

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/bloomlane/bloomlane/fallback"
)

// Status is the result of a delete. Its values are the same in Go, in assembly and in RTL.
type Status uint8

const (
	Absent = Status(fallback.Absent) // the key was not present; nothing was touched
	// all bits of the key are in collided regions: it stays visible
	Retained = Status(fallback.Retained)
	Deleted  = Status(fallback.Deleted) // at least one bit was cleared
)

var statusNames = [...]string{Absent: "absent", Retained: "retained", Deleted: "deleted"}

// String returns the status in lower case, as vector files have it.
func (s Status) String() string {
	if int(s) < len(statusNames) {
		return statusNames[s]
	}
	return "Status(" + strconv.Itoa(int(s)) + ")"
}

// MarshalText returns the status as String does, so that JSON has its name. For a value that is
// none of the three it returns a [*StatusError].
func (s Status) MarshalText() ([]byte, error) {
	if int(s) >= len(statusNames) {
		return nil, &StatusError{Text: s.String()}
	}
	return []byte(statusNames[s]), nil
}

// UnmarshalText sets s to the status that text names. Where it names none, s stays as it is and the
// error is a [*StatusError].
func (s *Status) UnmarshalText(text []byte) error {
	for status, name := range statusNames {
		if string(text) == name {
			*s = Status(status)
			return nil
		}
	}
	return &StatusError{Text: string(text)}
}

// StatusError says that a text, or the value that is printed so, is no status.
type StatusError struct{ Text string }

// Error names what was found and what would do.
func (e *StatusError) Error() string {
	return fmt.Sprintf("kernel: status %q: want %s", e.Text, strings.Join(statusNames[:], ", "))
}
