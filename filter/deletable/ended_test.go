package deletable

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/filtertest"
)

// closed returns closed filters that were made in different ways, and the zero Filter.
func closed(t *testing.T) map[string]*Filter {
	t.Helper()
	_, content := sample(t)
	path := writeFile(t, content)
	opened, err := Open(path, fixed)
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(path, fixed)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*Filter{"new": newFilter(t, 100, 16), "opened": opened, "loaded": loaded}
	for name, f := range all {
		if err := f.Close(); err != nil {
			t.Errorf("%s: the first close: %v", name, err)
		}
	}
	all["zero"] = new(Filter)
	return all
}

func TestAClosedFilterSaysSo(t *testing.T) {
	for name, f := range closed(t) {
		t.Run(name, func(t *testing.T) { filtertest.Ended(t, f) })
	}
}

// `defer f.Save(p)` before `defer f.Close()` saves a closed filter: the old file stays.
func TestSaveOfAClosedFilterTouchesNoFile(t *testing.T) {
	_, content := sample(t)
	for name, f := range closed(t) {
		path := writeFile(t, content)
		var e *file.Error
		if err := f.Save(path); !errors.Is(err, os.ErrClosed) || !errors.As(err, &e) ||
			e.Path != path {
			t.Errorf("%s: error %v", name, err)
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, content) {
			t.Errorf("%s: the file changed (%v)", name, err)
		}
		if err := f.Save(path + ".new"); !errors.Is(err, os.ErrClosed) {
			t.Errorf("%s: error %v", name, err)
		}
		if _, err := os.Stat(path + ".new"); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: there is a new file (%v)", name, err)
		}
	}
}

func TestMergeWithNoFilter(t *testing.T) {
	f := newFilter(t, 100, 16)
	f.InsertUint64(1)
	want := f.Clone()
	for name, other := range closed(t) {
		if err := f.Merge(other); !errors.Is(err, filter.ErrClosed) {
			t.Errorf("%s: error %v", name, err)
		}
		if err := other.Merge(f); !errors.Is(err, filter.ErrClosed) {
			t.Errorf("into %s: error %v", name, err)
		}
	}
	if err := f.Merge(nil); !errors.Is(err, filter.ErrClosed) {
		t.Errorf("nil: error %v", err)
	}
	same(t, f, want)
}

// A filter may be closed while goroutines query it: each call returns its result or panics with
// ErrClosed, and no call reads memory that is unmapped.
func TestCloseBesideReaders(t *testing.T) {
	_, content := sample(t)
	path := writeFile(t, content)
	for range 20 {
		f, err := Open(path, fixed)
		if err != nil {
			t.Fatal(err)
		}
		var readers sync.WaitGroup
		var ended atomic.Int32
		keys := make([]uint64, 5*chunk)
		for _, read := range []func(){
			func() { f.QueryUint64(40) },
			func() { f.QueryHashBatch(keys, nil) },
			func() { f.QueryUint64Batch(keys, nil) },
			func() { f.Clone() },
		} {
			readers.Go(func() {
				defer func() {
					if err, _ := recover().(error); !errors.Is(err, filter.ErrClosed) {
						t.Errorf("panic %v", err)
					}
					ended.Add(1)
				}()
				for {
					read()
				}
			})
		}
		readers.Go(func() {
			for !errors.Is(f.Save(path), filter.ErrClosed) {
				f.Stats()
			}
		})
		runtime.Gosched()
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		runtime.GC()
		runtime.GC() // the mapping is released when the table is found unreachable
		readers.Wait()
		if ended.Load() != 4 {
			t.Errorf("%d of 4 readers ended", ended.Load())
		}
	}
}

// A filter that is dropped or closed does not keep its file mapped.
func TestTheMappingEnds(t *testing.T) {
	_, content := sample(t)
	path := writeFile(t, content)
	for _, end := range []string{"dropped", "closed"} {
		f, err := Open(path, fixed)
		if err != nil {
			t.Fatal(err)
		}
		want := 0 // on hosts of the other byte order the file is copied
		if binary.NativeEndian.Uint16([]byte{1, 0}) == 1 {
			want = 1
		}
		if mapped, known := mappings(path); known && mapped != want {
			t.Fatalf("%d mappings of an open filter, want %d", mapped, want)
		}
		if !f.QueryUint64(40) {
			t.Error("a member is not found")
		}
		if end == "closed" {
			if err := f.Close(); err != nil {
				t.Error(err)
			}
			defer runtime.KeepAlive(f)
		}
		f = nil
		mapped, known := 0, false
		// a cleanup runs some time after the collection that finds its object unreachable
		for range 100 {
			runtime.GC()
			if mapped, known = mappings(path); mapped == 0 || !known {
				break
			}
		}
		if mapped != 0 {
			t.Errorf("%s: %d mappings are left", end, mapped)
		}
	}
}

// mappings returns how many mappings of a file this process has, if the system can tell.
func mappings(path string) (n int, known bool) {
	maps, err := os.ReadFile("/proc/self/maps")
	return strings.Count(string(maps), path), err == nil
}
