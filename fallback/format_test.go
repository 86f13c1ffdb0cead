package fallback

import "testing"

// TestWorkedExample is the example of the format's definition: a reader who follows the formulas
// by hand for this hash gets these numbers.
func TestWorkedExample(t *testing.T) {
	const h = 0x0123456789abcdef
	if got, want := Spread(h), uint64(0x0c93a7b79aeda89b); got != want {
		t.Errorf("g = %#x, want %#x", got, want)
	}
	if got := Index(h, 1000); got != 4 {
		t.Errorf("block of 1000 = %d, want 4", got)
	}
	if got := Index(h, 1); got != 0 {
		t.Errorf("block of a lone header = %d, want 0", got)
	}
	testWorkedExample[uint64](t, h, 0x0324e9ede6b, [K]uint64{3, 9, 14, 39, 45, 57, 43})
	testWorkedExample[uint32](t, h, 0x0649d3dbc, [K]uint64{1, 18, 9, 26, 15, 13, 28})
}

func testWorkedExample[T Lane](t *testing.T, h, stored uint64, positions [K]uint64) {
	var mask [Lanes]T
	for i, want := range positions {
		lane := uint(CollisionLanes + i)
		if got := Position[T](Spread(h), lane); got != want {
			t.Errorf("W = %d: position in lane %d = %d, want %d", LaneBits[T](), lane, got, want)
		}
		mask[lane] = 1 << want
	}
	if got := Positions[T](h); got != stored {
		t.Errorf("W = %d: stored positions = %#x, want %#x", LaneBits[T](), got, stored)
	}
	if got := Mask[T](h); got != mask {
		t.Errorf("W = %d: mask = %#x, want %#x", LaneBits[T](), got, mask)
	}
}
