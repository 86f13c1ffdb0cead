package kernel

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Implementation is one implementation of all the operations of this package. Its methods are
// those operations, so that tests and benchmarks can run a chosen one; programs call the methods
// of tables and blocks, which run the best one. Values come from [Implementations] and [Active].
type Implementation uint8

// The implementations, also those of other CPUs, so that a name means the same everywhere. Of those
// that a CPU has the last is the best. The zero Implementation runs on all.
const (
	purego Implementation = iota
	avx2
	avx512
	neon
)

var implementationNames = [...]string{purego: "purego", avx2: "avx2", avx512: "avx512", neon: "neon"}

// String returns the name of the implementation, as BLOOMLANE_KERNEL has it.
func (im Implementation) String() string {
	if int(im) < len(implementationNames) {
		return implementationNames[im]
	}
	return "Implementation(" + strconv.Itoa(int(im)) + ")"
}

// Implementations returns the implementations that this program has and this CPU can run, the best
// first and purego last.
func Implementations() []Implementation {
	return append([]Implementation(nil), available...)
}

// Active returns the implementation that the methods of tables and blocks run: the one that
// BLOOMLANE_KERNEL names, or the first of [Implementations] where it names none or one that cannot
// run. Where it is avx512 and was not named, some operations on blocks of 256 bits run avx2: see the
// package documentation.
func Active() Implementation { return active }

// Variable is the environment variable that forces an implementation by name. It is read once, at
// start; what it names cannot always run: see [VariableError].
const Variable = "BLOOMLANE_KERNEL"

// VariableError returns an [*UnavailableError] where BLOOMLANE_KERNEL names an implementation that this
// program cannot run on this CPU, and nil otherwise. Such a program runs the best one that it has,
// with the same results. One whose user should know, such as a command or a test, asks at its start.
func VariableError() error { return variableError }

// UnavailableError says that [Variable] names an implementation that is unknown, not in this program,
// or not for this CPU.
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

var (
	available             = detect()
	active, variableError = choose(os.Getenv(Variable), available)

	// What the methods of blocks and tables of each width run.
	run512 = active
	run256 = preferred256(active, os.Getenv(Variable))
)

// preferred256 returns what blocks of 256 bits run where active is the implementation of the
// program. A block of 512 bits is one register with AVX-512 and two with AVX2; one of 256 bits is one
// with both, and there the answers go through mask registers for nothing. But AVX-512 joins three
// registers at once, so that batches are inserted and tables merged by active itself. AVX2 then AVX-512,
// batches on tables of 16 KiB in ns a key (Zen 5), and cycles a key by LLVM's models, as make
// report-amd64 prints them:
//
//	              512: query       insert       delete        merge    256: query       insert       delete        merge
//	Zen 5         0.77  0.64   1.56  1.05   1.44  1.27   0.81  0.62   0.63  0.62   1.28  1.05   1.25  1.23   0.72  0.59
//	Zen 4          4.0   3.0    7.2   5.7    7.2   5.5    3.4   2.8    3.0   4.0    5.5   5.7    5.5   6.7    2.9   2.5
//	Ice Lake       5.5   4.1    9.0   8.3    9.8   7.5    3.8   3.3    4.0   4.1    8.4   8.8    7.0   7.7    3.3   3.5
//	Skylake-SP     5.5   4.1    9.0   8.8   10.6   7.5    3.8   3.4    4.6   4.5    8.9   8.3    7.3   8.1    3.5   3.4
//
// Single keys of 256 bits take AVX2 5 to 7 % less on Zen 5, and a match up to a fifth less.
//
// Whoever forces an implementation by name gets it for everything.
func preferred256(active Implementation, name string) Implementation {
	if active == avx512 && name != active.String() {
		return avx2
	}
	return active
}

// choose returns the named one of the available implementations. It returns the first where no name
// is given, and with an error where none has that name.
func choose(name string, available []Implementation) (Implementation, error) {
	if name == "" {
		return available[0], nil
	}
	for _, im := range available {
		if im.String() == name {
			return im, nil
		}
	}
	return available[0], &UnavailableError{Name: name, Available: slices.Clone(available)}
}
