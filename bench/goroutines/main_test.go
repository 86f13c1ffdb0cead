package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bloomlane/bloomlane/internal/workload"
)

// Each subject inserts the keys of a slice that are to be inserted, in each form, and no others.
func TestCalls(t *testing.T) {
	const members = 1 << 18
	pool, w := make([]uint64, 1000), newWorker(0)
	workload.Fill(w.rng, pool)
	for _, s := range subjects(members, pool) {
		has := func(f form, i int) bool {
			if a, ok := s.(*atomics); ok && f.bytes {
				return a.f.Has(fixed.Hash(w.keys[i]))
			} else if ok {
				return a.f.Has(w.hashes[i])
			} else if f.bytes {
				return s.(*ours).filters[0].Query(w.keys[i])
			}
			return s.(*ours).filters[0].QueryHash(w.hashes[i])
		}
		for _, f := range forms() {
			for _, m := range mixes {
				if f.keys > 1 && !s.batches() {
					continue
				}
				w.prepare(pool, m, f)
				before, after, want := 0, 0, 0
				for i := range w.hashes {
					if has(f, i) {
						before++
					}
					if !m.repeated && i/f.keys%10 >= m.queries {
						want++
					}
				}
				for i := 0; i < slice; i += f.keys {
					s.call(w, f, i, i/f.keys%10 < m.queries)
				}
				for i := range w.hashes {
					if has(f, i) {
						after++
					}
				}
				const lies = slice / 50 // false positives
				if got := after - before; got > want || got < want-lies {
					t.Errorf("%v, %d %v, %s: %d of %d are new", s, f.keys, f, m.name, got, want)
				}
				share := float64(before) / slice
				if m.repeated && share != 1 || m.queries == 10 && (share < 0.48 || share > 0.53) {
					t.Errorf("%v, %d %v, %s: %.2f are members", s, f.keys, f, m.name, share)
				}
			}
		}
	}
}

// The report has a table for a size, with all subjects, and one of latencies.
func TestReport(t *testing.T) {
	var b bytes.Buffer
	err := report(&b, settings{[]int{1 << 16}, 1, 1, 1 << 20, time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{"64 KiB": 1, "| filter/sharded": 6,
		"| blobloom": 2, "| Rebuild |": 1} {
		if got := strings.Count(fmt.Sprint(&b), text); got != want {
			t.Errorf("%q %d times, want %d:\n%s", text, got, want, &b)
		}
	}
}
