package spectral

import (
	"fmt"
	"math"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/internal/bloom"
	"github.com/bloomlane/bloomlane/internal/counters"
)

const (
	// MaxHashes is the largest k.
	MaxHashes = bloom.MaxHashes

	// MaxTimes is the largest mean number of times that is planned for.
	MaxTimes = 1 << 32
)

// Config says what a filter is for.
type Config struct {
	// Members is the number of different members at a time to plan for, at least 1. The filter takes more, with
	// more errors and in more memory.
	Members int

	// BitsPerKey sizes the filter by memory: what it is expected to take with the Members in, in bits for each
	// of them. Exactly one of BitsPerKey and Rate is above 0.
	BitsPerKey float64

	// Rate sizes the filter by its false-positive rate: the smallest filter that is expected to have it with the
	// Members in. It lies between 0 and 1. With minimum selection it is also the share of the members whose
	// counts are wrong.
	Rate float64

	// Turnovers is how many times all members are to be replaced. They cost nothing where members are deleted;
	// with minimal increase they stay, and are planned for.
	Turnovers float64

	// Times is how many times a member is in, in the mean; 0 is 1. It is a matter of memory only: the filter
	// takes members as often as they come.
	Times int

	// Hashes is k, the number of counters of a key, up to MaxHashes; 0 is the best number for the size.
	Hashes int

	// Key is the hash key; the zero Key means a new random one.
	Key key.Key
}

// shape is the sizes of a filter.
type shape struct {
	rule    rule
	hashes  int
	first   counters.Shape
	second  counters.Shape // of keys with a single minimum
	marker  uint64         // bits
	members uint64         // planned
	times   uint64         // of each
}

// Of the counters of a filter with a recurring minimum the secondary ones are this part, and the marker has so
// many bits for each.
const (
	secondaryPart = 4
	markerPart    = 1
)

// solve returns the shape of a filter of c.
func (c *Config) solve(r rule) (shape, error) {
	s := filter.Sizing{Members: c.Members, BitsPerKey: c.BitsPerKey, Rate: c.Rate, Turnovers: c.Turnovers}
	wrong := func(field string, found any, expected string) error {
		return &filter.SizingError{Kind: r.String(), Field: field, Found: found, Expected: expected}
	}
	if err := s.Check(r.String()); err != nil {
		return shape{}, err
	}
	switch {
	case c.Hashes < 0 || c.Hashes > MaxHashes:
		return shape{}, wrong("Hashes", c.Hashes, fmt.Sprintf("0 to %d", MaxHashes))
	case c.Times < 0 || uint64(c.Times) > MaxTimes:
		return shape{}, wrong("Times", c.Times, fmt.Sprintf("0 to %d", uint64(MaxTimes)))
	}
	planned := c.Members
	if r == increase {
		planned = min(s.Inserts(), planning.MaxMembers)
	}
	plan := bloom.Plan{Inserts: planned, Hashes: c.Hashes}
	sized := func(m uint64) shape {
		return shapeOf(r, m, plan.OfBits(m).Hashes, uint64(planned), uint64(max(1, c.Times)))
	}
	if c.Rate > 0 {
		bits, has := plan.OfRate(c.Rate, filter.MaxBits)
		if !has {
			return shape{}, wrong("Rate", c.Rate, fmt.Sprintf("at least %.3g: the best for %d members in %d counters",
				bits.Rate(planned), planned, bits.Bits()))
		}
		return sized(bits.Bits()), nil
	}
	low, high := uint64(1), s.Bits() // low takes no more than is asked for, or is the least; high takes more
	for high-low > 1 && high > low {
		if middle := low + (high-low)/2; sized(middle).bytes() <= float64(s.Bits())/8 {
			low = middle
		} else {
			high = middle
		}
	}
	return sized(low), nil
}

// shapeOf returns the shape of a filter with at least m primary counters.
func shapeOf(r rule, m uint64, hashes int, members, times uint64) shape {
	s := shape{rule: r, hashes: hashes, first: counters.ShapeOf(m), members: members, times: times}
	if r == recurring {
		s.second = counters.ShapeOf((m + secondaryPart - 1) / secondaryPart)
		s.marker = m * markerPart
	}
	return s
}

// bytes returns the memory that a filter takes with the planned members in.
func (s shape) bytes() float64 {
	first, second := s.room()
	bytes := s.first.Bytes(first)
	if s.rule == recurring {
		bytes += s.second.Bytes(second) + float64(s.marker+63)/64*8
	}
	return bytes
}

// room returns the bits per counter that a page has room for: with the planned members in, two standard deviations
// more than the mean of a page.
func (s shape) room() (first, second float64) {
	load := float64(s.members) * float64(s.hashes)
	first = roomOf(load/float64(s.first.Counters()), s.first, s.times)
	if s.rule == recurring {
		load *= singleAtBest
		second = roomOf(load/float64(s.second.Counters()), s.second, s.times)
	}
	return first, second
}

// singleAtBest is about the part of the members that have a single minimum, at the best k for k of 3 to 8.
const singleAtBest = 0.2

// roomOf returns the room for counters that as many keys have in the mean, Poisson distributed, and each of them as
// many times.
func roomOf(keys float64, s counters.Shape, times uint64) float64 {
	keys = min(keys, mostKeys)
	mean, square, chance := 0.0, 0.0, math.Exp(-keys)
	for n := range uint64(4 * mostKeys) {
		length := float64(counters.Length(min(n*times, counters.Highest)))
		mean += chance * length
		square += chance * length * length
		chance *= keys / float64(n+1)
	}
	return mean + 2*math.Sqrt(max(0, square-mean*mean)/float64(s.PerPage))
}

// mostKeys is the most keys per counter that room is made for from the start.
const mostKeys = 8
