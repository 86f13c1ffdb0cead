package result

import (
	"math"
	"slices"
	"testing"
)

// measured makes the points of a filter, of pairs of bits and rate; where it deletes, the share grows
// by a tenth with each.
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
		unmeasured,
	)
	for _, test := range []struct {
		target float64
		want   map[string]float64
	}{
		{1e-2, map[string]float64{"straight": 10, "bent": 12, "fixed": 9}},
		{math.Sqrt(1e-2 * 1e-3), map[string]float64{"straight": 15, "bent": 14}},
		{1e-3, map[string]float64{"straight": 20, "bent": 16}},
		{0.5, map[string]float64{"straight": 10, "bent": 8, "fixed": 9, "none seen": 8}},
		{1e-4, map[string]float64{}},
	} {
		got := EqualRate(points, test.target)
		if len(got) != len(test.want) {
			t.Errorf("rate %v: %v, want %v", test.target, got, test.want)
		}
		for name, want := range test.want {
			if math.Abs(got[name]-want) > 1e-9 {
				t.Errorf("rate %v, %s: %v, want %v", test.target, name, got[name], want)
			}
		}
	}

	table := MemoryAtRates(points, []float64{1e-2, math.Sqrt(1e-5), 1e-4})
	var names []string
	for _, line := range table {
		names = append(names, line.Name)
		if line.Deletes != (line.Name == "straight") || line.At[2] != nil {
			t.Errorf("%+v", line)
		}
	}
	if want := []string{"straight", "fixed", "bent", "none seen"}; !slices.Equal(names, want) {
		t.Errorf("lines %q, want %q", names, want)
	}
	// The share is by the order in which the points were made: 0.1 at 10 bits, 0 at 20.
	if at := table[0].At[1]; math.Abs(at.Bits-15) > 1e-9 || math.Abs(at.Deletable-0.05) > 1e-9 {
		t.Errorf("straight takes %+v, want 15 bits, of which 0.05 deletable", at)
	}
}
