package expected

import (
	"math"

	"github.com/bloomlane/bloomlane/internal/elementary"
)

// Spread is how the false-positive rate of a table, or the sum of those of several, varies over
// hash keys: its mean, its variance and its third central moment.
//
// # Derivation
//
// The rate R of a table is the mean of the rates X of its B blocks, where X is the product of the
// lanes' fills. Given the load L of a block, its lanes are independent, and the powers of a fill
// have the means that two or three random positions, which may be the same one, are all set. So the
// moments of X given L are known ([powers]).
//
// The blocks are not independent, because their loads have the sum n. Replace X by the part of it
// that a line in the load does not explain,
//
//	Y = X - c (L - n/B),   c = Cov(X, L) / Var(L)
//
// The mean of the Ys is R too, because the sum of L - n/B over the blocks is 0. And the Ys of two
// blocks are nearly uncorrelated: in an expansion of E[X|L] into the orthogonal polynomials of the
// load, the coefficients a_d of two blocks have the correlation (-1/(B-1))^d, and Y has no term of
// the first degree. The term of degree 2 matters in tables of a few blocks, so it is counted. Those
// of higher degrees are left out:
//
//	Var(R)     = (Var(Y) + a_2^2 / (B-1)) / B
//	skewness R = skewness Y / sqrt(B)
//
// A shifted lognormal variable with these three moments gives [Spread.Below99].
type Spread struct{ Mean, Variance, Third float64 }

// Blocks are the blocks of a table with the same numbers of keys.
type Blocks struct {
	Part float64 // of all blocks that they are expected to be

	// Surplus are the numbers of keys less their means. If there are two numbers, they are
	// independent. The totals over all blocks of a table are fixed.
	Surplus [2]float64

	Rate, Square, Cube float64 // the mean rate of such a block, and that of the rate's powers
}

// Plus returns the blocks with a constant added to the rate of each.
func (b Blocks) Plus(c float64) Blocks {
	b.Rate, b.Square, b.Cube = b.Rate+c, b.Square+float64(c*(float64(2*b.Rate)+c)),
		b.Cube+float64(c*(float64(3*b.Square)+float64(c*(float64(3*b.Rate)+c))))
	return b
}

// Times returns the blocks as a part of another table.
func (b Blocks) Times(part float64) Blocks {
	b.Part *= part
	return b
}

// RateSpread returns the spread of the rate of a table of nblocks blocks after a number of inserts
// of different keys; its mean is [Rate]. It panics where nblocks is below 1 or keys is below 0.
func RateSpread(keys, nblocks int, shape Lanes) Spread {
	var all []Blocks
	mean, sum := float64(keys)/float64(max(1, nblocks)), 0.0
	weights := overLoads(keys, nblocks, func(load int, weight float64) float64 {
		b := Blocks{Part: weight, Surplus: [2]float64{float64(load) - mean}}
		b.Rate, b.Square, b.Cube = shape.powers(float64(load))
		all = append(all, b)
		sum += float64(weight * b.Cube)
		return sum
	})
	for i := range all {
		all[i].Part /= weights
	}
	return SpreadOf(nblocks, all)
}

// powers returns the means of the rate of a block with a load, of its square and of its cube.
func (shape Lanes) powers(load float64) (rate, square, cube float64) {
	w, k := float64(shape.Bits), float64(shape.Count)
	clear := func(positions float64) float64 { return elementary.Pow(max(0, 1-positions/w), load) }
	// That one, two and three given positions of a lane are set.
	one := -elementary.Expm1(load * elementary.Log1p(-1/w))
	two := max(0, 2*one-1+clear(2))
	three := max(0, float64(3*one)-2+float64(3*clear(2))-clear(3))
	twice := (one + float64((w-1)*two)) / w
	thrice := (one + float64(3*(w-1)*two) + float64((w-1)*(w-2)*three)) / (w * w)
	return elementary.Pow(one, k), elementary.Pow(twice, k), elementary.Pow(thrice, k)
}

// AtRate returns blocks of a given mean rate, with the square and the cube of a fresh block of that
// mean rate. Its number of keys need not be whole.
func (shape Lanes) AtRate(rate float64) (b Blocks) {
	fill := elementary.Pow(rate, 1/float64(shape.Count))
	load := elementary.Log1p(-fill) / elementary.Log1p(-1/float64(shape.Bits))
	_, b.Square, b.Cube = shape.powers(load)
	b.Rate = rate
	return b
}

// SpreadOf returns the spread of the rate of a table of nblocks blocks. The rate of a table is the
// mean of those of its blocks.
func SpreadOf(nblocks int, all []Blocks) (s Spread) {
	mean := func(of func(b *Blocks) float64) (sum float64) {
		for i := range all {
			sum += float64(all[i].Part * of(&all[i]))
		}
		return sum
	}
	s.Mean = min(1, mean(func(b *Blocks) float64 { return b.Rate })) // up to the last digit, it is
	var slope [2]float64
	curved := 0.0 // the squares of the coefficients of degree 2
	for j := range slope {
		m2 := mean(func(b *Blocks) float64 { return b.Surplus[j] * b.Surplus[j] })
		if m2 == 0 {
			continue
		}
		m3 := mean(func(b *Blocks) float64 { return elementary.Pow(b.Surplus[j], 3) })
		slope[j] = mean(func(b *Blocks) float64 { return (b.Rate - s.Mean) * b.Surplus[j] }) / m2
		parabola := func(b *Blocks) float64 {
			return float64(b.Surplus[j]*(b.Surplus[j]-m3/m2)) - m2
		}
		if size := mean(func(b *Blocks) float64 { return parabola(b) * parabola(b) }); size > 0 {
			c := mean(func(b *Blocks) float64 { return (b.Rate - s.Mean) * parabola(b) })
			curved += c * c / size
		}
	}
	line := func(b *Blocks) float64 {
		return s.Mean + float64(slope[0]*b.Surplus[0]) + float64(slope[1]*b.Surplus[1])
	}
	n := float64(nblocks)
	variance := max(0, mean(func(b *Blocks) float64 {
		by := line(b)
		return b.Square - float64(2*by*b.Rate) + float64(by*by)
	}))
	third := max(0, mean(func(b *Blocks) float64 {
		by := line(b)
		return b.Cube - float64(3*by*b.Square) + float64(3*by*by*b.Rate) - float64(by*by*by)
	}))
	if variance == 0 {
		return s
	}
	more := 1.0
	if nblocks > 1 {
		more += curved / variance / (n - 1)
	}
	s.Variance = variance / n * more
	s.Third = third / (n * n) * elementary.Pow(more, 1.5)
	return s
}

// Times returns the spread of the sum of the rates of a number of tables.
func (s Spread) Times(tables int) Spread {
	n := float64(tables)
	return Spread{n * s.Mean, n * s.Variance, n * s.Third}
}

// Below99 returns the rate that about 99 of 100 tables are below: the quantile of a shifted
// lognormal variable with the three moments of s. In tests about 1 % of tables of 100 to 10,000
// keys are above it.
func (s Spread) Below99() float64 {
	const z = 2.3263478740408408 // a normal variable is below with 99 %
	deviation := math.Sqrt(s.Variance)
	skewness := s.Third / (s.Variance * deviation)
	if !(skewness > 1e-6) { // or there is no deviation
		return s.Mean + float64(z*deviation)
	}
	// A lognormal variable whose logarithm has the variance log(q) has the skewness (q+2)
	// sqrt(q-1).
	low, high := 0.0, skewness*skewness/9 // q-1
	for range 60 {
		if middle := float64((low + high) / 2); (middle+3)*math.Sqrt(middle) < skewness {
			low = middle
		} else {
			high = middle
		}
	}
	log := elementary.Log1p(high)
	median := deviation / math.Sqrt(high*(1+high))
	return s.Mean + float64(median*(elementary.Exp(z*math.Sqrt(log))-elementary.Exp(log/2)))
}
