package dispatch

import (
	"math/bits"
	"strings"
	"testing"
)

// Slices overlap if they share an element, the first and the last too, and not where they touch.
func TestOverlap(t *testing.T) {
	memory := make([][8]uint64, 6)
	words := make([]uint64, 10)
	for _, test := range []struct {
		a, b [][8]uint64
		want bool
	}{
		{memory[1:3], memory[3:4], false}, {memory[1:3], memory[:1], false},
		{memory[1:3], memory[2:4], true}, {memory[1:3], memory[:2], true},
		{memory[1:3], memory[2:3], true}, {memory[1:3], memory[1:2], true},
		{memory, memory[2:3], true}, {memory[1:3], memory[1:1], false}, {memory[:0], memory, false},
		{nil, memory, false},
	} {
		if Overlap(test.a, test.b) != test.want || Overlap(test.b, test.a) != test.want {
			t.Errorf("%d and %d blocks: want %v", len(test.a), len(test.b), test.want)
		}
		for i := range test.b { // in each word of a block
			for j := range test.b[i] {
				if Overlap(test.a, test.b[i][j:j+1]) != Overlap(test.a, test.b[i:i+1]) {
					t.Errorf("%d blocks, and word %d of block %d", len(test.a), j, i)
				}
			}
		}
	}
	if Overlap(memory, words) {
		t.Error("memory of its own overlaps")
	}
}

// A batch whose last position has more than 32 bits has no room that is long enough.
func TestPositionsFor(t *testing.T) {
	if bits.UintSize == 32 {
		return // which no length exceeds
	}
	const most = maxPositions
	for n, want := range map[uint64]string{
		most:     "SelectBatch: positions has 3 elements, 4294967296 keys need 4294967296",
		most + 1: "SelectBatch: 4294967297 keys, at most 4294967296 have a position of 32 bits",
	} {
		got := recovered(func() { positionsFor("SelectBatch", 1, int(n), make([]uint32, 3)) })
		if !strings.Contains(got, want) {
			t.Errorf("%d keys: panic %q, want %q", n, got, want)
		}
	}
	for n := range 4 {
		if got := len(positionsFor("SelectBatch", 1, n, make([]uint32, 3))); got != n {
			t.Errorf("%d keys have %d positions", n, got)
		}
	}
}
