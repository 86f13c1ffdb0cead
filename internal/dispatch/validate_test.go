package dispatch

import "testing"

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
