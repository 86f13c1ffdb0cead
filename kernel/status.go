package kernel

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/bloomlane/bloomlane/fallback"
)

// Status is the result of a delete: [Absent], [Retained] or [Deleted]. Its values are the same in
// Go, in assembly and in the Verilog.
type Status uint8

// The results of a delete.
const (
	// Absent says that the key was not present, so that nothing changed.
	Absent = Status(fallback.Absent)
	// Retained says that all bits of the key lie in collided regions, so that nothing changed and
	// the key stays present.
	Retained = Status(fallback.Retained)
	// Deleted says that at least one bit of the key was cleared, so that it is not present.
	Deleted = Status(fallback.Deleted)
)

var statusNames = [...]string{Absent: "absent", Retained: "retained", Deleted: "deleted"}

// String returns the name of the status in lower case, as files of test vectors have it.
func (s Status) String() string {
	if int(s) < len(statusNames) {
		return statusNames[s]
	}
	return "Status(" + strconv.Itoa(int(s)) + ")"
}

// MarshalText returns the name of the status, so that it is a string in JSON. For any other value
// than the three it returns a [*StatusError].
func (s Status) MarshalText() ([]byte, error) {
	if int(s) >= len(statusNames) {
		return nil, &StatusError{Text: s.String()}
	}
	return []byte(statusNames[s]), nil
}

// UnmarshalText sets s to the status that text names. If text names none, it returns a
// [*StatusError] and s stays as it is.
func (s *Status) UnmarshalText(text []byte) error {
	for status, name := range statusNames {
		if string(text) == name {
			*s = Status(status)
			return nil
		}
	}
	return &StatusError{Text: string(text)}
}

// StatusError says that Text, or the value that prints as Text, is no status.
type StatusError struct{ Text string }

// Error names what was found and the names that would be right.
func (e *StatusError) Error() string {
	return fmt.Sprintf("kernel: status %q: want %s", e.Text, strings.Join(statusNames[:], ", "))
}
