// Package cgroup reads how much memory Linux's control groups leave a process.
package cgroup

import (
	"io/fs"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Room returns the bytes that the limits of control groups, of either version, leave this process,
// and the name of the file with the tightest: the largest number, and nothing, where there is none.
// root is the system's. The kernel refuses a map beyond the limits, but only after it has filled
// the group: if the process needs a page for something else meanwhile, as for a garbage collection,
// it is killed. What the kernel keeps of files counts as free: it gives that up first.
func Room(root fs.FS) (room uint64, tightest string) {
	room = math.MaxUint64
	groups, _ := fs.ReadFile(root, "proc/self/cgroup") // none is no limit
	for line := range strings.Lines(string(groups)) {
		part := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(part) < 3 {
			continue
		}
		mounted, limit, usage := "sys/fs/cgroup", "memory.max", "memory.current"
		if part[1] != "" {
			mounted = "sys/fs/cgroup/memory"
			limit, usage = "memory.limit_in_bytes", "memory.usage_in_bytes"
			if !slices.Contains(strings.Split(part[1], ","), "memory") {
				continue
			}
		}
		// Each group around it counts. In a container the root may be the group itself.
		for group := path.Join("/", part[2]); ; group = path.Dir(group) {
			dir := path.Join(mounted, group)
			if most, ok := Numbers(root, path.Join(dir, limit))[""]; ok {
				used, of := Numbers(root, path.Join(dir, usage))[""],
					Numbers(root, path.Join(dir, "memory.stat"))
				cached := of["inactive_file"] + of["active_file"] + of["slab_reclaimable"]
				if left := most - min(most, used-min(used, cached)); left < room {
					room, tightest = left, limit
				}
			}
			if group == "/" {
				break
			}
		}
	}
	return room, tightest
}

// Numbers returns the numbers of a file of the kernel by the names before them. Those of a control
// group of version 1 are those with the groups inside it.
func Numbers(system fs.FS, file string) map[string]uint64 {
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
