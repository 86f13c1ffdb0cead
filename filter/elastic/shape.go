package elastic

import (
	"fmt"
	"math"

	"github.com/bloomlane/bloomlane/filter/base"
)

// Shape is the size of a filter between two growths. Its methods compute what the theory expects.
type Shape struct {
	Blocks  int // that queries read, of 256 bits each
	Members int // with more the filter grows
}

// Rate returns a bound of the false-positive rate that is expected with a number of members in,
// without a growth. It is the mean over hash keys, and near it from some hundred blocks on. Rate
// panics if members is negative.
func (s Shape) Rate(members int) float64 {
	if members < 0 {
		panic(fmt.Sprintf("elastic: the rate of %d members", members))
	}
	return rate(int(min(min(uint64(members), MaxMembers)*fine/uint64(s.Blocks), math.MaxInt)))
}

// Bytes returns the memory of the blocks. The lists come on top: the package comment has their
// size.
func (s Shape) Bytes() int { return blockBytes * s.Blocks }

func (s Shape) String() string { return fmt.Sprintf("%d blocks", s.Blocks) }

// Shape returns the size of the filter that [New] makes of c. Its Rate with its Members is that of
// the plan, which stays for any number of members. The error is a *[filter.SizingError].
func (c *Config) Shape() (Shape, error) {
	p, err := c.solve()
	return Shape{p.blocks, p.members}, err
}

// Shape returns the size of the filter now. It doubles when the filter grows.
func (f *Filter) Shape() Shape {
	nblocks := len(base.Require(&f.Life).blocks)
	return Shape{nblocks, f.plan.limit(nblocks)}
}
