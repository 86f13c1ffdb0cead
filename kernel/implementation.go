package kernel

import (
	"fmt"
	"strings"

	"github.com/bloomlane/bloomlane/internal/dispatch"
)

// Implementation is one implementation of all the operations of this package: avx2, avx512, neon or
// purego, which is portable Go. Values come from [Implementations] and [Active].
type Implementation uint8

// String returns the name of the implementation, as BLOOMLANE_KERNEL has it.
func (im Implementation) String() string { return dispatch.Implementation(im).String() }

// Implementations returns the implementations that this program has and this CPU can run, the best
// first and purego last.
func Implementations() []Implementation {
	var all []Implementation
	for _, im := range dispatch.Implementations() {
		all = append(all, Implementation(im))
	}
	return all
}

// Active returns the implementation that the methods of tables and blocks run: the one that
// BLOOMLANE_KERNEL names, or the first of [Implementations] where it names none or one that cannot
// run. Where it is avx512 and was not named, some operations on blocks of 256 bits run avx2, where
// that was measured to be faster.
func Active() Implementation { return Implementation(dispatch.Active()) }

// Variable is the environment variable that forces an implementation by name. It is read once, at
// start; what it names cannot always run: see [VariableError].
const Variable = "BLOOMLANE_KERNEL"

// VariableError returns an [*UnavailableError] where BLOOMLANE_KERNEL names an implementation that
// this program cannot run on this CPU, and nil otherwise. Such a program runs the best one that it
// has, with the same results. One whose user should know, such as a command or a test, asks at its
// start.
func VariableError() error {
	if name, known := dispatch.Named(); !known {
		return &UnavailableError{Name: name, Available: Implementations()}
	}
	return nil
}

// UnavailableError says that [Variable] names an implementation that is unknown, not in this
// program, or not for this CPU.
type UnavailableError struct {
	Name      string           // what the variable holds
	Available []Implementation // what this program can run on this CPU, the best first
}

// Error names the variable, what it holds, and what would do.
func (e *UnavailableError) Error() string {
	names := make([]string, len(e.Available))
	for i, im := range e.Available {
		names[i] = im.String()
	}
	return fmt.Sprintf("kernel: %s is %q: this program on this CPU can run %s",
		Variable, e.Name, strings.Join(names, ", "))
}
