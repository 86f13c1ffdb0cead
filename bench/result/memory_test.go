package result

import (
	"math"
	"slices"
	"testing"
)

// measured makes the points of a filter, of pairs of bits and rate; where it deletes, the share
// grows by a tenth with each.
func measured(name string, deletes bool, pairs ...float64) (points []Accuracy) {
	for i := 0; i < len(pairs); i += 2 {
		a := Accuracy{Name: name, Bits: pairs[i], Rate: pairs[i+1], Positives: 1}
		if deletes {
			share := float64(i/2) / 10
			a.Deletable = &share
		}
		points = append(points, a)
	}
	return points
}

func TestEqualRate(t *testing.T) {
	unmeasured := measured("none seen", false, 8, 0.1, 16, 0)
	unmeasured[1].Positives = 0
	points := slices.Concat(
		measured("straight", true, 20, 1e-3, 10, 1e-2), // in any order
		measured("bent", false, 8, 0.1, 12, 0.2, 16, 1e-3),
		measured("fixed", false, 9, 1.0/256),
		// reached at the first point, and so not at the second
		measured("two", false, 5, 1e-4, 6, 1e-5),
		unmeasured,
	)
	for _, test := range []struct {
		target float64
		want   map[string]float64
	}{
		{1e-2, map[string]float64{"straight": 10, "bent": 12, "fixed": 9, "two": 5}},
		{math.Sqrt(1e-2 * 1e-3), map[string]float64{"straight": 15, "bent": 14, "two": 5}},
		{1e-3, map[string]float64{"straight": 20, "bent": 16, "two": 5}},
		{0.5, map[string]float64{"straight": 10, "bent": 8, "fixed": 9, "none seen": 8, "two": 5}},
		{1e-6, map[string]float64{}},
	} {
		got := EqualRate(points, test.target)
		if len(got) != len(test.want) {
			t.Errorf("rate %v: %v, want %v", test.target, got, test.want)
		}
		for name, want := range test.want {
			if math.Abs(got[name].Bits-want) > 1e-9 {
				t.Errorf("rate %v, %s: %v, want %v", test.target, name, got[name], want)
			}
		}
	}
	// The share is by the order in which the points were made: 0.1 at 10 bits, 0 at 20.
	if at := EqualRate(points, math.Sqrt(1e-5))["straight"]; math.Abs(at.Deletable-0.05) > 1e-9 {
		t.Errorf("straight takes %+v, of which 0.05 is deletable", at)
	}
}
