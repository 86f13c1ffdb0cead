package expected

import "testing"

func TestRateOf(t *testing.T) {
	const all = ^uint64(0)
	half := [8]uint64{0, all >> 32, all, all, all, all, all, all}
	for _, test := range []struct {
		name  string
		table [][8]uint64
		want  float64
	}{
		{"no blocks", nil, 0},
		{"an empty block", [][8]uint64{{}}, 0},
		{"collision bits only", [][8]uint64{{all}}, 0},
		{"an empty data lane", [][8]uint64{{all, all, all, all, 0, all, all, all}}, 0},
		{"full, without collisions", [][8]uint64{{0, all, all, all, all, all, all, all}}, 1},
		{"half a lane", [][8]uint64{half}, 0.5},
		{"the mean over blocks", [][8]uint64{half, {}, {}, half}, 0.25},
		{"the product over lanes", [][8]uint64{{0, 1, 1, 1, 1, 1, 1, 1}}, 1.0 / (1 << 42)},
	} {
		if got := RateOf(test.table); got != test.want {
			t.Errorf("%s: %g, want %g", test.name, got, test.want)
		}
	}
}
