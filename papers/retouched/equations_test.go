package retouched

import (
	"math"
	"testing"
)

// The paper's numbers at its setting, and the equations at small numbers.
func TestEquations(t *testing.T) {
	s := Shape{Bits: 100_000, Members: 10_000, Hashes: 5}
	for name, test := range map[string]struct{ got, want, within float64 }{
		"2":            {Shape{10, 3, 2}.Zero(), math.Pow(0.9, 6), 1e-12},
		"3":            {s.Zero(), math.Exp(-0.5), 1e-5},
		"4":            {s.One(), 1 - math.Exp(-0.5), 1e-5},
		"5":            {s.Rate(), 0.0094, 5e-5}, // section IV-C.1
		"6":            {s.BestHashes(), 6.931, 1e-3},
		"7":            {s.BestRate(), math.Pow(0.6185, 10), 1e-5},
		"13":           {s.Kept(1), math.Pow(1-1/(s.One()*1e5), 5), 1e-12},
		"16":           {s.Kept(10_000), math.Pow(1-0.1/s.One(), 5), 1e-12},
		"16, all bits": {s.Kept(100_000), 0, 0},
	} {
		if math.Abs(test.got-test.want) > test.within {
			t.Errorf("equation %s: %g, want %g", name, test.got, test.want)
		}
	}
}
