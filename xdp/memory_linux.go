package xdp

import (
	"errors"
	"os"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"github.com/bloomlane/bloomlane/internal/cgroup"
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

// available returns the bytes that the system and the process's control groups can give without
// taking memory from other programs, and a large number where neither says.
func available() uint64 {
	room, _ := cgroup.Room(os.DirFS("/"))
	if kibibytes, ok := cgroup.Numbers(os.DirFS("/"), "proc/meminfo")["MemAvailable:"]; ok {
		room = min(room, kibibytes<<10)
	}
	return room
}
