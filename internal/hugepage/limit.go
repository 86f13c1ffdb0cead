package hugepage

import (
	"fmt"
	"runtime/debug"
)

// MemoryError says that a table does not fit into the memory that there is.
type MemoryError struct {
	Needed, Possible int64  // bytes
	By               string // the limit
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("found a table of %d bytes, expected at most %d, which %s leaves", e.Needed,
		e.Possible, e.By)
}

// Possible returns how many bytes of memory there are for a table, and what limits them; nil is no
// limit. Commands set it: a program that takes more is ended by the system, or by its runtime.
var Possible func() (bytes int64, by string)

// Require panics with a *[MemoryError] where there is no memory for a table of that many bytes. It
// does not ask for small ones.
func Require(bytes int64) {
	const small = 16 << 20
	if Possible == nil || bytes <= small {
		return
	}
	possible, by := Possible()
	if bytes > possible {
		debug.FreeOSMemory() // there may be garbage
		possible, by = Possible()
	}
	if bytes > possible {
		panic(&MemoryError{bytes, possible, by})
	}
}
