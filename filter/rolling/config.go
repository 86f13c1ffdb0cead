package rolling

import (
	"fmt"
	"math"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/internal/expected"
)

const (
	defaultGenerations = 4

	// maxGenerations bounds the cost of a query, which reads a cache line per generation.
	maxGenerations = 64

	// maxMembers is so low that twice the members plus a ring does not overflow an int.
	maxMembers = math.MaxInt / 4
)

// Config says what a filter is for. [New] chooses its size from it.
type Config struct {
	// Members is the largest number of members at a time, at least 1.
	Members int

	// BitsPerKey sets the size: the bits of all tables together, divided by Members. Exactly one of
	// BitsPerKey and Rate must be above 0; the other is 0.
	BitsPerKey float64

	// Rate sets the false-positive rate, a share above 0 and below 1. New makes the smallest tables
	// that keep it, as a mean over hash keys, after any inserts and deletes. A single filter may be
	// above it: see [Shape.Rate99].
	Rate float64

	// Generations is the number of tables in the ring, from 2 to 64. 0 stands for 4. A query reads
	// a cache line of each generation in use.
	Generations int

	// Capacity is the number of inserts after which a generation closes. 0 stands for 2 * Members /
	// Generations, rounded up, so that the ring has room for twice the Members; more room means
	// that fewer members move: see docs/theory/rolling.md. All generations but one must together
	// have room for the Members.
	Capacity int

	// Stragglers lists the members that are left in the oldest generation, from, when it has to go.
	// They are inserted into a new generation, to, which becomes the newest. The source must yield
	// the hashes of all members that were inserted into from, or moved there before. It may yield
	// more, even all members, if the owner does not know the generations: the filter skips those
	// that from does not show, and the others need room. A key that it leaves out is no longer a
	// member.
	//
	// If the source yields an error, or if ctx ends, the move ends, nothing changes, and no
	// generation gets the number to. ctx is the argument of [Filter.Rotate], or
	// [context.Background] if an insert rotates. The source must not call the filter.
	Stragglers Stragglers

	// Expire says that members expire: when Generations newer generations have been opened, a
	// generation goes, with the members that are left in it. It must be false if there are
	// Stragglers.
	Expire bool

	// Key is the hash key. The zero Key stands for a new random key.
	Key key.Key
}

// Shape returns the size of the filter that [New] makes for c. The error is a
// *[filter.SizingError].
func (c *Config) Shape() (Shape, error) {
	plan := *c // of which Solve varies the members
	return base.Solve(kindName, &plan.Members, c.Rate, plan.attempt)
}

// attempt is Shape, but for a *[base.RateError] if no tables keep the rate.
func (c *Config) attempt() (Shape, error) {
	if c.Members < 1 {
		return Shape{}, wrong("Members", c.Members, "at least 1")
	}
	if c.Members > maxMembers {
		return Shape{}, wrong("Members", c.Members, fmt.Sprintf("at most %d", maxMembers))
	}
	p := Shape{Generations: c.Generations, Capacity: c.Capacity}
	if p.Generations == 0 {
		p.Generations = defaultGenerations
	}
	if p.Generations < 2 || p.Generations > maxGenerations {
		return Shape{},
			wrong("Generations", c.Generations, fmt.Sprintf("2 to %d, or 0", maxGenerations))
	}
	least := above(c.Members, p.Generations-1)
	if p.Capacity == 0 {
		p.Capacity = max(least, above(2*c.Members, p.Generations))
	}
	if p.Capacity > maxMembers {
		return Shape{}, wrong("Capacity", c.Capacity, fmt.Sprintf("at most %d", maxMembers))
	}
	if p.Capacity < least {
		return Shape{}, wrong("Capacity", c.Capacity,
			fmt.Sprintf("at least %d: %d members in %d generations", least, c.Members,
				p.Generations-1))
	}
	if c.Expire && c.Stragglers != nil {
		return Shape{}, wrong("Expire", true, "false, because there are Stragglers")
	}
	err := c.size(&p)
	return p, err
}

// above returns n/d rounded up.
func above(n, d int) int { return n/d + min(1, n%d) }

// size sets the blocks of p.
func (c *Config) size(p *Shape) error {
	most := deletable.MaxBlocks / p.Generations
	rate := func(nblocks int) float64 {
		return Shape{p.Generations, p.Capacity, nblocks}.Rate(math.MaxInt)
	}
	switch {
	case c.BitsPerKey == 0 && c.Rate == 0:
		return wrong("Rate", 0, "a number above 0, or bits per key")
	case c.BitsPerKey != 0 && c.Rate != 0:
		return wrong("BitsPerKey", c.BitsPerKey,
			fmt.Sprintf("0, because there is a rate of %g", c.Rate))
	case c.Rate != 0:
		if !(c.Rate > 0 && c.Rate < 1) { // in this form NaN fails too
			return wrong("Rate", c.Rate, "a number above 0 and below 1")
		}
		if c.Rate < filter.MinRate(c.Members) {
			return wrong("Rate", c.Rate, filter.LeastRate(c.Members))
		}
		s, block := filter.Sizing{Members: c.Members, Rate: c.Rate}, float64(8*deletable.BlockBytes)
		guess := expected.Needed(p.Capacity, c.Rate/float64(p.Generations)) / int(block)
		has := false
		if p.Blocks, has = expected.Smallest(guess, most, c.Rate, rate); !has {
			return &base.RateError{Best: rate(most)}
		}
		all := float64(p.Generations*p.Blocks) * block
		if err := s.CheckBits(kindName, all, func(bitsPerKey float64) float64 {
			bits := bitsPerKey * float64(c.Members) / float64(p.Generations)
			return rate(int(bits / block))
		}); err != nil {
			return err
		}
	default:
		if !(c.BitsPerKey > 0) {
			return wrong("BitsPerKey", c.BitsPerKey, "a number above 0")
		}
		// Rounded down, so that the memory is not more than asked for, but at least one block.
		nblocks := c.BitsPerKey * float64(c.Members) / float64(8*deletable.BlockBytes*p.Generations)
		if nblocks >= float64(most+1) {
			return wrong("BitsPerKey", c.BitsPerKey,
				fmt.Sprintf("at most %.6g: %d members in %d tables of %d blocks",
					float64(most)*float64(8*deletable.BlockBytes*p.Generations)/float64(c.Members),
					c.Members, p.Generations, most))
		}
		p.Blocks = max(1, int(nblocks))
	}
	return nil
}
