package kernel

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/bloomlane/bloomlane/asm"
	"github.com/bloomlane/bloomlane/internal/dispatch"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// The tests compare everything with the definition in Parquet's BloomFilter.md: block_insert,
// block_check and filter_insert, written as they are there.

var specSalt = [8]uint32{0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b,
	0x9efc4947, 0x5c6bfb31}

func specMask(x uint32) (result [8]uint32) {
	for i := range 8 {
		y := x * specSalt[i]
		result[i] |= 1 << (y >> 27)
	}
	return result
}

func specBlock(filter [][8]uint32, x uint64) *[8]uint32 {
	return &filter[(x>>32*uint64(len(filter)))>>32]
}

func specCheck(filter [][8]uint32, x uint64) bool {
	block, mask := specBlock(filter, x), specMask(uint32(x))
	for i := range 8 {
		if block[i]&mask[i] == 0 {
			return false
		}
	}
	return true
}

func specInsert(filter [][8]uint32, x uint64) bool {
	present := specCheck(filter, x)
	block, mask := specBlock(filter, x), specMask(uint32(x))
	for i := range 8 {
		block[i] |= mask[i]
	}
	return present
}

// splitTable returns lanes as a table, in the same memory.
func splitTable(lanes [][8]uint32) SplitBlockTable {
	return *(*SplitBlockTable)(unsafe.Pointer(&lanes))
}

// splitSubjects are the implementations, and the methods that users call. Operations on one key are
// those of the methods in both cases, in portable Go for purego.
func splitSubjects() map[string]dispatch.Operations[uint32] {
	table := splitTable
	methods := dispatch.Operations[uint32]{
		Query:  func(t [][8]uint32, h uint64) bool { return table(t).Query(h) },
		Insert: func(t [][8]uint32, h uint64) bool { return table(t).Insert(h) },
		QueryBatch: func(t [][8]uint32, hashes, present []uint64) int {
			return table(t).QueryBatch(hashes, present)
		},
		SelectBatch: func(t [][8]uint32, hashes []uint64, positions []uint32) int {
			return table(t).SelectBatch(hashes, positions)
		},
		InsertBatch: func(t [][8]uint32, hashes, present []uint64) int {
			return table(t).QueryInsertBatch(hashes, present)
		},
		AddBatch: func(t [][8]uint32, hashes []uint64) { table(t).AddBatch(hashes) },
		Merge:    func(t, u [][8]uint32) { table(t).Merge(table(u)) },
	}
	// whose methods of one key leave assembly to others, as where purego is active
	portable := methods
	portably := func(call func()) {
		defer func(before bool) { asm.Portable = before }(asm.Portable)
		asm.Portable = true
		call()
	}
	portable.Query = func(t [][8]uint32, h uint64) (present bool) {
		portably(func() { present = methods.Query(t, h) })
		return present
	}
	portable.Insert = func(t [][8]uint32, h uint64) (present bool) {
		portably(func() { present = methods.Insert(t, h) })
		return present
	}
	all := map[string]dispatch.Operations[uint32]{"methods": methods}
	for _, im := range dispatch.Implementations() {
		s, single := im.OperationsSplit(), methods
		if im == purego {
			single = portable
		}
		s.Query, s.Insert = single.Query, single.Insert
		all[im.String()] = s
	}
	return all
}

// purego is the zero implementation, on every CPU.
const purego = dispatch.Implementation(0)

func eachSplit(t *testing.T, test func(*testing.T, dispatch.Operations[uint32])) {
	for name, s := range splitSubjects() {
		t.Run(name, func(t *testing.T) { test(t, s) })
	}
}

// The worked example: mask and block of a hash by hand.
func TestSplitBlockExample(t *testing.T) {
	const h = 0x0123456789abcdef
	want := [8]uint32{}
	for i, position := range [8]int{18, 19, 30, 23, 4, 16, 12, 24} {
		want[i] = 1 << position
	}
	eachSplit(t, func(t *testing.T, s dispatch.Operations[uint32]) {
		table := make([][8]uint32, 1000)
		s.Insert(table, h)
		for i, block := range table {
			if i == 4 && block != want || i != 4 && block != [8]uint32{} {
				t.Errorf("block %d of 1000: %#x, want %#x in block 4", i, block, want)
			}
		}
	})
}

// The upper half of a hash alone selects its block. A product of all 64 bits would be carried into
// the next block if the lower half is large.
func TestSplitBlockIndex(t *testing.T) {
	eachSplit(t, func(t *testing.T, s dispatch.Operations[uint32]) {
		for _, nblocks := range []int{3, 7, 1000} {
			for block := 1; block < nblocks; block++ {
				upper := (uint64(block)<<32 - 1) / uint64(nblocks) // the last of the block before
				for _, h := range []uint64{upper << 32, upper<<32 | 0xffffffff, (upper + 1) << 32} {
					want := make([][8]uint32, nblocks)
					specInsert(want, h)
					if !s.Query(want, h) || s.QueryBatch(want, []uint64{h}, nil) != 1 {
						t.Fatalf("%#x of %d blocks is looked for in another block", h, nblocks)
					}
					inserted, batch, added := make([][8]uint32, nblocks),
						make([][8]uint32, nblocks), make([][8]uint32, nblocks)
					s.Insert(inserted, h)
					s.InsertBatch(batch, []uint64{h}, nil)
					s.AddBatch(added, []uint64{h})
					one := make([][8]uint32, nblocks)
					splitTable(one).Add(h)
					if !slices.Equal(inserted, want) || !slices.Equal(batch, want) ||
						!slices.Equal(added, want) || !slices.Equal(one, want) {
						t.Fatalf("%#x of %d blocks lies in another block", h, nblocks)
					}
				}
			}
		}
	})
}

// splitHashes returns hashes. A quarter of them are inserted into start, and a quarter occur twice.
func splitHashes(rng *rand.Rand, start [][8]uint32, n int) []uint64 {
	hashes := workload.Hashes(rng, n)
	for i := range hashes {
		switch rng.IntN(4) {
		case 0:
			specInsert(start, hashes[i])
		case 1:
			hashes[i] = hashes[rng.IntN(i+1)]
		}
	}
	return hashes
}

// Single operations and batches follow the specification at every length and every tail, with and
// without an output, with and without prefetching, and over many calls of assembly. Nothing beside
// the table and its part of the output is written.
func TestSplitBlockLaws(t *testing.T) {
	eachSplit(t, func(t *testing.T, s dispatch.Operations[uint32]) {
		rng := seeded[uint32](40)
		t.Run("lengths", func(t *testing.T) {
			for n := range 131 {
				for _, nblocks := range []int{1, 3, 64} {
					start := make([][8]uint32, nblocks)
					checkSplit(t, s, start, splitHashes(rng, start, n))
				}
			}
		})
		t.Run("calls", func(t *testing.T) {
			prefetchAndNot(t, func(t *testing.T) {
				for _, n := range manyCalls(dispatch.CallKeys) {
					start := randomTable[uint32](rng, 300, false)
					hashes := splitHashes(rng, start, n)
					var seen [4][2]int // the absent and the present keys of each call
					for i, h := range hashes {
						if specCheck(start, h) {
							seen[i/dispatch.CallKeys][1]++
						} else {
							seen[i/dispatch.CallKeys][0]++
						}
					}
					for call, answers := range seen {
						if slices.Min(answers[:]) == 0 {
							t.Fatalf("call %d of %d keys has %v absent and present: the law was "+
								"not tried", call, n, answers)
						}
					}
					checkSplit(t, s, start, hashes)
				}
			})
		})
		t.Run("misaligned", func(t *testing.T) {
			for offset := range 8 {
				table, want := misaligned[uint32](20, offset), make([][8]uint32, 20)
				hashes := workload.Hashes(rng, 200)
				s.AddBatch(table, hashes[:100])
				s.InsertBatch(table, hashes[100:], nil)
				for _, h := range hashes {
					specInsert(want, h)
				}
				if !slices.Equal(table, want) {
					t.Fatalf("lanes offset by %d: the table differs", offset)
				}
			}
		})
		t.Run("members", func(t *testing.T) {
			table, members := make([][8]uint32, 50), workload.Hashes(rng, 2000)
			s.AddBatch(table, members)
			if n := s.QueryBatch(table, members, nil); n != len(members) {
				t.Fatalf("%d of %d members are found", n, len(members))
			}
		})
		t.Run("merge", func(t *testing.T) {
			prefetchAndNot(t, func(t *testing.T) {
				for _, n := range append(manyCalls(dispatch.CallBlocks), 0, 1, 2, 3, 70) {
					first, second := workload.Hashes(rng, n), workload.Hashes(rng, n)
					a, b, both := guard(make([][8]uint32, n)), guard(make([][8]uint32, n)),
						guard(make([][8]uint32, n))
					s.AddBatch(a.table, first)
					s.AddBatch(b.table, second)
					s.AddBatch(both.table, slices.Concat(first, second))
					before := slices.Clone(b.whole)
					s.Merge(a.table, b.table)
					if i := difference(a.whole, both.whole); i >= 0 {
						t.Fatalf("%d blocks: block %d is not that of all the inserts", n, i-1)
					}
					if !slices.Equal(b.whole, before) {
						t.Fatalf("%d blocks: the argument was written", n)
					}
				}
			})
		})
	})
}

// checkSplit compares operations on a table with those of the specification, one after another.
func checkSplit(t *testing.T, s dispatch.Operations[uint32], start [][8]uint32, hashes []uint64) {
	t.Helper()
	const untouched = 0xA5A5A5A5A5A5A5A5
	n, words, input := len(hashes), (len(hashes)+63)/64, slices.Clone(hashes)
	for _, op := range []struct {
		name   string
		batch  func([][8]uint32, []uint64, []uint64) int
		single func([][8]uint32, uint64) bool
		spec   func([][8]uint32, uint64) bool
	}{
		{"query", s.QueryBatch, s.Query, specCheck},
		{"insert", s.InsertBatch, s.Insert, specInsert},
	} {
		want, singly, count := guard(start), guard(start), 0
		expected := slices.Repeat([]uint64{untouched}, words+2)
		clear(expected[:words])
		for i, h := range hashes {
			answer := op.spec(want.table, h)
			if got := op.single(singly.table, h); got != answer {
				t.Fatalf("%s of key %d of %d: %v, want %v", op.name, i, n, got, answer)
			}
			if answer {
				expected[i/64] |= 1 << (i % 64)
				count++
			}
		}
		if i := difference(singly.whole, want.whole); i >= 0 {
			t.Fatalf("%s of %d single keys: block %d differs", op.name, n, i-1)
		}
		for _, present := range [][]uint64{slices.Repeat([]uint64{untouched}, words+2), nil} {
			got := guard(start)
			if c := op.batch(got.table, hashes, present); c != count {
				t.Fatalf("%s of %d keys, present nil %v: count %d, want %d", op.name, n,
					present == nil, c, count)
			}
			if i := difference(got.whole, want.whole); i >= 0 {
				t.Fatalf("%s of %d keys, present nil %v: block %d differs", op.name, n,
					present == nil, i-1)
			}
			if present != nil && !slices.Equal(present, expected) {
				t.Fatalf("%s of %d keys: present %#x, want %#x", op.name, n, present, expected)
			}
		}
		if op.name == "query" {
			checkSplitSelection(t, s, start, hashes)
		}
		if op.name == "insert" {
			got := guard(start)
			s.AddBatch(got.table, hashes)
			if i := difference(got.whole, want.whole); i >= 0 {
				t.Fatalf("add of %d keys: block %d differs", n, i-1)
			}
		}
	}
	if !slices.Equal(hashes, input) {
		t.Fatalf("%d keys: a hash was written", n)
	}
}

// checkSplitSelection compares the positions of what is present with those of the specification.
func checkSplitSelection(
	t *testing.T,
	s dispatch.Operations[uint32],
	start [][8]uint32,
	hashes []uint64,
) {
	t.Helper()
	const untouched = 0xA5A5A5A5
	var want []uint32
	for i, h := range hashes {
		if specCheck(start, h) {
			want = append(want, uint32(i))
		}
	}
	n, before := len(hashes), guard(start)
	positions := slices.Repeat([]uint32{untouched}, n+2)
	got := s.SelectBatch(before.table, hashes, positions)
	if got != len(want) {
		t.Fatalf("select of %d keys: %d positions, want %d", n, got, len(want))
	}
	if i := difference(positions[:got], want); i >= 0 {
		t.Fatalf("select of %d keys: position %d is %d, want %d", n, i, positions[i], want[i])
	}
	if positions[n] != untouched || positions[n+1] != untouched ||
		!slices.Equal(before.whole, guard(start).whole) {
		t.Fatalf("select of %d keys wrote to something else", n)
	}
}

// The bitset has the layout of the specification: the lanes of a block one after another, each
// little-endian.
func TestSplitBlockBytes(t *testing.T) {
	rng := seeded[uint32](41)
	for _, n := range []int{1, 2, 77} {
		table := splitTable(randomTable[uint32](rng, n, true))
		var want bytes.Buffer
		if err := binary.Write(&want, binary.LittleEndian, table); err != nil {
			t.Fatal(err)
		}
		got := table.AppendBytes([]byte("head"))
		if !bytes.Equal(got, append([]byte("head"), want.Bytes()...)) {
			t.Fatalf("%d blocks: other bytes", n)
		}
		if back := SplitBlockTableOfBytes(want.Bytes()); !slices.Equal(back, table) ||
			addressOf(back)%64 != 0 {
			t.Fatalf("%d blocks: another table, at %#x", n, addressOf(back))
		}
	}
	table := NewSplitBlockTable(1)
	table[0] = SplitBlock{0x03020100, 0x07060504, 7: 0x1f1e1d1c}
	if got := table.AppendBytes(nil); got[5] != 5 || got[31] != 0x1f || got[28] != 0x1c ||
		len(got) != 32 {
		t.Errorf("bytes %x", got)
	}
}

// Add is Insert without an answer.
func TestSplitBlockAdd(t *testing.T) {
	for _, portable := range []bool{asm.Portable, true} {
		func() {
			defer func(before bool) { asm.Portable = before }(asm.Portable)
			asm.Portable = portable
			got, want := NewSplitBlockTable(9), make([][8]uint32, 9)
			for _, h := range workload.Hashes(seeded[uint32](44), 200) {
				got.Add(h)
				specInsert(want, h)
				if i := difference(dispatch.Lanes(got), want); i >= 0 {
					t.Fatalf("portable %v, %#x: block %d differs", portable, h, i)
				}
			}
		}()
	}
}

func TestSplitBlockCountAndReset(t *testing.T) {
	table := splitTable([][8]uint32{{1, 3, 7: 1 << 31}, {0, 0xff}})
	if got := table.Count(); got != 12 {
		t.Errorf("%d bits, want 12", got)
	}
	table.Reset()
	if got := table.Count(); got != 0 {
		t.Errorf("%d bits after Reset", got)
	}
}

// The rates of docs/theory/kernel.md, which are those of Parquet's specification.
func TestSplitBlockRates(t *testing.T) {
	rng := seeded[uint32](45)
	for _, test := range []struct{ bitsPerKey, rate float64 }{{6, 0.1}, {10.5, 0.01},
		{16.9, 0.001}} {
		const members, others = 100_000, 2_000_000
		table := NewSplitBlockTable(int(members * test.bitsPerKey / 256))
		table.AddBatch(workload.Hashes(rng, members))
		got := float64(table.QueryBatch(workload.Hashes(rng, others), nil)) / others
		if got < 0.94*test.rate || got > 1.06*test.rate {
			t.Errorf("%v bits per key: %.3f %% false positives, want %v %%", test.bitsPerKey,
				100*got, 100*test.rate)
		}
	}
}

// The two kinds of tables with blocks of 256 bits do not convert to each other, and split blocks
// have no delete.
func TestSplitBlockTypes(t *testing.T) {
	split, own := reflect.TypeFor[SplitBlockTable](), reflect.TypeFor[Table256]()
	if split.ConvertibleTo(own) || own.ConvertibleTo(split) {
		t.Error("a table converts to one of the other kind")
	}
	for _, typ := range []reflect.Type{split, reflect.TypeFor[*SplitBlock]()} {
		for i := range typ.NumMethod() {
			if name := typ.Method(i).Name; strings.HasPrefix(name, "Delete") {
				t.Errorf("%v has %s", typ, name)
			}
		}
	}
}

// panics checks that a call panics with a message.
func panics(t *testing.T, message string, call func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := fmt.Sprint(recover()); !strings.Contains(got, message) {
			t.Errorf("panic %q, want one with %q", got, message)
		}
	}()
	call()
}

// Sizes and lengths that do not fit panic before anything is written. The message has the numbers.
func TestSplitBlockPanics(t *testing.T) {
	for _, n := range []int{-1, 0, MaxSplitBlocks + 1} {
		panics(t, fmt.Sprintf("table of %d split blocks", n), func() { NewSplitBlockTable(n) })
	}
	if intBits == 32 { // an int cannot count its bytes and those for the alignment
		panics(t, fmt.Sprintf("table of %d blocks", MaxSplitBlocks),
			func() { NewSplitBlockTable(MaxSplitBlocks) })
	}
	panics(t, "a bitset of 33 bytes is no whole number of blocks of 32 bytes",
		func() { SplitBlockTableOfBytes(make([]byte, 33)) })
	panics(t, "table of 0 split blocks", func() { SplitBlockTableOfBytes(nil) })
	eachSplit(t, func(t *testing.T, s dispatch.Operations[uint32]) {
		rng := seeded[uint32](42)
		table, other := make([][8]uint32, 4), make([][8]uint32, 3)
		hashes := workload.Hashes(rng, 130)
		present := make([]uint64, 2)
		for message, call := range map[string]func(){
			"QueryInsertBatch: present has 2 words, 130 keys need 3": func() {
				s.InsertBatch(table,
					hashes, present)
			},
			"QueryBatch: present has 2 words, 130 keys need 3": func() {
				s.QueryBatch(table,
					hashes, present)
			},
			"QueryInsertBatch: a table of 0 blocks cannot take 130 keys": func() {
				s.InsertBatch(nil,
					hashes, nil)
			},
			"QueryBatch: a table of 0 blocks cannot take 130 keys": func() {
				s.QueryBatch(nil,
					hashes, nil)
			},
			"SelectBatch: positions has 2 elements, 130 keys need 130": func() {
				s.SelectBatch(table, hashes, make([]uint32, 2))
			},
			"SelectBatch: a table of 0 blocks cannot take 130 keys": func() {
				s.SelectBatch(nil, hashes, make([]uint32, 130))
			},
			"AddBatch: a table of 0 blocks cannot take 130 keys": func() {
				s.AddBatch(nil, hashes)
			},
			"[0] with length 0":                       func() { s.Insert(nil, 1) },
			"index out of range [0] with length 0":    func() { s.Query(nil, 1) },
			"Merge: a table of 4 blocks and one of 3": func() { s.Merge(table, other) },
			"Merge: a table of 4 blocks with itself":  func() { s.Merge(table, table) },
		} {
			panics(t, message, call)
		}
		if slices.Max(present) != 0 || !slices.Equal(table, make([][8]uint32, 4)) {
			t.Error("something was written before a panic")
		}
		s.InsertBatch(nil, nil, nil)
		s.QueryBatch(nil, nil, present[:0])
		s.AddBatch(nil, nil)
		s.Merge(nil, nil)
	})
}

func TestSplitBlockAllocations(t *testing.T) {
	rng := seeded[uint32](43)
	hashes := workload.Hashes(rng, 3000)
	present, bitset := make([]uint64, 47), make([]byte, 0, 64*32)
	positions := make([]uint32, 3000)
	eachSplit(t, func(t *testing.T, s dispatch.Operations[uint32]) {
		if n := testing.AllocsPerRun(5, func() {
			var table, other [64][8]uint32
			s.QueryBatch(table[:], hashes, present)
			s.SelectBatch(table[:], hashes, positions)
			s.InsertBatch(table[:], hashes, present)
			s.AddBatch(table[:], hashes)
			s.Insert(table[:], 1)
			s.Query(table[:], 1)
			s.Merge(table[:], other[:])
		}); n > 2 { // the two tables escape, because the call goes through a variable
			t.Errorf("%v allocations", n)
		}
	})
	if n := testing.AllocsPerRun(5, func() {
		var table, other [64]SplitBlock
		t := SplitBlockTable(table[:])
		t.QueryBatch(hashes, present)
		t.SelectBatch(hashes, positions)
		t.QueryInsertBatch(hashes, present)
		t.AddBatch(hashes)
		t.Insert(1)
		t.Add(2)
		t.Query(1)
		t.Merge(other[:])
		t.AppendBytes(bitset)
	}); n != 0 {
		t.Errorf("methods: %v allocations", n)
	}
}

// FuzzSplitBlock runs a program of operations with every implementation and with the specification.
// An operation is nine bytes: what to do, and a hash.
func FuzzSplitBlock(f *testing.F) {
	for seed := range uint64(4) {
		f.Add(uint8(seed), randomProgram(seed))
	}
	f.Fuzz(func(t *testing.T, nblocks uint8, program []byte) {
		if len(program) > 9*1024 {
			return
		}
		for name, s := range splitSubjects() {
			fuzzSplitBlock(t, name, s, 1+int(nblocks), program)
		}
	})
}

func fuzzSplitBlock(
	t *testing.T,
	name string,
	s dispatch.Operations[uint32],
	nblocks int,
	program []byte,
) {
	got, want, other := make([][8]uint32, nblocks), make([][8]uint32, nblocks),
		make([][8]uint32, nblocks)
	var pending []uint64
	for step := 0; len(program) >= 9; step++ {
		op, h := program[0], binary.LittleEndian.Uint64(program[1:])
		program = program[9:]
		var result, expected any
		words := (len(pending) + 63) / 64
		present, answers := make([]uint64, words), make([]uint64, words)
		batch := func(spec func([][8]uint32, uint64) bool) (count int) {
			for i, h := range pending {
				if spec(want, h) {
					answers[i/64] |= 1 << (i % 64)
					count++
				}
			}
			return count
		}
		switch op % 7 {
		case 0:
			result, expected = s.Query(got, h), specCheck(want, h)
		case 1:
			result, expected = s.Insert(got, h), specInsert(want, h)
		case 2:
			pending = append(pending, h, h+uint64(op), h)
			continue
		case 3:
			result, expected = s.QueryBatch(got, pending, present), batch(specCheck)
			checkSplitSelection(t, s, got, pending)
		case 4:
			result, expected = s.InsertBatch(got, pending, present), batch(specInsert)
			pending = pending[:0]
		case 5:
			s.AddBatch(got, pending)
			batch(specInsert)
			copy(present, answers)
			pending = pending[:0]
		case 6:
			specInsert(other, h)
			s.Merge(got, other)
			for i := range want {
				for lane := range want[i] {
					want[i][lane] |= other[i][lane]
				}
			}
		}
		if result != expected || !slices.Equal(present, answers) || !slices.Equal(got, want) {
			t.Fatalf("%s, step %d, operation %d of %#x: result %v, want %v; same table %v, same "+
				"answers %v",
				name, step, op%7, h, result, expected, slices.Equal(got, want),
				slices.Equal(present, answers))
		}
	}
}

// Readers find what is in the old and the new blocks while blocks are replaced, and no other block
// changes.
func TestSplitBlockReplace(t *testing.T) {
	rng := rand.New(rand.NewPCG(44, 0))
	const nblocks, stay = 64, 20 * 64
	members := workload.Hashes(rng, stay)
	eachSplit(t, func(t *testing.T, s dispatch.Operations[uint32]) {
		lanes := make([][8]uint32, nblocks)
		table, selected, without := splitTable(lanes), NewSplitBlockTable(nblocks),
			NewSplitBlockTable(nblocks)
		without.AddBatch(members)
		table.Replace(0, without)
		var stop atomic.Bool
		var readers sync.WaitGroup
		readers.Go(func() {
			for !stop.Load() {
				for _, h := range members {
					if !s.Query(lanes, h) {
						t.Errorf("member %#x is not found", h)
						return
					}
				}
				if n := s.QueryBatch(lanes, members, nil); n != len(members) {
					t.Errorf("%d of %d members are found", n, len(members))
					return
				}
			}
		})
		for range 200 {
			copy(selected, without)
			for range 100 {
				selected.Add(rng.Uint64())
			}
			table.Replace(0, selected)
			first := rng.IntN(nblocks - 9)
			table.Replace(first, without[first:first+9])
			if !slices.Equal(table, slices.Concat(selected[:first], without[first:first+9],
				selected[first+9:])) {
				t.Error("other blocks are replaced than the nine")
			}
			table.Replace(0, without)
		}
		stop.Store(true)
		readers.Wait()
	})
	defer func() {
		if got := fmt.Sprint(recover()); !strings.Contains(got,
			"Replace: a table of 64 blocks has no blocks from 60 to 69") {
			t.Errorf("panic %q", got)
		}
	}()
	NewSplitBlockTable(nblocks).Replace(60, NewSplitBlockTable(9))
}
