package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/internal/dispatch"
)

// shared is memory in which the arguments of an operation lie anywhere, also on each other.
type shared struct {
	rng           *rand.Rand
	words, before []uint64
	argument      []bool // the words that belong to an argument
}

func newShared(rng *rand.Rand, words int) *shared {
	memory := randomHashes(rng, words)
	return &shared{rng, memory, slices.Clone(memory), make([]bool, words)}
}

// take returns n words anywhere in the memory, for an argument.
func (m *shared) take(n int) []uint64 { return m.at(m.rng.IntN(len(m.words)-n+1), n) }

func (m *shared) at(start, n int) []uint64 {
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

// lawOverlap: if arguments overlap, an operation writes nothing outside of them, and it panics
// before it writes anything or not at all.
func lawOverlap[T fallback.Lane](t *testing.T, s subject[T]) {
	const (
		words   = 1 << 13
		hashes  = 2*dispatch.CallKeys + 77
		status  = (hashes + 7) / 8
		present = (hashes + 63) / 64
		halves  = (hashes + 1) / 2
	)
	one := int(unsafe.Sizeof([8]T{})) / 8 // words of a block
	table := func(m *shared) [][8]T { return blocks[T](m.take(one * (1 + m.rng.IntN(40)))) }
	block := func(m *shared) *[8]T { return &blocks[T](m.take(one))[0] }
	tables := func(m *shared) (t, u [][8]T) {
		n := 1 + m.rng.IntN(words/one)
		return blocks[T](m.take(one * n)), blocks[T](m.take(one * n))
	}
	prefetchAndNot(t, func(t *testing.T) {
		rng := seeded[T](50)
		for _, test := range []struct {
			name    string
			operate func(m *shared)
		}{
			{"QueryBatch", func(m *shared) {
				s.queryBatch(table(m), m.take(hashes), m.take(present))
			}},
			{"SelectBatch", func(m *shared) {
				s.selectBatch(table(m), m.take(hashes), positionsOf(m.take(halves), hashes))
			}},
			{"InsertBatch", func(m *shared) {
				s.insertBatch(table(m), m.take(hashes), m.take(present))
			}},
			{"DeleteBatch", func(m *shared) {
				s.deleteBatch(table(m), m.take(hashes), statusOf(m.take(status)))
			}},
			{"InsertPart", func(m *shared) { insertShared(m, s, one, hashes) }},
			{"Merge", func(m *shared) {
				t, u := tables(m)
				s.merge(t, u)
			}},
			{"Intersect", func(m *shared) {
				t, u := tables(m)
				s.intersect(t, u)
			}},
			{"Fold", func(m *shared) {
				n := 1 + m.rng.IntN(words/one/2)
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
			for range 30 {
				m := newShared(rng, words)
				panicked := false
				func() {
					defer func() { panicked = recover() != nil }()
					test.operate(m)
				}()
				for i := range m.words {
					if m.words[i] != m.before[i] && (panicked || !m.argument[i]) {
						t.Fatalf("%s: word %d is written; in an argument: %v, panicked: %v",
							test.name, i, m.argument[i], panicked)
					}
				}
			}
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
	s.insertPart(blocks[T](m.at(one*first, one*count)), first, nblocks, hashes)
}
