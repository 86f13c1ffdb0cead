package kernel

import "testing"

// The worked example of DESIGN.md, by the functions that users call.
func TestMaskAndPositions(t *testing.T) {
	const h = 0x0123456789abcdef
	if got, want := Positions512(h), uint64(0x0324e9ede6b); got != want {
		t.Errorf("stored positions of 512 bits: %#x, want %#x", got, want)
	}
	if got, want := Positions256(h), uint64(0x0649d3dbc); got != want {
		t.Errorf("stored positions of 256 bits: %#x, want %#x", got, want)
	}
	if got, want := Mask512(h),
		(Block512{0, 1 << 3, 1 << 9, 1 << 14, 1 << 39, 1 << 45, 1 << 57, 1 << 43}); got != want {
		t.Errorf("mask of 512 bits: %#x, want %#x", got, want)
	}
	if got, want := Mask256(h),
		(Block256{0, 1 << 1, 1 << 18, 1 << 9, 1 << 26, 1 << 15, 1 << 13, 1 << 28}); got != want {
		t.Errorf("mask of 256 bits: %#x, want %#x", got, want)
	}
}
