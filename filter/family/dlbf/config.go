package dlbf

import (
	"fmt"
	"math"
	"sort"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/key"
)

const (
	// DefaultRate is the false-positive rate of a Config without a Rate and BitsPerKey.
	DefaultRate = 0.001

	// DefaultRegion is the number of cells per region of a Config without Regions and Deletability.
	// Then an eighth of the bits is the collision bitmap: m/r = 8.
	DefaultRegion = 7
)

// Config is the plan of a filter. Only Members is required. At most one of BitsPerKey and Rate is
// above 0.
type Config struct {
	// Members is the number of members at a time to plan for, at least 1. The filter takes more,
	// with more false positives.
	Members int

	// BitsPerKey sizes the filter by memory, in bits of the array per planned member, the collision
	// bitmap included.
	BitsPerKey float64

	// Rate sizes the filter by its false-positive rate: New takes the fewest cells whose expected
	// rate after Members*(1+Turnovers) inserts is at most Rate. It is above 0 and below 1. Without
	// Rate and BitsPerKey it is DefaultRate.
	Rate float64

	// Turnovers is how many times all members are replaced. The plan is for Members*(1+Turnovers)
	// inserts, and does not count on cells that deletes clear.
	Turnovers float64

	// Hashes is k, the number of cells of a key, up to MaxHashes. With 0, New takes the k of the
	// lowest rate.
	Hashes int

	// Regions is r, at most the number of cells, which gives each cell a collision bit of its own.
	// If Regions is 0, Deletability sizes the regions. If both are 0, a region has DefaultRegion
	// cells.
	Regions int

	// Deletability sizes the regions: New takes the fewest regions with which a member is deletable
	// with this probability after Members*(1+Turnovers) inserts without a delete. It is below 1; 0
	// means no target. At most one of Deletability and Regions is above 0.
	Deletability float64

	// Key is the secret hash key. With the zero Key, New draws a random one.
	Key key.Key
}

// Shape returns the shape of the filter that [New] makes of c. The error is a
// *[filter.SizingError].
func (c *Config) Shape() (Shape, error) {
	plan := *c // of which Solve varies the members
	return base.Solve(kind.Name, &plan.Members, c.Rate, plan.attempt)
}

// attempt returns the shape of c. The error is a *[base.RateError] if none keeps the rate.
func (c *Config) attempt() (Shape, error) {
	s := filter.Sizing{
		Members: c.Members, BitsPerKey: c.BitsPerKey, Rate: c.Rate, Turnovers: c.Turnovers,
	}
	if c.BitsPerKey == 0 && c.Rate == 0 {
		s.Rate = DefaultRate
	}
	if err := s.Check(kind.Name); err != nil {
		return Shape{}, err
	}
	switch {
	case c.Hashes < 0 || c.Hashes > MaxHashes:
		return Shape{}, wrong("Hashes", c.Hashes, fmt.Sprintf("0 to %d", MaxHashes))
	case c.Regions < 0:
		return Shape{}, wrong("Regions", c.Regions, "at least 0")
	case !(c.Deletability >= 0 && c.Deletability < 1): // NaN fails it too
		return Shape{}, wrong("Deletability", c.Deletability, "0, or a probability below 1")
	case c.Regions > 0 && c.Deletability > 0:
		return Shape{},
			wrong("Deletability", c.Deletability,
				fmt.Sprintf("0, because Regions is %d", c.Regions))
	}
	inserts := s.Inserts()
	sized := func(regions, cells int) Shape {
		size := Shape{regions + cells, regions, c.Hashes}
		if size.Hashes == 0 {
			size.Hashes = size.bestHashes(inserts)
		}
		return size
	}
	bits := max(2, s.Bits())
	given := func(regions int) Shape { return sized(regions, bits-regions) }
	shape := func(per int) Shape { return given((bits-1)/(per+1) + 1) } // by cells per region
	most := bits / 2                                                    // regions
	if s.Rate > 0 {
		// leaves room for the bits of any number of regions
		const largest = filter.MaxBits / 2
		cells := 1 + sort.Search(largest-1,
			func(i int) bool { return sized(1, 1+i).Rate(inserts) <= s.Rate })
		if best := sized(1, cells).Rate(inserts); best > s.Rate {
			return Shape{}, &base.RateError{Best: best}
		}
		most = cells
		given = func(regions int) Shape { return sized(regions, cells) }
		shape = func(per int) Shape { return given((cells-1)/per + 1) }
	}
	switch {
	case c.Regions > most:
		return Shape{}, wrong("Regions", c.Regions, fmt.Sprintf("at most %d, as many as there "+
			"are cells", most))
	case c.Regions > 0:
		return given(c.Regions), nil
	case c.Deletability == 0:
		return shape(DefaultRegion), nil
	}
	largest := sort.Search(filter.MaxBits-1,
		func(i int) bool { return shape(1+i).Deletability(inserts) < c.Deletability })
	if largest == 0 {
		return Shape{}, wrong("Deletability", c.Deletability,
			fmt.Sprintf("at most %.4g: with a bit of collisions for each of %d cells",
				shape(1).Deletability(inserts), shape(1).Cells()))
	}
	return shape(largest), nil
}

// bestHashes returns the k of the lowest rate after a number of inserts: near m'/n ln 2.
func (s Shape) bestHashes(inserts int) int {
	rate := func(k int) float64 {
		s.Hashes = k
		return s.Rate(inserts)
	}
	k := int(max(1, min(math.Ceil(float64(s.Cells())/float64(inserts)*math.Ln2), MaxHashes)))
	for k > 1 && rate(k-1) <= rate(k) {
		k--
	}
	return k
}
