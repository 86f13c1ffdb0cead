package hugepage

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/bloomlane/bloomlane/internal/require"
)

const smaps = `7f0000000000-7f0000600000 rw-p 00000000 00:00 0
Size:               6144 kB
AnonHugePages:      4096 kB
ShmemPmdMapped:        0 kB
FilePmdMapped:         0 kB
VmFlags: rd wr mr mw me ac hg
7f0000600000-7f0000a00000 rw-p 00000000 08:01 42 /tmp/a: file
AnonHugePages:         0 kB
ShmemPmdMapped:        0 kB
FilePmdMapped:      2048 kB
VmFlags: rd wr mr mw me ac
`

func TestShareOf(t *testing.T) {
	const base, page = 0x7f0000000000, Size
	for _, test := range []struct {
		name       string
		start, end uint64
		share      float64
		known      bool
	}{
		{"a mapping", base, base + 3*page, 2.0 / 3, true},
		{"two", base, base + 5*page, 3.0 / 5, true},
		{"a part of one", base + page/2, base + page, 1, true},
		{"parts of two", base + 2*page, base + 4*page, 1, true},
		{"a file", base + 3*page, base + 5*page, 0.5, true},
		{"elsewhere", base + 9*page, base + 10*page, 0, false},
	} {
		if share, known := shareOf(strings.NewReader(smaps), test.start, test.end); share != test.share || known != test.known {
			t.Errorf("%s: %g, %v, want %g, %v", test.name, share, known, test.share, test.known)
		}
	}
	damaged := strings.Replace(smaps, "4096 kB", "many kB", 1)
	if _, known := shareOf(strings.NewReader(damaged), base, base+page); known {
		t.Error("the share of a damaged file is known")
	}
}

// The pages that are whole are advised, and no others: Linux marks the mapping.
func TestAdvise(t *testing.T) {
	if !Given() {
		require.Skip(t, "hugepages", "this system gives none")
	}
	memory := make([]uint64, 10*Size/8)
	start := uintptr(unsafe.Pointer(unsafe.SliceData(memory)))
	first := int(-start % Size / 8) // the first word of a whole page
	const page = Size / 8
	few := memory[first+4*page : first+6*page-1] // a page and a bit less than another
	Advise(few)
	for _, test := range []struct {
		word int
		want bool
	}{
		{first + 3*page, false}, {first + 4*page - 1, false}, {first + 4*page, true}, {first + 5*page - 1, true},
		{first + 5*page, false},
	} {
		if got := advised(t, &memory[test.word]); got != test.want {
			t.Errorf("page %.4g is advised: %v, want %v", float64(test.word-first)/page, got, test.want)
		}
	}
	Advise(few[:page-1]) // no whole page
	Advise(nil)
	for i := range few {
		few[i] = ^uint64(0)
	}
	if share, known := Share(few[:page]); !known || share != 0 && share != 1 {
		t.Errorf("a page is huge to %g, %v", share, known)
	}
	runtime.KeepAlive(memory)
}

// advised reports whether Linux has the mapping of a word marked for huge pages: hg among its flags.
func advised(t *testing.T, word *uint64) bool {
	t.Helper()
	text, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	at := uint64(uintptr(unsafe.Pointer(word)))
	inside := false
	for line := range strings.Lines(string(text)) {
		var low, high uint64
		if n, _ := fmt.Sscanf(line, "%x-%x ", &low, &high); n == 2 {
			inside = low <= at && at < high
		}
		if flags, found := strings.CutPrefix(line, "VmFlags:"); found && inside {
			return strings.Contains(flags, " hg")
		}
	}
	t.Fatalf("%#x is in no mapping", at)
	return false
}
