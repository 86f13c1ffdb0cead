package command

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"syscall"

	"github.com/bloomlane/bloomlane/internal/cgroup"
)

// systemLimits returns what the limits of Linux leave to this process, which has used bytes: free
// memory, the address space, and the control groups. root is the system's but for tests.
func systemLimits(root fs.FS, used int64) (all []limit) {
	var mapped, resident int64 // pages
	statm, err := fs.ReadFile(root, "proc/self/statm")
	if err == nil {
		_, err = fmt.Sscan(string(statm), &mapped, &resident)
	}
	page := int64(os.Getpagesize())
	untouched := max(0, used-resident*page) // which nobody counts yet
	meminfo := cgroup.Numbers(root, "proc/meminfo")
	if free, found := meminfo["MemAvailable:"]; found {
		all = append(all, limit{"MemAvailable",
			int64(free+meminfo["SwapFree:"])<<10 - untouched})
	}
	var space syscall.Rlimit
	if err == nil && syscall.Getrlimit(syscall.RLIMIT_AS, &space) == nil &&
		space.Cur < math.MaxInt64 {
		const arenas = 128 << 20 // which the heap rounds up to, and what it needs to know of them
		all = append(all, limit{"ulimit -v", int64(space.Cur) - mapped*page - arenas})
	}
	if room, file := cgroup.Room(root); room < math.MaxInt64 {
		all = append(all, limit{file + " of a control group", int64(room) - untouched})
	}
	return all
}
