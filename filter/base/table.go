// Package base is for those who write a kind of filter: the base of a kind whose memory is one
// table. The kind says what the words and its numbers mean ([Table]), and has operations on hashes.
// From that, [Body] makes the rest: files and their checks, copies, comparisons, merges and the
// life cycle. CONTRIBUTING.md has the steps.
//
// The base owns the life of a filter, the kind owns its hot path: QueryHash, InsertHash and
// DeleteHash stand in the kind, on a table that it loads by [Live] or [Open], because a call
// through a type parameter costs 1 to 2 ns. Batches may go through the base.
//
// The package is outside of the promise of a stable API.
package base

import (
	"math"
	"unsafe"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/kernel"
)

// Number is a number of a table, and the attribute of its name in files. A file whose Value is
// below Low or above High is refused.
type Number struct {
	Name      string
	Value     *uint64
	Low, High uint64
	Empty     uint64 // the value in an empty filter, of a Count or a State
	Role      Role

	// With is nil for a number that all files have. Else it is the Value of this number, or of one
	// before it: files have the number only if that is not 0.
	With *uint64

	Float bool // Value, Low and High are the bits of float64s: see [Float]
}

// Stored reports whether a file of the table has the number.
func (n *Number) Stored() bool { return n.With == nil || *n.With != 0 }

// decode sets the number to that of a file, and reports whether the file should have it.
func (n *Number) decode(c *file.Contents) (has bool, err error) {
	switch {
	case n.With == n.Value:
		has = c.Has(n.Name)
	default:
		has = n.Stored()
	}
	if !has {
		return false, nil
	}
	if n.Float {
		var value float64
		value, err = c.Float(n.Name, math.Float64frombits(n.Low), math.Float64frombits(n.High))
		*n.Value = math.Float64bits(value)
		return true, err
	}
	*n.Value, err = c.Uint(n.Name, n.Low, n.High)
	return true, err
}

// Put stores numbers as attributes of a file.
func Put(c *file.Contents, numbers []Number) {
	for _, n := range numbers {
		if n.Stored() {
			c.Set(n.Name, *n.Value)
		}
	}
}

// Take sets numbers to the attributes of a file, and returns how many of them the file should have.
// The error is a *[file.Error].
func Take(c *file.Contents, numbers []Number) (stored int, err error) {
	for _, n := range numbers {
		has, err := n.decode(c)
		if err != nil {
			return 0, err
		}
		if has {
			stored++
		}
	}
	return stored, nil
}

// Role says what becomes of a number.
type Role int

const (
	// Size does not change. Filters that merge have the same.
	Size Role = iota
	// Plan does not change, except that a merge keeps the larger one.
	Plan
	// Setting does not change, except that a merge leaves it to the kind.
	Setting
	// Count is Empty after a reset, and the sum after a merge.
	Count
	// State is Empty after a reset, and after a merge.
	State
)

// Members is the number of a plan that every kind has: the members that a filter is made for.
func Members(value *uint64) Number {
	return Number{Name: "members", Value: value, Low: 1, High: planning.MaxMembers, Role: Plan}
}

// Float is a Setting that need not be whole. It is not below 0.
func Float(name string, value *float64, low, high float64) Number {
	return Number{
		Name: name, Value: (*uint64)(unsafe.Pointer(value)), Float: true, Role: Setting,
		Low: math.Float64bits(low), High: math.Float64bits(high),
	}
}

// Inserts is the number of inserts ever made.
func Inserts(value *uint64) Number {
	return Number{Name: "inserts", Value: value, High: MaxCount, Role: Count}
}

// Table is what a kind makes of words and numbers: T is its struct. A table is [Flat] or
// [Sectioned] too, and its kind asserts which. Every field of T is a Number, follows from the
// numbers and the words by Fit, or is the same in all filters of the kind.
type Table[T any] interface {
	*T

	// Numbers returns the numbers. All counters are among them.
	Numbers() []Number

	// String returns the size, in words.
	String() string

	// State describes the filter: see [filter.State]. The Bytes of a [Flat] table are those of its
	// Memory, whatever State says.
	State() filter.State

	// Scan returns the share of the bits, or of the cells, that are in use, and the most that an
	// insert adds to it: see [filter.Scanner].
	Scan() (fill, most float64)
}

// New returns n words of zeros, from the start of a cache line.
func New(n uint64) []uint64 {
	const lane = 8
	return kernel.NewTable512(int((n + lane - 1) / lane)).Words()[:n]
}
