package goroutines

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"sync"
	"testing"
)

// A goroutine writes as many of its keys as the mix says, and deletes what it inserted, once.
func TestMixes(t *testing.T) {
	keys := 2 * sliceOf(batch)
	for _, m := range mixes {
		w := newWork(1<<16, 1, keys)
		n := len(w.query[0])
		var queried, inserted, deleted []uint64
		f := shared{
			query: func(hashes []uint64) int {
				queried = append(queried,
					hashes...)
				return len(hashes)
			},
			insert: func(hashes []uint64) { inserted = append(inserted, hashes...) },
			remove: func(hashes []uint64) { deleted = append(deleted, hashes...) },
		}
		own := worker{insert: w.insert[0], query: w.query[0]}
		present := 0
		for range n / sliceOf(4) { // it goes on where it was
			before := len(inserted) + len(deleted)
			present += own.do(f, 4, sliceOf(4), m)
			if got := len(inserted) + len(deleted) - before; got != sliceOf(4)*m.Writes/100 {
				t.Errorf("%+v: %d writes in a slice", m, got)
			}
		}
		n = n / sliceOf(4) * sliceOf(4)
		if present != len(queried) {
			t.Errorf("%+v: %d are present, want %d", m, present, len(queried))
		}
		if got, want := len(inserted)+len(deleted), n*m.Writes/100; got != want ||
			got+len(queried) != n {
			t.Errorf("%+v: %d writes of %d, want %d", m, got, n, want)
		}
		if m.Deletes != (len(deleted) > 0) || m.Deletes && len(inserted)-len(deleted) > 4 {
			t.Errorf("%+v: %d inserts, %d deletes", m, len(inserted), len(deleted))
		}
		for i, h := range deleted {
			if h != inserted[i] {
				t.Fatalf("%+v: delete %d is of another key", m, i)
			}
		}
	}
}

// Every filter that is timed finds its members while goroutines share it.
func TestSubjects(t *testing.T) {
	const members = 1 << 14
	w := newWork(members, 2, sliceOf(batch))
	for _, s := range subjects() {
		f := s.make(members)
		for start := 0; start < len(w.members); start += s.keys {
			f.insert(w.members[start : start+s.keys])
		}
		var both sync.WaitGroup
		for g := range 2 {
			both.Go(func() {
				m := mix{Writes: 50, Deletes: f.remove != nil}
				own := worker{insert: w.insert[g], query: w.query[g]}
				if present := own.do(f, s.keys, len(w.query[g])/batch*batch, m); present <
					len(w.query[g])/5 || present > len(w.query[g])/3 {
					t.Errorf("%s: %d of %d are present, half are members", s.name, present,
						len(w.query[g])/2)
				}
			})
		}
		both.Wait()
	}
}

// The command prints a table of every subject, or its JSON.
func TestCommand(t *testing.T) {
	if testing.Short() {
		return // the least run takes seconds
	}
	for _, args := range [][]string{{"--quick"}, {"--quick", "--json"}} {
		var out bytes.Buffer
		c := Command()
		c.SetArgs(args)
		c.SetOut(&out)
		c.SetErr(io.Discard)
		if err := c.Execute(); err != nil {
			t.Fatal(err)
		}
		if len(args) == 1 {
			for _, s := range subjects() {
				if got := strings.Count(out.String(), "| "+s.name+" |"); got != 2 && got != 4 {
					t.Errorf("%d rows of %s", got, s.name)
				}
			}
			continue
		}
		var r run
		if err := json.Unmarshal(out.Bytes(), &r); err != nil || r.CPU == "" || len(r.Timed) == 0 {
			t.Fatalf("%v: %.200s", err, out.String())
		}
		for _, timed := range r.Timed {
			if timed.Goroutines == 1 && timed.Least <= 0 {
				t.Errorf("%+v", timed)
			}
		}
	}
}
