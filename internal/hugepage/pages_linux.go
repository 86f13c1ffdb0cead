package hugepage

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unsafe"
)

// Of returns what pages the parts of a table are on, and false where the system does not tell.
// Linux counts by mapping. A mapping that the table shares with other memory can make Huge too
// high.
func Of(parts ...[]uint64) (p Pages, known bool) {
	file, err := os.Open("/proc/self/smaps")
	if err != nil {
		return p, false
	}
	defer file.Close()
	var ranges [][2]uint64
	large := false
	for _, words := range parts {
		start := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(words))))
		ranges = append(ranges, [2]uint64{start, start + 8*uint64(len(words))})
		large = large || len(pages(words)) > 0
	}
	u, known := readUse(file, ranges)
	if !known {
		return p, false
	}
	p = Pages{Huge: float64(u.huge) / float64(u.all), Advised: u.advised, Mapped: u.file}
	switch {
	case p.Huge > 0:
	case !large:
		p.Why = "too little for huge pages"
	case Mode() == "never":
		p.Why = "the system has no huge pages"
	case !u.eligible && u.file:
		p.Why = "the file system has no huge pages for it"
	case !u.eligible:
		p.Why = "this program gets no huge pages"
	default:
		p.Why = "no huge pages yet"
	}
	return p, true
}

// use is what /proc/PID/smaps says of some ranges of addresses.
type use struct {
	all, huge uint64 // bytes
	file      bool   // a part of them is mapped from a file
	eligible  bool   // a part of them may be on huge pages, or Linux is too old to say
	advised   bool   // a part of them is marked: hg, for MADV_HUGEPAGE
}

// readUse reads /proc/PID/smaps: see proc_pid_smaps(5). It returns false where none of the ranges
// is in it.
func readUse(smaps io.Reader, ranges [][2]uint64) (u use, known bool) {
	for _, r := range ranges {
		u.all += r[1] - r[0]
	}
	var overlap uint64 // bytes of the current mapping that are not huge yet
	inside, says := false, false
	for lines := bufio.NewScanner(smaps); lines.Scan(); {
		line := lines.Text()
		name, value, _ := strings.Cut(line, ":")
		switch name {
		case "AnonHugePages", "FilePmdMapped", "ShmemPmdMapped":
			var kib uint64
			if _, err := fmt.Sscanf(value, "%d kB", &kib); err != nil {
				return use{}, false
			}
			kept := min(overlap, kib<<10)
			u.huge += kept
			overlap -= kept
		case "THPeligible":
			says = says || inside
			u.eligible = u.eligible || inside && strings.TrimSpace(value) != "0"
		case "VmFlags":
			u.advised = u.advised || inside && slices.Contains(strings.Fields(value), "hg")
		default:
			var low, high, offset, inode uint64
			var flags, device string
			if n, _ := fmt.Sscanf(line, "%x-%x %s %x %s %d", &low, &high, &flags, &offset, &device,
				&inode); n == 6 {
				overlap = 0
				for _, r := range ranges {
					if low, high := max(low, r[0]), min(high, r[1]); low < high {
						overlap += high - low
					}
				}
				inside = overlap > 0
				known = known || inside
				u.file = u.file || inside && inode != 0
			}
		}
	}
	u.eligible = u.eligible || !says
	return u, known
}

// Mode returns what memory the system gives huge pages to: "always" any, "madvise" what is advised,
// "never" none; "" where it does not say.
func Mode() string {
	text, _ := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	_, mode, _ := strings.Cut(string(text), "[")
	mode, _, _ = strings.Cut(mode, "]")
	return mode
}
