//go:build (amd64 || arm64) && !purego && unix

package asm

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/bloomlane/bloomlane/fallback"
)

// The functions of one key that users' methods call, in assembly where this CPU has it, and in
// portable Go.
func TestKeySplit(t *testing.T) {
	each(t, func(t *testing.T, s Set) {
		if s.Name == "avx512" {
			return // these are AVX2's
		}
		testKeySplit(t)
	})
	t.Run("portable", func(t *testing.T) {
		defer func(before bool) { Portable = before }(Portable)
		Portable = true
		testKeySplit(t)
	})
}

func testKeySplit(t *testing.T) {
	a := newArena(t, fallback.InsertSplit)
	answers := map[bool]int{}
	for range rounds(4000) {
		want := a.blocks(1)
		keys := [...]uint32{a.rng.Uint32(), a.rng.Uint32()}
		for lane, bit := range fallback.MaskSplit(keys[0]) {
			if a.rng.IntN(8) > 0 {
				want[0][lane] |= bit
			}
		}
		block := slice(a.table, a.place(), 4, a.rng, want)
		same := func(what string, got, want bool, blocks [][8]uint32) {
			t.Helper()
			if got != want {
				t.Fatalf("%s: %v, want %v", what, got, want)
			}
			equal(t, what+": block", block, blocks)
			check(t, a.table, what, block)
		}
		present := fallback.QueryKeySplit(&want[0], keys[0])
		answers[present]++
		same("query", QueryKeySplit(&block[0], keys[0]), present, want)
		AddKeySplit(&block[0], keys[1])
		fallback.InsertKeySplit(&want[0], keys[1])
		same("add", true, true, want)
		present = fallback.InsertKeySplit(&want[0], keys[0])
		same("insert", InsertKeySplit(&block[0], keys[0]), present, want)
		same("query after insert", QueryKeySplit(&block[0], keys[0]), true, want)
	}
	if answers[false] == 0 || answers[true] == 0 {
		t.Errorf("answers %v: the test shows nothing of one of them", answers)
	}
}

// Hashes of whole groups, from and to slices that end before a page that faults.
func TestHashBatch(t *testing.T) {
	each(t, func(t *testing.T, s Set) {
		if s.HashBatch64 != nil {
			t.Run("64",
				func(t *testing.T) { testHashBatch(t, s.HashBatch64, fallback.HashBatch64) })
			t.Run("32",
				func(t *testing.T) { testHashBatch(t, s.HashBatch32, fallback.HashBatch32) })
		}
	})
}

func testHashBatch[V uint32 | uint64](
	t *testing.T,
	kernel func(groups int, hashes *uint64, values *V),
	definition func(values []V, hashes []uint64),
) {
	const group, most = 32, 5
	a := newArena(t, fallback.Insert[uint64])
	in, out := newMemory(t, most*group*8), newMemory(t, most*group*8)
	for groups := range most + 1 {
		for range rounds(60) {
			values, want := make([]V, groups*group), make([]uint64, groups*group)
			for i := range values {
				values[i] = V(a.rng.Uint64())
			}
			hashes := slice(out, a.place(), 8, a.rng, make([]uint64, len(want)))
			placed := slice(in, a.place(), int(unsafe.Sizeof(V(0))), a.rng, values)
			definition(values, want)
			kernel(groups, unsafe.SliceData(hashes), unsafe.SliceData(placed))
			what := fmt.Sprintf("%d groups", groups)
			equal(t, what+": hash", hashes, want)
			equal(t, what+": value", placed, values)
			check(t, out, what+": hashes", hashes)
			check(t, in, what+": values", placed)
		}
	}
}

// A sample of whole groups, from and to slices that end before a page that faults.
func TestSample(t *testing.T) {
	const group, most = 64, 5
	each(t, func(t *testing.T, s Set) {
		if s.Sample == nil {
			return
		}
		a := newArena(t, fallback.Insert[uint64])
		in, out := newMemory(t, most*group*8), newMemory(t, most*8)
		for groups := range most + 1 {
			for range rounds(60) {
				want, wantPresent := make([]uint64, groups*group), make([]uint64, groups)
				for i := range want {
					want[i] = a.rng.Uint64()
				}
				odd, limit := a.rng.Uint64()|1, a.rng.Uint64()>>a.rng.IntN(10)
				if groups > 0 {
					// one product is at the limit, or just below
					limit = want[a.rng.IntN(len(want))]*odd + a.rng.Uint64N(2)
				}
				fallback.Sample(want, wantPresent, odd, limit)
				present := slice(out, a.place(), 8, a.rng, make([]uint64, groups))
				hashes := slice(in, a.place(), 8, a.rng, want)
				s.Sample(groups, unsafe.SliceData(present), unsafe.SliceData(hashes), odd, limit)
				what := fmt.Sprintf("%d groups", groups)
				equal(t, what+": word of answers", present, wantPresent)
				equal(t, what+": hash", hashes, want)
				check(t, out, what+": answers", present)
				check(t, in, what+": hashes", hashes)
			}
		}
	})
}
