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

// Active returns the implementation that the methods of tables and blocks run: the first of
// [Implementations], or the one that BLOOMLANE_KERNEL names. Where it is avx512 and was not named,
// blocks of 256 bits run avx2: see the package documentation.
func Active() Implementation { return active }

// Variable is the environment variable that forces an implementation by name.
const Variable = "BLOOMLANE_KERNEL"

var (
	available = detect()
	active    = mustChoose(os.Getenv(Variable), available)

	// What the methods of blocks and tables of each width run.
	run512 = active
	run256 = preferred256(active, os.Getenv(Variable) != "")
)

// preferred256 returns what blocks of 256 bits run where active is the implementation of the
// program. A block of 512 bits is one register with AVX-512 and two with AVX2; one of 256 bits is one
// with both, and there the answers go through mask registers for nothing. No time was measured on a
// CPU with AVX-512 yet: these are cycles a key by LLVM's models, as make report-amd64 prints them,
// AVX2 then AVX-512.
//
//	                   512: query       insert       delete    256: query       insert       delete
//	Ice Lake            6.8   4.5   12.0   9.3   12.6   8.2    5.2   4.8    9.5   9.1    8.1   8.6
//	Zen 4               4.0   3.0    7.5   7.0    7.3   5.4    3.0   5.0    5.8   6.5    5.7   8.3
//	Skylake-SP          6.8   4.5   12.5   9.2   12.3   8.2    5.4   4.9   10.0   9.5    8.5   8.8
func preferred256(active Implementation, forced bool) Implementation {
	if active == avx512 && !forced {
		return avx2
	}
	return active
}

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
