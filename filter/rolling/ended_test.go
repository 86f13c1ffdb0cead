package rolling

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bloomlane/bloomlane/filter"
)

// saved returns the path of a file of a filter with members 0 to 99.
func saved(t *testing.T) string {
	t.Helper()
	f := newFilter(t, Config{Members: 100, BitsPerKey: 40})
	for n := range uint64(100) {
		if _, err := f.InsertUint64(n); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "f.blm")
	if err := f.Save(path); err != nil {
		t.Fatal(err)
	}
	return path
}

// A filter may be closed while goroutines query it: each call returns its result or panics with
// ErrClosed, and no call reads memory that is unmapped.
func TestCloseBesideReaders(t *testing.T) {
	path := saved(t)
	for range 20 {
		f, err := Open(path, fixed)
		if err != nil {
			t.Fatal(err)
		}
		var readers sync.WaitGroup
		hashes := make([]uint64, 5*chunk)
		for _, read := range []func(){
			func() { f.QueryUint64(40) },
			func() { f.QueryHashBatch(hashes, nil) },
			func() { f.QueryUint64Batch(hashes, nil) },
			func() { f.Clone() },
			func() { f.Equal(f) },
		} {
			readers.Go(func() {
				defer func() {
					if err, _ := recover().(error); !errors.Is(err, filter.ErrClosed) {
						t.Errorf("panic %v", err)
					}
				}()
				for {
					read()
				}
			})
		}
		readers.Go(func() {
			for {
				f.Stats()
				f.State()
				if _, err := f.MarshalBinary(); err != nil {
					if !errors.Is(err, filter.ErrClosed) {
						t.Error(err)
					}
					return
				}
			}
		})
		runtime.Gosched()
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		runtime.GC()
		readers.Wait()
	}
}

// A filter that is dropped or closed does not keep its file mapped. A filter in use does, also
// after its generations have retired.
func TestTheMappingEnds(t *testing.T) {
	path := saved(t)
	for _, end := range []string{"dropped", "closed", "retired"} {
		f, err := Open(path, fixed)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			runtime.GC()
		}
		if mapped, known := mappings(path); known && mapped != 1 && mappable() {
			t.Fatalf("%d mappings of an open filter", mapped)
		}
		if !f.QueryUint64(40) {
			t.Error("a member is not found")
		}
		switch end {
		case "closed":
			if err := f.Close(); err != nil {
				t.Error(err)
			}
			defer runtime.KeepAlive(f)
		case "retired":
			f.Reset()
			for n := range uint64(100) {
				if _, err := f.InsertUint64(n); err != nil {
					t.Fatal(err)
				}
			}
		}
		f = nil
		mapped, known := 0, false
		// a cleanup runs some time after the collection that finds its object unreachable
		for range 100 {
			runtime.GC()
			if mapped, known = mappings(path); mapped == 0 || !known {
				break
			}
			time.Sleep(time.Millisecond)
		}
		if mapped != 0 {
			t.Errorf("%s: %d mappings are left", end, mapped)
		}
	}
}

// Contents stay in memory until they are written, also if the filter is closed and dropped before.
func TestContentsOutliveTheirFilter(t *testing.T) {
	path := saved(t)
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Open(path, fixed)
	if err != nil {
		t.Fatal(err)
	}
	c, err := f.Contents()
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	f = nil
	for range 5 {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	if n, known := mappings(path); known && mappable() && n != 1 {
		t.Fatalf("%d mappings", n)
	}
	if got, err := c.Append(nil); err != nil || string(got) != string(want) {
		t.Errorf("another file (%v)", err)
	}
	runtime.KeepAlive(c)
}

// mappings returns how many mappings of a file this process has, if the system can tell.
func mappings(path string) (n int, known bool) {
	maps, err := os.ReadFile("/proc/self/maps")
	return strings.Count(string(maps), path), err == nil
}

// mappable reports whether this host maps files: see package file.
func mappable() bool { return runtime.GOARCH != "s390x" }
