package elastic

import (
	"fmt"
	"sort"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/internal/expected"
	"github.com/bloomlane/bloomlane/kernel"
)

const (
	// MaxMembers is the largest number of members of any filter.
	MaxMembers = 1 << 30

	// planBlocks is the number of blocks of the largest table of a plan, 2 GiB of them. A plan has
	// it where an int has 32 bits too, so that files are the same there. The largest table has
	// maxBlocks.
	planBlocks = kernel.MaxSplitBlocks
	maxBlocks  = min(planBlocks, filter.MaxBits/blockBits)

	// maxLoad is the largest number of members per block that a filter is planned for. Lists are as
	// long.
	maxLoad = blockBits

	leastBits = 2 // per key
)

// Config is the plan of a filter. Members and one of BitsPerKey and Rate are required.
type Config struct {
	// Members is the number of members to begin with, at least 1. With a few more the filter grows.
	Members int

	// BitsPerKey sizes the filter by the memory that queries read, in bits of the blocks per
	// planned member. The lists come on top: the package comment has their size. Exactly one of
	// BitsPerKey and Rate is above 0.
	BitsPerKey float64

	// Rate sizes the filter by its false-positive rate: New makes the smallest one whose expected
	// rate with the Members in is at most Rate. It is above 0 and below 1. The rate of the plan
	// stays for any number of members, also with BitsPerKey.
	Rate float64

	// Turnovers is how many times all members are replaced. It changes nothing, because a delete
	// leaves no trace.
	Turnovers float64

	// MaxMembers is the number of members beyond which inserts are refused with a *[FullError]. 0
	// means as many as the largest table takes: see [Filter.Most].
	MaxMembers int

	// Key is the secret hash key. With the zero Key, New draws a random one.
	Key key.Key
}

// plan is the sizes and limits that follow from a Config.
type plan struct {
	blocks  int // blocks of the smallest table
	members int // members at which that grows
	most    int // the most members, in the largest table of a plan
	pace    int // units that a call moves: all of them in a spread-th of the members
}

// setPace sets the pace of a plan that has blocks and members.
func (p *plan) setPace() { p.pace = (spread*p.blocks + p.members - 1) / p.members }

// fine is the number of steps per member per block in which loads are searched.
const fine = 1 << 20

// rate returns the false-positive rate of a large table with a load. The rate of a small table is
// lower, except near 1, where it is up to a two-hundredth higher.
func rate(finely int) float64 { return expected.Rate(finely, fine, blockShape) }

// solve returns the plan of c. The error says what is possible.
func (c *Config) solve() (plan, error) {
	plan := *c // of which Solve varies the members
	return base.Solve(kindName, &plan.Members, c.Rate, plan.attempt)
}

// attempt returns the plan of c. The error is a *[base.RateError] if none keeps the rate.
func (c *Config) attempt() (plan, error) {
	s := filter.Sizing{Members: c.Members, BitsPerKey: c.BitsPerKey, Rate: c.Rate,
		Turnovers: c.Turnovers}
	if err := s.Check(kindName); err != nil {
		return plan{}, err
	}
	// with room for the Members to come and go without a growth
	need := uint64(c.Members)*spread/(spread-1) + 1
	if need > MaxMembers {
		return plan{},
			c.wrong("Members", c.Members, fmt.Sprintf("at most %d", MaxMembers/spread*(spread-1)-1))
	}
	p := plan{members: int(need)}
	if c.Rate == 0 {
		if c.BitsPerKey < leastBits {
			return plan{},
				c.wrong("BitsPerKey", c.BitsPerKey, fmt.Sprintf("at least %d", leastBits))
		}
		blocks := max(uint64(s.Bits())/blockBits, (need+maxLoad-1)/maxLoad)
		if blocks > uint64(maxBlocks) {
			return plan{}, c.wrong("BitsPerKey", c.BitsPerKey,
				fmt.Sprintf("at most %.6g: %d blocks of %d bits",
					float64(maxBlocks)*blockBits/float64(c.Members), maxBlocks, blockBits))
		}
		p.blocks = int(blocks)
	} else {
		// the largest load that keeps the rate
		load := uint64(sort.Search(maxLoad*fine, func(i int) bool { return rate(i+1) > c.Rate }))
		blocks := uint64(maxBlocks) + 1
		if load > 0 {
			blocks = (need*fine + load - 1) / load
		}
		if blocks > uint64(maxBlocks) {
			return plan{}, &base.RateError{Best: rate(int(need * fine / uint64(maxBlocks)))}
		}
		if err := s.CheckBits(kindName, float64(blocks*blockBits), func(bits float64) float64 {
			return rate(int(float64(need) * fine * blockBits / (bits * float64(c.Members))))
		}); err != nil {
			return plan{}, err
		}
		p.blocks, p.members = int(blocks), int(min(blocks*load/fine, MaxMembers))
	}
	p.setPace()
	p.most = p.furthest(planBlocks)
	if c.MaxMembers != 0 {
		if most := p.furthest(maxBlocks); c.MaxMembers < c.Members || c.MaxMembers > most {
			return plan{},
				c.wrong("MaxMembers", c.MaxMembers,
					fmt.Sprintf("0, or %d to %d", c.Members, most))
		}
		p.most = c.MaxMembers
	}
	return p, nil
}

// limit returns the number of members that a table of nblocks takes before it grows. nblocks is a
// multiple of the smallest table.
func (p *plan) limit(nblocks int) int {
	return int(min(uint64(p.members)*uint64(nblocks/p.blocks), MaxMembers))
}

// furthest returns the number of members that the largest table of up to most blocks takes.
func (p *plan) furthest(most int) int {
	nblocks := p.blocks
	for nblocks <= most/2 {
		nblocks *= 2
	}
	return p.limit(nblocks)
}

func (c *Config) wrong(field string, found any, expected string) error {
	return &filter.SizingError{Kind: kindName, Field: field, Found: found, Expected: expected}
}
