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

	// MaxWidth is the largest width of a counter in bits.
	MaxWidth = 32

	// MaxTimes is the largest mean number of times that is planned for.
	MaxTimes = 1 << 32
)

// Config says what a filter is for.
type Config struct {
	// Members is the number of different members at a time to plan for, at least 1. The filter
	// takes more, with more errors and in more memory.
	Members int

	// BitsPerKey sizes the filter by memory: what it is expected to take with the Members in, in
	// bits for each of them. Exactly one of BitsPerKey and Rate is above 0.
	BitsPerKey float64

	// Rate sizes the filter by its false-positive rate: the smallest filter that is expected to
	// have it with the Members in. It lies between 0 and 1. With minimum selection it is also the
	// share of the members whose counts are wrong.
	Rate float64

	// Turnovers is how many times all members are to be replaced. They cost nothing with minimum
	// selection; with minimal increase members stay, and are planned for; with a recurring minimum
	// they fill the marker, which makes counts wrong and leaves the rate as it is.
	Turnovers float64

	// Times is how many times a member is in, in the mean; 0 is 1. It is a matter of memory only:
	// the filter takes members as often as they come.
	Times int

	// Width is the number of bits of a counter, up to MaxWidth; 0 is counters of variable length,
	// which are several times slower, take a fraction of the memory, and count as far as anybody
	// does. A counter of a fixed width that has reached its highest value stays there, and the
	// count is [math.MaxUint64] then.
	Width int

	// Hashes is k, the number of counters of a key, up to MaxHashes; 0 is the best number for the
	// size.
	Hashes int

	// Key is the hash key; the zero Key means a new random one.
	Key key.Key
}

// shape is the sizes of a filter.
type shape struct {
	rule    rule
	first   size
	second  size // of keys with a single minimum
	marker  bloom.Shape
	members uint64 // planned
	times   uint64 // of each
}

// Of the counters of a filter with a recurring minimum the secondary ones are this part, and the
// marker has so many bits for each.
const (
	secondaryPart = 4
	markerPart    = 1
)

// solve returns the shape of a filter of c.
func (c *Config) solve(r rule) (shape, error) {
	s := filter.Sizing{Members: c.Members, BitsPerKey: c.BitsPerKey, Rate: c.Rate,
		Turnovers: c.Turnovers}
	wrong := func(field string, found any, expected string) error {
		return &filter.SizingError{Kind: r.String(), Field: field, Found: found, Expected: expected}
	}
	if err := s.Check(r.String()); err != nil {
		return shape{}, err
	}
	switch {
	case c.Hashes < 0 || c.Hashes > MaxHashes:
		return shape{}, wrong("Hashes", c.Hashes, fmt.Sprintf("0 to %d", MaxHashes))
	case c.Width < 0 || c.Width > MaxWidth:
		return shape{}, wrong("Width", c.Width, fmt.Sprintf("0 to %d", MaxWidth))
	case c.Times < 0 || uint64(c.Times) > MaxTimes:
		return shape{}, wrong("Times", c.Times, fmt.Sprintf("0 to %d", uint64(MaxTimes)))
	}
	planned := c.Members
	if r == increase {
		planned = min(s.Inserts(), planning.MaxMembers)
	}
	plan := bloom.Plan{Inserts: planned, Hashes: c.Hashes}
	sized := func(m uint64) shape {
		return shapeOf(r, m, c.Width, plan.OfBits(m).Hashes, uint64(planned),
			uint64(max(1, c.Times)))
	}
	if c.Rate > 0 {
		bits, has := plan.OfRate(c.Rate, filter.MaxBits)
		if !has {
			return shape{}, wrong("Rate", c.Rate, fmt.Sprintf(
				"at least %.3g: the best for %d members in %d counters", bits.Rate(planned),
				planned, bits.Bits()))
		}
		return sized(bits.Bits()), nil
	}
	// low takes no more than is asked for, or is the least; high takes more
	low, high := uint64(1), s.Bits()
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
func shapeOf(r rule, m uint64, width, hashes int, members, times uint64) shape {
	s := shape{rule: r, first: sizeOf(m, width, hashes), members: members, times: times}
	if r == recurring {
		s.second = sizeOf((m+secondaryPart-1)/secondaryPart, width, hashes)
		s.marker = bloom.Shape{Blocks: 1, Span: m * markerPart, Hashes: hashes}
	}
	return s
}

// bytes returns the memory that a filter takes with the planned members in.
func (s shape) bytes() float64 {
	bytes := s.first.bytes(s.firstRoom())
	if s.rule == recurring {
		bytes += s.second.bytes(s.secondRoom()) + 8*float64(s.marker.Words())
	}
	return bytes
}

// The bits per counter that pages have room for.

func (s shape) firstRoom() float64 { return s.room(s.first, 1) }

func (s shape) secondRoom() float64 { return s.room(s.second, s.single()) }

// single returns the part of the members that have a single minimum when all are in, as often each:
// one counter has n other keys, and the others have more.
func (s shape) single() (part float64) {
	k := float64(s.first.hashes)
	keys := s.keys(s.first, 1)
	more, chance := 1.0, math.Exp(-keys)
	for n := range 4 * mostKeys {
		more = max(0, more-chance)
		part += k * chance * math.Pow(more, k-1)
		chance *= keys / float64(n+1)
	}
	return min(1, part)
}

// keys returns how many of part of the planned members have a counter in the mean, as far as room
// is made for them.
func (s shape) keys(of size, part float64) float64 {
	return min(mostKeys, part*float64(s.members)*float64(of.hashes)/float64(of.counters))
}

// room returns the bits per counter of a page that part of the planned members are in, and two
// standard deviations more: of counters that a Poisson distributed number of keys have, each of
// them as many times.
func (s shape) room(of size, part float64) float64 {
	keys := s.keys(of, part)
	mean, square, chance := 0.0, 0.0, math.Exp(-keys)
	for n := range uint64(4 * mostKeys) {
		length := float64(counters.Length(min(n*s.times, counters.Highest)))
		mean += chance * length
		square += chance * length * length
		chance *= keys / float64(n+1)
	}
	return mean +
		2*math.Sqrt(max(0, square-mean*mean)/float64(min(of.counters, counters.PageCounters)))
}

// mostKeys is the most keys per counter that room is made for from the start.
const mostKeys = 8
