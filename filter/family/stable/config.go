package stable

import (
	"fmt"
	"math"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/internal/cells"
	"github.com/bloomlane/bloomlane/filter/key"
)

const (
	// MaxHashes is the largest K.
	MaxHashes = cells.MaxHashes

	// MaxWidth is the largest width of a cell in bits.
	MaxWidth = 8

	// DefaultWidth is the width in bits of a cell of a Config without a Width.
	DefaultWidth = 4

	// DefaultMissed is the probability of a miss at the end of the window, for a Config without
	// Missed.
	DefaultMissed = 0.1
)

// Config is the plan of a filter. Members and at least one of BitsPerKey and Rate are required.
type Config struct {
	// Members is the window, a number of keys, at least 1. After Members inserts since its own, a
	// key is missed with the probability Missed. Inserts of keys that were in already count too.
	Members int

	// BitsPerKey sizes the filter by memory, in bits of the table per key of the window: Width
	// times the cells per key.
	BitsPerKey float64

	// Rate bounds the mean false-positive rate, however many inserts come. It is above 0 and below
	// 1. In windows below 1,000 keys the mean is up to some percent higher: see the package
	// documentation.
	// With Rate alone the filter is the smallest that keeps Rate and Missed. With BitsPerKey alone
	// it is the one of the lowest rate that keeps Missed. With both, P is chosen for the rate, and
	// what is missed follows.
	Rate float64

	// Missed is the probability that a key is not found after Members inserts of other keys since
	// its own. It is below 1; 0 means DefaultMissed. With both BitsPerKey and Rate it must be 0.
	Missed float64

	// Hashes is K, the number of cells of a key, up to MaxHashes. With 0, New takes the best
	// number.
	Hashes int

	// Width is d, the number of bits of a cell, 1 to MaxWidth; 0 means DefaultWidth. Cells do not
	// cross words of 64 bits, so a width that does not divide 64 leaves 1 to 4 bits of each word
	// unused.
	Width int

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
	if err := c.check(); err != nil {
		return Shape{}, err
	}
	width, missed := c.Width, c.Missed
	if width == 0 {
		width = DefaultWidth
	}
	if missed == 0 {
		missed = DefaultMissed
	}
	from, to := c.Hashes, c.Hashes
	if c.Hashes == 0 {
		from, to = 1, MaxHashes
	}
	var best Shape
	switch lowest := math.Inf(1); {
	case c.BitsPerKey == 0:
		for k := from; k <= to; k++ {
			if s, found := c.fewestWords(Shape{Width: width, Hashes: k}, missed); found &&
				float64(s.Words) < lowest {
				best, lowest = s, float64(s.Words)
			}
		}
		if best.Words == 0 {
			return Shape{}, &base.RateError{}
		}
	case c.Rate == 0:
		for k := from; k <= to; k++ {
			s, found := c.mostDecrements(Shape{Words: c.words(), Width: width, Hashes: k}, missed)
			if found && s.StableRate() < lowest {
				best, lowest = s, s.StableRate()
			}
		}
		if best.Words == 0 {
			return Shape{},
				wrong("BitsPerKey", c.BitsPerKey,
					fmt.Sprintf("enough for %g missed, or wider cells", missed))
		}
	default:
		for k := from; k <= to; k++ {
			s, found := Shape{Words: c.words(), Width: width, Hashes: k}.decrementsFor(c.Rate)
			if found && s.Missed(c.Members) < lowest {
				best, lowest = s, s.Missed(c.Members)
			}
		}
		if best.Words == 0 {
			return Shape{}, wrong("Rate", c.Rate, fmt.Sprintf("one that %d words keep", c.words()))
		}
	}
	return best, nil
}

func (c *Config) check() error {
	s := filter.Sizing{Members: c.Members, BitsPerKey: c.BitsPerKey, Rate: c.Rate}
	both := c.BitsPerKey != 0 && c.Rate != 0
	if both {
		s.BitsPerKey = 0
	}
	if err := s.Check(kind.Name); err != nil {
		return err
	}
	if both {
		s.BitsPerKey, s.Rate = c.BitsPerKey, 0
		if err := s.Check(kind.Name); err != nil {
			return err
		}
	}
	switch {
	case !(c.Missed >= 0 && c.Missed < 1): // NaN fails it too
		return wrong("Missed", c.Missed, "0, or a probability below 1")
	case both && c.Missed != 0:
		return wrong("Missed", c.Missed, "0, because there are bits per key and a rate")
	case c.Hashes < 0 || c.Hashes > MaxHashes:
		return wrong("Hashes", c.Hashes, fmt.Sprintf("0 to %d", MaxHashes))
	case c.Width < 0 || c.Width > MaxWidth:
		return wrong("Width", c.Width, fmt.Sprintf("0 to %d", MaxWidth))
	}
	return nil
}

// words returns the number of words that BitsPerKey asks for.
func (c *Config) words() int {
	s := filter.Sizing{Members: c.Members, BitsPerKey: c.BitsPerKey}
	return (s.Bits()-1)/64 + 1
}

// fewestWords returns s with the fewest words that keep the rate and miss at most the given part.
func (c *Config) fewestWords(s Shape, missed float64) (Shape, bool) {
	shape := func(words int) (Shape, bool) {
		s.Words = words
		s, found := s.decrementsFor(c.Rate)
		return s, found && s.Missed(c.Members) <= missed
	}
	low, high := 0, 1 // high keeps both, low does not
	for {
		if _, found := shape(high); found {
			break
		}
		if low = high; high == filter.MaxBits/64 {
			return s, false
		}
		high = min(2*high, filter.MaxBits/64)
	}
	for high-low > 1 {
		if middle := low + (high-low)/2; second(shape(middle)) {
			high = middle
		} else {
			low = middle
		}
	}
	return shape(high)
}

func second(_ Shape, found bool) bool { return found }

// mostDecrements returns s with the most decrements that miss at most the given part: those of the
// lowest rate.
func (c *Config) mostDecrements(s Shape, missed float64) (Shape, bool) {
	shape := func(decrements int) Shape {
		s.Decrements = decrements
		return s
	}
	low, high := 0, s.Cells()+1 // low misses at most that part, high more
	for high-low > 1 {
		if middle := low + (high-low)/2; shape(middle).Missed(c.Members) <= missed {
			low = middle
		} else {
			high = middle
		}
	}
	return shape(low), low > 0
}
