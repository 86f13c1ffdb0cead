package kernel

import (
	"fmt"
	"strings"

	"github.com/bloomlane/bloomlane/internal/dispatch"
)

// Implementation is one implementation of all operations of this package:
//
//	avx512  needs AVX-512 F, DQ, BW and VL, and all that avx2 needs
//	avx2    needs AVX, AVX2, BMI2 and POPCNT
//	neon    needs Advanced SIMD, which every arm64 CPU has
//	purego  needs nothing: it is portable Go
//
// The program chooses one at start, the best that the CPU and the operating system support. The
// environment variable [Variable] forces one by name. All of them give the same bits and the same
// results as package fallback, the executable definition. The build tag purego leaves the assembly
// out. "bloomlane kernels" lists what a machine has. Values come from [Implementations] and
// [Active].
type Implementation uint8

// String returns the name of the implementation, in the form that BLOOMLANE_KERNEL takes.
func (im Implementation) String() string { return dispatch.Implementation(im).String() }

// Implementations returns the implementations that are in this program and that this CPU can run,
// the best first and purego last.
func Implementations() []Implementation {
	var all []Implementation
	for _, im := range dispatch.Implementations() {
		all = append(all, Implementation(im))
	}
	return all
}

// Active returns the implementation that the methods of tables and blocks run. It is the one that
// BLOOMLANE_KERNEL names; if the variable is not set, or names one that cannot run, it is the first
// of [Implementations]. If it is avx512 without being named, avx2 runs those operations on blocks
// of 256 bits for which it was measured to be faster.
func Active() Implementation { return Implementation(dispatch.Active()) }

// Variable is the name of the environment variable that forces an implementation by name. It is
// read once, at start. Call [VariableError] to find out whether the named implementation can run.
const Variable = "BLOOMLANE_KERNEL"

// VariableError returns an [*UnavailableError] if BLOOMLANE_KERNEL names an implementation that
// this program cannot run on this CPU, and nil otherwise. The program then runs the best
// implementation that it has, with the same results. Call it at the start of a command or a test
// whose user should know.
func VariableError() error {
	if name, known := dispatch.Named(); !known {
		return &UnavailableError{Name: name, Available: Implementations()}
	}
	return nil
}

// UnavailableError says that [Variable] names an implementation that is unknown, not in this
// program, or not for this CPU.
type UnavailableError struct {
	Name      string           // the value of the variable
	Available []Implementation // those that this program can run on this CPU, the best first
}

// Error names the variable, its value, and the values that would work.
func (e *UnavailableError) Error() string {
	names := make([]string, len(e.Available))
	for i, im := range e.Available {
		names[i] = im.String()
	}
	return fmt.Sprintf("kernel: %s is %q: this program on this CPU can run %s",
		Variable, e.Name, strings.Join(names, ", "))
}
