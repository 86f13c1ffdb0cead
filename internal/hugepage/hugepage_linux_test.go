package hugepage

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/bloomlane/bloomlane/internal/require"
)

const smaps = `7f0000000000-7f0000600000 rw-p 00000000 00:00 0
Size:               6144 kB
AnonHugePages:      4096 kB
ShmemPmdMapped:        0 kB
FilePmdMapped:         0 kB
THPeligible:           1
VmFlags: rd wr mr mw me ac hg
7f0000600000-7f0000a00000 rw-p 00000000 08:01 42 /tmp/a: file
AnonHugePages:         0 kB
ShmemPmdMapped:        0 kB
FilePmdMapped:      2048 kB
THPeligible:    0
VmFlags: rd wr mr mw me ac
`

func TestUse(t *testing.T) {
	const base, page = 0x7f0000000000, Size
	join := func(ranges ...[2]uint64) [][2]uint64 { return ranges }
	for _, test := range []struct {
		name   string
		ranges [][2]uint64
		use    use
		known  bool
	}{
		{"a mapping", join([2]uint64{base, base + 3*page}),
			use{3 * page, 2 * page, false, true, true}, true},
		{"two", join([2]uint64{base, base + 5*page}), use{5 * page, 3 * page, true, true, true},
			true},
		{"two parts", join([2]uint64{base, base + page}, [2]uint64{base + 4*page, base + 5*page}),
			use{2 * page, 2 * page, true, true, true}, true},
		{"a part of one", join([2]uint64{base + page/2, base + page}),
			use{page / 2, page / 2, false, true, true}, true},
		{"parts of two", join([2]uint64{base + 2*page, base + 4*page}),
			use{2 * page, 2 * page, true, true, true}, true},
		{"a file", join([2]uint64{base + 3*page, base + 5*page}),
			use{2 * page, page, true, false, false}, true},
		{"elsewhere", join([2]uint64{base + 9*page, base + 10*page}),
			use{page, 0, false, true, false}, false},
	} {
		if u, known := readUse(strings.NewReader(smaps), test.ranges); u != test.use ||
			known != test.known {
			t.Errorf("%s: %+v, %v, want %+v, %v", test.name, u, known, test.use, test.known)
		}
	}
	damaged := strings.Replace(smaps, "4096 kB", "many kB", 1)
	if _, known := readUse(strings.NewReader(damaged), join([2]uint64{base, base + page})); known {
		t.Error("what a damaged file says is known")
	}
	// Pages of the file and copies of them, in a mapping of which the range is a part.
	both := strings.Replace(smaps, "AnonHugePages:         0 kB", "AnonHugePages:  2048 kB", 1)
	if u, _ := readUse(strings.NewReader(both), join([2]uint64{base + 3*page, base + 4*page})); u.huge != page {
		t.Errorf("%d bytes of a page are on huge pages", u.huge)
	}
	old := strings.ReplaceAll(smaps, "THPeligible", "Other")
	if u, _ := readUse(strings.NewReader(old),
		join([2]uint64{base + 3*page, base + 5*page})); !u.eligible {
		t.Error("a Linux that does not say who gets huge pages denies them")
	}
}

// What is told of small tables, large ones and files.
func TestOf(t *testing.T) {
	if !slices.Contains([]string{"", "always", "madvise", "never"}, Mode()) {
		t.Errorf("mode %q", Mode())
	}
	small := []uint64{1, 2, 3}
	const why = "too little for huge pages"
	if p, known := Of(small); known && (p.Mapped || p.Huge == 0 && p.Why != why) {
		t.Errorf("three words: %+v", p)
	}
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, make([]byte, 4*Size), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	memory, err := unix.Mmap(int(file.Fd()), 0, 4*Size, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Munmap(memory) }()
	words := unsafe.Slice((*uint64)(unsafe.Pointer(&memory[0])), 4*Size/8)
	if p, known := Of(words); known && p.Advised {
		t.Error("a new mapping is advised")
	}
	Advise(words)
	for _, word := range words {
		if word != 0 {
			t.Fatal("not the file")
		}
	}
	p, known := Of(words)
	if known && (!p.Mapped || (p.Huge == 0) == (p.Why == "") || Given() && !p.Advised) {
		t.Errorf("a mapping: %+v", p)
	}
	t.Logf("a mapping of a file: %+v, %v", p, known)
}

// Make asks for huge pages under all whole ones of its words, and lets go of what was there; Advise
// asks, and no more. Small words are left alone.
func TestAdvice(t *testing.T) {
	defer func() { madvise = unix.Madvise }()
	for _, n := range []int{0, 1, Size/8 - 1, 3 * Size / 8, 3*Size/8 + 1000} {
		var all []int
		var got [][]byte
		madvise = func(memory []byte, advice int) error {
			all, got = append(all, advice), append(got, memory)
			return nil
		}
		words := Make(n)
		Advise(words)
		want := []int{unix.MADV_HUGEPAGE, unix.MADV_DONTNEED, unix.MADV_HUGEPAGE}
		whole := pages(words)
		if len(whole) == 0 {
			want = nil
		}
		if !slices.Equal(all, want) {
			t.Errorf("%d words: advice %v, want %v", n, all, want)
		}
		for _, memory := range got {
			if &memory[0] != &whole[0] || len(memory) != len(whole) {
				t.Errorf("%d words: advice for %d bytes, want %d, from the first whole page on", n,
					len(memory), len(whole))
			}
		}
		madvise = func([]byte, int) error { all = nil; return unix.EINVAL }
		if words := Make(n); len(words) != n || all != nil {
			t.Errorf("%d words where there are no huge pages: %d", n, len(words))
		}
	}
}

// Words on small pages, as those that the heap used before may be, are on huge ones after their
// renewal, and zero. Linux marks what was asked for.
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
	first := (uintptr(unsafe.Pointer(&whole[0])) - uintptr(unsafe.Pointer(&words[0]))) / 8
	for i, word := range words[first:][:len(whole)/8] {
		if word != 0 {
			t.Fatalf("word %d of the whole pages is %#x", i, word)
		}
	}
	for _, at := range []uintptr{first, first + uintptr(len(whole))/8 - 1} {
		if p, known := Of(words[at : at+1]); known && !p.Advised {
			t.Errorf("word %d of the %d bytes of whole pages is not advised", at-first, len(whole))
		}
	}
	if p, known := Of(words); known && p.Huge == 0 { // reading gave the page of zeros
		for i := range words {
			words[i] = 1
		}
		if p, _ = Of(words); p.Huge == 0 {
			t.Error("no page is huge: " + p.Why)
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
				t.Errorf("%d words from %#x have %d bytes of whole pages, want %d", n, address,
					len(whole), want)
			}
			if at := uintptr(unsafe.Pointer(unsafe.SliceData(whole))); len(whole) > 0 &&
				at != first {
				t.Errorf("%d words from %#x: the first whole page is at %#x, want %#x", n,
					address, at, first)
			}
		}
	}
	Advise(nil)
	if len(Make(0)) != 0 || len(Make(5)) != 5 {
		t.Error("not the words asked for")
	}
}
