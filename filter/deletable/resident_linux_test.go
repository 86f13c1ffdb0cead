package deletable

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/internal/hugepage"
	"github.com/bloomlane/bloomlane/internal/require"
	"github.com/bloomlane/bloomlane/kernel"
)

// How much memory of tables and files is resident, on small pages and on huge ones: a table needs
// its bits, and only when it is used. docs/decisions/huge-pages.md has what it printed of 1 GiB.
func TestResident(t *testing.T) {
	if fallback.Race {
		require.Skip(t, "residency", "the race detector has memory of its own")
	}
	if !hugepage.Given() {
		require.Skip(t, "hugepages", "this system gives none")
	}
	// Each runs in a process of its own: if the heap was used before, make writes zeros, and the
	// whole new table is resident.
	const child = "BLOOMLANE_RESIDENT_CHILD"
	if os.Getenv(child) == "" {
		itself := exec.Command(os.Args[0], "-test.run=^TestResident$", "-test.v")
		itself.Env = append(os.Environ(), child+"=1")
		output, err := itself.CombinedOutput()
		t.Logf("%s", output)
		if err != nil || !strings.Contains(string(output), "--- PASS: TestResident ") {
			t.Errorf("the child has not passed the test: %v", err)
		}
		return
	}
	const size = 64 << 20
	blocks := int(size) / BlockBytes
	small := func(blocks int) kernel.Table512 {
		table := make(kernel.Table512, blocks) // an earlier table may have had huge pages here
		memory := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(table))), blocks*BlockBytes)
		if err := unix.Madvise(memory, unix.MADV_NOHUGEPAGE); err != nil {
			t.Fatal(err)
		}
		return table
	}
	random := rand.New(rand.NewPCG(16, 8))
	const page = 4 << 10
	for _, pages := range []struct {
		name string
		make func(blocks int) kernel.Table512
		unit int64 // the most memory that a key makes resident
	}{{"small pages", small, page}, {"huge pages", kernel.NewTable512, hugepage.Size}} {
		before := resident(t)
		table := pages.make(blocks)
		made := resident(t) - before
		if made > 2*hugepage.Size {
			t.Errorf("%s: a new table of %d bytes takes %d", pages.name, size, made)
		}
		t.Logf("%s: new: %s", pages.name, mebibytes(made))
		inserted := 0
		// in parts of the keys that it has at 16 bits per key
		for _, part := range []float64{1e-6, 1e-5, 1e-4, 1e-3, 1} {
			keys := int(part * float64(size) / 2)
			for hashes := make([]uint64, 4096); inserted < keys; inserted += len(hashes) {
				hashes = hashes[:min(len(hashes), keys-inserted)]
				for i := range hashes {
					hashes[i] = random.Uint64()
				}
				table.QueryInsertBatch(hashes, nil)
			}
			used := resident(t) - before
			if most := min(size, int64(keys)*pages.unit) + 3*hugepage.Size; used > most {
				t.Errorf("%s: with %d keys a table of %d bytes takes %d, want %d at most",
					pages.name, keys, size, used, most)
			}
			t.Logf("%s: %d keys: %s", pages.name, keys, mebibytes(used))
		}
		runtime.KeepAlive(table)
		table = nil
		if left := resident(t) - before; left > 4*hugepage.Size {
			t.Errorf("%s: a dropped table leaves %d bytes", pages.name, left)
		}
	}

	path := filepath.Join(t.TempDir(), "large.blm")
	f, err := New(Config{Members: int(size / 2), BitsPerKey: 16, Key: fixed})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Save(path); err != nil {
		t.Fatal(err)
	}
	f = nil
	before := resident(t)
	contents, err := file.Open(path, file.VerifyLater)
	if err != nil {
		t.Fatal(err)
	}
	opened := resident(t) - before
	if opened > 2*hugepage.Size {
		t.Errorf("opening a file of %d bytes takes %d", size, opened)
	}
	t.Logf("file: opened, to be verified later: %s", mebibytes(opened))
	runtime.KeepAlive(contents)
	contents = nil
	for _, open := range []struct {
		name string
		open func(string, key.Key) (*Filter, error)
	}{{"opened and verified", Open}, {"loaded", Load}} {
		before := resident(t)
		f, err := open.open(path, fixed)
		if err != nil {
			t.Fatal(err)
		}
		taken := resident(t) - before
		if taken > size+4*hugepage.Size {
			t.Errorf("a file of %d bytes, %s, takes %d", size, open.name, taken)
		}
		t.Logf("file: %s: %s", open.name, mebibytes(taken))
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// resident returns how many bytes that this process has in use are in memory.
func resident(t *testing.T) int64 {
	t.Helper()
	debug.FreeOSMemory()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	var kib int64
	_, line, _ := strings.Cut(string(text), "VmRSS:")
	if _, err := fmt.Sscanf(line, "%d kB", &kib); err != nil {
		t.Fatal(err)
	}
	return kib << 10
}

func mebibytes(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }
