package elementary

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"
)

// units returns how far got is from want, in units of the last place of want.
func units(got, want float64) float64 {
	if got == want || math.IsNaN(got) && math.IsNaN(want) {
		return 0
	}
	place := math.Nextafter(math.Abs(want), math.Inf(1)) - math.Abs(want)
	return math.Abs(got-want) / place
}

// functions are those of one number, beside those of package math, where they are compared.
var functions = []struct {
	name      string
	ours      func(float64) float64
	theirs    func(float64) float64
	low, high float64
}{
	{"Exp", Exp, math.Exp, -750, 720},
	{"Exp near 0", Exp, math.Exp, -1, 1},
	{"Expm1", Expm1, math.Expm1, -60, 720},
	{"Expm1 near 0", Expm1, math.Expm1, -1.5, 1.5},
	{"Expm1 at 0", Expm1, math.Expm1, -1e-9, 1e-9},
	{"Log", Log, math.Log, 0, 1e9},
	{"Log near 1", Log, math.Log, 0.5, 2},
	{"Log1p", Log1p, math.Log1p, -1, 100},
	{"Log1p near 0", Log1p, math.Log1p, -0.5, 0.5},
	{"Log1p at 0", Log1p, math.Log1p, -1e-9, 1e-9},
	{"Log1p of large", Log1p, math.Log1p, 1, 1e18},
	{"Log2", Log2, math.Log2, 0, 0.7},
}

func TestBesidePackageMath(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	for _, f := range functions {
		worst, where := 0.0, 0.0
		for range 200_000 {
			x := f.low + float64(random.Float64()*(f.high-f.low))
			if off := units(f.ours(x), f.theirs(x)); off > worst {
				worst, where = off, x
			}
		}
		if worst > 3 { // theirs may be off by one
			t.Errorf("%s(%v) is %v, in package math %v: %.1f units", f.name, where, f.ours(where),
				f.theirs(where), worst)
		}
		t.Logf("%s: %.2f units", f.name, worst)
	}
}

// Near 1 the logarithm of base 2 is as good as elsewhere, where that of package math is not.
func TestLog2NearOne(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 100_000 {
		f := math.Ldexp(random.Float64()-0.5, -random.IntN(50))
		x := 1 + f
		if got, want := Log2(x), math.Log1p(x-1)/math.Ln2; units(got, want) > 3 {
			t.Fatalf("Log2(%v) is %v, want %v", x, got, want)
		}
	}
}

func TestPow(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 2))
	for range 100_000 {
		x, y := random.Float64(), 50*random.Float64()
		if off := math.Abs(Pow(x, y)/math.Pow(x, y) - 1); off > 1e-13 {
			t.Fatalf("%v^%v is off by %g", x, y, off)
		}
		y = math.Floor(y)
		if off := math.Abs(Pow(-x, y)/math.Pow(-x, y) - 1); off > 1e-13 {
			t.Fatalf("%v^%v is off by %g", -x, y, off)
		}
	}
	for range 20_000 { // a logarithm with an error of one unit, times up to 700
		x := math.Exp(1400*random.Float64() - 700)
		y := 700 / math.Log(x)
		if off := math.Abs(Pow(x, y)/math.Exp(700) - 1); off > 1e-12 {
			t.Fatalf("%v^%v is off by %g", x, y, off)
		}
	}
	inf, nan := math.Inf(1), math.NaN()
	for _, test := range [][3]float64{
		{0, 0, 1}, {0, 0.5, 0}, {0, 3, 0}, {0, -1, inf}, {1, inf, 1}, {2, -2, 0.25},
		{2, 0.5, math.Sqrt2},
		{1, 1e300, 1}, {inf, 0.5, inf}, {inf, -0.5, 0}, {0.5, 2000, 0}, {2, 2000, inf},
		{-2, 3, -8}, {-1, 1001, -1}, {-1, 1000, 1}, {nan, 1, nan}, {nan, 0.5, nan}, {0.5, nan, nan},
		{0.5, inf, 0}, {2, inf, inf}, {-2, 0.5, nan}, {-0.5, inf, 0}, {-2, inf, inf},
	} {
		if got := Pow(test[0], test[1]); units(got, test[2]) > 1 {
			t.Errorf("%v^%v is %v, want %v", test[0], test[1], got, test[2])
		}
	}
}

func TestBounds(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, test := range []struct {
		name      string
		f         func(float64) float64
		x, result float64
	}{
		{"Exp", Exp, 0, 1}, {"Exp", Exp, inf, inf}, {"Exp", Exp, -inf, 0}, {"Exp", Exp, nan, nan},
		{"Exp", Exp, 1000, inf}, {"Exp", Exp, -1000, 0},
		{"Exp", Exp, -745.13, 5e-324}, {"Exp", Exp, -745.14, 0}, {"Exp", Exp, 709.79, inf},
		{"Expm1", Expm1, 0, 0}, {"Expm1", Expm1, inf, inf}, {"Expm1", Expm1, -inf, -1},
		{"Expm1", Expm1, nan, nan}, {"Expm1", Expm1, 1e-300, 1e-300},
		{"Log", Log, 0, -inf}, {"Log", Log, 1, 0}, {"Log", Log, inf, inf}, {"Log", Log, -1, nan},
		{"Log", Log, nan, nan}, {"Log", Log, 5e-324, -744.4400719213812},
		{"Log1p", Log1p, 0, 0}, {"Log1p", Log1p, -1, -inf}, {"Log1p", Log1p, inf, inf},
		{"Log1p", Log1p, -2, nan}, {"Log1p", Log1p, nan, nan}, {"Log1p", Log1p, 1e-300, 1e-300},
		{"Log2", Log2, 1, 0}, {"Log2", Log2, 0.125, -3}, {"Log2", Log2, 1024, 10},
		{"Log2", Log2, 0, -inf}, {"Log2", Log2, -1, nan}, {"Log2", Log2, nan, nan},
		{"Log2", Log2, inf, inf}, {"Log2", Log2, 5e-324, -1074}, {"Log2", Log2, 0x1p1023, 1023},
		{"Log1p", Log1p, 5e-324, 5e-324}, {"Log1p", Log1p, -3e-310, -3e-310},
	} {
		got := test.f(test.x)
		if got != test.result && !(math.IsNaN(got) && math.IsNaN(test.result)) {
			t.Errorf("%s(%v) is %v, want %v", test.name, test.x, got, test.result)
		}
	}
}

func TestLogFactorial(t *testing.T) {
	for n := range 3000 {
		want, _ := math.Lgamma(float64(n) + 1)
		if got := LogFactorial(n); math.Abs(got-want) > 1e-15*max(1, math.Abs(want)) {
			t.Errorf("ln %d! is %v, want %v", n, got, want)
		}
	}
}

// The bits are the same on every CPU: CI runs this on those that it emulates.
func TestSameEverywhere(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	sum := fnv.New64a()
	add := func(x float64) { fmt.Fprintf(sum, "%016x", math.Float64bits(x)) }
	for range 5000 {
		for _, f := range functions {
			add(f.ours(f.low + float64(random.Float64()*(f.high-f.low))))
		}
		add(Pow(random.Float64(), 100*random.Float64()))
		add(Pow(random.Float64(), float64(random.IntN(20))))
		add(LogFactorial(random.IntN(10_000)))
	}
	const want = 0xd2f948d583ac6327
	if got := sum.Sum64(); got != want {
		t.Errorf("the checksum of results is %#x, want %#x", got, uint64(want))
	}
}
