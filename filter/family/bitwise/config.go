package bitwise

import (
	"fmt"
	"math"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/internal/elementary"
)

// Config is the plan of a filter. Members and one of BitsPerKey and Rate are required.
type Config struct {
	// Members is the number of different members at a time to plan for, at least 1. The filter
	// takes more, with more false positives.
	Members int

	// BitsPerKey sizes the filter by memory, in bits of all levels per planned member. A level has
	// at least one word, so a tiny filter may be larger. Exactly one of BitsPerKey and Rate is
	// above 0.
	BitsPerKey float64

	// Rate sizes the filter by its false-positive rate: New takes the smallest first level whose
	// expected rate with the Members in is at most Rate, and the levels above it. It is above 0 and
	// below 1.
	Rate float64

	// Turnovers is how many times all members are replaced. If it is above 0, the Rate is planned
	// for any number of turnovers: see [Shape.Aged].
	Turnovers float64

	// Tail says how often members come: it returns the part of them that come at least a number of
	// times. It falls from 1 for once, and decides how the levels share the bits. Nil means
	// Zipf(1). For members that come once take Zipf(0).
	Tail Tail

	// Hashes is k, the number of cells of a key in the first level, up to MaxHashes. With 0, New
	// takes the best number.
	Hashes int

	// Widths are the widths in bits of the levels below the last one, each 1 to MaxWidth. There are
	// up to MaxLevels-1 of them, and a level of 64 bits comes on top. Without Widths, New takes the
	// best width for the first level, and 3 and 7 for the next two.
	Widths []int

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
	sizing := filter.Sizing{Members: c.Members, BitsPerKey: c.BitsPerKey, Rate: c.Rate,
		Turnovers: c.Turnovers}
	if err := sizing.Check(kind.Name); err != nil {
		return Shape{}, err
	}
	switch {
	case c.Hashes < 0 || c.Hashes > MaxHashes:
		return Shape{}, wrong("Hashes", c.Hashes, fmt.Sprintf("0 to %d", MaxHashes))
	case len(c.Widths) >= MaxLevels:
		return Shape{}, wrong("Widths", c.Widths, fmt.Sprintf("at most %d", MaxLevels-1))
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
		if !(part >= 0 && part <= last) || bits == 0 && part != 1 { // NaN fails it too
			return Shape{},
				wrong("Tail", part, fmt.Sprintf("a part that falls from 1, for 2^%d times", bits))
		}
		last = part
	}
	p := plan{c.Members, c.Hashes, c.Widths, tail}
	if p.widths == nil {
		p.widths = p.bestWidths()
	}
	const all = filter.MaxBits / 64
	words := (sizing.Bits()-1)/64 + 1
	shape := func(k int) Shape { // the shape with that k
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
	// The best k of a Bloom filter, with half of the cells in use, is too large, because each cell
	// of a key may carry. For a rate the search begins there. For a size that k may fit no levels
	// at all, so the search begins at 1.
	k, step := c.Hashes, 0
	if k == 0 && c.Rate > 0 {
		k, step = int(min(math.Ceil(-elementary.Log2(c.Rate)), MaxHashes)), -1
	} else if k == 0 {
		k, step = 1, 1
	}
	s := shape(k)
	for k += step; step != 0 && k >= 1 && k <= MaxHashes; k += step {
		next := shape(k)
		if !better(next, s) {
			break
		}
		s = next
	}
	if c.Rate > 0 && (s.Words() > all || s.Rate(c.Members) > c.Rate) {
		return Shape{}, &base.RateError{Best: s.Rate(c.Members)}
	}
	return s, nil
}

// plan is what a shape is computed from.
type plan struct {
	members, hashes int
	widths          []int
	tail            Tail
}

// bestWidths returns the widths that need the fewest bits per cell of the first level, if half of
// these are in use.
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

// first returns the first level of a number of words.
func (p plan) first(words int) Level { return Level{words, p.width(0)} }

func (p plan) width(level int) int {
	if level < len(p.widths) {
		return p.widths[level]
	}
	return lastWidth
}

// ofWords returns the shape of a number of words, or of one word per level if that is more.
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

// ofRate returns the shape with the smallest first level that keeps a rate, also after turnovers if
// ages is true. If none keeps it, ofRate returns the shape with the largest first level.
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

// sized returns the shape with a number of words in the first level. The levels above have
// [cellsPerCarry] cells per cell that is expected to carry to them.
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
		// leaves room for the k cells of one key that comes often
		cells := max(cellsPerCarry*carries, 2*float64(s.Hashes))
		words := math.Ceil(cells / float64(next.Cells()))
		// is too large with the other levels too, if it is cut
		next.Words = int(min(words, filter.MaxBits/64))
		s.Levels = append(s.Levels, next)
		return next, true
	})
	return s
}
