package dlbf

import "math/bits"

// divisor divides by a constant without a division, which takes ten times as long as a
// multiplication (Granlund and Montgomery, "Division by Invariant Integers using Multiplication",
// PLDI 1994): what is below 2^39, as cells are, exactly, by multiplying with ⌈2^(39+l)/d⌉, where
// 2^l is the least power from d on.
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

// of returns x/d, x being below 2^39.
func (d divisor) of(x uint64) uint64 {
	high, _ := bits.Mul64(x<<(64-dividendBits), d.reciprocal)
	return high >> (d.shift % 64)
}
