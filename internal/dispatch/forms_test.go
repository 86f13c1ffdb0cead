package dispatch

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/fallback"
)

// Every operation, on every implementation and shape, has the outcome of portable Go: with no key,
// around a word of answers, and over many calls, with and without prefetching. It allocates
// nothing, and arguments that do not fit panic with its name before anything is written. An
// operation whose form is here needs no other test of these.
func TestForms(t *testing.T) {
	for _, im := range Implementations() {
		t.Run(im.String(), func(t *testing.T) {
			t.Run("512", func(t *testing.T) {
				testForms(t, im.Operations512(), purego.Operations512(), fallback.Insert)
			})
			t.Run("256", func(t *testing.T) {
				testForms(t, im.Operations256(), purego.Operations256(), fallback.Insert)
			})
			t.Run("Split", func(t *testing.T) {
				testForms(t, im.OperationsSplit(), purego.OperationsSplit(), fallback.InsertSplit)
			})
		})
	}
}

func testForms[T fallback.Lane](
	t *testing.T,
	tested, portable Operations[T],
	insert func(table [][8]T, h uint64) bool,
) {
	defer func(before uintptr) { FetchBytes = before }(FetchBytes)
	all, definitions := reflect.ValueOf(tested), reflect.ValueOf(portable)
	for i := range all.NumField() {
		if all.Field(i).IsNil() {
			continue
		}
		name := all.Type().Field(i).Name
		operation, definition := all.Field(i).Interface(), definitions.Field(i).Interface()
		for _, FetchBytes = range []uintptr{0, math.MaxUint} {
			for _, n := range []int{0, 1, 63, 64, 65, 200, 3*CallKeys + 77, 4 * CallKeys} {
				got, want := newRun(t, operation, n, insert), newRun(t, definition, n, insert)
				if got, want := got.call(), want.call(); got != want {
					t.Errorf("%s of %d: %v, want %v", name, n, got, want)
				}
				if !reflect.DeepEqual(got.arguments, want.arguments) {
					t.Errorf("%s of %d, prefetched from %d bytes: other bits or outputs", name, n,
						FetchBytes)
				}
			}
			run := newRun(t, operation, 2*CallKeys, insert)
			if n := testing.AllocsPerRun(3, func() { run.call() }); n != 0 {
				t.Errorf("%s: %v allocations", name, n)
			}
		}
		for i := range newRun(t, operation, 100, insert).misfits {
			run, before := newRun(t, operation, 100, insert), newRun(t, operation, 100, insert)
			if got := recovered(run.misfits[i]); !strings.Contains(got, name+": ") ||
				!reflect.DeepEqual(run.arguments, before.arguments) {
				t.Errorf("%s, misfit %d: panic %q; or something was written", name, i, got)
			}
		}
	}
}

func recovered(call func()) (message string) {
	defer func() { message = fmt.Sprint(recover()) }()
	call()
	return ""
}

// run is one call of an operation.
type run struct {
	arguments []any // what it may write, and what it only reads
	call      func() int
	misfits   []func() // calls that must panic
}

// newRun returns the call of an operation on n random keys or blocks, the same each time.
func newRun[T fallback.Lane](
	t *testing.T,
	operation any,
	n int,
	insert func(table [][8]T, h uint64) bool,
) run {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	blocks := func(n int) [][8]T {
		table := make([][8]T, n)
		for i := range table {
			for j := range table[i] {
				table[i][j] = T(rng.Uint64() & rng.Uint64())
			}
		}
		return table
	}
	table, hashes := blocks(300), make([]uint64, n)
	for i := range hashes {
		hashes[i] = rng.Uint64()
		switch rng.IntN(4) { // in the other cases it is absent, with few exceptions
		case 0:
			insert(table, hashes[i])
		case 1:
			hashes[i] = hashes[rng.IntN(i+1)]
		}
	}
	present := slices.Repeat([]uint64{math.MaxUint64}, n/64+2)
	status := slices.Repeat([]uint8{math.MaxUint8}, n+1)
	switch operation := operation.(type) {
	case func([][8]T, uint64) bool:
		return run{[]any{table}, func() int {
			yes := 0
			for _, h := range hashes {
				if operation(table, h) {
					yes++
				}
			}
			return yes
		}, nil}
	case func([][8]T, uint64) uint8:
		return run{[]any{table}, func() int {
			sum := 0
			for _, h := range hashes {
				sum += int(operation(table, h))
			}
			return sum
		}, nil}
	case func([][8]T, []uint64, []uint64) int:
		return run{[]any{table, hashes, present},
			func() int { return operation(table, hashes, present) },
			[]func(){func() { operation(table, hashes, present[:n/64]) },
				func() { operation(nil, hashes, present) }}}
	case func([][8]T, []uint64, []uint8) int:
		return run{[]any{table, hashes, status},
			func() int { return operation(table, hashes, status) },
			[]func(){func() { operation(table, hashes, status[:n-1]) },
				func() { operation(nil, hashes, status) }}}
	case func([][8]T, []uint64, []uint32) int:
		positions := slices.Repeat([]uint32{math.MaxUint32}, n+1)
		return run{[]any{table, hashes, positions},
			func() int {
				selected := operation(table, hashes, positions)
				clear(positions[selected:n]) // which had any value
				return selected
			},
			[]func(){func() { operation(table, hashes, positions[:n-1]) },
				func() { operation(table, hashes, nil) },
				func() { operation(nil, hashes, positions) }}}
	case func([][8]T, []uint64):
		return run{[]any{table, hashes},
			func() int { operation(table, hashes); return 0 },
			[]func(){func() { operation(nil, hashes) }}}
	case func([][8]T, int, int, []uint64):
		const first, nblocks = 70, 1000
		low, high := fallback.Interval(first, uint64(first+len(table)), nblocks)
		for i := range hashes {
			hashes[i] = low + rng.Uint64N(high-low)
		}
		return run{[]any{table, hashes},
			func() int { operation(table, first, nblocks, hashes); return 0 },
			[]func(){func() { operation(table, first-30, nblocks, hashes) },
				func() { operation(table, first, len(table), hashes) }}}
	case func([][8]T, [][8]T):
		one, other := blocks(n), blocks(n)
		return run{[]any{one, other},
			func() int { operation(one, other); return 0 },
			[]func(){func() { operation(one, other[:n-1]) }, func() { operation(one[:0], other) },
				func() { operation(one, one) }}}
	case func(*[8]T, [][8]T, []uint64) int:
		block, masks := blocks(1), blocks(n)
		for i := range masks {
			if rng.IntN(2) == 0 {
				masks[i] = block[0]
			}
		}
		return run{[]any{block, masks, present},
			func() int { return operation(&block[0], masks, present) },
			[]func(){func() { operation(nil, masks, present) },
				func() { operation(&block[0], masks, present[:n/64]) }}}
	}
	t.Fatalf("%T is a form that no test is for", operation)
	return run{}
}
