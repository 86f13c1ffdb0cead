package xdp

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

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

// available returns the bytes that the system and the process's control groups can give without
// taking memory from other programs, and a large number where neither says.
func available() uint64 {
	groups, _ := os.ReadFile("/proc/self/cgroup")
	room := roomOfGroups(string(groups), os.DirFS("/sys/fs/cgroup"))
	if kibibytes, ok := numbers(os.DirFS("/proc"), "meminfo")["MemAvailable:"]; ok {
		room = min(room, kibibytes<<10)
	}
	return room
}

// roomOfGroups returns what the limits of control groups, of either version, leave a process, given
// its /proc/self/cgroup and the mounted groups. The kernel refuses a map beyond them, but only
// after it has filled the group: if the process needs a page for something else meanwhile, as for a
// garbage collection, it is killed.
func roomOfGroups(groups string, mounted fs.FS) uint64 {
	room := uint64(math.MaxUint64)
	for line := range strings.Lines(groups) {
		part := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(part) < 3 {
			continue
		}
		root, limit, usage := ".", "memory.max", "memory.current"
		if part[1] != "" {
			root = "memory"
			limit, usage = "memory.limit_in_bytes", "memory.usage_in_bytes"
			if !slices.Contains(strings.Split(part[1], ","), "memory") {
				continue
			}
		}
		// Each group around it counts. In a container the root may be the group itself.
		for group := path.Join("/", part[2]); ; group = path.Dir(group) {
			dir := path.Join(root, group)
			if most, ok := numbers(mounted, path.Join(dir, limit))[""]; ok {
				used, of := numbers(mounted, path.Join(dir, usage))[""],
					numbers(mounted, path.Join(dir, "memory.stat"))
				cached := of["inactive_file"] + of["active_file"] + of["slab_reclaimable"]
				room = min(room, most-min(most, used-min(used, cached)))
			}
			if group == "/" {
				break
			}
		}
	}
	return room
}

// numbers returns the numbers of a file of the kernel by the names before them. Those of a control
// group of version 1 are those with the groups inside it.
func numbers(system fs.FS, file string) map[string]uint64 {
	text, _ := fs.ReadFile(system, file)
	found := map[string]uint64{}
	for line := range strings.Lines(string(text)) {
		field, name := strings.Fields(line), ""
		if len(field) > 1 {
			name, field = strings.TrimPrefix(field[0], "total_"), field[1:]
		}
		if len(field) > 0 {
			if n, err := strconv.ParseUint(field[0], 10, 64); err == nil {
				found[name] = n
			}
		}
	}
	return found
}
