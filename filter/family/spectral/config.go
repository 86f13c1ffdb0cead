package spectral

import (
	"fmt"
	"math"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/internal/bloom"
	"github.com/bloomlane/bloomlane/filter/internal/counters"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/internal/elementary"
)

const (
	// MaxHashes is the largest k.
	MaxHashes = bloom.MaxHashes

	// MaxWidth is the largest width of a counter in bits.
	MaxWidth = 32

	// MaxTimes is the largest mean number of times that is planned for.
	MaxTimes = 1 << 32
)

// Config is the plan of a filter. Members and one of BitsPerKey and Rate are required.
type Config struct {
	// Members is the number of different members at a time to plan for, at least 1. The filter
	// takes more, with more errors and in more memory.
	Members int

	// BitsPerKey sizes the filter by memory, in bits per planned member that the filter is expected
	// to need with the Members in. Exactly one of BitsPerKey and Rate is above 0.
	BitsPerKey float64

	// Rate sizes the filter by its false-positive rate: the smallest filter whose expected rate
	// with the Members in is at most Rate. It is above 0 and below 1. With minimum selection it is
	// also the part of the members whose counts are wrong.
	Rate float64

	// Turnovers is how many times all members are replaced. With minimum selection they change
	// nothing. With minimal increase members stay, and the filter is planned for all of them. With
	// a recurring minimum they fill the marker, which makes counts wrong and leaves the rate as it
	// is.
	Turnovers float64

	// Times is how many times a member is in, in the mean; 0 means 1. It only decides how much
	// memory is reserved: the filter takes members as often as they come.
	Times int

	// Width is the number of bits of a counter, up to MaxWidth. 0 means counters of variable
	// length, which are several times slower, need a fraction of the memory, and hold any count
	// that a program can make. A counter of a fixed width that has reached its highest value stays
	// there, and the count is then [math.MaxUint64].
	Width int

	// Hashes is k, the number of counters of a key, up to MaxHashes. With 0 it is the best number
	// for the size.
	Hashes int

	// Key is the secret hash key. With the zero Key a random one is drawn.
	Key key.Key
}

// shape is the rule, the plan and the sizes of a filter.
type shape struct {
	rule           rule
	members, times uint64 // planned, and how many times each
	hashes, width  uint64
	counters       uint64
	secondary      uint64 // counters, of keys with a single minimum
	span           uint64 // of the marker
}

// A filter with a recurring minimum has one secondary counter per secondaryPart primary ones, and a
// marker of markerPart bits per primary counter.
const (
	secondaryPart = 4
	markerPart    = 1
)

// solve returns the shape of c under a rule. The error says what is possible.
func (c *Config) solve(r rule) (shape, error) {
	plan := *c // of which Solve varies the members
	return base.Solve(r.String(), &plan.Members, c.Rate,
		func() (shape, error) { return plan.attempt(r) })
}

// attempt returns the shape of c. The error is a *[base.RateError] if none keeps the rate.
func (c *Config) attempt(r rule) (shape, error) {
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
			return shape{}, &base.RateError{Best: bits.Rate(planned)}
		}
		return sized(bits.Bits()), nil
	}
	// low needs at most what is asked for, or is the least; high needs more
	low, high := uint64(1), uint64(s.Bits())
	for high-low > 1 && high > low {
		middle := low + (high-low)/2
		if of := sized(middle); of.bytes() <= float64(s.Bits())/8 {
			low = middle
		} else {
			high = middle
		}
	}
	return sized(low), nil
}

// shapeOf returns the shape of a filter with at least m primary counters.
func shapeOf(r rule, m uint64, width, hashes int, members, times uint64) shape {
	s := shape{rule: r, members: members, times: times, hashes: uint64(hashes),
		width: uint64(width)}
	s.counters = sizeOf(m, width, hashes).counters
	if r == recurring {
		s.secondary = sizeOf((m+secondaryPart-1)/secondaryPart, width, hashes).counters
		s.span = m * markerPart
	}
	return s
}

func (s *shape) firstSize() size  { return size{s.counters, int(s.width), int(s.hashes)} }
func (s *shape) secondSize() size { return size{s.secondary, int(s.width), int(s.hashes)} }

func (s *shape) markerShape() bloom.Shape {
	return bloom.Shape{Blocks: 1, Span: s.span, Hashes: int(s.hashes)}
}

// bytes returns the memory of a filter with the planned members in.
func (s *shape) bytes() float64 {
	bytes := s.firstSize().bytes(s.firstRoom())
	if s.rule == recurring {
		bytes += s.secondSize().bytes(s.secondRoom()) + float64(8*float64(s.markerShape().Words()))
	}
	return bytes
}

// The bits per counter that pages reserve.

func (s *shape) firstRoom() float64  { return s.room(s.counters, 1) }
func (s *shape) secondRoom() float64 { return s.room(s.secondary, s.single()) }

// single returns the part of the members that have a single minimum when all are in equally often:
// one counter has n other keys, and the other counters have more.
func (s *shape) single() (part float64) {
	k := float64(s.hashes)
	keys := s.keys(s.counters, 1)
	more, chance := 1.0, elementary.Exp(-keys)
	for n := range 4 * mostKeys {
		more = max(0, more-chance)
		part += float64(k * chance * elementary.Pow(more, k-1))
		chance *= keys / float64(n+1)
	}
	return min(1, part)
}

// keys returns the mean number of keys per counter, for a part of the planned members, as far as
// room is reserved for them.
func (s *shape) keys(counters uint64, part float64) float64 {
	return min(mostKeys, part*float64(s.members)*float64(s.hashes)/float64(counters))
}

// room returns the bits per counter to reserve in a page that a part of the planned members is in:
// the mean and two standard deviations. A counter has a Poisson distributed number of keys, each of
// them the planned number of times.
func (s *shape) room(all uint64, part float64) float64 {
	keys := s.keys(all, part)
	mean, square, chance := 0.0, 0.0, elementary.Exp(-keys)
	for n := range uint64(4 * mostKeys) {
		length := float64(counters.Length(min(n*s.times, counters.Highest)))
		mean += float64(chance * length)
		square += float64(chance * length * length)
		chance *= keys / float64(n+1)
	}
	variance := max(0, square-float64(mean*mean)) / float64(min(all, counters.PageCounters))
	return mean + float64(2*math.Sqrt(variance))
}

// mostKeys is the most keys per counter that room is reserved for at first.
const mostKeys = 8
