package elementary

import "math"

// The logarithm of 2, in two parts. A product of the first one and an exponent is exact.
const (
	ln2High = 0x1.62e42feep-1
	ln2Low  = 0x1.a39ef35793c76p-33
)

// smallest and largest are the bounds beyond which Exp is 0 or infinite.
const smallest, largest = -745.2, 709.8

// reduce returns k and r with x = k ln 2 + r and |r| at most about ln 2 / 2, for an x from smallest
// to largest.
func reduce(x float64) (k int, r float64) {
	n := math.Round(float64(x * math.Log2E))
	return int(n), math.FMA(-n, ln2Low, math.FMA(-n, ln2High, x))
}

// inverse are 1/2!, 1/3!, and so on, in descending order.
var inverse = func() (c [13]float64) {
	f := 1.0
	for i := range c {
		f *= float64(i + 2) // exact to 14!
		c[len(c)-1-i] = 1 / f
	}
	return c
}()

// rest returns (e^r - 1 - r) / r^2 for a small r.
func rest(r float64) float64 {
	sum := 0.0
	for _, c := range inverse {
		sum = math.FMA(sum, r, c)
	}
	return sum
}

// Exp returns e^x.
func Exp(x float64) float64 {
	switch {
	case math.IsNaN(x):
		return x
	case x > largest:
		return math.Inf(1)
	case x < smallest:
		return 0
	}
	k, r := reduce(x)
	return math.Ldexp(1+math.FMA(float64(r*r), rest(r), r), k)
}

// Expm1 returns e^x - 1.
func Expm1(x float64) float64 {
	switch {
	case math.IsNaN(x) || x == 0:
		return x
	case x > 50: // the 1 is below the last place
		return Exp(x)
	case x < -50:
		return -1
	}
	k, r := reduce(x)
	part := math.FMA(float64(r*r), rest(r), r)
	if k == 0 {
		return part
	}
	return math.Ldexp(part, k) + (math.Ldexp(1, k) - 1)
}

// odd are 2/3, 2/5, and so on, in descending order.
var odd = func() (c [11]float64) {
	for i := range c {
		c[len(c)-1-i] = 2 / float64(2*i+3)
	}
	return c
}()

// log1p returns ln(1+f) for a 1+f from about 1/√2 to √2.
func log1p(f float64) float64 {
	if math.Abs(f) < 0x1p-54 { // half of it may be below the smallest number
		return f
	}
	// ln(1+f) = 2 artanh s, with s = f / (2+f) in two parts.
	sum := 2 + f
	lost := f - (sum - 2)
	s := f / sum
	low := (math.FMA(-s, sum, f) - float64(s*lost)) / sum
	square := float64(s * s)
	series := 0.0
	for _, c := range odd {
		series = math.FMA(series, square, c)
	}
	return 2*s + math.FMA(float64(s*square), series, 2*low)
}

// split returns m and k with x = m 2^k and an m from 1/√2 to √2, for a finite x above 0.
func split(x float64) (m float64, k int) {
	m, k = math.Frexp(x) // from 1/2 to 1
	if m < math.Sqrt2/2 {
		m, k = 2*m, k-1
	}
	return m, k
}

// Log returns the natural logarithm of x: NaN for an x below 0.
func Log(x float64) float64 {
	switch {
	case math.IsNaN(x) || x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	case math.IsInf(x, 1):
		return x
	}
	m, k := split(x)
	return math.FMA(float64(k), ln2High, math.FMA(float64(k), ln2Low, log1p(m-1)))
}

// Log1p returns the natural logarithm of 1+x: NaN for an x below -1.
func Log1p(x float64) float64 {
	if x > -0.29 && x < 0.41 {
		return log1p(x)
	}
	sum := 1 + x
	if math.IsInf(x, 1) || !(sum > 0) {
		return Log(sum)
	}
	lost := x - (sum - 1)
	if x > 1 {
		lost = 1 - (sum - x)
	}
	return Log(sum) + lost/sum
}

// Log2 returns the binary logarithm of x, which is exact for powers of two.
func Log2(x float64) float64 {
	if !(x > 0) || math.IsInf(x, 1) {
		return Log(x)
	}
	m, k := split(x) // near 1 there is no k to take from a logarithm of nearly as much
	return float64(Log(m)*math.Log2E) + float64(k)
}

// Pow returns x^y for an x of at least 0, or for a whole y.
func Pow(x, y float64) float64 {
	const most = 64 // the largest whole power that is made of products
	switch {
	case y < 0:
		return 1 / Pow(x, -y)
	case y == math.Trunc(y) && y <= most:
		power := 1.0
		for n := uint(y); n > 0; n >>= 1 {
			if n&1 != 0 {
				power *= x
			}
			x *= x
		}
		return power
	case x < 0 && y == math.Trunc(y):
		if math.Mod(y, 2) != 1 { // infinity is even
			return Pow(-x, y)
		}
		return -Pow(-x, y)
	case x == 1:
		return 1
	}
	l := Log(x)
	exponent := float64(y * l)
	power := Exp(exponent)
	if lost := math.FMA(y, l, -exponent); power > 0 && !math.IsInf(power, 1) {
		power = math.FMA(power, lost, power)
	}
	return power
}

// LogFactorial returns ln n! for an n of at least 0.
func LogFactorial(n int) float64 {
	const small = 20 // up to which the product is an integer of 64 bits
	if n <= small {
		product := uint64(1)
		for i := 2; i <= n; i++ {
			product *= uint64(i)
		}
		return Log(float64(product))
	}
	// Stirling's series, of which the first term left out is below 1e-17
	x := float64(n)
	inverse := 1 / x
	square := float64(inverse * inverse)
	series := math.FMA(math.FMA(math.FMA(math.FMA(1/1188.0, square, -1/1680.0), square, 1/1260.0),
		square, -1/360.0), square, 1/12.0)
	const lnRoot = 0.91893853320467274178 // ln √(2π)
	return float64((x+0.5)*Log(x)) - x + lnRoot + float64(series*inverse)
}
