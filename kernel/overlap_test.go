package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/internal/dispatch"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// shared is memory in which the arguments of an operation lie anywhere, also on each other.
type shared struct {
	rng           *rand.Rand
	words, before []uint64
	argument      []bool // the words that belong to an argument
}

const (
	sharedWords = 1 << 13
	// the hashes of a batch of three calls, and the words of its outputs
	sharedHashes    = 2*dispatch.CallKeys + 77
	sharedStatus    = (sharedHashes + 7) / 8
	sharedPresent   = (sharedHashes + 63) / 64
	sharedPositions = (sharedHashes + 1) / 2
)

func newShared(rng *rand.Rand) *shared {
	memory := workload.Hashes(rng, sharedWords)
	return &shared{rng, memory, slices.Clone(memory), make([]bool, sharedWords)}
}

// take returns n words anywhere in the memory, for an argument.
func (m *shared) take(n int) []uint64 { return m.slice(m.rng.IntN(len(m.words)-n+1), n) }

func (m *shared) slice(start, n int) []uint64 {
	for i := range n {
		m.argument[start+i] = true
	}
	return m.words[start:][:n:n]
}

// blocks returns words as a table, in the same memory.
func blocks[T fallback.Lane](words []uint64) [][8]T {
	return unsafe.Slice((*[8]T)(unsafe.Pointer(unsafe.SliceData(words))),
		8*len(words)/int(unsafe.Sizeof([8]T{})))
}

// statusOf returns words as the output of a delete, in the same memory.
func statusOf(words []uint64) []Status {
	return unsafe.Slice((*Status)(unsafe.Pointer(unsafe.SliceData(words))), 8*len(words))
}

// positionsOf returns words as the output of a selection of n keys, in the same memory.
func positionsOf(words []uint64, n int) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(words))), 2*len(words))[:n]
}

// writesArguments fails the test if an operation on arguments that overlap writes outside of them,
// or writes and panics.
func writesArguments(t *testing.T, rng *rand.Rand, name string, operate func(m *shared)) {
	t.Helper()
	for range 30 {
		m := newShared(rng)
		panicked := false
		func() {
			defer func() { panicked = recover() != nil }()
			operate(m)
		}()
		for i := range m.words {
			if m.words[i] != m.before[i] && (panicked || !m.argument[i]) {
				t.Fatalf("%s: word %d is written; in an argument: %v, panicked: %v", name, i,
					m.argument[i], panicked)
			}
		}
	}
}

// lawOverlap: if arguments overlap, an operation writes nothing outside of them, and it panics
// before it writes anything or not at all.
func lawOverlap[T fallback.Lane](t *testing.T, s subject[T]) {
	one := int(unsafe.Sizeof([8]T{})) / 8 // words of a block
	table := func(m *shared) [][8]T { return blocks[T](m.take(one * (1 + m.rng.IntN(40)))) }
	block := func(m *shared) *[8]T { return &blocks[T](m.take(one))[0] }
	tables := func(m *shared) (t, u [][8]T) {
		n := 1 + m.rng.IntN(sharedWords/one)
		return blocks[T](m.take(one * n)), blocks[T](m.take(one * n))
	}
	prefetchAndNot(t, func(t *testing.T) {
		rng := seeded[T](50)
		for _, test := range []struct {
			name    string
			operate func(m *shared)
		}{
			{"QueryBatch", func(m *shared) {
				s.queryBatch(table(m), m.take(sharedHashes), m.take(sharedPresent))
			}},
			{"SelectBatch", func(m *shared) {
				positions := positionsOf(m.take(sharedPositions), sharedHashes)
				s.selectBatch(table(m), m.take(sharedHashes), positions)
			}},
			{"InsertBatch", func(m *shared) {
				s.insertBatch(table(m), m.take(sharedHashes), m.take(sharedPresent))
			}},
			{"DeleteBatch", func(m *shared) {
				s.deleteBatch(table(m), m.take(sharedHashes), statusOf(m.take(sharedStatus)))
			}},
			{"InsertPart", func(m *shared) { insertShared(m, s, one, sharedHashes) }},
			{"Merge", func(m *shared) {
				t, u := tables(m)
				s.merge(t, u)
			}},
			{"Intersect", func(m *shared) {
				t, u := tables(m)
				s.intersect(t, u)
			}},
			{"Fold", func(m *shared) {
				n := 1 + m.rng.IntN(sharedWords/one/2)
				s.fold(blocks[T](m.take(one*n)), blocks[T](m.take(2*one*n)))
			}},
			{"Replace", func(m *shared) {
				t, u := tables(m)
				first := m.rng.IntN(len(t))
				s.replace(t, first, u[:len(u)-first])
			}},
			{"MatchBatch", func(m *shared) {
				s.matchBatch(block(m), blocks[T](m.take(one*1000)), m.take(1000/64+1))
			}},
			{"Block.Insert", func(m *shared) { s.insertMask(block(m), block(m)) }},
			{"Block.Delete", func(m *shared) { s.deleteMask(block(m), block(m)) }},
			{"Block.Merge", func(m *shared) { s.mergeBlock(block(m), block(m)) }},
		} {
			writesArguments(t, rng, test.name, test.operate)
		}
	})
}

// insertShared inserts hashes into a part of a table. The whole table is in the memory, so that
// what is written elsewhere in the table shows.
func insertShared[T fallback.Lane](m *shared, s subject[T], one, n int) {
	nblocks := len(m.words) / one
	count := 1 + m.rng.IntN(nblocks)
	first := m.rng.IntN(nblocks - count + 1)
	hashes := m.take(n)
	low, high := fallback.Interval(uint64(first), uint64(first+count), uint64(nblocks))
	for i := range hashes {
		if high-low+1 > 0 { // else all hashes belong to the part
			hashes[i] = low + hashes[i]%(high-low+1)
		}
	}
	m.before = slices.Clone(m.words)
	s.insertPart(blocks[T](m.slice(one*first, one*count)), first, nblocks, hashes)
}

// The law of arguments that overlap holds for split blocks too.
func TestSplitBlockOverlap(t *testing.T) {
	table := func(m *shared, n int) [][8]uint32 { return blocks[uint32](m.take(4 * n)) }
	some := func(m *shared) [][8]uint32 { return table(m, 1+m.rng.IntN(40)) }
	eachSplit(t, func(t *testing.T, s dispatch.Operations[uint32]) {
		prefetchAndNot(t, func(t *testing.T) {
			rng := seeded[uint32](51)
			writesArguments(t, rng, "QueryBatch", func(m *shared) {
				s.QueryBatch(some(m), m.take(sharedHashes), m.take(sharedPresent))
			})
			writesArguments(t, rng, "SelectBatch", func(m *shared) {
				positions := positionsOf(m.take(sharedPositions), sharedHashes)
				s.SelectBatch(some(m), m.take(sharedHashes), positions)
			})
			writesArguments(t, rng, "InsertBatch", func(m *shared) {
				s.InsertBatch(some(m), m.take(sharedHashes), m.take(sharedPresent))
			})
			writesArguments(t, rng, "AddBatch", func(m *shared) {
				s.AddBatch(some(m), m.take(sharedHashes))
			})
			writesArguments(t, rng, "Merge", func(m *shared) {
				n := 1 + m.rng.IntN(sharedWords/4)
				s.Merge(table(m, n), table(m, n))
			})
		})
	})
}
