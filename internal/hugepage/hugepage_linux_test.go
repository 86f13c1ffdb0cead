package hugepage

import (
	"fmt"
	"os"
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

// Words on small pages, as those that the heap used before may be, are on huge ones after their renewal, and zero.
// Linux marks what was asked for.
func TestRenew(t *testing.T) {
	if !Given() {
		require.Skip(t, "hugepages", "this system gives none")
	}
	words := make([]uint64, 64<<20/8)
	for i := range words {
		words[i] = ^uint64(0)
	}
	renew(words)
	whole := pages(words)
	for _, at := range []int{0, len(whole) - 1} {
		if !advised(t, &whole[at]) {
			t.Errorf("byte %d of the %d of whole pages is not advised", at, len(whole))
		}
	}
	first := (uintptr(unsafe.Pointer(&whole[0])) - uintptr(unsafe.Pointer(&words[0]))) / 8
	for i, word := range words[first:][:len(whole)/8] {
		if word != 0 {
			t.Fatalf("word %d of the whole pages is %#x", i, word)
		}
	}
	if share, known := Share(words); known && share == 0 { // reading gave the page of zeros
		for i := range words {
			words[i] = 1
		}
		if share, _ = Share(words); share == 0 {
			t.Error("no page is huge")
		}
	}
}

// The whole pages of words begin and end within them, wherever they lie.
func TestPages(t *testing.T) {
	const page = Size / 8
	memory := make([]uint64, 4*page)
	for _, start := range []int{0, 1, page / 3, page - 1} {
		for _, n := range []int{0, 1, page - 1, page, page + 1, 2*page - 1, 2 * page, 3 * page} {
			words := memory[start : start+n]
			address := uintptr(unsafe.Pointer(unsafe.SliceData(words)))
			end := address + 8*uintptr(n)
			first := (address + Size - 1) / Size * Size
			whole := pages(words)
			if want := max(int(end/Size)-int(first/Size), 0) * Size; len(whole) != want {
				t.Errorf("%d words from %#x have %d bytes of whole pages, want %d", n, address, len(whole), want)
			}
			if at := uintptr(unsafe.Pointer(unsafe.SliceData(whole))); len(whole) > 0 && at != first {
				t.Errorf("%d words from %#x: the first whole page is at %#x, want %#x", n, address, at, first)
			}
		}
	}
	Advise(nil)
	if len(Make(0)) != 0 || len(Make(5)) != 5 {
		t.Error("not the words asked for")
	}
}

// advised reports whether Linux has the mapping of a byte marked for huge pages: hg among its flags.
func advised(t *testing.T, b *byte) bool {
	t.Helper()
	text, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	at := uint64(uintptr(unsafe.Pointer(b)))
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
