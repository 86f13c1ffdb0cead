package xdp

import (
	"bufio"
	"errors"
	"fmt"
	"math"
	"os"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"
)

// errSystem is the error of systems without BPF maps that are mapped.
var errSystem = errors.New("no BPF maps here")

// system returns the name of the system and its version.
func system() string {
	var name unix.Utsname
	if unix.Uname(&name) != nil {
		return "Linux"
	}
	return "Linux " + unix.ByteSliceToString(name.Release[:])
}

// mapped maps the memory of an array into the process.
func mapped(m *ebpf.Map, bytes int) ([]byte, error) {
	return unix.Mmap(m.FD(), 0, bytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
}

func unmap(memory []byte) error { return unix.Munmap(memory) }

// available returns the bytes that the system can give without taking memory from other programs,
// and a large number where it does not say.
func available() uint64 {
	file, err := os.Open("/proc/meminfo")
	if err != nil {
		return math.MaxUint64
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var kibibytes uint64
		if n, _ := fmt.Sscanf(lines.Text(), "MemAvailable: %d kB", &kibibytes); n == 1 {
			return kibibytes << 10
		}
	}
	return math.MaxUint64
}
