package measure

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"strings"
	"unsafe"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"golang.org/x/sys/unix"

	"github.com/bloomlane/bloomlane/report/quantity"
)

// pageKinds are the sizes of pages that a table can be on.
var pageKinds = []string{pages4K, pagesHuge}

// newTable maps a table of a number of bytes on pages of the kind, and returns a function that
// unmaps it.
func newTable(width int, bytes int64, pages string) (table, func() error, error) {
	// Whole huge pages, aligned to one: small tables too, which then share their page with nothing.
	size := int((bytes+hugeBytes-1)/hugeBytes*hugeBytes + hugeBytes)
	memory, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, nil, fmt.Errorf("mapping %s: %w", quantity.Bytes(int64(size)), err)
	}
	advice := unix.MADV_NOHUGEPAGE
	if pages == pagesHuge {
		advice = unix.MADV_HUGEPAGE
	}
	// A kernel that was built without huge pages refuses both: hugeShare tells what came of it.
	_ = unix.Madvise(memory, advice)
	start := unsafe.Pointer(unsafe.SliceData(memory))
	start = unsafe.Add(start, -uintptr(start)%hugeBytes)
	return tableAt(width, start, bytes), func() error { return unix.Munmap(memory) }, nil
}

// hugeShare returns which part of a table, all of which was written, is on huge pages, and false
// where the system does not tell.
func hugeShare(t table) (float64, bool) {
	file, err := os.Open("/proc/self/smaps")
	if err != nil {
		return 0, false
	}
	defer file.Close()
	address := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(t.memory()))))
	inside := false
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var start, end, kib uint64
		if n, _ := fmt.Sscanf(lines.Text(), "%x-%x ", &start, &end); n == 2 {
			inside = start <= address && address < end
		} else if inside && strings.HasPrefix(lines.Text(), "AnonHugePages:") {
			if _, err := fmt.Sscanf(lines.Text(), "AnonHugePages: %d kB", &kib); err != nil {
				return 0, false
			}
			return min(1, float64(kib<<10)/float64(max(hugeBytes, t.bytes()))), true
		}
	}
	return 0, false
}

// availableBytes returns the memory that can be had without swapping, within the limit of a
// container that this process is in, and false where the system does not tell.
func availableBytes() (int64, bool) {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, false
	}
	_, line, found := strings.Cut(string(text), "MemAvailable:")
	var kib int64
	if _, err := fmt.Sscanf(line, "%d kB", &kib); !found || err != nil {
		return 0, false
	}
	return within(kib<<10, memlimit.FromCgroup, residentBytes()), true
}

// within returns the part of the available bytes that is within a limit on the whole process, if
// there is one.
func within(available int64, limit memlimit.Provider, resident int64) int64 {
	most, err := limit()
	if err != nil || most > math.MaxInt64 { // no control group, or one without a limit
		return available
	}
	return min(available, max(0, int64(most)-resident))
}

// residentBytes returns the memory that this process has, and 0 where the system does not tell.
func residentBytes() (resident int64) {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var total int64
	if _, err := fmt.Sscanf(string(text), "%d %d", &total, &resident); err != nil {
		return 0
	}
	return resident * int64(os.Getpagesize())
}
