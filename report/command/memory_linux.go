package command

import (
	"fmt"
	"math"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
)

// systemLimits returns what the limits of Linux leave to this process, which has used bytes: free
// memory, the address space, and the control groups. root is "/" but for tests.
func systemLimits(root string, used int64) (all []limit) {
	read := func(name string) string {
		text, _ := os.ReadFile(path.Join(root, name)) // none is no limit
		return string(text)
	}
	var mapped, resident int64 // pages
	_, err := fmt.Sscan(read("proc/self/statm"), &mapped, &resident)
	page := int64(os.Getpagesize())
	untouched := max(0, used-resident*page) // which nobody counts yet
	meminfo := read("proc/meminfo")
	if free, found := number(meminfo, "MemAvailable:"); found {
		swap, _ := number(meminfo, "SwapFree:")
		all = append(all, limit{"MemAvailable", (free+swap)<<10 - untouched})
	}
	var space syscall.Rlimit
	if err == nil && syscall.Getrlimit(syscall.RLIMIT_AS, &space) == nil &&
		space.Cur < math.MaxInt64 {
		const arenas = 128 << 20 // which the heap rounds up to, and what it needs to know of them
		all = append(all, limit{"ulimit -v", int64(space.Cur) - mapped*page - arenas})
	}
	for line := range strings.Lines(read("proc/self/cgroup")) {
		part := strings.SplitN(strings.TrimSpace(line), ":", 3) // a number, controllers, a path
		if len(part) < 3 {
			continue
		}
		folder, most, now := "sys/fs/cgroup", "memory.max", "memory.current"
		prefix := ""
		if slices.Contains(strings.Split(part[1], ","), "memory") { // of version 1
			folder, most, now = "sys/fs/cgroup/memory", "memory.limit_in_bytes",
				"memory.usage_in_bytes"
			prefix = "total_"
		}
		for group := path.Clean("/" + part[2]); ; group = path.Dir(group) {
			in := path.Join(folder, group)
			if bytes, found := number(read(path.Join(in, most)), ""); found {
				taken, _ := number(read(path.Join(in, now)), "")
				stat, spare := read(path.Join(in, "memory.stat")), int64(0)
				for _, cache := range []string{"inactive_file ", "active_file ",
					"slab_reclaimable "} { // which the kernel takes back first
					n, _ := number(stat, prefix+cache)
					spare += n
				}
				all = append(all, limit{most + " of a control group",
					bytes - taken + min(spare, taken) - untouched})
			}
			if group == "/" {
				break
			}
		}
	}
	return all
}

// number returns the number behind a name that begins a line.
func number(text, name string) (n int64, found bool) {
	_, value, found := strings.Cut("\n"+text, "\n"+name)
	_, err := fmt.Sscan(value, &n)
	return n, found && err == nil
}
