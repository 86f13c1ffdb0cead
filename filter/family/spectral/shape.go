package spectral

import (
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/internal/bloom"
)

// Shape is the size of a filter. Its methods compute what the theory expects.
type Shape struct {
	Counters int // m; with a recurring minimum the primary ones
	Width    int // bits of a counter; 0 is a variable length
	Hashes   int // k, the counters of a key

	Secondary  int // counters; 0 without a recurring minimum
	MarkerBits int // 0 without a recurring minimum

	// Members and Times are the plan, which decides how much memory counters of variable length
	// begin with.
	Members, Times int
}

// Rate returns the false-positive rate that is expected with a number of different members in. It
// is the mean over hash keys, and that of a Bloom filter with a bit per counter. It does not depend
// on how often members are in. Rate panics if members is negative.
func (s Shape) Rate(members int) float64 {
	return bloom.Shape{Blocks: 1, Span: uint64(s.Counters), Hashes: s.Hashes}.Rate(members)
}

// Bytes returns the memory of an empty filter. With counters of variable length it has room for the
// planned Members, each the planned Times, and the filter takes more memory for more.
func (s Shape) Bytes() int {
	t := s.table()
	return int(t.bytes())
}

func (s Shape) String() string {
	t := s.table()
	return t.String()
}

func (s Shape) table() shape {
	t := shape{members: uint64(s.Members), times: uint64(s.Times), hashes: uint64(s.Hashes),
		width: uint64(s.Width), counters: uint64(s.Counters), secondary: uint64(s.Secondary),
		span: uint64(s.MarkerBits)}
	if s.Secondary > 0 {
		t.rule = recurring
	}
	return t
}

// SelectionShape returns the size of the filter that [NewSelection] makes of c. The error is a
// *[filter.SizingError].
func (c *Config) SelectionShape() (Shape, error) { return c.size(selection) }

// IncreaseShape is [Config.SelectionShape] for [NewIncrease].
func (c *Config) IncreaseShape() (Shape, error) { return c.size(increase) }

// RecurringShape is [Config.SelectionShape] for [NewRecurring].
func (c *Config) RecurringShape() (Shape, error) { return c.size(recurring) }

func (c *Config) size(r rule) (Shape, error) {
	s, err := c.solve(r)
	return s.public(), err
}

// Shape returns the size of the filter.
func (f *core[F]) Shape() Shape {
	t := base.Open(&f.Body)
	return t.public()
}

func (s *shape) public() Shape {
	return Shape{
		Counters: int(s.counters), Width: int(s.width), Hashes: int(s.hashes),
		Secondary: int(s.secondary), MarkerBits: int(s.span),
		Members: int(s.members), Times: int(s.times),
	}
}
