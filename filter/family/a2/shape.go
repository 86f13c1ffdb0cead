package a2

import (
	"fmt"

	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/internal/bloom"
)

// Shape is the size of a filter. Its methods compute what the theory expects.
type Shape struct {
	Bits   int // of both buffers together, an even number
	Hashes int // k_a, the bits of a key in a buffer

	// Window is n_a, the keys that a buffer takes: a key is present while at most Window other keys
	// were inserted after its last insert.
	Window int
}

// Rate returns the false-positive rate that is expected with a number of keys in the buffers: first
// one is filled, and then the other. With twice the Window, and more, both are full, which is the
// worst case. It is the mean over hash keys. Rate panics if keys is negative.
func (s Shape) Rate(keys int) float64 {
	if keys < 0 {
		panic(fmt.Sprintf("a2: the rate of %d keys", keys))
	}
	buffer, full := s.buffer(), min(keys, s.Window)
	rate := func(keys int) float64 { return buffer.Rate(arrivals(buffer, keys)) }
	return either(rate(full), rate(min(keys-full, s.Window)))
}

// Bytes returns the memory of both buffers.
func (s Shape) Bytes() int { return 2 * 8 * int(s.buffer().Words()) }

func (s Shape) String() string {
	return fmt.Sprintf("two buffers of %v, a window of %d keys", s.buffer(), s.Window)
}

func (s Shape) buffer() bloom.Shape {
	return bloom.Shape{Blocks: 1, Span: uint64(s.Bits / 2), Hashes: s.Hashes}
}

// Shape returns the size of the filter.
func (f *Filter) Shape() Shape { return base.Open(&f.Body).size() }

func (t *table) size() Shape { return shapeOf(t.Shape, int(t.members)) }

func shapeOf(buffer bloom.Shape, window int) Shape {
	return Shape{int(2 * buffer.Bits()), buffer.Hashes, window}
}
