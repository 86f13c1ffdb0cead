package plain

import (
	"fmt"
	"math"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/key"
)

// MaxHashes is the largest k. The best k is as large at 92 bits per key, where the rate is 1e-19.
const MaxHashes = 64

// Config says what a filter is for.
type Config struct {
	// Members is the number of members to plan for, at least 1. The filter takes more, with more false
	// positives.
	Members int

	// BitsPerKey sizes the filter by memory: bits for each of the Members. Exactly one of BitsPerKey and
	// Rate is above 0.
	BitsPerKey float64

	// Rate sizes the filter by its false-positive rate: the smallest table that is expected to have it after
	// Members*(1+Turnovers) inserts. It lies between 0 and 1.
	Rate float64

	// Turnovers is how many times all members are to be replaced. Nothing is ever deleted, so the filter is
	// planned for Members*(1+Turnovers) inserts.
	Turnovers float64

	// Hashes is k, the number of bits of a key, up to MaxHashes; 0 is the best number for the size.
	Hashes int

	// Blocked has all bits of a key in one cache line, a block of BlockBits.
	Blocked bool

	// Key is the hash key; the zero Key means a new random one.
	Key key.Key
}

func (c *Config) kind() string {
	if c.Blocked {
		return blockedName
	}
	return plainName
}

// solve returns the shape of the table of c.
func (c *Config) solve() (shape, error) {
	s := filter.Sizing{
		Members: c.Members, BitsPerKey: c.BitsPerKey, Rate: c.Rate, Turnovers: c.Turnovers,
	}
	if err := s.Check(c.kind()); err != nil {
		return shape{}, err
	}
	if c.Hashes < 0 || c.Hashes > MaxHashes {
		return shape{}, c.wrong("Hashes", c.Hashes, fmt.Sprintf("0 to %d", MaxHashes))
	}
	inserts := s.Inserts()
	sized := func(units uint64) shape { // a unit is a bit, or a block
		size := shape{blocks: 1, span: units, hashes: c.Hashes}
		if c.Blocked {
			size.blocks, size.span = units, BlockBits
		}
		if size.hashes == 0 {
			size.hashes = size.bestHashes(inserts)
		}
		return size
	}
	unit := uint64(1)
	if c.Blocked {
		unit = BlockBits
	}
	if c.Rate == 0 {
		return sized((s.Bits() + unit - 1) / unit), nil
	}
	low, high := uint64(0), uint64(filter.MaxBits)/unit // high keeps the rate, low does not
	if best := sized(high); best.rate(inserts) > c.Rate {
		return shape{}, c.wrong("Rate", c.Rate,
			fmt.Sprintf("at least %.3g: the best for %d inserts in %d bits", best.rate(inserts), inserts, best.bits()))
	}
	// Doubling first keeps the theory's numbers small.
	for guess := max(1, uint64(inserts)/unit); guess < high; guess *= 2 {
		if size := sized(guess); size.rate(inserts) <= c.Rate {
			high = guess
			break
		}
		low = guess
	}
	for high-low > 1 {
		middle := low + (high-low)/2
		if size := sized(middle); size.rate(inserts) <= c.Rate {
			high = middle
		} else {
			low = middle
		}
	}
	return sized(high), nil
}

// bestHashes returns the k of the lowest rate after a number of inserts. In one big block it is near m/n ln
// 2 (Broder and Mitzenmacher, "Network Applications of Bloom Filters: A Survey", 2004, section 2.1);
// crowded blocks want fewer.
func (s shape) bestHashes(inserts int) int {
	at := func(k int) float64 {
		s.hashes = k
		return s.rate(inserts)
	}
	k := int(max(1, min(math.Ceil(float64(s.bits())/float64(inserts)*math.Ln2), MaxHashes)))
	for k > 1 && at(k-1) <= at(k) {
		k--
	}
	return k
}

func (c *Config) wrong(field string, found any, expected string) error {
	return &filter.SizingError{Kind: c.kind(), Field: field, Found: found, Expected: expected}
}
