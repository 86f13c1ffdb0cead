package cuckoo

import (
	"fmt"
	"math"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/key"
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

// load returns the part of the slots that a number of members is planned to take. Large tables
// take 95 % (section 5.2). Small ones vary more, so they are planned with more room:
// TestPlannedMembersFit holds them to it.
func load(members int) float64 { return 0.95 - min(0.45, 1.5/math.Sqrt(float64(members))) }

// solve returns the shape of the table of c.
func (c *Config) solve() (shape, error) {
	s := filter.Sizing{
		Members: c.Members, BitsPerKey: c.BitsPerKey, Rate: c.Rate, Turnovers: c.Turnovers,
	}
	if err := s.Check(kindName); err != nil {
		return shape{}, err
	}
	lowest, highest := MinFingerprint, MaxFingerprint
	if c.Fingerprint != 0 {
		if c.Fingerprint < lowest || c.Fingerprint > highest {
			return shape{}, c.wrong("Fingerprint", c.Fingerprint,
				fmt.Sprintf("0, or %d to %d", lowest, highest))
		}
		lowest, highest = c.Fingerprint, c.Fingerprint
	}
	members := float64(c.Members)
	needed := math.Ceil(members / load(c.Members) / slots) // buckets
	best, least := shape{}, math.Inf(1)
	for bits := lowest; bits <= highest; bits++ {
		size := shape{fingerprint: bits}
		bucket := float64(slots * bits)
		buckets := math.Floor(float64(s.Bits()) / bucket)
		if c.Rate != 0 {
			buckets = max(needed, size.bucketsFor(c.Rate, members))
		}
		total := buckets * bucket
		if buckets >= needed && total <= filter.MaxBits-128 && (c.Rate == 0 || total < least) {
			size.buckets = uint64(buckets)
			best, least = size, total
		}
	}
	if best.buckets > 0 {
		return best, nil
	}
	if c.Rate == 0 {
		return shape{}, c.wrong("BitsPerKey", c.BitsPerKey,
			fmt.Sprintf("at least %.4g: fingerprints of %d bits",
				needed*float64(slots*lowest)/members, lowest))
	}
	return shape{}, c.wrong("Rate", c.Rate,
		fmt.Sprintf("one that %d members keep with fingerprints of up to %d bits in %d bits",
			c.Members, highest, filter.MaxBits))
}

// Planned is the size and the rate of the filter that [New] makes of a [Config].
type Planned struct {
	Bytes int // of the table

	// Rate is the false-positive rate that is expected with the planned members in. It is the mean
	// over hash keys.
	Rate float64
}

// Planned returns the size and the rate of the filter that [New] makes of c. The error is a
// *[filter.SizingError].
func (c *Config) Planned() (Planned, error) {
	size, err := c.solve()
	if err != nil {
		return Planned{}, err
	}
	return Planned{8 * int(size.words()), size.rate(float64(c.Members))}, nil
}

func (c *Config) wrong(field string, found any, expected string) error {
	return &filter.SizingError{Kind: kindName, Field: field, Found: found, Expected: expected}
}
