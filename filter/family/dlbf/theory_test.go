package dlbf

import (
	"math"
	"math/rand/v2"
	"testing"
)

// letter is the shape that the letter simulates, and letterN the members of which it says most.
var letter = Shape{Bits: 240, Regions: 24, Hashes: 5}

const letterN = 22

// The exact forms have their values on paper, in the case that the letter tells of: 80 % simulated.
func TestTheLettersCase(t *testing.T) {
	for _, test := range []struct {
		name         string
		got          float64
		want, within float64
	}{
		{"deletable", letter.Deletability(letterN), 0.7875, 0.0001},
		{"part of the cells that are cleared",
			letter.Clearable(letterN) / (216 * (1 - math.Pow(215.0/216, 110))), 0.3524, 0.0001},
	} {
		if math.Abs(test.got-test.want) > test.within {
			t.Errorf("%s: %.5f, want %.5f", test.name, test.got, test.want)
		}
	}
}

// simulated inserts n elements with random cells, trial after trial, and returns for each trial the
// part of the elements that are deletable, the cells that their deletes clear, and the
// false-positive rate before them.
func simulated(
	t *testing.T,
	s Shape,
	n, trials int,
	rng *rand.Rand,
) (deletable, clearable, rate []float64) {
	t.Helper()
	a, err := NewArray(s)
	if err != nil {
		t.Fatal(err)
	}
	elements := make([][]uint64, n)
	for range trials {
		a.Reset()
		for i := range elements {
			elements[i] = elements[i][:0]
			for range s.Hashes {
				elements[i] = append(elements[i], rng.Uint64N(uint64(s.Cells())))
			}
			a.InsertAt(elements[i])
		}
		count := 0.0
		for _, cells := range elements {
			if a.DeletableAt(cells) {
				count++
			}
		}
		ones := float64(a.Count().Ones)
		for _, cells := range elements {
			a.DeleteAt(cells)
		}
		deletable = append(deletable, count/float64(n))
		clearable = append(clearable, ones-float64(a.Count().Ones))
		rate = append(rate, math.Pow(ones/float64(s.Cells()), float64(s.Hashes)))
	}
	return deletable, clearable, rate
}

// interval returns the mean of a sample, and the half of its interval of 4 standard errors.
func interval(sample []float64) (mean, within float64) {
	for _, x := range sample {
		mean += x / float64(len(sample))
	}
	for _, x := range sample {
		within += (x - mean) * (x - mean)
	}
	return mean, 4 * math.Sqrt(within) / float64(len(sample))
}

// The exact forms agree with simulations, for shapes with short and missing regions and with a
// single region.
func TestTheoryAgainstSimulation(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, test := range []struct {
		shape Shape
		n     []int
	}{
		{letter, []int{1, letterN, 60}},
		{Shape{240, 120, 5}, []int{2, letterN, 50}},
		{Shape{32, 4, 3}, []int{1, 3, 6}},
		{Shape{240, 7, 20}, []int{2, 5, 7}},         // a short region
		{Shape{16, 6, 4}, []int{1, 2, 5}},           // a missing one
		{Shape{100, 30, 2}, []int{5, 30, 70}},       // and both
		{Shape{1000, 1, 64}, []int{1, 2}},           // far fewer regions than hashes
		{Shape{20_000, 1000, 9}, []int{100, 900}},   // far more
		{Shape{2, 1, 1}, []int{1, 2}},               // the smallest
		{Shape{200, 100, 64}, []int{1, 2, 3}},       // more hashes than are good
		{Shape{50_000, 10, 6}, []int{20, 200, 400}}, // large regions
	} {
		for _, n := range test.n {
			trials := max(100, 2_000_000/(n*test.shape.Hashes+test.shape.Bits))
			deletable, clearable, rate := simulated(t, test.shape, n, trials, rng)
			// What is rare may never have happened.
			rare := func(p float64) float64 { return 4*math.Sqrt(p*(1-p)/float64(trials)) + 1e-9 }
			mean, within := interval(deletable)
			if got := test.shape.Deletability(n); math.Abs(got-mean) > max(within, rare(got)) {
				t.Errorf("%v, %d members: deletable %.5f ± %.5f, in theory %.5f", test.shape, n,
					mean, within, got)
			}
			mean, within = interval(clearable)
			kn := float64(n * test.shape.Hashes)
			if got := test.shape.Clearable(n); math.Abs(got-mean) > max(within, kn*rare(got/kn)) {
				t.Errorf("%v, %d members: clearable %.4f ± %.4f, in theory %.4f", test.shape, n,
					mean, within, got)
			}
			mean, within = interval(rate)
			if got := test.shape.Rate(n); math.Abs(got-mean) > within+0.04*mean && got > 1e-9 {
				t.Errorf("%v, %d members: rate %.4g ± %.2g, in theory %.4g", test.shape, n,
					mean, within, got)
			}
		}
	}
}

// For tiny shapes, whose outcomes can be listed, the exact forms are exact.
func TestTheoryIsExact(t *testing.T) {
	for _, test := range []struct {
		shape Shape
		n     int
	}{
		{Shape{6, 2, 2}, 2}, {Shape{6, 2, 1}, 5}, {Shape{6, 3, 3}, 2}, {Shape{8, 3, 2}, 3},
		{Shape{7, 3, 2}, 3}, {Shape{5, 1, 4}, 1}, {Shape{3, 1, 5}, 2},
	} {
		s, throws := test.shape, test.n*test.shape.Hashes
		cells, outcomes := make([]uint64, throws),
			int(math.Pow(float64(s.Cells()), float64(throws))+0.5)
		deletable, clearable := 0, 0
		a := newArray(s)
		for outcome := range outcomes {
			for i := range cells {
				cells[i] = uint64(outcome % s.Cells())
				outcome /= s.Cells()
			}
			a.Reset()
			a.InsertAt(cells)
			if a.DeletableAt(cells[:s.Hashes]) {
				deletable++
			}
			clearable += a.Count().Clearable
		}
		want, cleared := float64(deletable)/float64(outcomes), float64(clearable)/float64(outcomes)
		if got := s.Deletability(test.n); math.Abs(got-want) > 1e-11 {
			t.Errorf("%v, %d members: deletable %.14f, of all outcomes %.14f", s, test.n, got, want)
		}
		if got := s.Clearable(test.n); math.Abs(got-cleared) > 1e-10 {
			t.Errorf("%v, %d members: clearable %.14f, of all outcomes %.14f", s,
				test.n, got, cleared)
		}
	}
	// Of large regions with few throws the digits are left: what is missing is a pair of throws in
	// a cell.
	large, n := Shape{Bits: 1<<30 + 4, Regions: 4, Hashes: 1}, 513
	pairs := 512.0 * 511 / 2 / (16 * (1 << 28)) // of others, in the region of the element
	if got, want := 1-large.Deletability(n), pairs+512/(4.0*(1<<28)); math.Abs(got-want) > 3e-9 {
		t.Errorf("%v, %d members: %.12f are not deletable, want %.12f", large, n, got, want)
	}
}

// Sizes, some of which the package documentation has.
func TestDocumentedSizes(t *testing.T) {
	const members = 1_000_000
	for _, test := range []struct {
		bits, percent float64
		k             int
		deletable     float64
	}{
		{8, 3.47, 5, 61}, {10, 1.49, 6, 72}, {12, 0.646, 7, 79}, {16, 0.120, 10, 85},
		{20, 0.0223, 12, 92}, {24, 0.00416, 15, 94},
	} {
		c := Config{Members: members, BitsPerKey: test.bits}
		s, err := c.Shape()
		percent, deletable := 100*s.Rate(members), 100*s.Deletability(members)
		if err != nil || math.Abs(percent/test.percent-1) > 0.006 || s.Hashes != test.k ||
			math.Abs(deletable-test.deletable) > 0.6 {
			t.Errorf("%+v: %.4g %%, k = %d, deletable %.2f %%, want %+v (%v)", c, percent,
				s.Hashes, deletable, test, err)
		}
	}
	for deletable, all := range map[float64][]float64{
		0: {10.96, 16.43, 21.91, 27.39}, 0.9: {12.79, 16.77, 21.57, 26.96},
		0.99: {19.19, 21.57, 23.97, 28.76},
	} {
		for i, rate := range []float64{0.01, 0.001, 0.0001, 0.00001} {
			c := Config{Members: members, Rate: rate, Deletability: deletable}
			s, err := c.Shape()
			if got := float64(s.Bits) / members; err != nil || math.Abs(got-all[i]) > 0.006 {
				t.Errorf("%+v: %.3f bits per key, want %g (%v)", c, got, all[i], err)
			}
		}
	}
}
