package cuckoo

import (
	"fmt"

	"github.com/bloomlane/bloomlane/filter/base"
)

// Shape is the size of a filter. Its methods compute what the theory expects.
type Shape struct {
	Buckets         int // n, of 4 slots
	FingerprintBits int // f, of each slot
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

// Bytes returns the memory of the table.
func (s Shape) Bytes() int { return 8 * int(s.table().words()) }

func (s Shape) String() string { return s.table().String() }

func (s Shape) table() shape { return shape{uint64(s.Buckets), s.FingerprintBits} }

// Shape returns the size of the filter.
func (f *Filter) Shape() Shape { return shapeOf(base.Open(&f.Body).shape) }

func shapeOf(s shape) Shape { return Shape{int(s.buckets), s.fingerprint} }
