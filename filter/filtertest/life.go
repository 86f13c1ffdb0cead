package filtertest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/file"
)

// A filter after Reset, and the result of Fresh, are equal to a new filter.
func fresh(t *testing.T, s *subject) {
	f := s.sample(t)
	before := content(t, f)
	if rebuilder, ok := f.(filter.Rebuilder); ok {
		next, empty := rebuilder.Fresh(), s.empty(t, s.roomySample())
		same(t, "Fresh", next, empty)
		unchanged(t, "Fresh", f, before)
		live(next)
		live(empty)
		same(t, "Fresh, later", next, empty)
		unchanged(t, "what is done to a fresh one", f, before)
	}
	if resetter, ok := f.(filter.Resetter); ok {
		empty := s.empty(t, s.roomySample())
		resetter.Reset()
		same(t, "Reset", f, empty)
		live(f)
		live(empty)
		same(t, "Reset, later", f, empty)
	}
}

// open opens a filter's file, mapped into memory if the host can.
func (s *subject) open(t testing.TB, path string) filter.Stored {
	t.Helper()
	c, err := file.Open(path, file.VerifyNow)
	if err != nil {
		t.Fatal(err)
	}
	f, err := s.kind.Decode(c, s.key)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// saved saves a sample.
func (s *subject) saved(t testing.TB) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "f.blm")
	if err := s.sample(t).Save(path); err != nil {
		t.Fatal(err)
	}
	return path
}

// A closed filter and a zero value return errors or panic, as package filter says.
func ended(t *testing.T, s *subject) {
	path := s.saved(t)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]filter.Stored{"new": s.sample(t), "opened": s.open(t, path),
		"decoded": s.decode(t, before)}
	for name, f := range all {
		if f.Closed() {
			t.Errorf("%s: closed before its end", name)
		}
		if err := f.Close(); err != nil {
			t.Errorf("%s: the first close: %v", name, err)
		}
	}
	all["zero"] = zeroOf(all["new"])
	for name, f := range all {
		t.Run(name, func(t *testing.T) { Ended(t, f) })
		var e *file.Error
		if err := f.Save(path); !errors.Is(err, filter.ErrClosed) || !errors.As(err, &e) ||
			e.Path != path {
			t.Errorf("%s: saved over a file: %v", name, err)
		}
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, before) {
			t.Errorf("%s: the file changed (%v)", name, err)
		}
		if err := f.Save(path + ".new"); !errors.Is(err, filter.ErrClosed) {
			t.Errorf("%s: saved: %v", name, err)
		}
		if _, err := os.Stat(path + ".new"); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: there is a new file (%v)", name, err)
		}
	}
	c, err := all["opened"].Contents()
	if err == nil || c != nil {
		t.Errorf("contents of a closed filter: %v (%v)", c, err)
	}
	f := s.open(t, path)
	if c, err = f.Contents(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	for range 5 { // contents that are being written keep what they lie in
		runtime.GC()
	}
	if after, err := c.Append(nil); err != nil || !bytes.Equal(after, before) {
		t.Errorf("contents changed when their filter was closed (%v)", err)
	}
	runtime.KeepAlive(f)
	if _, mutable := all["new"].(filter.Set); !mutable {
		return
	}
	f = s.sample(t)
	g := s.sample(t) // a closed filter's words are not another's
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	same(t, "another filter", g, s.sample(t))
}

// An opened filter keeps its file mapped while it is in use. The mapping goes when the filter is
// dropped or closed, whatever was made of it.
func mapping(t *testing.T, s *subject) {
	path := s.saved(t)
	for end, hold := range map[string]func(f filter.Stored) (held any){
		"dropped": func(filter.Stored) any { return nil },
		"closed":  func(f filter.Stored) any { return errors.Join(f.Close(), f.Close()) },
		"cloned": func(f filter.Stored) any {
			if !reflect.ValueOf(f).MethodByName("Clone").IsValid() {
				return nil
			}
			return invoke(f, "Clone").Interface()
		},
		"fresh": func(f filter.Stored) any {
			if rebuilder, ok := f.(filter.Rebuilder); ok {
				return rebuilder.Fresh()
			}
			return nil
		},
	} {
		f := s.open(t, path)
		mapped, _ := mappings(path)
		first, second := must(f.Contents()).Sections[0], must(f.Contents()).Sections[0]
		for range 3 {
			runtime.GC()
		}
		if n, known := mappings(path); known && n != mapped && &first.Words[0] == &second.Words[0] {
			t.Errorf("%d mappings of a filter in use", n)
		}
		held := hold(f)
		closed := f
		if end != "closed" {
			closed = nil
		}
		f, first.Words, second.Words = nil, nil, nil
		if n := unmapped(path); n != 0 {
			t.Errorf("%s: %d mappings are left", end, n)
		}
		runtime.KeepAlive(held)
		runtime.KeepAlive(closed)
	}
}

// unmapped waits until a file is not mapped any more, at most 10 s. It returns how many mappings
// are left then.
func unmapped(path string) (left int) {
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
		runtime.GC() // a cleanup runs some time after the one that finds its object unreachable
		n, known := mappings(path)
		if n == 0 || !known {
			return 0
		}
		left = n
		time.Sleep(time.Millisecond)
	}
	return left
}

// mappings returns how many mappings of a file this process has, if the system can tell.
func mappings(path string) (n int, known bool) {
	maps, err := os.ReadFile("/proc/self/maps")
	return strings.Count(string(maps), path), err == nil
}

// reads are the calls that any number of goroutines may make at the same time.
func reads(f filter.Stored) map[string]func() {
	keys := numbers(0, 5*512)
	texts, slices := each(keys, stringOf), each(keys, bytesOf)
	q := asQuerier(f)
	all := map[string]func(){
		"QueryHash":        func() { f.QueryHash(40) },
		"QueryUint64":      func() { q.QueryUint64(40) },
		"QueryHashBatch":   func() { f.QueryHashBatch(keys, make([]uint64, len(keys)/64)) },
		"QueryUint64Batch": func() { q.QueryUint64Batch(keys, nil) },
		"QueryStringBatch": func() { q.QueryStringBatch(texts, nil) },
		"QueryBatch":       func() { q.QueryBatch(slices, nil) },
	}
	if c, ok := f.(filter.Counter); ok {
		all["CountHash"] = func() { c.CountHash(40) }
		all["CountHashBatch"] = func() { c.CountHashBatch(keys, make([]uint64, len(keys))) }
		all["CountStringBatch"] = func() {
			asCounter(f).CountStringBatch(texts,
				make([]uint64, len(keys)))
		}
	}
	return all
}

// Queries, statistics and the writing of files may run at the same time. This test is for the race
// detector.
func concurrently(t *testing.T, s *subject) {
	for name, f := range map[string]filter.Stored{"new": s.sample(t),
		"opened": s.open(t, s.saved(t))} {
		want, count := content(t, f), f.QueryHashBatch(hashesOf(s.key, numbers(0, 1000)), nil)
		var readers sync.WaitGroup
		for _, read := range reads(f) {
			for range 2 {
				readers.Go(func() {
					for range 20 {
						read()
					}
				})
			}
		}
		for range 3 {
			readers.Go(func() {
				for range 10 {
					f.State()
					_ = fmt.Sprint(f, f.Closed(), f.Key())
					if got := f.QueryHashBatch(hashesOf(s.key, numbers(0, 1000)),
						nil); got != count {
						t.Errorf("%s: %d present, and %d before", name, got, count)
					}
					if c, err := f.Contents(); err != nil {
						t.Error(err)
					} else if got, err := c.Append(nil); err != nil || !bytes.Equal(got, want) {
						t.Errorf("%s: written otherwise beside readers (%v)", name, err)
					}
				}
			})
		}
		Within(t, "readers beside each other", readers.Wait)
	}
}

// Within calls wait, and fails the test if it takes more than a minute. what says for what it
// waits.
func Within(t testing.TB, what string, wait func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		wait()
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatalf("%s: not in a minute", what)
	}
}

// A filter may be closed while readers use it: each call returns its result or panics with
// ErrClosed, and no call reads memory that is unmapped.
func besideClose(t *testing.T, s *subject) {
	path := s.saved(t)
	for round := range max(2, short(4)) {
		f := s.sample(t)
		if round%2 == 0 {
			f = s.open(t, path)
		}
		var readers sync.WaitGroup
		started := make(chan bool, 100)
		all := reads(f)
		for name, read := range all {
			readers.Go(func() {
				defer func() {
					if err, _ := recover().(error); !errors.Is(err, filter.ErrClosed) {
						t.Errorf("%s: panic %v", name, err)
					}
				}()
				read()
				started <- true
				for {
					read()
					runtime.Gosched() // so that the others start soon, on few CPUs
				}
			})
		}
		readers.Go(func() {
			for ; ; runtime.Gosched() {
				f.State()
				_ = fmt.Sprint(f)
				c, err := f.Contents()
				if errors.Is(err, filter.ErrClosed) {
					return
				}
				if _, err := c.Append(nil); err != nil {
					t.Error(err)
				}
			}
		})
		Within(t, "a first call of each reader", func() {
			for range all {
				<-started
			}
		})
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		runtime.GC()
		runtime.GC() // a mapping goes when the table is found unreachable
		Within(t, "the end of the readers of a closed filter", readers.Wait)
	}
}

// No operation allocates, in any form.
func allocations(t *testing.T, s *subject) {
	f := s.empty(t, filter.Sizing{Members: 40_000, BitsPerKey: 64, Key: s.key})
	q := asQuerier(f)
	const n = 3*512 + 7
	long := []byte("a key that is longer than one packet of HighwayHash")
	text := string(long)
	keys, texts, numbers := make([][]byte, n), make([]string, n), numbers(0, n)
	for i := range keys {
		// different keys, because a kind may refuse many inserts of one key
		keys[i] = fmt.Appendf(nil, "%d %s", i, long[:i%len(long)])
		texts[i] = string(keys[i])
	}
	hashes, present, status := hashesOf(s.key, numbers), make([]uint64, filter.Words(n)),
		make([]filter.Status, n)
	calls := map[string]func(){
		"QueryHash":        func() { f.QueryHash(1) },
		"QueryHashBatch":   func() { f.QueryHashBatch(hashes, present) },
		"Query":            func() { q.Query(long) },
		"QueryString":      func() { q.QueryString(text) },
		"QueryUint64":      func() { q.QueryUint64(1) },
		"QueryBatch":       func() { q.QueryBatch(keys, present) },
		"QueryStringBatch": func() { q.QueryStringBatch(texts, present) },
		"QueryUint64Batch": func() { q.QueryUint64Batch(numbers, present) },
		"Hash":             func() { q.Hash(long) },
		"HashString":       func() { q.HashString(text) },
		"HashUint64":       func() { q.HashUint64(1) },
		"State":            func() { f.State() },
	}
	set, isSet := f.(filter.Set)
	if _, grows := f.(filter.Grower); isSet && !grows { // one that grows takes memory, now and then
		k := asSet(f)
		calls["InsertHash"] = func() { _, _ = set.InsertHash(hashes[1]) }
		calls["InsertHashBatch"] = func() { _, _ = set.InsertHashBatch(hashes, present) }
		calls["Insert"] = func() { _, _ = k.Insert(long) }
		calls["InsertString"] = func() { _, _ = k.InsertString(text) }
		calls["InsertUint64"] = func() { _, _ = k.InsertUint64(1) }
		calls["InsertBatch"] = func() { _, _ = k.InsertBatch(keys[:600], present) }
		calls["InsertStringBatch"] = func() { _, _ = k.InsertStringBatch(texts[:600], present) }
		calls["InsertUint64Batch"] = func() { _, _ = k.InsertUint64Batch(numbers, present) }
	}
	if d, ok := f.(filter.Deleter); ok {
		k := asDeleter(f)
		calls["DeleteHash"] = func() { d.DeleteHash(hashes[1]) }
		calls["DeleteHashBatch"] = func() {
			d.DeleteHashBatch(hashes,
				nil)
			d.DeleteHashBatch(hashes, status)
		}
		calls["Delete"] = func() { k.Delete(long) }
		calls["DeleteString"] = func() { k.DeleteString(text) }
		calls["DeleteUint64"] = func() { k.DeleteUint64(1) }
		calls["DeleteBatch"] = func() { k.DeleteBatch(keys, status) }
		calls["DeleteStringBatch"] = func() { k.DeleteStringBatch(texts, status) }
		calls["DeleteUint64Batch"] = func() { k.DeleteUint64Batch(numbers, status) }
	}
	if c, ok := f.(filter.Counter); ok {
		times, counts := slices.Repeat([]uint64{3}, n), make([]uint64, n)
		k := asCounter(f)
		calls["AddHash"] = func() { _ = c.AddHash(1, 2) }
		calls["CountHash"] = func() { c.CountHash(1) }
		calls["AddString"] = func() { _ = k.AddString(text, 2) }
		calls["CountString"] = func() { k.CountString(text) }
		calls["AddStringBatch"] = func() { _, _ = k.AddStringBatch(texts[:600], times) }
		calls["CountBatch"] = func() { k.CountBatch(keys, counts) }
		calls["AddHashBatch"] = func() { _, _ = c.AddHashBatch(hashes, times) }
		calls["CountHashBatch"] = func() { c.CountHashBatch(hashes, counts) }
	}
	if c, ok := f.(filter.Clearer); ok {
		p := make([]uint64, 0, 1024)
		calls["AppendPositions"] = func() { c.AppendPositions(p, 1) }
		calls["ClearBits"] = func() { c.ClearBits(p) }
	}
	for name, call := range calls {
		if r, ok := f.(filter.Resetter); ok {
			r.Reset() // so that none of the calls refuses, whose error is made for it
		}
		if allocs := testing.AllocsPerRun(10, call); allocs != 0 {
			t.Errorf("%s: %v allocations", name, allocs)
		}
	}
}

// No way to print a filter prints its key or its table.
func prints(t *testing.T, s *subject) {
	f := s.sample(t)
	secret := s.key.Bytes()
	words := []string{s.key.Secret(), string(secret[:8]), fmt.Sprint(secret[:8])}
	words[2] = strings.Trim(words[2], "[]")
	closed := s.sample(t)
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x", "%X", "%o",
		"%b", "%c", "%T"} {
		for name, value := range map[string]any{
			"itself": f, "in a struct": struct{ f any }{f}, "in a slice": []any{f},
			"closed": closed,
		} {
			text := fmt.Sprintf(verb, value)
			if len(text) == 0 || len(text) > 400 {
				t.Errorf("%s, %s: prints %d characters: %.200q", verb, name, len(text), text)
			}
			if slices.ContainsFunc(words,
				func(word string) bool { return strings.Contains(text, word) }) {
				t.Errorf("%s, %s: prints the key: %.200q", verb, name, text)
			}
		}
	}
	stringer, ok := f.(fmt.Stringer)
	if !ok || !strings.Contains(stringer.String(), s.kind.Name) ||
		!strings.Contains(stringer.String(), fmt.Sprintf("%016x", s.key.Fingerprint())) {
		t.Errorf("String is %v, want the kind and the key's fingerprint in it", f)
	}
}
