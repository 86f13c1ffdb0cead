package a2

import (
	"fmt"
	"math"
	"sort"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/internal/bloom"
)

// MaxHashes is the largest k.
const MaxHashes = bloom.MaxHashes

// minBitsPerKey is two bits of each buffer. A key that is inserted sets a bit at least, so that a
// buffer of fewer bits than keys would never be full, and nothing would be forgotten.
const minBitsPerKey = 4

// Config says what a filter is for.
type Config struct {
	// Members is the window, and n_a, the keys that a buffer takes: a key is present at least until
	// more than Members other keys were inserted after it. It is at least 1.
	Members int

	// BitsPerKey sizes the filter by memory: bits of both buffers together for each of the Members,
	// 4 at least. Exactly one of BitsPerKey and Rate is above 0.
	BitsPerKey float64

	// Rate sizes the filter by its false-positive rate: the smallest buffers that are expected to
	// have it when both are full, which is as high as it gets. It lies between 0 and 1.
	Rate float64

	// Hashes is k_a, the number of bits of a key in a buffer, up to MaxHashes; 0 is the best number
	// for the size.
	Hashes int

	// Key is the hash key; the zero Key means a new random one.
	Key key.Key
}

// solve returns the shape of a buffer of c.
func (c *Config) solve() (bloom.Shape, error) {
	s := filter.Sizing{Members: c.Members, BitsPerKey: c.BitsPerKey, Rate: c.Rate}
	if err := s.Check(kindName); err != nil {
		return bloom.Shape{}, err
	}
	if c.Hashes < 0 || c.Hashes > MaxHashes {
		return bloom.Shape{}, wrong("Hashes", c.Hashes, fmt.Sprintf("0 to %d", MaxHashes))
	}
	if c.Rate == 0 {
		if c.BitsPerKey < minBitsPerKey {
			return bloom.Shape{},
				wrong("BitsPerKey", c.BitsPerKey, fmt.Sprintf("at least %d", minBitsPerKey))
		}
		return bloom.Plan{Inserts: c.Members, Hashes: c.Hashes}.OfBits((s.Bits() + 1) / 2), nil
	}
	// A buffer of a plan for more arrivals is larger, so that fewer come: the least plan that is
	// kept is sought.
	of := c.Rate / (1 + math.Sqrt(1-c.Rate)) // equation 2, without its cancellation
	size, has := c.bufferFor(c.Members, of)
	if more := arrivals(size, c.Members) - c.Members; has {
		more = sort.Search(more, func(i int) bool {
			size, _ := c.bufferFor(c.Members+i, of)
			return arrivals(size, c.Members) <= c.Members+i
		})
		size, has = c.bufferFor(c.Members+more, of)
	}
	if !has {
		best := size.Rate(arrivals(size, c.Members))
		return bloom.Shape{}, wrong("Rate", c.Rate,
			fmt.Sprintf("at least %.3g: the best for %d members in %d bits", either(best, best),
				c.Members, 2*size.Bits()))
	}
	return size, nil
}

// bufferFor returns the smallest buffer that has a rate after so many arrivals; where none has, the
// largest.
func (c *Config) bufferFor(came int, rate float64) (size bloom.Shape, has bool) {
	return bloom.Plan{Inserts: came, Hashes: c.Hashes}.OfRate(rate, filter.MaxBits/2)
}

func wrong(field string, found any, expected string) error {
	return &filter.SizingError{Kind: kindName, Field: field, Found: found, Expected: expected}
}
