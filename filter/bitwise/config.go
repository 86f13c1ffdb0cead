package bitwise

import (
	"fmt"
	"math"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/key"
)

// Config says what a filter is for.
type Config struct {
	// Members is the number of different members at a time to plan for, at least 1. The filter
	// takes more, with more false positives.
	Members int

	// BitsPerKey sizes the filter by memory: bits of all levels for each of the Members, but for a
	// word that each level has at least. Exactly one of BitsPerKey and Rate is above 0.
	BitsPerKey float64

	// Rate sizes the filter by its false-positive rate: the smallest first level that is expected
	// to have it with the Members in, and the levels above it. It lies between 0 and 1.
	Rate float64

	// Turnovers is how many times all members are to be replaced. Where there are some the Rate is
	// planned for any number of them: see [Shape.Aged].
	Turnovers float64

	// Tail says how often members come: which part of them at least so many times. It falls from 1
	// for once, and decides how the bits are shared among the levels. Nil is Zipf(1); for members
	// that come once take Zipf(0).
	Tail Tail

	// Hashes is k, the number of cells of a key in the first level, up to MaxHashes; 0 is the best
	// number.
	Hashes int

	// Widths are those of the levels but the last, 1 to MaxWidth: up to MaxLevels-1 of them, and a
	// level of 64 bits comes on top. With widths of 1 a level has one bit of each value. None are
	// the best width for the first level, and 3 and 7 for those above it.
	Widths []int

	// Key is the hash key; the zero Key means a new random one.
	Key key.Key
}

// Shape returns the shape of the filter that [New] makes of c. The error is a
// *[filter.SizingError].
func (c *Config) Shape() (Shape, error) {
	sizing := filter.Sizing{Members: c.Members, BitsPerKey: c.BitsPerKey, Rate: c.Rate,
		Turnovers: c.Turnovers}
	if err := sizing.Check(kindName); err != nil {
		return Shape{}, err
	}
	switch {
	case c.Hashes < 0 || c.Hashes > MaxHashes:
		return Shape{}, wrong("Hashes", c.Hashes, fmt.Sprintf("0 to %d", MaxHashes))
	case len(c.Widths) >= MaxLevels:
		return Shape{}, wrong("Widths", c.Widths, fmt.Sprintf("%d at most", MaxLevels-1))
	}
	for _, width := range c.Widths {
		if width < 1 || width > MaxWidth {
			return Shape{}, wrong("Widths", c.Widths, fmt.Sprintf("each 1 to %d", MaxWidth))
		}
	}
	tail := c.Tail
	if tail == nil {
		tail = Zipf(1)
	}
	for bits, last := 0, 1.0; bits < 64; bits++ {
		part := tail(1 << bits)
		if !(part >= 0 && part <= last) || bits == 0 && part != 1 { // so written, NaN fails it too
			return Shape{},
				wrong("Tail", part, fmt.Sprintf("what falls from 1, for 2^%d times", bits))
		}
		last = part
	}
	p := plan{c.Members, c.Hashes, c.Widths, tail}
	if p.widths == nil {
		p.widths = p.bestWidths()
	}
	const all = filter.MaxBits / 64
	words := int((sizing.Bits() + 63) / 64)
	of := func(k int) Shape { // the shape with that k
		p.hashes = k
		if c.Rate == 0 {
			return p.ofWords(words)
		}
		return p.ofRate(c.Rate, c.Turnovers > 0, all)
	}
	better := func(a, b Shape) bool {
		if c.Rate == 0 {
			return a.Rate(c.Members) < b.Rate(c.Members)
		}
		return a.Words() < b.Words()
	}
	// The best k of a Bloom filter, where half of the cells are in use, is too large, because each
	// cell of a key may carry. For a rate it is where the search begins; for a size it may be one
	// that fits no levels at all.
	k, step := c.Hashes, 0
	if k == 0 && c.Rate > 0 {
		k, step = int(min(math.Ceil(-math.Log2(c.Rate)), MaxHashes)), -1
	} else if k == 0 {
		k, step = 1, 1
	}
	s := of(k)
	for k += step; step != 0 && k >= 1 && k <= MaxHashes; k += step {
		next := of(k)
		if !better(next, s) {
			break
		}
		s = next
	}
	if c.Rate > 0 && (s.Words() > all || s.Rate(c.Members) > c.Rate) {
		return Shape{},
			wrong("Rate", c.Rate, fmt.Sprintf("what %d members in %d words have", c.Members, all))
	}
	return s, nil
}

// plan is what sizes are chosen by.
type plan struct {
	members, hashes int
	widths          []int
	tail            Tail
}

// bestWidths returns the widths for the fewest bits per cell of the first level, half of which are
// in use.
func (p plan) bestWidths() (best []int) {
	const words, half = 1 << 16, math.Ln2
	p.hashes = 1
	fewest := math.Inf(1)
	for first := 1; first <= 8; first++ {
		p.widths = []int{first, 3, 7}
		cells := p.first(words).Cells()
		p.members = int(half * float64(cells))
		if each := float64(p.sized(words).Words()) / float64(cells); each < fewest {
			best, fewest = p.widths, each
		}
	}
	return best
}

// first returns the first level of so many words.
func (p plan) first(words int) Level { return Level{words, p.width(0)} }

func (p plan) width(level int) int {
	if level < len(p.widths) {
		return p.widths[level]
	}
	return lastWidth
}

// ofWords returns the shape of so many words, or of one in each level where these are more.
func (p plan) ofWords(words int) Shape {
	low, high := 1, words+1 // high is too large
	for high-low > 1 {
		if middle := low + (high-low)/2; p.sized(middle).Words() > words {
			high = middle
		} else {
			low = middle
		}
	}
	s := p.sized(low)
	s.Levels[0].Words += max(0, words-s.Words())
	return s
}

// ofRate returns the shape with the smallest first level that has a rate, after turnovers if it
// ages; or with the largest one.
func (p plan) ofRate(rate float64, ages bool, largest int) Shape {
	keeps := func(words int) bool {
		if ages {
			return p.sized(words).Aged(p.members, p.tail) <= rate
		}
		return rateOf(p.first(words).Cells(), p.hashes, float64(p.members)) <= rate
	}
	low, high := 0, 1 // low does not keep the rate
	for ; high < largest && !keeps(high); high = min(2*high, largest) {
		low = high
	}
	for high-low > 1 {
		if middle := low + (high-low)/2; keeps(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return p.sized(high)
}

// sized returns the shape with so many words in the first level: those above have [cellsPerCarry]
// cells for each that is expected to carry to them.
func (p plan) sized(words int) Shape {
	first := p.first(words)
	s := Shape{[]Level{first}, p.hashes}
	loads(first, s.Hashes, p.members, p.tail, func(l load) (Level, bool) {
		i := len(s.Levels)
		if i > len(p.widths) {
			return Level{}, false
		}
		next := Level{1, p.width(i)}
		carries := l.carries * float64(s.Levels[i-1].Cells())
		// also for the k cells of one key that comes often
		cells := max(cellsPerCarry*carries, 2*float64(s.Hashes))
		words := math.Ceil(cells / float64(next.Cells()))
		// with the other levels that is too large, too
		next.Words = int(min(words, filter.MaxBits/64))
		s.Levels = append(s.Levels, next)
		return next, true
	})
	return s
}
