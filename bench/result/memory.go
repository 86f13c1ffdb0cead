package result

import (
	"cmp"
	"math"
	"slices"
)

// EqualRate returns, by name, the fewest bits a key at which a filter has at most the false-positive
// rate target, as measured: between two of the points that it was measured at, the logarithm of its
// rate is taken as linear in the bits. A filter whose smallest point has the rate already is given that
// point's bits, and one none of whose points has it is absent. Points at which a filter was worse than
// at fewer bits are not on its curve.
func EqualRate(points []Accuracy, target float64) map[string]float64 {
	bits := map[string]float64{}
	for name, curve := range curves(points) {
		if at, ok := curve.reach(target); ok {
			bits[name] = at.bits
		}
	}
	return bits
}

// Memory is a line of the table of memory at equal rates.
type Memory struct {
	Name string
	Kind Kind
	// Deletes says whether the filter can delete at all. How many of its members it can is Deletable.
	Deletes bool
	// At has an entry for each of the rates asked for, nil where the filter does not reach that rate.
	At []*MemoryAt
}

// MemoryAt is what a filter takes at a rate.
type MemoryAt struct {
	Bits float64 // a key
	// Deletable is the share of the members that it can delete, 0 where it cannot delete: linear
	// between the measured points.
	Deletable float64
}

// MemoryAtRates returns the memory that each filter takes at each of the rates: see [EqualRate]. First
// come the filters that delete, then the others; those that take the least bits at the first rate
// lead, and those that do not reach it end.
func MemoryAtRates(points []Accuracy, rates []float64) []Memory {
	var table []Memory
	for name, curve := range curves(points) {
		line := Memory{Name: name, Kind: curve[0].kind, Deletes: curve[0].deletes, At: make([]*MemoryAt, len(rates))}
		for i, rate := range rates {
			if at, ok := curve.reach(rate); ok {
				line.At[i] = &MemoryAt{at.bits, at.deletable}
			}
		}
		table = append(table, line)
	}
	slices.SortFunc(table, func(a, b Memory) int {
		if a.Deletes != b.Deletes {
			if a.Deletes {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.first(), b.first()), cmp.Compare(a.Name, b.Name))
	})
	return table
}

// first is the bits at the first rate.
func (m Memory) first() float64 {
	if len(m.At) == 0 || m.At[0] == nil {
		return math.Inf(1)
	}
	return m.At[0].Bits
}

// point is what a filter has at a number of bits a key.
type point struct {
	bits, rate float64
	kind       Kind
	deletes    bool
	deletable  float64
}

// curve is the points of a filter, more bits and a lower rate with each.
type curve []point

// curves sorts the points by name. A rate of which no false positive was seen is not a measurement.
func curves(points []Accuracy) map[string]curve {
	all := map[string]curve{}
	for _, a := range points {
		if a.Positives == 0 {
			continue
		}
		p := point{bits: a.Bits, rate: a.Rate, kind: a.Kind}
		if a.Deletable != nil {
			p.deletes, p.deletable = true, *a.Deletable
		}
		all[a.Name] = append(all[a.Name], p)
	}
	for name, c := range all {
		slices.SortFunc(c, func(a, b point) int {
			return cmp.Or(cmp.Compare(a.bits, b.bits), cmp.Compare(a.rate, b.rate))
		})
		falling := c[:1]
		for _, p := range c[1:] {
			if p.rate < falling[len(falling)-1].rate {
				falling = append(falling, p)
			}
		}
		all[name] = falling
	}
	return all
}

// reach returns the point at which a curve has a rate.
func (c curve) reach(rate float64) (point, bool) {
	i := slices.IndexFunc(c, func(p point) bool { return p.rate <= rate })
	if i < 0 {
		return point{}, false
	}
	if i == 0 {
		return c[0], true
	}
	from, to := c[i-1], c[i]
	part := math.Log(from.rate/rate) / math.Log(from.rate/to.rate)
	at := to
	at.rate = rate
	at.bits = from.bits + part*(to.bits-from.bits)
	at.deletable = from.deletable + part*(to.deletable-from.deletable)
	return at, true
}
