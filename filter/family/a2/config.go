package a2

import (
	"fmt"
	"math"
	"sort"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/internal/bloom"
	"github.com/bloomlane/bloomlane/filter/key"
)

// MaxHashes is the largest k.
const MaxHashes = bloom.MaxHashes

// minBitsPerKey is two bits of each buffer. An insert that is counted sets at least one bit, so a
// buffer of fewer bits than keys would never be full, and nothing would be forgotten.
const minBitsPerKey = 4

// Config is the plan of a filter. Members and one of BitsPerKey and Rate are required.
type Config struct {
	// Members is n_a, the window and the number of keys that a buffer takes, at least 1. A key is
	// present while at most Members other keys were inserted after its last insert.
	Members int

	// BitsPerKey sizes the filter by memory, in bits of both buffers together per member. It is at
	// least 4. Exactly one of BitsPerKey and Rate is above 0.
	BitsPerKey float64

	// Rate sizes the filter by its false-positive rate: New takes the smallest buffers whose
	// expected rate is at most Rate when both are full, which is the worst case. It is above 0 and
	// below 1. The mean over hash keys is at most 1 % above it from 100 members on, and at most 5 %
	// with fewer.
	Rate float64

	// Hashes is k_a, the number of bits of a key in a buffer, up to MaxHashes. With 0, New takes
	// the best number.
	Hashes int

	// Key is the secret hash key. With the zero Key, New draws a random one.
	Key key.Key
}

// Shape returns the size of the filter that [New] makes of c. The error is a *[filter.SizingError].
func (c *Config) Shape() (Shape, error) {
	plan := *c // of which Solve varies the members
	return base.Solve(kind.Name, &plan.Members, c.Rate, plan.attempt)
}

// attempt returns the shape of c. The error is a *[base.RateError] if none keeps the rate.
func (c *Config) attempt() (Shape, error) {
	s := filter.Sizing{Members: c.Members, BitsPerKey: c.BitsPerKey, Rate: c.Rate}
	if err := s.Check(kind.Name); err != nil {
		return Shape{}, err
	}
	if c.Hashes < 0 || c.Hashes > MaxHashes {
		return Shape{}, wrong("Hashes", c.Hashes, fmt.Sprintf("0 to %d", MaxHashes))
	}
	if c.Rate == 0 {
		if c.BitsPerKey < minBitsPerKey {
			return Shape{},
				wrong("BitsPerKey", c.BitsPerKey, fmt.Sprintf("at least %d", minBitsPerKey))
		}
		bits := (uint64(s.Bits()) + 1) / 2
		buffer := bloom.Plan{Inserts: c.Members, Hashes: c.Hashes}.OfBits(bits)
		return shapeOf(buffer, c.Members), nil
	}
	// A buffer that is planned for more arrivals is larger, so that fewer keys come. Find the
	// smallest plan that holds.
	half := c.Rate / (1 + math.Sqrt(1-c.Rate)) // equation 2, without its cancellation
	size, has := c.bufferFor(c.Members, half)
	if more := arrivals(size, c.Members) - c.Members; has {
		more = sort.Search(more, func(i int) bool {
			size, _ := c.bufferFor(c.Members+i, half)
			return arrivals(size, c.Members) <= c.Members+i
		})
		size, has = c.bufferFor(c.Members+more, half)
	}
	if !has {
		best := size.Rate(arrivals(size, c.Members))
		return Shape{}, &base.RateError{Best: either(best, best)}
	}
	return shapeOf(size, c.Members), nil
}

// bufferFor returns the smallest buffer that has a rate after a number of arrivals, or the largest
// buffer if none has it.
func (c *Config) bufferFor(came int, rate float64) (size bloom.Shape, has bool) {
	return bloom.Plan{Inserts: came, Hashes: c.Hashes}.OfRate(rate, filter.MaxBits/2)
}

func wrong(field string, found any, expected string) error {
	return &filter.SizingError{Kind: kind.Name, Field: field, Found: found, Expected: expected}
}
