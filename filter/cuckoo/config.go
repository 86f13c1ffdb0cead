package cuckoo

import (
	"fmt"
	"math"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/internal/elementary"
)

// The least and the largest number of bits of a fingerprint.
const (
	MinFingerprint = 4
	MaxFingerprint = 32
)

// Config is the plan of a filter. Members and one of BitsPerKey and Rate are required.
type Config struct {
	// Members is the number of members at a time to plan for, at least 1. The filter takes a few
	// more, and then refuses inserts.
	Members int

	// BitsPerKey sizes the filter by memory, in bits of the table per planned member. New takes the
	// longest fingerprints that fit. Exactly one of BitsPerKey and Rate is above 0.
	BitsPerKey float64

	// Rate sizes the filter by its false-positive rate: New makes the smallest table whose expected
	// rate with the Members in is at most Rate. It is above 0 and below 1.
	Rate float64

	// Turnovers is how many times all members are replaced. It changes nothing, because a delete
	// leaves no trace.
	Turnovers float64

	// Fingerprint is the number of bits of a fingerprint, MinFingerprint to MaxFingerprint. With 0,
	// New takes the best number.
	Fingerprint int

	// Key is the secret hash key. With the zero Key, New draws a random one.
	Key key.Key
}

// highest is the planned load of large tables: the part of the slots that Members may take.
const highest = 0.95

// loads are the highest planned loads with 2^22 members, by the bits of a fingerprint from
// MinFingerprint on, and what each doubling of the members takes from them. The first refusal comes
// earlier in a larger table, because one of its inserts in 500 kicks is more likely to find no
// place. With short fingerprints a bucket has few others. These are loads at which a thousandth of
// the tables has refused, measured with up to 2^26 slots: TestFirstRefusal.
var loads = [...]struct{ most, lost float64 }{
	{0.9353, 0.0016}, {0.9421, 0.0014}, {0.9474, 0.00115}, {0.9496, 0.001}, // 7 bits and more
}

// needed returns the smallest number of buckets in which a number of members is planned to have
// room, with fingerprints of a number of bits.
//
// Small tables vary more than large ones, so they get more room. And two buckets hold a fingerprint
// eight times: of M members, nine have the same fingerprint of v in the same of n/2 pairs of n
// buckets for at most
//
//	(n v / 2) (2M / (n v))^9 / 9!
//
// pairs in the mean. That is planned to be 1/500 at most, which matters below 6 bits.
func needed(members float64, bits int) float64 {
	width := loads[min(bits-MinFingerprint, len(loads)-1)]
	load := min(highest, width.most-float64(width.lost*(elementary.Log2(members)-22)))
	load = min(load, highest-min(0.45, 1.5/math.Sqrt(members)))
	const pairs = 0.878 // (2^8 * 500 / 9!)^(1/8)
	values := float64(shape{fingerprint: bits}.values())
	return math.Ceil(max(members/load/slots, pairs*elementary.Pow(members, 9.0/8)/values))
}

// Shape returns the size of the filter that [New] makes of c. The error is a *[filter.SizingError].
func (c *Config) Shape() (Shape, error) {
	plan := *c // of which Solve varies the members
	return base.Solve(kind.Name, &plan.Members, c.Rate, plan.attempt)
}

// attempt returns the shape of c. The error is a *[base.RateError] if none keeps the rate.
func (c *Config) attempt() (Shape, error) {
	s := filter.Sizing{
		Members: c.Members, BitsPerKey: c.BitsPerKey, Rate: c.Rate, Turnovers: c.Turnovers,
	}
	if err := s.Check(kind.Name); err != nil {
		return Shape{}, err
	}
	shortest, longest := MinFingerprint, MaxFingerprint
	if c.Fingerprint != 0 {
		if c.Fingerprint < shortest || c.Fingerprint > longest {
			return Shape{}, c.wrong("Fingerprint", c.Fingerprint,
				fmt.Sprintf("0, or %d to %d", shortest, longest))
		}
		shortest, longest = c.Fingerprint, c.Fingerprint
	}
	members := float64(c.Members)
	best, least := shape{}, math.Inf(1)
	fewest := math.Inf(1) // bits of a table in which the members have room
	for bits := shortest; bits <= longest; bits++ {
		size, needed := shape{fingerprint: bits}, needed(members, bits)
		bucket := float64(slots * bits)
		buckets := math.Floor(float64(s.Bits()) / bucket)
		if c.Rate != 0 {
			buckets = max(needed, size.bucketsFor(c.Rate, members))
		}
		fewest = min(fewest, needed*bucket)
		total := buckets * bucket
		if buckets >= needed && total <= filter.MaxBits-128 && (c.Rate == 0 || total < least) {
			size.buckets = uint64(buckets)
			best, least = size, total
		}
	}
	if best.buckets > 0 {
		return shapeOf(best), s.CheckBits(kind.Name, least, func(bitsPerKey float64) float64 {
			sized := *c
			sized.BitsPerKey, sized.Rate = bitsPerKey, 0
			size, err := sized.attempt()
			if err != nil {
				return 1
			}
			return size.Rate(c.Members)
		})
	}
	if c.Rate == 0 {
		return Shape{}, c.wrong("BitsPerKey", c.BitsPerKey,
			fmt.Sprintf("at least %.4g: fingerprints of %d bits or more", fewest/members, shortest))
	}
	return Shape{}, &base.RateError{}
}

func (c *Config) wrong(field string, found any, expected string) error {
	return &filter.SizingError{Kind: kind.Name, Field: field, Found: found, Expected: expected}
}
