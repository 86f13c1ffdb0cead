package result

import (
	"cmp"
	"math"
	"slices"
)

// Memory is what a filter takes at a rate of false positives.
type Memory struct {
	Bits float64 // per key
	// Deletable is the share of the members that it can delete, 0 where it cannot delete: linear
	// between the measured points.
	Deletable float64
}

// EqualRate returns, by name, the least memory at which a filter has at most the rate of false
// positives target, as measured: between two of the points that it was measured at, the logarithm
// of its rate is taken as linear in the bits. A filter whose smallest point has the rate already is
// given that point's bits, and one none of whose points has it is absent. Points at which a filter
// was worse than at fewer bits are not on its curve, and a rate of which no false positive was seen
// is not a measurement.
func EqualRate(points []Accuracy, target float64) map[string]Memory {
	points = slices.DeleteFunc(slices.Clone(points),
		func(a Accuracy) bool { return a.Positives == 0 })
	slices.SortFunc(points,
		func(a, b Accuracy) int {
			return cmp.Or(cmp.Compare(a.Bits, b.Bits),
				cmp.Compare(a.Rate, b.Rate))
		})
	byPlace, last := map[string]Memory{}, map[string]Accuracy{}
	for _, p := range points {
		before, ok := last[p.Name]
		if ok && (before.Rate <= target || p.Rate >= before.Rate) {
			continue
		}
		if last[p.Name] = p; p.Rate > target {
			continue
		}
		m := Memory{p.Bits, deletable(p)}
		if ok {
			part := math.Log(before.Rate/target) / math.Log(before.Rate/p.Rate)
			m.Bits = before.Bits + part*(p.Bits-before.Bits)
			m.Deletable = deletable(before) + part*(deletable(p)-deletable(before))
		}
		byPlace[p.Name] = m
	}
	return byPlace
}

func deletable(a Accuracy) float64 {
	if a.Deletable == nil {
		return 0
	}
	return *a.Deletable
}
