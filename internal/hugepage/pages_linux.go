package hugepage

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"unsafe"
)

// Share returns which part of the words is on huge pages, and false where the system does not tell. Linux
// counts by mapping, and one that others share with the words may make the share too high.
func Share(words []uint64) (share float64, known bool) {
	file, err := os.Open("/proc/self/smaps")
	if err != nil || len(words) == 0 {
		return 0, false
	}
	defer file.Close()
	start := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(words))))
	return shareOf(file, start, start+8*uint64(len(words)))
}

// shareOf reads /proc/PID/smaps: see proc_pid_smaps(5).
func shareOf(smaps io.Reader, start, end uint64) (share float64, known bool) {
	var overlap, huge uint64 // bytes of the current mapping, and of all
	for lines := bufio.NewScanner(smaps); lines.Scan(); {
		line := lines.Text()
		name, value, _ := strings.Cut(line, ":")
		switch name {
		case "AnonHugePages", "FilePmdMapped", "ShmemPmdMapped":
			var kib uint64
			if _, err := fmt.Sscanf(value, "%d kB", &kib); err != nil {
				return 0, false
			}
			known = known || overlap > 0
			kept := min(overlap, kib<<10)
			huge += kept
			overlap -= kept
		default:
			var low, high uint64
			if n, _ := fmt.Sscanf(line, "%x-%x ", &low, &high); n == 2 {
				overlap = 0
				if low, high := max(low, start), min(high, end); low < high {
					overlap = high - low
				}
			}
		}
	}
	return float64(huge) / float64(end-start), known
}
