package planning

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// Lifetime is the distribution of how long a member stays in, in units of the mean: only its shape
// matters, because the prediction counts time in turnovers. The zero Lifetime is [Oldest].
type Lifetime struct{ of distribution }

// distribution is a distribution of lifetimes D with the mean 1.
type distribution interface {
	fmt.Stringer

	// lived returns E[min(D, x)] for x >= 0: the part of all membership that is lived before age x.
	// It rises from 0 to 1, and it is all that the prediction needs: its slope is the survival
	// function P(D > x); and of the members at a time, those that stay for another x are
	// 1-lived(x).
	lived(x float64) float64

	// draw returns a random lifetime.
	draw(rng *rand.Rand) float64
}

// Oldest is the lifetime where each new member replaces the oldest one: all live equally long.
func Oldest() Lifetime { return Lifetime{oldest{}} }

// Random is the lifetime where each new member replaces a random one, whatever its age: lifetimes
// are geometric, and exponential in the limit of many members.
func Random() Lifetime { return Lifetime{exponential{}} }

// Pareto is a heavy-tailed lifetime: P(D > x) = (1+x/c)^-shape, with c = shape-1 for the mean of 1
// (a Pareto distribution of the second kind, or Lomax's). The shape is above 1, because there is no
// mean otherwise; below 2 there is no variance. Its error is an *[InputError].
func Pareto(shape float64) (Lifetime, error) {
	if !(shape > 1) || math.IsInf(shape, 0) { // so written, NaN fails it too
		return Lifetime{}, &InputError{"Lifetime", shape, "a Pareto shape above 1"}
	}
	return Lifetime{pareto{shape}}, nil
}

// Mixture is the lifetime of a population of two kinds: the part short of all that are ever
// inserted lives, on average, for ratio times as long as the rest. Each kind is exponential. Both
// arguments are above 0 and below 1. Its error is an *[InputError].
func Mixture(short, ratio float64) (Lifetime, error) {
	if !(short > 0 && short < 1) {
		return Lifetime{}, &InputError{"Lifetime", short, "a part of short-lived members above 0 " +
			"and below 1"}
	}
	if !(ratio > 0 && ratio < 1) {
		return Lifetime{}, &InputError{"Lifetime", ratio, "a ratio of the two lifetimes above 0 " +
			"and below 1"}
	}
	return Lifetime{mixture{short, ratio, 1 / (short*ratio + 1 - short)}}, nil
}

// Observed is the lifetime that samples of it show, in any unit of time: at least one, each above
// 0. Its error is an *[InputError].
func Observed(samples []float64) (Lifetime, error) {
	if len(samples) == 0 {
		return Lifetime{}, &InputError{"Lifetime", 0, "at least one sample"}
	}
	o := observed{sorted: slices.Sorted(slices.Values(samples)),
		sums: make([]float64, len(samples)+1)}
	for i, d := range o.sorted {
		if !(d > 0) || math.IsInf(d, 0) {
			return Lifetime{}, &InputError{"Lifetime", d, "samples above 0 and finite"}
		}
		o.sums[i+1] = o.sums[i] + d
	}
	if total := o.sums[len(samples)]; math.IsInf(total, 0) {
		return Lifetime{}, &InputError{"Lifetime", total, "samples with a finite sum"}
	}
	return Lifetime{&o}, nil // a pointer: whoever has the Lifetime may compare it
}

// Surviving is the lifetime with a survival function, in any unit of time: survives(x) is the
// probability to live longer than x, which falls from 1 at 0 towards 0. It is taken at 4096
// quantiles, so that a tail beyond them, of one lifetime in 8192, counts as the last one: for a
// tail that is heavy enough to matter there is [Pareto]. Its error is an *[InputError].
func Surviving(survives func(x float64) float64) (Lifetime, error) {
	const quantiles = 4096
	samples := make([]float64, quantiles)
	for i := range samples {
		part := 1 - (float64(i)+0.5)/quantiles // that lives longer
		high := 1.0
		for survives(high) >= part {
			if high *= 2; math.IsInf(high, 0) {
				return Lifetime{}, &InputError{"Lifetime", survives(math.MaxFloat64),
					"a survival function that falls to 0"}
			}
		}
		low := 0.0
		for middle := high / 2; middle > low && middle < high; middle = low + (high-low)/2 {
			if survives(middle) >= part {
				low = middle
			} else {
				high = middle
			}
		}
		samples[i] = high
	}
	if !(survives(0) == 1) {
		return Lifetime{}, &InputError{"Lifetime", survives(0), "a survival function that " +
			"begins with 1"}
	}
	return Observed(samples)
}

// ParseLifetime returns the lifetime of a name, as [Lifetime.String] has it: oldest, random,
// pareto:SHAPE or mixture:PART:RATIO. Its error is an *[InputError].
func ParseLifetime(text string) (Lifetime, error) {
	name, rest, _ := strings.Cut(text, ":")
	var parameters []float64
	if name != text {
		for field := range strings.SplitSeq(rest, ":") {
			value, err := strconv.ParseFloat(field, 64)
			if err != nil {
				return Lifetime{}, &InputError{"Lifetime", text, "numbers after the name"}
			}
			parameters = append(parameters, value)
		}
	}
	switch {
	case name == "oldest" && len(parameters) == 0:
		return Oldest(), nil
	case name == "random" && len(parameters) == 0:
		return Random(), nil
	case name == "pareto" && len(parameters) == 1:
		return Pareto(parameters[0])
	case name == "mixture" && len(parameters) == 2:
		return Mixture(parameters[0], parameters[1])
	}
	return Lifetime{}, &InputError{"Lifetime", text, "oldest, random, pareto:SHAPE or " +
		"mixture:PART:RATIO"}
}

// String returns the name of the lifetime, with its parameters.
func (l Lifetime) String() string { return l.distribution().String() }

// Draw returns the random lifetime of a new member.
func (l Lifetime) Draw(rng *rand.Rand) float64 { return l.distribution().draw(rng) }

// DrawRest returns the random rest of the lifetime of a member that is in at a random time, in a
// population in equilibrium.
func (l Lifetime) DrawRest(rng *rand.Rand) float64 {
	lived, u := l.distribution().lived, rng.Float64() // lived is the rest's distribution function
	high := 1.0
	for lived(high) < u && high < math.MaxFloat64/2 {
		high *= 2
	}
	low := 0.0
	for range 53 { // the bits of u
		if middle := (low + high) / 2; lived(middle) < u {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

func (l Lifetime) distribution() distribution {
	if l.of == nil {
		return oldest{}
	}
	return l.of
}

type oldest struct{}

func (oldest) String() string          { return "oldest" }
func (oldest) lived(x float64) float64 { return min(x, 1) }
func (oldest) draw(*rand.Rand) float64 { return 1 }

type exponential struct{}

func (exponential) String() string              { return "random" }
func (exponential) lived(x float64) float64     { return -math.Expm1(-x) }
func (exponential) draw(rng *rand.Rand) float64 { return rng.ExpFloat64() }

type pareto struct{ shape float64 }

func (p pareto) String() string { return fmt.Sprintf("pareto:%g", p.shape) }

func (p pareto) lived(x float64) float64 {
	return -math.Expm1((1 - p.shape) * math.Log1p(x/(p.shape-1)))
}

func (p pareto) draw(rng *rand.Rand) float64 {
	return (p.shape - 1) * math.Expm1(rng.ExpFloat64()/p.shape)
}

type mixture struct {
	short, ratio float64
	long         float64 // the mean of the long-lived ones
}

func (m mixture) String() string { return fmt.Sprintf("mixture:%g:%g", m.short, m.ratio) }

func (m mixture) lived(x float64) float64 {
	brief := m.ratio * m.long
	return -m.short*brief*math.Expm1(-x/brief) - (1-m.short)*m.long*math.Expm1(-x/m.long)
}

func (m mixture) draw(rng *rand.Rand) float64 {
	mean := m.long
	if rng.Float64() < m.short {
		mean *= m.ratio
	}
	return mean * rng.ExpFloat64()
}

type observed struct {
	sorted []float64 // in their own unit
	sums   []float64 // of the first so many
}

func (o observed) String() string { return fmt.Sprintf("observed:%d", len(o.sorted)) }

func (o observed) mean() float64 { return o.sums[len(o.sorted)] / float64(len(o.sorted)) }

func (o observed) lived(x float64) float64 {
	x *= o.mean()
	shorter, _ := slices.BinarySearch(o.sorted, x)
	return min(1, (o.sums[shorter]+float64(len(o.sorted)-shorter)*x)/o.sums[len(o.sorted)])
}

func (o observed) draw(rng *rand.Rand) float64 {
	return o.sorted[rng.IntN(len(o.sorted))] / o.mean()
}
