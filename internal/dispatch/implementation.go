package dispatch

import (
	"os"
	"slices"
	"strconv"

	"github.com/bloomlane/bloomlane/asm"
)

// Implementation is one implementation of all operations. Its methods run one on it.
type Implementation uint8

// String returns the name of the implementation, as the variable has it.
func (im Implementation) String() string {
	if int(im) < len(implementationNames) {
		return implementationNames[im]
	}
	return "Implementation(" + strconv.Itoa(int(im)) + ")"
}

// ByName returns the implementation of a name, which this CPU need not be able to run.
func ByName(name string) Implementation {
	return Implementation(slices.Index(implementationNames[:], name))
}

// Variable is the environment variable that forces an implementation by name.
const Variable = "BLOOMLANE_KERNEL"

var (
	name          = os.Getenv(Variable)
	available     = detect()
	active, known = choose(name, available)
	chosen        = choices(active, name)
)

func init() { asm.Portable, asm.Narrow = active == purego, active != avx512 }

// Depend tells the go command that a test depends on the variable. Otherwise it may answer from its
// cache for another implementation, because it notes what a test reads while it runs, and not what
// a program reads at start. It is called where a table or a hash key is made, and not per key.
func Depend() { _ = os.Getenv(Variable) }

// Implementations returns what this program can run on this CPU, the best first and purego last.
func Implementations() []Implementation {
	Depend()
	return slices.Clone(available)
}

// Active returns the implementation that the variable names, or the first of Implementations.
func Active() Implementation {
	Depend()
	return active
}

// Named returns the value of the variable at start, and whether it can run here. No name can run.
func Named() (string, bool) {
	Depend()
	return name, known
}

// detect returns the implementations that this CPU can run. A feature counts only where the
// operating system saves the registers that it needs.
func detect() []Implementation {
	var all []Implementation
	for _, set := range slices.Backward(asm.Sets) {
		if HasAll(set.Features) {
			all = append(all, Implementation(slices.Index(implementationNames[:], set.Name)))
		}
	}
	return append(all, purego)
}

// choose returns the named one of the available implementations. Without a name it returns the
// first. It also returns the first for a name that none of them has; then known is false.
func choose(name string, available []Implementation) (im Implementation, known bool) {
	for _, im := range available {
		if im.String() == name {
			return im, true
		}
	}
	return available[0], name == ""
}
