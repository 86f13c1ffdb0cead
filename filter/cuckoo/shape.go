package cuckoo

import (
	"fmt"

	"github.com/bloomlane/bloomlane/filter/base"
)

// Shape is the size of a filter. Its methods compute what the theory expects.
type Shape struct {
	Buckets         int // of 4 slots
	FingerprintBits int
}

// Slots returns the number of slots. There are never more members than that, and a filter is full
// somewhat earlier: the package documentation has the loads.
func (s Shape) Slots() int { return slots * s.Buckets }

// Rate returns the false-positive rate that is expected with a number of members in. It is the mean
// over hash keys. Rate panics if members is negative.
func (s Shape) Rate(members int) float64 {
	if members < 0 {
		panic(fmt.Sprintf("cuckoo: the rate of %d members", members))
	}
	return s.table().rate(float64(members))
}

func (s Shape) String() string { return s.table().String() }

func (s Shape) table() shape { return shape{uint64(s.Buckets), s.FingerprintBits} }

// Shape returns the size of the filter.
func (f *Filter) Shape() Shape {
	t := base.Open(&f.Body)
	return Shape{int(t.buckets), t.fingerprint}
}
