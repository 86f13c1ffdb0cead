package main

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/sharded"
)

// The operations of a history.
type operation byte

const (
	query operation = iota
	queryBatch
	insert
	insertBatch
	remove
	removeBatch
	read // of the block, when all others have ended
)

// request and answered are what a call was given, and gave.
type request struct {
	op   operation
	hash uint64
}

type answered struct {
	present bool
	status  filter.Status
	block   [fallback.Lanes]uint64
}

// members is what a shared filter promises: a set, whose queries may find more than its members. A
// filter is as many of these as there are keys. It holds for every history that keeps the contract
// of deletion.
var members = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		perKey := map[uint64][]porcupine.Operation{}
		for _, o := range history {
			if a := o.Input.(request); a.op != read {
				perKey[a.hash] = append(perKey[a.hash], o)
			}
		}
		var all [][]porcupine.Operation
		for _, part := range perKey {
			all = append(all, part)
		}
		return all
	},
	Init: func() any { return false },
	Step: func(state, input, output any) (bool, any) {
		member, in, out := state.(bool), input.(request), output.(answered)
		switch in.op {
		case query, queryBatch:
			return out.present || !member, member
		case remove, removeBatch:
			return member && out.status != filter.Absent, false
		default:
			return !member, true
		}
	},
}

// bits is the block itself: inserts and deletes are atomic, with their answers.
var bits = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		all := make([][]porcupine.Operation, historyBlocks)
		for _, o := range history {
			block := fallback.Index(o.Input.(request).hash, historyBlocks)
			all[block] = append(all[block], o)
		}
		return all
	},
	Init: func() any { return [fallback.Lanes]uint64{} },
	Step: func(state, input, output any) (bool, any) {
		block, in, out := state.([fallback.Lanes]uint64), input.(request), output.(answered)
		mask := fallback.Mask[uint64](in.hash)
		switch in.op {
		case insert, insertBatch:
			return fallback.InsertMask(&block, &mask) == out.present, block
		case remove, removeBatch:
			return filter.Status(fallback.DeleteMask(&block, &mask)) == out.status, block
		case read:
			return block == out.block, block
		default:
			return true, block // of lanes at different moments
		}
	},
}

// others are the other keys of a batch, which is grouped by their number. They are of the last
// block, which is not judged.
var others = slices.Repeat([]uint64{math.MaxUint64}, 256)

// call makes a call.
func call(f *sharded.Filter, in request) (out answered) {
	hashes := append([]uint64{in.hash}, others...)
	word, status := make([]uint64, filter.Words(len(hashes))), make([]filter.Status, len(hashes))
	switch in.op {
	case query:
		out.present = f.QueryHash(in.hash)
	case queryBatch:
		out.present = f.QueryHashBatch(hashes[:1], nil) == 1
	case insert:
		out.present, _ = f.InsertHash(in.hash)
	case insertBatch:
		_, _ = f.InsertHashBatch(hashes, word)
		out.present = filter.At(word, 0)
	case remove:
		out.status = f.DeleteHash(in.hash)
	case removeBatch:
		f.DeleteHashBatch(hashes, status)
		out.status = status[0]
	}
	return out
}

// historyBlocks is the number of blocks of a filter whose history is recorded, but for the last.
const historyBlocks = 32

// neighbours returns n hashes of one block, which share bits with the first in more than one lane.
func neighbours(rng *rand.Rand, block uint64, n int) (all []uint64) {
	low, high := fallback.Interval(block, block+1, historyBlocks)
	for len(all) < n {
		hash := low + rng.Uint64N(high-low+1)
		if len(all) > 0 {
			a, b, shared := fallback.Mask[uint64](hash), fallback.Mask[uint64](all[0]), 0
			for lane := range a {
				if a[lane]&b[lane] != 0 {
					shared++
				}
			}
			if shared < 2 {
				continue
			}
		}
		all = append(all, hash)
	}
	return all
}

// record returns the history of goroutines that go from block to block together: in each they
// insert and delete two keys of their own, and query all. Meanwhile another goroutine calls renew,
// if it is not nil, with a list that has every member at any time.
func record(
	t testing.TB,
	rng *rand.Rand,
	goroutines, calls int,
	renew func(f *sharded.Filter, list *sync.Map) error,
) (history []porcupine.Operation) {
	t.Helper()
	f, err := sharded.New(deletable.Config{Members: 32 * historyBlocks,
		BitsPerKey: bitsPerKey, Key: fixed})
	if err != nil {
		t.Fatal(err)
	}
	scripts := make([][historyBlocks - 1][]request, goroutines)
	for block := range uint64(historyBlocks - 1) {
		all := neighbours(rng, block, 2*goroutines)
		for g := range scripts {
			own, in := all[2*g:], [2]bool{}
			for range calls {
				i := rng.IntN(2)
				a := request{hash: own[i]}
				switch {
				case rng.IntN(4) == 0:
					a = request{query + operation(rng.IntN(2)), all[rng.IntN(len(all))]}
				case in[i]:
					a.op, in[i] = remove+operation(rng.IntN(2)), false
				default:
					a.op, in[i] = insert+operation(rng.IntN(2)), true
				}
				scripts[g][block] = append(scripts[g][block], a)
			}
		}
	}
	var begun [historyBlocks]atomic.Int64
	var together sync.WaitGroup
	var list sync.Map
	var ended atomic.Bool
	var owner sync.WaitGroup
	owner.Go(func() {
		for last := renew == nil; !last; {
			last = ended.Load()
			// A key that was listed before its insert, and renewed between the two, counts twice: an
			// empty list is then one of a filter with a member.
			if err := renew(f, &list); err != nil && !errors.Is(err, filter.ErrEmptySource) {
				t.Error(err)
				return
			}
		}
	})
	start, parts := time.Now(), make([][]porcupine.Operation, goroutines)
	for g, script := range scripts {
		together.Go(func() {
			part := make([]porcupine.Operation, 0, historyBlocks*calls)
			for block, calls := range script {
				begun[block].Add(1)
				for spins := 0; begun[block].Load() < int64(goroutines); spins++ {
					if spins > 100 {
						runtime.Gosched()
					}
				}
				for _, in := range calls {
					if in.op == insert || in.op == insertBatch {
						list.Store(in.hash, nil)
					}
					o := porcupine.Operation{ClientId: g, Input: in, Call: int64(time.Since(start))}
					o.Output = call(f, in)
					o.Return = int64(time.Since(start))
					if in.op == remove || in.op == removeBatch {
						list.Delete(in.hash)
					}
					part = append(part, o)
				}
			}
			parts[g] = part
		})
	}
	together.Wait()
	ended.Store(true)
	owner.Wait()
	d, err := f.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	history = slices.Concat(parts...)
	end := int64(time.Since(start)) + 1
	for i, block := range d.CloneTable()[:historyBlocks-1] {
		low, _ := fallback.Interval(uint64(i), uint64(i)+1, historyBlocks)
		history = append(history, porcupine.Operation{
			ClientId: goroutines, Input: request{read, low}, Call: end,
			Output: answered{block: block}, Return: end + 1,
		})
		end += 2
	}
	return history
}

// overlaps returns how many calls began while one of another goroutine ran.
func overlaps(history []porcupine.Operation) (n int) {
	for _, a := range history {
		if slices.ContainsFunc(history, func(b porcupine.Operation) bool {
			return a.ClientId != b.ClientId && b.Call < a.Call && a.Call < b.Return
		}) {
			n++
		}
	}
	return n
}

// Recorded histories are those of a set that finds all its members, and of the bits of some order.
func TestHistories(t *testing.T) {
	histories := 60
	if testing.Short() || fallback.Race {
		histories = 6
	}
	rng := rand.New(rand.NewPCG(9, 9))
	recorded, overlapping := 0, 0
	// A busy machine may run the goroutines one after the other, and one of one core always does.
	// What they record then is checked too.
	for recorded < histories {
		history := record(t, rng, 2+recorded%2, 12, nil)
		recorded++
		overlapping += overlaps(history)
		if !porcupine.CheckOperations(members, history) {
			t.Fatalf("history %d: a member was lost:\n%s", recorded, text(history))
		}
		if !porcupine.CheckOperations(bits, history) {
			t.Fatalf("history %d: the bits or answers of no order:\n%s", recorded, text(history))
		}
	}
	t.Logf("%d histories of %d blocks, %d calls beside others", recorded, historyBlocks-1,
		overlapping)
}

// A filter that is renewed again and again from a list that changes keeps every member: so say the
// histories of the other goroutines.
func TestHistoriesOfRenewals(t *testing.T) {
	histories := 30
	if testing.Short() || fallback.Race {
		histories = 4
	}
	renewals := 0
	listed := func(list *sync.Map, low, high uint64) iter.Seq2[uint64, error] {
		return filter.Infallible(func(yield func(uint64) bool) {
			list.Range(func(hash, _ any) bool {
				h := hash.(uint64)
				return h < low || h > high || yield(h)
			})
		})
	}
	for name, renew := range map[string]func(f *sharded.Filter, list *sync.Map) error{
		"rebuild": func(f *sharded.Filter, list *sync.Map) error {
			renewals++
			return f.RebuildHash(t.Context(), listed(list, 0, math.MaxUint64))
		},
		"refresh": func(f *sharded.Filter, list *sync.Map) error {
			renewals++
			return f.RefreshHash(t.Context(), func(low, high uint64) iter.Seq2[uint64, error] {
				return listed(list, low, high)
			})
		},
	} {
		rng := rand.New(rand.NewPCG(10, 10))
		for i := range histories {
			history := record(t, rng, 2+i%2, 12, renew)
			if !porcupine.CheckOperations(members, history) {
				t.Fatalf("%s, history %d: a member was lost:\n%s", name, i, text(history))
			}
		}
	}
	t.Logf("%d renewals", renewals)
	if renewals < 2*histories {
		t.Errorf("%d renewals in %d histories", renewals, 2*histories)
	}
}

func text(history []porcupine.Operation) (s string) {
	slices.SortFunc(history, func(a, b porcupine.Operation) int { return int(a.Call - b.Call) })
	for _, o := range history {
		s += fmt.Sprintf("%d: %d to %d: %+v: %+v\n", o.ClientId, o.Call, o.Return,
			o.Input, o.Output)
	}
	return s
}

// The checker finds what a filter must not do.
func TestWrongHistories(t *testing.T) {
	const x, y = 0x0123456789abcdef, 0xfedcba9876543210
	type history = []porcupine.Operation
	op := func(client int, begin, end int64, in request, out answered) porcupine.Operation {
		return porcupine.Operation{ClientId: client, Input: in, Call: begin,
			Output: out, Return: end}
	}
	in := op(0, 0, 10, request{insert, x}, answered{})
	mask := fallback.Mask[uint64](x)
	twice := mask
	fallback.InsertMask(&twice, &mask)
	for name, test := range map[string]struct {
		model   porcupine.Model
		history history
		want    bool
	}{
		"a member is absent": {members, history{in, op(1, 11, 12, request{query, x}, answered{})},
			false},
		"absent while it comes": {members, history{in, op(1, 5, 12, request{query, x}, answered{})},
			true},
		"seen, and then absent": {members,
			history{in, op(1, 11, 12, request{query, x}, answered{present: true}),
				op(1, 13, 14, request{queryBatch, x}, answered{})}, false},
		"a false positive": {members,
			history{in, op(1, 11, 12, request{query, y}, answered{present: true})}, true},
		"a member that is deleted was absent": {members,
			history{in, op(0, 11, 12, request{remove, x}, answered{})}, false},
		"absent while it goes": {members,
			history{in, op(0, 11, 20, request{remove, x}, answered{status: filter.Deleted}),
				op(1, 15, 16, request{query, x}, answered{})}, true},
		"a bit is lost": {bits, history{in, op(2, 90, 91, request{read, x}, answered{})}, false},
		"as it should be": {bits,
			history{in, op(2, 90, 91, request{read, x}, answered{block: mask})},
			true},
		"a mark too many": {bits,
			history{in, op(2, 90, 91, request{read, x}, answered{block: twice})}, false},
		"a mark is missing": {bits,
			history{in, op(1, 5, 12, request{insertBatch, x}, answered{present: true}),
				op(2, 90, 91, request{read, x}, answered{block: mask})}, false},
		"a wrong answer": {bits, history{in, op(1, 11, 12, request{insert, x}, answered{}),
			op(2, 90, 91, request{read, x}, answered{block: twice})}, false},
		"a wrong status": {bits,
			history{in, op(1, 11, 12, request{remove, x}, answered{status: filter.Retained}),
				op(2, 90, 91, request{read, x}, answered{})}, false},
	} {
		if got := porcupine.CheckOperations(test.model, test.history); got != test.want {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}
