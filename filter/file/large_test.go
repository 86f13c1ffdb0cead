package file

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/bloomlane/bloomlane/internal/hugepage"
	"github.com/bloomlane/bloomlane/internal/require"
)

// sparse makes a file with one section of the given number of whole pieces, all zeros. It uses a
// few pages of the disk.
func sparse(t testing.TB, pieces int64) string {
	t.Helper()
	layout, size, length, _ := lay(Version, 0, []int64{pieces * pieceWords})
	b := make([]byte, size)
	copy(b, Magic)
	le := binary.LittleEndian
	le.PutUint32(b[8:], Version)
	le.PutUint32(b[12:], uint32(size))
	le.PutUint64(b[16:], uint64(length))
	copy(b[32:], "large")
	le.PutUint32(b[60:], 1)
	copy(b[64:], "words")
	le.PutUint64(b[80:], uint64(pieces*pieceWords))
	le.PutUint64(b[88:], uint64(layout[0].offset))
	sum := crc32.Checksum(make([]byte, pieceBytes), castagnoli)
	for piece := range pieces {
		le.PutUint32(b[fixedBytes+sectionBytes+4*piece:], sum)
	}
	le.PutUint32(b[size-4:], crc32.Checksum(b[:size-4], castagnoli))
	path := filepath.Join(t.TempDir(), "large.blm")
	if err := errors.Join(os.WriteFile(path, b, 0o600), os.Truncate(path, length)); err != nil {
		t.Fatal(err)
	}
	return path
}

// largePieces is the length of a large file in MiB: 1 GiB with BLOOMLANE_FILES=full.
func largePieces() int64 {
	if full() {
		return 1024
	}
	return 32
}

// Open does not read the sections of a large file: it allocates memory for the header only.
func TestALargeFileOpensAtOnce(t *testing.T) {
	if !mappable {
		require.Skip(t, "mapping", "this host reads files whole")
	}
	pieces := largePieces()
	path := sparse(t, pieces)
	for name, verify := range map[string]Verify{"now": VerifyNow, "later": VerifyLater,
		"never": VerifyNever} {
		start, before := time.Now(), allocated()
		c, err := Open(path, verify)
		took, elapsed := allocated()-before, time.Since(start)
		if err != nil {
			t.Fatal(err)
		}
		if took > 256<<10 {
			t.Errorf("%s: %d bytes of heap for a file of %d MiB", name, took, pieces)
		}
		t.Logf("%s: %d MiB in %v and %d KiB of heap", name, pieces, elapsed, took>>10)
		if verify == VerifyLater {
			start, before = time.Now(), allocated()
			if err := c.Verify(); err != nil {
				t.Error(err)
			}
			took, elapsed = allocated()-before, time.Since(start)
			if took > 256<<10 {
				t.Errorf("verify: %d bytes of heap", took)
			}
			t.Logf("verify: %v and %d KiB of heap", elapsed, took>>10)
		}
		if n := len(c.Sections[0].Words); n != int(pieces)*pieceWords ||
			c.Sections[0].Words[n-1] != 0 {
			t.Errorf("%s: %d words", name, n)
		}
		runtime.KeepAlive(c)
	}
}

// The words of a large file ask for huge pages, mapped or read, and whatever is verified.
func TestALargeFileAsksForHugePages(t *testing.T) {
	if !hugepage.Given() {
		require.Skip(t, "hugepages", "this system gives none")
	}
	path := sparse(t, 8)
	open := func(verify Verify) func() (*Contents, error) {
		return func() (*Contents, error) { return Open(path, verify) }
	}
	for name, contents := range map[string]func() (*Contents, error){
		"open, verified now": open(VerifyNow), "open, verified later": open(VerifyLater),
		"open, not verified": open(VerifyNever),
		"load":               func() (*Contents, error) { return Load(path) },
		"read": func() (*Contents, error) {
			f, err := os.Open(path)
			if err != nil {
				return nil, err
			}
			defer f.Close()
			return Read(f)
		},
	} {
		c, err := contents()
		if err != nil {
			t.Fatal(err)
		}
		if p, known := hugepage.Of(c.Sections[0].Words); known && !p.Advised {
			t.Errorf("%s: %d words do not ask for huge pages: %+v", name,
				len(c.Sections[0].Words), p)
		}
		runtime.KeepAlive(c)
	}
}

// Verify finds a wrong bit in any piece. Open before it does not look.
func TestVerifyFindsAFlipInAnyPiece(t *testing.T) {
	const pieces = 5
	path := sparse(t, pieces)
	for piece := range int64(pieces) {
		for _, offset := range []int64{0, 12345, pieceBytes - 1} {
			flip(t, path, page+piece*pieceBytes+offset)
			later, err := Open(path, VerifyLater)
			if err != nil {
				if !mappable && errors.Is(err, ErrChecksum) {
					flip(t, path, page+piece*pieceBytes+offset)
					continue
				}
				t.Fatal(err)
			}
			var e *Error
			for range 2 { // a second call finds it too
				err := later.Verify()
				if !errors.As(err, &e) || !errors.Is(err, ErrChecksum) || e.Op != "verify" ||
					e.Path != path {
					t.Errorf("byte %d of piece %d: %v", offset, piece, err)
				}
			}
			for name, open := range map[string]func() (*Contents, error){
				"now":  func() (*Contents, error) { return Open(path, VerifyNow) },
				"load": func() (*Contents, error) { return Load(path) },
			} {
				if _, err := open(); !errors.Is(err, ErrChecksum) ||
					!strings.Contains(err.Error(), "section words") {
					t.Errorf("byte %d of piece %d, %s: %v", offset, piece, name, err)
				}
			}
			flip(t, path, page+piece*pieceBytes+offset)
			if err := later.Verify(); err != nil {
				t.Errorf("mended: %v", err)
			}
		}
	}
	if c, err := Open(path, VerifyNow); err != nil || c.Verify() != nil {
		t.Errorf("mended: %v", err)
	}
}

// flip changes a bit of a file.
func flip(t testing.TB, path string, offset int64) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	var b [1]byte
	_, err = file.ReadAt(b[:], offset)
	b[0] ^= 0x10
	if _, writeErr := file.WriteAt(b[:], offset); errors.Join(err, writeErr, file.Close()) != nil {
		t.Fatal(err, writeErr)
	}
}

// Writes to the words change neither the file nor other contents of it, and Verify, which reads the
// file, does not see them. Verify also checks the zeros between sections.
func TestWordsArePrivate(t *testing.T) {
	want := &Contents{Kind: "a", Sections: []Section{{"x", words(pieceWords+9, 1)},
		{"y", words(9, 2)}}}
	path := filepath.Join(t.TempDir(), "f.blm")
	if err := want.Save(path, 0o600); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	one, err1 := Open(path, VerifyLater)
	two, err2 := Open(path, VerifyLater)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	for _, s := range one.Sections {
		for i := range s.Words {
			s.Words[i] = ^s.Words[i]
		}
	}
	equal(t, "the other", two, want)
	for _, c := range []*Contents{one, two} {
		if err := c.Verify(); err != nil {
			t.Error(err)
		}
	}
	if now, err := os.ReadFile(path); err != nil || string(now) != string(content) {
		t.Errorf("the file changed (%v)", err)
	}
	// A save over the mapped file writes the new words, and the other contents keep the old ones.
	if err := one.Save(path, 0o600); err != nil {
		t.Fatal(err)
	}
	reopened, err := Open(path, VerifyNow)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "saved", reopened, one)
	equal(t, "the other", two, want)

	flip(t, path, page+8*(pieceWords+9)+3) // between the sections
	later, err := Open(path, VerifyLater)
	if err == nil {
		err = later.Verify()
	}
	if !errors.Is(err, ErrBounds) {
		t.Errorf("a byte between the sections: %v", err)
	}
}

// If a file is cut after it was opened, Verify returns an error and does not panic, because it does
// not touch the mapping.
func TestVerifyOfAFileThatWasCut(t *testing.T) {
	path := sparse(t, 3)
	c, err := Open(path, VerifyLater)
	if err != nil {
		t.Fatal(err)
	}
	if !mappable {
		return
	}
	if err := os.Truncate(path, page+pieceBytes+5); err != nil {
		t.Fatal(err)
	}
	if err := c.Verify(); !errors.Is(err, ErrLength) {
		t.Errorf("%v", err)
	}
}

// The mapping and the open file are released when the contents are unreachable.
func TestTheMappingEnds(t *testing.T) {
	path := sparse(t, 2)
	for _, verify := range []Verify{VerifyNow, VerifyLater, VerifyNever} {
		c, err := Open(path, verify)
		if err != nil {
			t.Fatal(err)
		}
		if n, known := mappings(path); known && mappable && n != 1 {
			t.Fatalf("%d mappings of open contents", n)
		}
		holder := &Contents{Kind: "a"}
		holder.KeepAlive(c)
		c = nil
		for range 5 {
			runtime.GC()
		}
		if n, known := mappings(path); known && mappable && n != 1 {
			t.Fatalf("%d mappings of contents that are kept alive", n)
		}
		runtime.KeepAlive(holder)
		holder = nil
		left, files, known := 0, 0, false
		// cleanups run some time after the collection that finds their object unreachable
		for range 10_000 {
			runtime.GC()
			left, known = mappings(path)
			files = descriptors(path)
			if left+files == 0 || !known {
				break
			}
			time.Sleep(time.Millisecond)
		}
		if left+files != 0 {
			t.Errorf("verify %d: %d mappings and %d open files are left", verify, left, files)
		}
	}
}

// WriteTo keeps the contents, and so their mapping, alive until it returns. Its caller need not.
func TestAWriteKeepsTheMapping(t *testing.T) {
	path := sparse(t, 2)
	c, err := Open(path, VerifyNever)
	if err != nil {
		t.Fatal(err)
	}
	w := &collecting{path: path}
	if _, err := c.WriteTo(w); err != nil { // the last use of c
		t.Fatal(err)
	}
	if mappable && w.known && w.least != 1 {
		t.Errorf("%d mappings while it is written", w.least)
	}
}

// collecting is a writer that collects garbage at each write and counts the mappings.
type collecting struct {
	path   string
	writes int
	least  int
	known  bool
}

func (w *collecting) Write(b []byte) (int, error) {
	runtime.GC()
	time.Sleep(time.Millisecond)
	n, known := mappings(w.path)
	if w.writes == 0 || n < w.least {
		w.least, w.known = n, known
	}
	w.writes++
	return len(b), nil
}

// mappings returns how many mappings of a file this process has, if the system can tell.
func mappings(path string) (n int, known bool) {
	maps, err := os.ReadFile("/proc/self/maps")
	return strings.Count(string(maps), path), err == nil
}

// descriptors returns how often this process has a file open, if the system can tell.
func descriptors(path string) (n int) {
	all, _ := filepath.Glob("/proc/self/fd/*")
	for _, name := range all {
		if target, _ := os.Readlink(name); target == path {
			n++
		}
	}
	return n
}
