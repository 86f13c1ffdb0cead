package deletable

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/kernel"
)

// blocksOf returns the table of a filter.
func blocksOf(f *Filter) kernel.Table512 { return tableOf(f).blocks }

func tableOf(f *Filter) *table { return base.Open(&f.Body) }

// fixed is the hash key of the tests, so that every run is the same.
var fixed = keytest.Key(1, 2, 3, 4)

func newFilter(t testing.TB, members int, bitsPerKey float64) *Filter {
	t.Helper()
	f, err := New(Config{Members: members, BitsPerKey: bitsPerKey, Key: fixed})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// keyKind is one of the four kinds of keys, with its operations on the key of a number.
type keyKind struct {
	name        string
	insert      func(f *Filter, n uint64) (bool, error)
	query       func(f *Filter, n uint64) bool
	delete      func(f *Filter, n uint64) Status
	insertBatch func(f *Filter, n, present []uint64) (int, error)
	queryBatch  func(f *Filter, n, present []uint64) int
	deleteBatch func(f *Filter, n []uint64, status []Status) int
}

func bytesOf(n uint64) []byte  { return binary.LittleEndian.AppendUint64(nil, n) }
func stringOf(n uint64) string { return string(bytesOf(n)) }

func each[K any](n []uint64, key func(uint64) K) []K {
	keys := make([]K, len(n))
	for i := range n {
		keys[i] = key(n[i])
	}
	return keys
}

var kinds = []keyKind{
	{
		"bytes",
		func(f *Filter, n uint64) (bool, error) { return f.Insert(bytesOf(n)) },
		func(f *Filter, n uint64) bool { return f.Query(bytesOf(n)) },
		func(f *Filter, n uint64) Status { return f.Delete(bytesOf(n)) },
		func(f *Filter, n, present []uint64) (int, error) {
			return f.InsertBatch(each(n, bytesOf), present)
		},
		func(f *Filter, n, present []uint64) int { return f.QueryBatch(each(n, bytesOf), present) },
		func(f *Filter, n []uint64, status []Status) int {
			return f.DeleteBatch(each(n, bytesOf), status)
		},
	},
	{
		"string",
		func(f *Filter, n uint64) (bool, error) { return f.InsertString(stringOf(n)) },
		func(f *Filter, n uint64) bool { return f.QueryString(stringOf(n)) },
		func(f *Filter, n uint64) Status { return f.DeleteString(stringOf(n)) },
		func(f *Filter, n, present []uint64) (int, error) {
			return f.InsertStringBatch(each(n, stringOf), present)
		},
		func(f *Filter, n, present []uint64) int {
			return f.QueryStringBatch(each(n, stringOf), present)
		},
		func(f *Filter, n []uint64, status []Status) int {
			return f.DeleteStringBatch(each(n, stringOf), status)
		},
	},
	{
		"uint64",
		(*Filter).InsertUint64, (*Filter).QueryUint64, (*Filter).DeleteUint64,
		(*Filter).InsertUint64Batch, (*Filter).QueryUint64Batch, (*Filter).DeleteUint64Batch,
	},
	{
		"hash",
		func(f *Filter, n uint64) (bool, error) { return f.InsertHash(f.HashUint64(n)) },
		func(f *Filter, n uint64) bool { return f.QueryHash(f.Hash(bytesOf(n))) },
		func(f *Filter, n uint64) Status { return f.DeleteHash(f.HashUint64(n)) },
		func(f *Filter, n, present []uint64) (int, error) {
			return f.InsertHashBatch(each(n, f.HashUint64), present)
		},
		func(f *Filter, n, present []uint64) int {
			return f.QueryHashBatch(each(n, f.HashUint64), present)
		},
		func(f *Filter, n []uint64, status []Status) int {
			return f.DeleteHashBatch(each(n, f.HashUint64), status)
		},
	},
}

// With every kind of keys, a batch has the results of its operations one after another. A uint64
// stands for its bytes, and the hash is that of the same bytes, so all kinds make the same filter.
func TestBatchesAndKindsAreOneFilter(t *testing.T) {
	lengths := []int{0, 1, 63, 64, 65, chunk - 1, chunk, chunk + 1, 2*chunk + 100}
	var first *Filter // of the first kind, for comparison
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(3, 4))
			scalar, batch := newFilter(t, 4000, 6), newFilter(t, 4000, 6)
			var seen [3]int
			for range 3 {
				for _, n := range lengths {
					keys := make([]uint64, n)
					for i := range keys {
						keys[i] = rng.Uint64N(5000) // some occur twice
					}
					want := make([]bool, n)
					present := slices.Repeat([]uint64{^uint64(0)}, (n+63)/64+1)

					for i, key := range keys {
						var err error
						if want[i], err = k.insert(scalar, key); err != nil {
							t.Fatal(err)
						}
					}
					if in, err := k.insertBatch(batch, keys, present); in != n || err != nil {
						t.Errorf("insert %d: %d are in (%v)", n, in, err)
					}
					checkPresent(t, fmt.Sprintf("insert %d", n), present, want)

					for i := range keys {
						keys[i] = rng.Uint64N(5000)
						want[i] = k.query(scalar, keys[i])
					}
					found, without := k.queryBatch(batch, keys, present),
						k.queryBatch(batch, keys, nil)
					if count := checkPresent(t, fmt.Sprintf("query %d", n), present, want); found !=
						count || without != count {
						t.Errorf("query %d: %d and %d present, want %d", n, found, without, count)
					}

					const untouched = Status(7)
					status := slices.Repeat([]Status{untouched}, n+1)
					deleted := k.deleteBatch(batch, keys[:n/2], status[:n/2])
					deleted += k.deleteBatch(batch, keys[n/2:], nil)
					for i, key := range keys {
						want := k.delete(scalar, key)
						seen[want]++
						if want == Deleted {
							deleted--
						}
						if i < n/2 && status[i] != want {
							t.Errorf("delete %d: status %d is %v, want %v", n, i, status[i], want)
						}
					}
					if deleted != 0 || status[n/2] != untouched {
						t.Errorf("delete %d: the count is off by %d, the next status is %v", n,
							deleted, status[n/2])
					}
				}
			}
			same(t, batch, scalar)
			if slices.Contains(seen[:], 0) {
				t.Errorf("deletes absent, retained, deleted: %v; want some of each", seen)
			}
			if first == nil {
				first = batch
			}
			same(t, batch, first)
		})
	}
}

// checkPresent compares the answers of a batch with want, and returns how many are true.
func checkPresent(t *testing.T, what string, present []uint64, want []bool) (count int) {
	t.Helper()
	for i, want := range want {
		if got := filter.At(present, i); got != want {
			t.Errorf("%s: answer %d is %v, want %v", what, i, got, want)
		}
		if want {
			count++
		}
	}
	if present[len(present)-1] != ^uint64(0) {
		t.Errorf("%s: the word after the last is written", what)
	}
	return count
}

// same fails the test unless the filters have the same bits, counters and plan.
func same(t *testing.T, got, want *Filter) {
	t.Helper()
	if !slices.Equal(blocksOf(got), blocksOf(want)) {
		t.Error("the tables differ")
	}
	if tableOf(got).history != tableOf(want).history {
		t.Errorf("counters %+v, want %+v", tableOf(got).history, tableOf(want).history)
	}
	if tableOf(got).plan != tableOf(want).plan {
		t.Errorf("plan %+v, want %+v", tableOf(got).plan, tableOf(want).plan)
	}
}

// Under the contract of deletion every member is found after any inserts and deletes of others, in
// a filter so small that most inserts collide.
func TestNoFalseNegatives(t *testing.T) {
	f := newFilter(t, 1000, 8)
	rng := rand.New(rand.NewPCG(5, 6))
	var members []uint64
	inserts, retained := 0, 0
	for range 20_000 {
		if rng.IntN(1000) >= len(members) {
			key := rng.Uint64() // it differs from all others, except with a probability of 1e-11
			f.InsertUint64(key)
			members = append(members, key)
			inserts++
		} else {
			i := rng.IntN(len(members))
			switch f.DeleteUint64(members[i]) {
			case Absent:
				t.Fatal("a member is absent when deleted")
			case Retained:
				retained++
				if !f.QueryUint64(members[i]) {
					t.Fatal("a retained key is not visible any more")
				}
			}
			members[i] = members[len(members)-1]
			members = members[:len(members)-1]
		}
	}
	if found := f.QueryUint64Batch(members, nil); found != len(members) {
		t.Errorf("%d of %d members are found", found, len(members))
	}
	deleted := inserts - len(members) - retained
	if f.Members() != len(members) || f.Inserts() != inserts || f.Deleted() != deleted ||
		f.Retained() != retained {
		t.Errorf("members, inserts, deleted, retained: %d %d %d %d, want %d %d %d %d",
			f.Members(), f.Inserts(), f.Deleted(), f.Retained(), len(members), inserts,
			deleted, retained)
	}
}

func TestDeleteOfAnAbsentKeyChangesNothing(t *testing.T) {
	f, want := newFilter(t, 100, 16), newFilter(t, 100, 16)
	for n := range uint64(100) {
		f.InsertUint64(n)
		want.InsertUint64(n)
	}
	for n := uint64(100); n < 10_000; n++ {
		if !f.QueryUint64(n) {
			if status := f.DeleteUint64(n); status != Absent {
				t.Errorf("status %v, want absent", status)
			}
		}
	}
	same(t, f, want)
}

// After a second insert, a delete of the member is Retained, as the package comment says.
func TestAMemberThatIsInsertedTwiceIsRetained(t *testing.T) {
	f := newFilter(t, 100, 16)
	f.InsertUint64(1)
	if present, err := f.InsertUint64(1); !present || err != nil {
		t.Errorf("present when inserted again: %v (%v)", present, err)
	}
	if status := f.DeleteUint64(1); status != Retained {
		t.Errorf("status %v, want retained", status)
	}
}

// Deletes of non-members break the contract. The counters are wrong then, but stay within bounds.
func TestMembersNeverBelowZero(t *testing.T) {
	f := newFilter(t, 100, 1)
	for n := range uint64(100) {
		f.InsertUint64(n)
	}
	for n := range uint64(10_000) {
		f.DeleteUint64(n)
	}
	if f.Deleted()+f.Retained() <= f.Inserts() {
		t.Fatal("not more deletes than inserts: the test shows nothing")
	}
	if f.Members() != 0 {
		t.Errorf("%d members, want 0", f.Members())
	}
}

// Counters stay at their largest value, also after a file has it. A file that is saved then can be
// opened.
func TestCountersSaturate(t *testing.T) {
	for name, count := range map[string]func(f *Filter){
		"one by one": func(f *Filter) {
			f.InsertUint64(1)
			f.DeleteUint64(1)
			f.InsertUint64(2)
			f.InsertUint64(2)
			f.DeleteUint64(2)
		},
		"batches": func(f *Filter) {
			f.InsertUint64Batch([]uint64{1, 2, 2}, nil)
			f.DeleteUint64Batch([]uint64{1, 2}, nil)
		},
		"merge": func(f *Filter) {
			if err := f.Merge(f.Clone()); err != nil {
				t.Fatal(err)
			}
		},
	} {
		for _, start := range []uint64{base.MaxCount, base.MaxCount - 1} {
			f := newFilter(t, 100, 16)
			tableOf(f).history = base.History{Inserts: start, Deleted: start, Retained: start}
			count(f)
			most := base.History{Inserts: base.MaxCount, Deleted: base.MaxCount,
				Retained: base.MaxCount}
			if tableOf(f).history != most {
				t.Errorf("%s from %d: %+v, want %d each", name, start, tableOf(f).history,
					uint64(base.MaxCount))
			}
			path := filepath.Join(t.TempDir(), "f.blm")
			if err := f.Save(path); err != nil {
				t.Fatal(err)
			}
			g, err := Open(path, fixed)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			count(g)
			if g.Inserts() != base.MaxCount || g.Members() != 0 || g.Stats().Turnovers <= 0 {
				t.Errorf("%s: %+v", name, g.Stats())
			}
		}
	}
}

// filtertest tests that operations do not allocate.
func TestStatsDoNotAllocate(t *testing.T) {
	f := newFilter(t, 10_000, 8)
	if allocs := testing.AllocsPerRun(10, func() { f.Stats() }); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

// An output that is too short panics with the numbers, before anything is written.
func TestBatchesPanic(t *testing.T) {
	for _, k := range kinds {
		f, want := newFilter(t, 100, 16), newFilter(t, 100, 16)
		infix := map[string]string{"bytes": "", "string": "String", "uint64": "Uint64",
			"hash": "Hash"}[k.name]
		keys := make([]uint64, chunk+1)
		present, status := make([]uint64, chunk/64), make([]Status, chunk)
		mustPanic(t, "filter: Insert"+infix+"Batch: present has 8 words, 513 keys need 9",
			func() { _, _ = k.insertBatch(f, keys, present) })
		mustPanic(t, "filter: Query"+infix+"Batch: present has 8 words, 513 keys need 9",
			func() { k.queryBatch(f, keys, present) })
		mustPanic(t, "filter: Delete"+infix+"Batch: status has 512 elements, 513 keys need 513",
			func() { k.deleteBatch(f, keys, status) })
		mustPanic(t, "filter: Query"+infix+"Batch: present has 0 words, 1 keys need 1",
			func() { k.queryBatch(f, keys[:1], []uint64{}) })
		same(t, f, want)
		if !slices.Equal(present, make([]uint64, len(present))) {
			t.Error("answers are written")
		}
	}
}

// The positions of a key are the bits that its insert sets: one in each data lane of a block, also
// of the last block. If any of them is cleared, the key is not found. A position in a collision
// lane, or beyond the last bit, panics and clears nothing.
func TestClearBits(t *testing.T) {
	f := newFilter(t, 100, 16)
	for _, hash := range []uint64{0, 1, 0x0123456789abcdef, 1 << 63, ^uint64(0)} {
		p := f.AppendPositions(nil, hash)
		f.Reset()
		if _, err := f.InsertHash(hash); err != nil {
			t.Fatal(err)
		}
		var want []uint64
		for i, word := range blocksOf(f).Words() {
			for bit := range 64 {
				if word>>bit&1 != 0 {
					want = append(want, uint64(64*i+bit))
				}
			}
		}
		if !slices.Equal(p, want) {
			t.Fatalf("hash %#x: positions %d, its insert sets %d", hash, p, want)
		}
		for _, bad := range []uint64{0, 63, uint64(f.Shape().Blocks-1) * 512,
			uint64(f.Shape().Blocks)*512 + 64, ^uint64(0)} {
			func() {
				defer func() {
					if text, _ := recover().(string); !strings.Contains(text,
						"deletable: ClearBits") || !f.QueryHash(hash) {
						t.Errorf("bit %d: panic %q, or a bit was cleared", bad, text)
					}
				}()
				f.ClearBits(append(slices.Clone(p), bad))
			}()
		}
		for _, bit := range p {
			g := f.Clone()
			if g.ClearBits([]uint64{bit}); g.QueryHash(hash) || !f.QueryHash(hash) ||
				g.Stats().Ones != 6 {
				t.Errorf("hash %#x without bit %d: %+v", hash, bit, g.Stats())
			}
		}
	}
}
