package kernel

import (
	"strconv"

	"github.com/bloomlane/bloomlane/fallback"
)

// Status is the result of a delete. Its values are the same in Go, in assembly and in RTL.
type Status uint8

const (
	Absent   = Status(fallback.Absent)   // the key was not present; nothing was touched
	Retained = Status(fallback.Retained) // all bits of the key are in collided regions: it stays visible
	Deleted  = Status(fallback.Deleted)  // at least one bit was cleared
)

// String returns the status in lower case, as vector files have it.
func (s Status) String() string {
	switch s {
	case Absent:
		return "absent"
	case Retained:
		return "retained"
	case Deleted:
		return "deleted"
	}
	return "Status(" + strconv.Itoa(int(s)) + ")"
}
