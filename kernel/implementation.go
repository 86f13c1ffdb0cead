package kernel

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Implementation is one implementation of all the operations of this package. Its methods are
// those operations, so that tests and benchmarks can run a chosen one; programs call the methods
// of tables and blocks, which run the best one. Values come from [Implementations] and [Active].
type Implementation uint8

// The implementations, also those of other CPUs, so that a name means the same everywhere. The
// zero Implementation runs on all.
const (
	purego Implementation = iota
	avx2
	avx512
)

var implementationNames = [...]string{purego: "purego", avx2: "avx2", avx512: "avx512"}

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

// Active returns the implementation that the methods of tables and blocks run: the first of
// [Implementations], or the one that BLOOMLANE_KERNEL names.
func Active() Implementation { return active }

// Variable is the environment variable that forces an implementation by name.
const Variable = "BLOOMLANE_KERNEL"

var (
	available = detect()
	active    = mustChoose(os.Getenv(Variable), available)
)

func mustChoose(name string, available []Implementation) Implementation {
	im, err := choose(name, available)
	if err != nil {
		panic(err)
	}
	return im
}

// choose returns the named one of the available implementations; the first where no name is given.
func choose(name string, available []Implementation) (Implementation, error) {
	if name == "" {
		return available[0], nil
	}
	names := make([]string, len(available))
	for i, im := range available {
		if im.String() == name {
			return im, nil
		}
		names[i] = im.String()
	}
	return 0, fmt.Errorf("kernel: %s=%s: this program on this CPU can run %s",
		Variable, name, strings.Join(names, ", "))
}
