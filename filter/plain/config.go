package plain

import (
	"fmt"
	"math"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/internal/bloom"
	"github.com/bloomlane/bloomlane/filter/key"
)

// MaxHashes is the largest k. It is the best k at 92 bits per key, where the rate is 1e-19.
const MaxHashes = bloom.MaxHashes

// BlockBits is the number of bits of a block of a blocked filter: one cache line.
const BlockBits = bloom.BlockBits

// Config is the plan of a filter. Members and one of BitsPerKey, Rate and Bits are required; or Bits
// and Hashes alone.
type Config struct {
	// Members is the number of members to plan for, at least 1. The filter takes more, with more
	// false positives. With Bits and Hashes it may be 0: then it is the number of members of which
	// about half of the bits are set, Bits*ln(2)/Hashes.
	Members int

	// BitsPerKey sizes the filter by memory, in bits of the table per planned member. Exactly one
	// of BitsPerKey, Rate and Bits is above 0.
	BitsPerKey float64

	// Rate sizes the filter by its false-positive rate: New makes the smallest table whose expected
	// rate after Members*(1+Turnovers) inserts is at most Rate. It is above 0 and below 1.
	Rate float64

	// Bits is m, the exact number of bits of the table. A blocked filter has whole blocks: Bits is
	// a multiple of BlockBits.
	Bits int

	// Turnovers is how many times all members are replaced. Nothing is ever deleted, so the filter
	// is planned for Members*(1+Turnovers) inserts.
	Turnovers float64

	// Hashes is k, the number of bits of a key, up to MaxHashes. With 0, New takes the k of the
	// lowest rate.
	Hashes int

	// Blocked puts all bits of a key into one block of BlockBits, which is one cache line.
	Blocked bool

	// Key is the secret hash key. With the zero Key, New draws a random one.
	Key key.Key
}

func (c *Config) kind() *base.Class[Filter, table] {
	if c.Blocked {
		return blockedKind
	}
	return plainKind
}

// Shape returns the size of the filter that [New] makes of c. The error is a *[filter.SizingError].
func (c *Config) Shape() (Shape, error) {
	plan := *c // of which Solve varies the members
	return base.Solve(c.kind().Name, &plan.Members, c.Rate, plan.attempt)
}

// attempt returns the shape of c. The error is a *[base.RateError] if none keeps the rate.
func (c *Config) attempt() (Shape, error) {
	s := filter.Sizing{
		Members: c.planned(), BitsPerKey: c.BitsPerKey, Rate: c.Rate, Turnovers: c.Turnovers,
	}
	if c.Bits != 0 {
		if err := c.checkBits(); err != nil {
			return Shape{}, err
		}
		s.BitsPerKey = float64(c.Bits) / float64(s.Members)
	}
	if err := s.Check(c.kind().Name); err != nil {
		return Shape{}, err
	}
	if c.Hashes < 0 || c.Hashes > MaxHashes {
		return Shape{}, c.wrong("Hashes", c.Hashes, fmt.Sprintf("0 to %d", MaxHashes))
	}
	plan := bloom.Plan{Inserts: s.Inserts(), Hashes: c.Hashes, Blocked: c.Blocked}
	if c.Rate == 0 {
		return shapeOf(plan.OfBits(uint64(s.Bits())), c.Blocked), nil
	}
	size, has := plan.OfRate(c.Rate, filter.MaxBits)
	if !has {
		return Shape{}, &base.RateError{Best: size.Rate(plan.Inserts)}
	}
	rate := func(bitsPerKey float64) float64 {
		of := s
		of.BitsPerKey, of.Rate = bitsPerKey, 0
		return plan.OfBits(uint64(of.Bits())).Rate(plan.Inserts)
	}
	return shapeOf(size, c.Blocked), s.CheckBits(c.kind().Name, float64(size.Bits()), rate)
}

// planned returns the number of members to plan for.
func (c *Config) planned() int {
	if c.Members == 0 && c.Bits > 0 && c.Hashes > 0 {
		return max(1, int(float64(c.Bits)*math.Ln2/float64(c.Hashes)))
	}
	return c.Members
}

func (c *Config) checkBits() error {
	switch {
	case c.BitsPerKey != 0 || c.Rate != 0:
		return c.wrong("Bits", c.Bits, "0, because there are BitsPerKey or a Rate")
	case c.Bits < 1 || c.Bits > filter.MaxBits:
		return c.wrong("Bits", c.Bits, fmt.Sprintf("1 to %d", filter.MaxBits))
	case c.Blocked && c.Bits%BlockBits != 0:
		return c.wrong("Bits", c.Bits, fmt.Sprintf("a multiple of %d, the bits of a block", BlockBits))
	}
	return nil
}

func (c *Config) wrong(field string, found any, expected string) error {
	return &filter.SizingError{Kind: c.kind().Name, Field: field, Found: found, Expected: expected}
}
