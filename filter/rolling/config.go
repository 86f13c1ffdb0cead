package rolling

import (
	"fmt"
	"math"
	"sort"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/internal/expected"
)

const (
	defaultGenerations = 4

	// maxGenerations bounds what a query costs: a cache line for each of them.
	maxGenerations = 64

	// maxMembers is so low that twice the members and a ring more is a number.
	maxMembers = math.MaxInt / 4
)

// Config says what a filter is for.
type Config struct {
	// Members is the greatest number of members at a time, at least 1.
	Members int

	// Rate sizes the filter by its false-positive rate, between 0 and 1: the smallest tables that
	// keep it in the mean over hash keys, whatever comes and goes. A single filter may be above it:
	// see [Planned.Rate99]. Exactly one of Rate and BitsPerKey is above 0.
	Rate float64

	// BitsPerKey sizes the filter by memory: bits of all tables together, for each of the Members.
	BitsPerKey float64

	// Generations is the number of tables in the ring, 2 to 64; 0 means 4. A query reads a cache
	// line of each that is in use.
	Generations int

	// Capacity is the number of inserts after which a generation closes. 0 means 2 * Members /
	// Generations, rounded up: the ring then takes twice as many inserts as there are members, and
	// the package documentation says what that buys. All generations but one must have room for
	// the Members.
	Capacity int

	// Stragglers supplies the members that are left in the oldest generation, from, when it has to
	// go: they are inserted into a new one, to, which is the newest from then on. It yields the
	// hashes of the live keys that were inserted into from, or moved there before. It may yield
	// more, also all live keys, where the owner does not know: those that from does not show are
	// passed over, and the others cost room. A key that it leaves out is a member no more.
	//
	// An error that it yields ends the move, and so does the end of ctx, which is the argument of
	// [Filter.Rotate], or [context.Background] where an insert rotates. Then nothing has changed,
	// and no generation ever gets the number to. It must not call the filter.
	Stragglers Stragglers

	// Expire has lifetimes end: a generation goes, with the members that are left in it, when
	// Generations newer ones have been opened. It excludes Stragglers.
	Expire bool

	// Key is the hash key; the zero Key means a new random one.
	Key key.Key
}

// Planned is what a [Config] comes to.
type Planned struct {
	Generations int // tables in the ring
	Capacity    int // inserts that each takes
	Blocks      int // of each table, of [deletable.BlockBytes]
	Bytes       int // of all tables

	// Rate is Generations times the false-positive rate of one table after Capacity inserts: a mean
	// over hash keys. Whatever comes and goes, the mean rate is at most this. About half of all
	// filters that are full, with Capacity inserts in each table, are above it.
	Rate float64

	// Rate99 is the rate that about 99 of 100 full filters are below. Of a million members it is
	// hardly more than Rate; planned for 1 %, of a thousand 1.15 times and of a hundred 1.5 times
	// as much.
	Rate99 float64
}

// Planned returns what [New] makes of c. Its error is a *[filter.SizingError].
func (c *Config) Planned() (Planned, error) {
	if c.Members < 1 {
		return Planned{}, wrong("Members", c.Members, "at least 1")
	}
	if c.Members > maxMembers {
		return Planned{}, wrong("Members", c.Members, fmt.Sprintf("at most %d", maxMembers))
	}
	p := Planned{Generations: c.Generations, Capacity: c.Capacity}
	if p.Generations == 0 {
		p.Generations = defaultGenerations
	}
	if p.Generations < 2 || p.Generations > maxGenerations {
		return Planned{},
			wrong("Generations", c.Generations, fmt.Sprintf("2 to %d, or 0", maxGenerations))
	}
	least := above(c.Members, p.Generations-1)
	if p.Capacity == 0 {
		p.Capacity = max(least, above(2*c.Members, p.Generations))
	}
	if p.Capacity > maxMembers {
		return Planned{}, wrong("Capacity", c.Capacity, fmt.Sprintf("at most %d", maxMembers))
	}
	if p.Capacity < least {
		return Planned{}, wrong("Capacity", c.Capacity,
			fmt.Sprintf("at least %d: %d members in %d generations", least, c.Members,
				p.Generations-1))
	}
	if c.Expire && c.Stragglers != nil {
		return Planned{}, wrong("Expire", true, "false, because there are Stragglers")
	}
	err := c.size(&p)
	return p, err
}

// above returns n/d, rounded up.
func above(n, d int) int { return n/d + min(1, n%d) }

// size fills in the blocks of p, and what follows from them.
func (c *Config) size(p *Planned) error {
	most := deletable.MaxBlocks / p.Generations
	rate := func(nblocks int) float64 {
		return float64(p.Generations) * deletable.ExpectedRate(p.Capacity, nblocks)
	}
	switch {
	case c.BitsPerKey == 0 && c.Rate == 0:
		return wrong("Rate", 0, "either it or BitsPerKey above 0")
	case c.BitsPerKey != 0 && c.Rate != 0:
		return wrong("BitsPerKey", c.BitsPerKey, fmt.Sprintf("0, because Rate is %g", c.Rate))
	case c.Rate != 0:
		if !(c.Rate > 0 && c.Rate < 1) { // so written, NaN fails it too
			return wrong("Rate", c.Rate, "a number above 0 and below 1")
		}
		if c.Rate < filter.MinRate(c.Members) {
			return wrong("Rate", c.Rate, filter.LeastRate(c.Members))
		}
		if best := rate(most); best > c.Rate {
			return wrong("Rate", c.Rate,
				fmt.Sprintf("at least %.3g: the best for %d tables of %d inserts and %d blocks",
					best, p.Generations, p.Capacity, most))
		}
		p.Blocks = 1 + sort.Search(most-1, func(i int) bool { return rate(i+1) <= c.Rate })
	default:
		if !(c.BitsPerKey > 0) {
			return wrong("BitsPerKey", c.BitsPerKey, "a number above 0")
		}
		// Rounded down, so that the memory is no more than what was asked for, to a block at least.
		nblocks := c.BitsPerKey * float64(c.Members) / float64(8*deletable.BlockBytes*p.Generations)
		if nblocks >= float64(most+1) {
			return wrong("BitsPerKey", c.BitsPerKey,
				fmt.Sprintf("at most %.6g: %d members in %d tables of %d blocks",
					float64(most)*float64(8*deletable.BlockBytes*p.Generations)/float64(c.Members),
					c.Members, p.Generations, most))
		}
		p.Blocks = max(1, int(nblocks))
	}
	p.Bytes = p.Generations * p.Blocks * deletable.BlockBytes
	p.Rate = min(1, rate(p.Blocks))
	spread := expected.RateSpread(p.Capacity, p.Blocks,
		expected.Lanes{Count: dataLanes, Bits: regions})
	p.Rate99 = max(p.Rate, min(1, spread.Times(p.Generations).Below99()))
	return nil
}
