package stable

import (
	"fmt"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/internal/cells"
	"github.com/bloomlane/bloomlane/internal/elementary"
)

// Shape is the size of a filter. Its methods compute what to expect of such a filter, by the
// equations of docs/theory/stable.md.
type Shape struct {
	Words      int // of 64 bits; none of their cells crosses to another
	Width      int // d, the bits of a cell
	Hashes     int // K, the cells of a key, which may coincide
	Decrements int // P, the cells that an insert takes one from
}

// Cells returns m, the number of cells.
func (s Shape) Cells() int { return int(s.packed().Cells()) }

// Highest returns Max, the value that an insert sets cells to.
func (s Shape) Highest() int { return 1<<s.Width - 1 }

// Bytes returns the memory of the table.
func (s Shape) Bytes() int { return 8 * s.Words }

func (s Shape) packed() cells.Shape {
	return cells.Shape{Words: uint64(s.Words), Width: s.Width, Hashes: s.Hashes}
}

// Check returns a *[filter.SizingError] if no filter can have this shape.
func (s Shape) Check() error {
	switch {
	case s.Words < 1 || s.Words > filter.MaxBits/64:
		return wrong("Words", s.Words, fmt.Sprintf("1 to %d", filter.MaxBits/64))
	case s.Width < 1 || s.Width > MaxWidth:
		return wrong("Width", s.Width, fmt.Sprintf("1 to %d", MaxWidth))
	case s.Hashes < 1 || s.Hashes > MaxHashes:
		return wrong("Hashes", s.Hashes, fmt.Sprintf("1 to %d", MaxHashes))
	case s.Decrements < 1 || s.Decrements > s.Cells():
		return wrong("Decrements", s.Decrements,
			fmt.Sprintf("1 to %d, the number of cells", s.Cells()))
	}
	return nil
}

func (s Shape) String() string {
	return fmt.Sprintf("%d cells of %d bits, %d hashes, %d decrements", s.Cells(), s.Width,
		s.Hashes, s.Decrements)
}

// chances returns p and q: the probabilities that an insert subtracts from a cell, and that it sets
// the cell.
func (s Shape) chances() (p, q float64) {
	m := float64(s.Cells())
	return float64(s.Decrements) / m, -elementary.Expm1(float64(s.Hashes) * elementary.Log1p(-1/m))
}

// StablePoint returns the limit of the expected part of the cells that are 0 (equation 1).
func (s Shape) StablePoint() float64 {
	p, q := s.chances()
	return elementary.Pow(p*(1-q)/(q+float64(p*(1-q))), float64(s.Highest()))
}

// Zeros returns the expected part of the cells that are 0 after n inserts of different keys into an
// empty filter (equation 4).
func (s Shape) Zeros(n int) float64 {
	p, q := s.chances()
	never := elementary.Exp(float64(n)*elementary.Log1p(-q)) * (1 - atLeast(s.Highest(), n, p))
	return float64(never) + float64(s.fallen(n))
}

// fallen returns the probability that a cell that was set n inserts ago is 0 (equation 5).
func (s Shape) fallen(n int) float64 {
	p, q := s.chances()
	return s.StablePoint() * atLeast(s.Highest(), n, p+q-float64(p*q))
}

// StableRate returns the false-positive rate at the stable point (equation 2). It is a bound of the
// mean rate of a stream.
func (s Shape) StableRate() float64 { return s.present(s.StablePoint()) }

// Rate returns the expected false-positive rate after n inserts of different keys into an empty
// filter. It grows with n, up to [Shape.StableRate].
func (s Shape) Rate(n int) float64 { return s.present(s.Zeros(n)) }

// Missed returns the probability that a key is not found when n other keys were inserted since its
// last insert (equation 6). It grows with n, up to 1 - StableRate.
func (s Shape) Missed(n int) float64 {
	return -elementary.Expm1(float64(s.Hashes) * elementary.Log1p(-s.fallen(n)))
}

// present returns the probability that K cells are above 0, if each is 0 with the given
// probability.
func (s Shape) present(zero float64) float64 {
	return elementary.Exp(float64(s.Hashes) * elementary.Log1p(-zero))
}

// decrementsFor returns s with the fewest decrements that keep a rate at the stable point: equation
// 3, rounded up. It reports false if there are none.
func (s Shape) decrementsFor(rate float64) (Shape, bool) {
	s.Decrements = 1
	_, q := s.chances()
	// log(1 - rate^(1/K))
	zeros := elementary.Log1p(-elementary.Exp(elementary.Log(rate) / float64(s.Hashes)))
	p := q / (1 - q) / elementary.Expm1(-zeros/float64(s.Highest()))
	decrements := p * float64(s.Cells())
	if !(decrements < float64(s.Cells())) { // NaN fails it too
		return s, false
	}
	if s.Decrements = max(1, int(decrements)); s.StableRate() > rate {
		s.Decrements++
	}
	return s, true
}

// atLeast returns the probability that at least the given number of n trials succeed, each with the
// probability p.
func atLeast(number, n int, p float64) float64 {
	if number > n {
		return 0
	}
	if p >= 1 {
		return 1
	}
	// Sum from the boundary outwards, over the smaller tail, where terms fall. So neither tail
	// loses its digits, and no term underflows before it is negligible.
	i, step := number-1, -1
	if float64(n)*p < float64(number) {
		i, step = number, 1
	}
	ways := elementary.LogFactorial(n) - elementary.LogFactorial(i) - elementary.LogFactorial(n-i)
	term := elementary.Exp(ways + float64(float64(i)*elementary.Log(p)) +
		float64(float64(n-i)*elementary.Log1p(-p)))
	sum := 0.0
	for ; i >= 0 && i <= n && term > sum*1e-17; i += step {
		sum += term
		if step > 0 {
			term *= float64(n-i) / float64(i+1) * p / (1 - p)
		} else {
			term *= float64(i) / float64(n-i+1) * (1 - p) / p
		}
	}
	if step > 0 {
		return min(1, sum)
	}
	return max(0, 1-sum)
}

func wrong(field string, found any, expected string) error {
	return &filter.SizingError{Kind: kind.Name, Field: field, Found: found, Expected: expected}
}
