//go:build (amd64 || arm64) && !purego && unix

package asm

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"unsafe"

	"github.com/bloomlane/bloomlane/fallback"
)

// Every test here holds the kernels against package fallback, with each slice between two pages
// that fault, and nothing but random operands: a broken encoding hides behind ones and zeros.

const (
	// longest is the longest batch: two words of answers and the start of a third.
	longest = 130

	// mostBlocks keeps tables so small that keys collide, within a batch too.
	mostBlocks = 9

	// farthest is the longest distance at which a batch prefetches.
	farthest = 70
)

// arena is the memory of one batch.
type arena[T fallback.Lane] struct {
	rng                          *rand.Rand
	insert                       func(table [][fallback.Lanes]T, h uint64) bool // of the definition
	table, other, hashes, output *memory
}

// rounds is how often a test tries a thing: less often under -short, for a CPU that is emulated.
func rounds(n int) int {
	if testing.Short() {
		return max(1, n/16)
	}
	return n
}

// newArena returns the memory of one batch; insert is the shape's definition.
func newArena[T fallback.Lane](
	t *testing.T,
	insert func(table [][fallback.Lanes]T, h uint64) bool,
) *arena[T] {
	const block = fallback.Lanes * 8
	return &arena[T]{
		rng:    rand.New(rand.NewPCG(3, uint64(unsafe.Sizeof(T(0))))),
		insert: insert,
		table:  newMemory(t, longest*block),
		other:  newMemory(t, longest*block),
		hashes: newMemory(t, (longest+farthest)*8),
		output: newMemory(t, longest*8),
	}
}

func (a *arena[T]) place() place { return place(a.rng.IntN(int(places))) }

// lanes is the alignment of a table: that of its lanes.
func lanes[T fallback.Lane]() int { return int(unsafe.Sizeof(T(0))) }

// lane returns a lane of a random density: with few bits set, with about half, with nearly all.
func lane[T fallback.Lane](rng *rand.Rand, density int) T {
	x := T(rng.Uint64())
	for range density {
		x |= T(rng.Uint64())
	}
	for range -density {
		x &= T(rng.Uint64())
	}
	return x
}

// blocks returns n random blocks of one density.
func (a *arena[T]) blocks(n int) [][fallback.Lanes]T {
	table := make([][fallback.Lanes]T, n)
	density := a.rng.IntN(7) - 3
	for i := range table {
		for j := range table[i] {
			table[i][j] = lane[T](a.rng, density)
		}
	}
	return table
}

// batch is the input of a batch of n keys, and the same for fallback.
type batch[T fallback.Lane] struct {
	table, wantTable [][fallback.Lanes]T
	hashes           []uint64
	n                int
	fetch, distance  int
}

// batch returns a random batch of n keys. Some of them are twice in it, and some are made present
// in the table: a random key of it almost never is.
func (a *arena[T]) batch(n int) batch[T] {
	b := batch[T]{n: n, wantTable: a.blocks(1 + a.rng.IntN(mostBlocks))}
	if a.rng.IntN(2) == 0 {
		b.distance = a.rng.IntN(farthest + 1)
		b.fetch = a.rng.IntN(n + 1)
	}
	length := n
	if b.fetch > 0 {
		length = max(n, b.distance+b.fetch)
	}
	hashes := make([]uint64, length)
	for i := range hashes {
		hashes[i] = a.rng.Uint64()
		if i > 0 && a.rng.IntN(4) == 0 {
			hashes[i] = hashes[a.rng.IntN(i)]
		}
	}
	for range n / 2 {
		a.insert(b.wantTable, hashes[a.rng.IntN(n)])
	}
	if a.rng.IntN(4) == 0 { // every region collided: what is present is retained
		for i := range b.wantTable {
			b.wantTable[i][0] = ^T(0)
		}
	}
	b.table = slice(a.table, a.place(), lanes[T](), a.rng, b.wantTable)
	b.hashes = slice(a.hashes, a.place(), 8, a.rng, hashes)
	return b
}

// check compares the table with fallback's, and looks for writes outside the slices.
func (b batch[T]) check(t *testing.T, a *arena[T], what string, got, want any) {
	t.Helper()
	if got != want {
		t.Fatalf("%s: returned %v, want %v", what, got, want)
	}
	equal(t, what+": block", b.table, b.wantTable)
	check(t, a.table, what+": table", b.table)
	check(t, a.hashes, what+": hashes", b.hashes)
}

func equal[E comparable](t *testing.T, what string, got, want []E) {
	t.Helper()
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%s %d = %v, want %v", what, i, got[i], want[i])
		}
	}
}

// words is the number of words of answers for n answers.
func words(n int) int { return (n + 63) / 64 }

// present returns random words for the answers to n keys, and the same for fallback; both are nil
// for one batch in four. The kernel's are sometimes more than are needed: those must stay as they
// are.
func (a *arena[T]) present(n int) (got, want []uint64) {
	if a.rng.IntN(4) == 0 {
		return nil, nil
	}
	want = make([]uint64, words(n)+a.rng.IntN(2))
	for i := range want {
		want[i] = a.rng.Uint64()
	}
	return slice(a.output, a.place(), 8, a.rng, want), want
}

// Every operation is the definition of its name, in every instruction set and shape. An operation
// whose form has a test here needs no other.
func TestOperations(t *testing.T) {
	each(t, func(t *testing.T, s Set) {
		t.Run("512", func(t *testing.T) {
			testOperations(t, s.W512, definitions512, fallback.Insert[uint64])
		})
		t.Run("256", func(t *testing.T) {
			testOperations(t, s.W256, definitions256, fallback.Insert[uint32])
		})
		t.Run("Split", func(t *testing.T) {
			testOperations(t, s.WSplit, definitionsSplit, fallback.InsertSplit)
		})
	})
}

func testOperations[T fallback.Lane](
	t *testing.T,
	functions Functions[T],
	define definitions[T],
	insert func(table [][fallback.Lanes]T, h uint64) bool,
) {
	all := reflect.ValueOf(functions)
	for i := range all.NumField() {
		if all.Field(i).IsNil() {
			continue
		}
		name, kernel := all.Type().Field(i).Name, unnamed(all.Field(i))
		t.Run(name, func(t *testing.T) {
			a := newArena(t, insert)
			if kernel, ok := kernel.(func(*[8]T, int, *uint64, int)); ok {
				testFetch(t, a, kernel)
				return
			}
			definition := reflect.ValueOf(define).FieldByName(name).Interface()
			switch kernel := kernel.(type) {
			case func(*[8]T, int, *uint64, int, int, int, *uint64) int:
				testAnsweredBatch(t, a, kernel, definition.(func([][8]T, []uint64, []uint64) int))
			case func(*[8]T, int, *uint64, int, int, int, *uint8) int:
				testDeleteBatch(t, a, kernel, definition.(func([][8]T, []uint64, []uint8) int))
			case func(*[8]T, int, *uint64, int, int, int, int, *uint32) int:
				testSelectBatch(t, a, kernel, definition.(func([][8]T, []uint64, []uint32) int))
			case func(*[8]T, int, *uint64, int, int, int):
				testAddBatch(t, a, kernel, definition.(func([][8]T, []uint64)))
			case func(*[8]T, int, int, *uint64, int, int, int):
				testInsertPart(t, a, kernel, definition.(func([][8]T, int, int, []uint64)))
			case func(*[8]T, int, uint64) bool:
				testSingle(t, a, kernel, definition.(func([][8]T, uint64) bool))
			case func(*[8]T, int, uint64) uint8:
				testSingle(t, a, kernel, definition.(func([][8]T, uint64) uint8))
			case func(*[8]T, *[8]T, int, int):
				testTables(t, a, kernel, definition.(func(table, other [][8]T)))
			case func(*[8]T, *[8]T, int, *uint64) int:
				testMatchBatch(t, a, kernel, definition.(func(*[8]T, [][8]T, []uint64) int))
			default:
				t.Errorf("%T is a form that no test is for", kernel)
			}
		})
	}
}

// unnamed returns a function as one of the type behind that of its contract.
func unnamed(function reflect.Value) any {
	var in, out []reflect.Type
	for i := range function.Type().NumIn() {
		in = append(in, function.Type().In(i))
	}
	for i := range function.Type().NumOut() {
		out = append(out, function.Type().Out(i))
	}
	return function.Convert(reflect.FuncOf(in, out, false)).Interface()
}

func testAnsweredBatch[T fallback.Lane](
	t *testing.T,
	a *arena[T],
	kernel func(*[8]T, int, *uint64, int, int, int, *uint64) int,
	definition func(table [][8]T, hashes, present []uint64) int,
) {
	answers := [2]int{}
	for n := range longest + 1 {
		for range rounds(30) {
			b := a.batch(n)
			present, wantPresent := a.present(n)
			want := definition(b.wantTable, b.hashes[:n], wantPresent)
			got := kernel(&b.table[0], len(b.table), unsafe.SliceData(b.hashes), n,
				b.fetch, b.distance, unsafe.SliceData(present))
			what := fmt.Sprintf("%d keys, %d fetched at %d", n, b.fetch, b.distance)
			b.check(t, a, what, got, want)
			equal(t, what+": word of answers", present, wantPresent)
			if present != nil {
				check(t, a.output, what+": answers", present)
			}
			answers[0] += n - want
			answers[1] += want
		}
	}
	if answers[0] == 0 || answers[1] == 0 {
		t.Errorf("%d keys were absent and %d present: the test shows nothing of one of them",
			answers[0], answers[1])
	}
}

// The positions behind the last may have any value, but nothing behind the last key's is written.
func testSelectBatch[T fallback.Lane](
	t *testing.T,
	a *arena[T],
	kernel func(
		table *[8]T,
		nblocks int,
		hashes *uint64,
		n, fetch, distance, first int,
		positions *uint32,
	) int,
	definition func(table [][8]T, hashes []uint64, positions []uint32) int,
) {
	answers := [2]int{}
	for n := range longest + 1 {
		for range rounds(30) {
			b := a.batch(n)
			positions := slice(a.output, a.place(), 4, a.rng, make([]uint32, n))
			want := make([]uint32, n)
			selected := definition(b.wantTable, b.hashes[:n], want)
			first := a.rng.Uint32()
			for i := range want {
				want[i] += first
			}
			got := kernel(&b.table[0], len(b.table), unsafe.SliceData(b.hashes), n,
				b.fetch, b.distance, int(first), unsafe.SliceData(positions))
			what := fmt.Sprintf("%d keys from %d, %d fetched at %d", n, first, b.fetch, b.distance)
			b.check(t, a, what, got, selected)
			equal(t, what+": position", positions, want[:selected])
			check(t, a.output, what+": positions", positions)
			answers[0] += n - selected
			answers[1] += selected
		}
	}
	if answers[0] == 0 || answers[1] == 0 {
		t.Errorf("%d keys were absent and %d present: the test shows nothing of one of them",
			answers[0], answers[1])
	}
}

// The blocks before the part, and those behind it, are pages that fault, or memory that nothing may
// write.
func testInsertPart[T fallback.Lane](
	t *testing.T,
	a *arena[T],
	kernel func(table *[8]T, skipped, nblocks int, hashes *uint64, n, fetch, distance int),
	definition func(part [][8]T, first, nblocks int, hashes []uint64),
) {
	for n := range longest + 1 {
		for range rounds(30) {
			b := a.batch(n)
			first := a.rng.IntN(1 << a.rng.IntN(30))
			nblocks := first + len(b.table) + a.rng.IntN(1<<a.rng.IntN(30))
			low, high := fallback.Interval(uint64(first), uint64(first+len(b.table)),
				uint64(nblocks))
			for i := range b.hashes {
				b.hashes[i] = low
				if high-low < 1<<64-1 {
					b.hashes[i] += a.rng.Uint64N(high - low + 1)
				}
			}
			if n > 1 {
				b.hashes[a.rng.IntN(n)], b.hashes[a.rng.IntN(n)] = low, high
			}
			want := slices.Clone(b.hashes)
			definition(b.wantTable, first, nblocks, b.hashes[:n])
			kernel(&b.table[0], first*int(unsafe.Sizeof(b.table[0])), nblocks,
				unsafe.SliceData(b.hashes), n, b.fetch, b.distance)
			what := fmt.Sprintf("%d keys, %d fetched at %d, blocks from %d of %d", n, b.fetch,
				b.distance, first, nblocks)
			b.check(t, a, what, nil, nil)
			equal(t, what+": hash", b.hashes, want)
		}
	}
}

func testDeleteBatch[T fallback.Lane](
	t *testing.T,
	a *arena[T],
	kernel func(
		table *[8]T,
		nblocks int,
		hashes *uint64,
		n, fetch, distance int,
		status *uint8,
	) int,
	definition func(table [][8]T, hashes []uint64, status []uint8) int,
) {
	answers := [3]int{}
	for n := range longest + 1 {
		for range rounds(30) {
			b := a.batch(n)
			var status, wantStatus []uint8
			if a.rng.IntN(4) != 0 {
				wantStatus = make([]uint8, n)
				status = slice(a.output, a.place(), 1, a.rng, wantStatus)
			}
			want := definition(b.wantTable, b.hashes[:n], wantStatus)
			got := kernel(&b.table[0], len(b.table), unsafe.SliceData(b.hashes), n,
				b.fetch, b.distance, unsafe.SliceData(status))
			what := fmt.Sprintf("%d keys, %d fetched at %d", n, b.fetch, b.distance)
			b.check(t, a, what, got, want)
			equal(t, what+": status", status, wantStatus)
			if status != nil {
				check(t, a.output, what+": status", status)
			}
			for _, s := range wantStatus {
				answers[s]++
			}
		}
	}
	for s, n := range answers {
		if n == 0 {
			t.Errorf("no delete had status %d: the test shows nothing of it", s)
		}
	}
}

func testAddBatch[T fallback.Lane](
	t *testing.T,
	a *arena[T],
	kernel func(table *[8]T, nblocks int, hashes *uint64, n, fetch, distance int),
	definition func(table [][8]T, hashes []uint64),
) {
	for n := range longest + 1 {
		for range rounds(30) {
			b := a.batch(n)
			definition(b.wantTable, b.hashes[:n])
			kernel(&b.table[0], len(b.table), unsafe.SliceData(b.hashes), n, b.fetch, b.distance)
			b.check(t, a, fmt.Sprintf("%d keys, %d fetched at %d", n, b.fetch, b.distance), nil,
				nil)
		}
	}
}

// Some hashes are operated on twice, and some are members.
func testSingle[T fallback.Lane, R comparable](
	t *testing.T,
	a *arena[T],
	kernel func(table *[8]T, nblocks int, h uint64) R,
	definition func(table [][8]T, h uint64) R,
) {
	answers := map[R]int{}
	for range rounds(1000) {
		b := a.batch(4)
		for range 2 * len(b.hashes) {
			h := b.hashes[a.rng.IntN(len(b.hashes))]
			want := definition(b.wantTable, h)
			b.check(t, a, "one key", kernel(&b.table[0], len(b.table), h), want)
			answers[want]++
		}
	}
	if len(answers) < 2 {
		t.Errorf("answers %v: the test shows nothing of another", answers)
	}
}

// Fetch has no result: what can be shown is that it changes nothing and reads no hash too many.
func testFetch[T fallback.Lane](
	t *testing.T,
	a *arena[T],
	kernel func(table *[8]T, nblocks int, hashes *uint64, n int),
) {
	for n := range longest + 1 {
		b := a.batch(n)
		kernel(&b.table[0], len(b.table), unsafe.SliceData(b.hashes), n)
		b.check(t, a, fmt.Sprintf("%d keys", n), nil, nil)
	}
}

func testTables[T fallback.Lane](
	t *testing.T,
	a *arena[T],
	kernel func(dst, src *[8]T, n, fetch int),
	definition func(table, other [][8]T),
) {
	for n := range longest + 1 {
		for range rounds(10) {
			want, wantOther := a.blocks(n), a.blocks(n)
			dst := slice(a.table, a.place(), lanes[T](), a.rng, want)
			src := slice(a.other, a.place(), lanes[T](), a.rng, wantOther)
			definition(want, wantOther)
			fetch := a.rng.IntN(n + 1)
			kernel(unsafe.SliceData(dst), unsafe.SliceData(src), n, fetch)
			what := fmt.Sprintf("%d blocks, %d fetched", n, fetch)
			equal(t, what+": block", dst, want)
			equal(t, what+": block of the source", src, wantOther)
			check(t, a.table, what+": destination", dst)
			check(t, a.other, what+": source", src)
		}
	}
}

func testMatchBatch[T fallback.Lane](
	t *testing.T,
	a *arena[T],
	kernel func(block, masks *[8]T, n int, present *uint64) int,
	definition func(block *[8]T, masks [][8]T, present []uint64) int,
) {
	matches := 0
	for n := range longest + 1 {
		for range rounds(30) {
			header, wantMasks := a.blocks(1), a.blocks(n)
			for i := range wantMasks {
				switch a.rng.IntN(4) {
				case 0: // matches
					for j := range wantMasks[i] {
						wantMasks[i][j] &= header[0][j]
					}
				case 1: // lacks one bit, in any lane
					for j := range wantMasks[i] {
						wantMasks[i][j] &= header[0][j]
					}
					wantMasks[i][a.rng.IntN(fallback.Lanes)] |= 1 << a.rng.IntN(8*lanes[T]())
				case 2: // a key's mask, which the header has
					mask := fallback.Mask[T](a.rng.Uint64())
					fallback.InsertMask(&header[0], &mask)
					wantMasks[i] = mask
				}
			}
			block := slice(a.table, a.place(), lanes[T](), a.rng, header)
			masks := slice(a.other, a.place(), lanes[T](), a.rng, wantMasks)
			present, wantPresent := a.present(n)
			want := definition(&header[0], wantMasks, wantPresent)
			got := kernel(&block[0], unsafe.SliceData(masks), n, unsafe.SliceData(present))
			what := fmt.Sprintf("%d masks", n)
			if got != want {
				t.Fatalf("%s: returned %d, want %d", what, got, want)
			}
			equal(t, what+": word of answers", present, wantPresent)
			check(t, a.table, what+": block", block)
			check(t, a.other, what+": masks", masks)
			if !slices.Equal(masks, wantMasks) || block[0] != header[0] {
				t.Fatalf("%s: the input was written", what)
			}
			if present != nil {
				check(t, a.output, what+": answers", present)
			}
			matches += want
		}
	}
	if matches == 0 {
		t.Error("no mask matched: the test shows nothing of that")
	}
}
