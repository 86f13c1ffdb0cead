package dlbf

import "math/bits"

// divisor divides by a constant by a multiplication, which takes a tenth of the time of a division
// (Granlund and Montgomery, "Division by Invariant Integers using Multiplication", PLDI 1994). It
// is exact for dividends below 2^39, as numbers of cells are: the factor is ⌈2^(39+l)/d⌉, and 2^l
// is the least power of two that is at least d.
type divisor struct {
	reciprocal uint64
	shift      uint64
}

const dividendBits = 39

func divisorOf(d uint64) divisor {
	l := uint64(bits.Len64(d - 1))
	high, low := bits.Mul64(1<<dividendBits, 1<<l)
	reciprocal, rest := bits.Div64(high, low, d)
	if rest != 0 {
		reciprocal++
	}
	return divisor{reciprocal, l}
}

// divide returns x/d, for x below 2^39.
func (d divisor) divide(x uint64) uint64 {
	high, _ := bits.Mul64(x<<(64-dividendBits), d.reciprocal)
	return high >> (d.shift % 64)
}
