package planning

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/bloomlane/bloomlane/internal/elementary"
)

// Lifetime is the distribution of how long a member stays in a table. Only its shape matters,
// because predictions count time in turnovers: the mean is 1. The zero Lifetime is [Oldest].
type Lifetime struct{ form distribution }

// distribution is a distribution of lifetimes D with the mean 1.
type distribution interface {
	fmt.Stringer

	// lived returns E[min(D, x)] for x >= 0: the share of all membership that is lived before age
	// x. It rises from 0 to 1, and predictions need nothing else. Its slope is the survival
	// function P(D > x), and the share of the members at a time that stay for another x is
	// 1-lived(x).
	lived(x float64) float64

	// draw returns a random lifetime.
	draw(rng *rand.Rand) float64
}

// Oldest returns the lifetime of members of which each new one replaces the oldest. All live
// equally long.
func Oldest() Lifetime { return Lifetime{oldest{}} }

// Random returns the lifetime of members of which each new one replaces a random one. Lifetimes are
// geometric, and exponential in the limit of many members.
func Random() Lifetime { return Lifetime{exponential{}} }

// Pareto returns a heavy-tailed lifetime: P(D > x) = (1+x/c)^-shape, with c = shape-1 for the mean
// of 1 (a Pareto distribution of the second kind, or Lomax distribution). shape must be above 1,
// because otherwise there is no mean. Below 2 there is no variance. The error is an *[InputError].
func Pareto(shape float64) (Lifetime, error) {
	if !(shape > 1) || math.IsInf(shape, 0) { // in this form NaN fails too
		return Lifetime{}, &InputError{"Lifetime", shape, "a Pareto shape above 1"}
	}
	return Lifetime{pareto{shape}}, nil
}

// Mixture returns the lifetime of a population of two groups, each with exponential lifetimes. The
// share short of all inserted members lives, on average, ratio times as long as the rest. Both
// arguments must be above 0 and below 1. The error is an *[InputError].
func Mixture(short, ratio float64) (Lifetime, error) {
	if !(short > 0 && short < 1) {
		return Lifetime{}, &InputError{"Lifetime", short, "a part of short-lived members above 0 " +
			"and below 1"}
	}
	if !(ratio > 0 && ratio < 1) {
		return Lifetime{}, &InputError{"Lifetime", ratio, "a ratio of the two lifetimes above 0 " +
			"and below 1"}
	}
	return Lifetime{mixture{short, ratio, 1 / (float64(short*ratio) + 1 - short)}}, nil
}

// Observed returns the lifetime of which samples were observed, in any unit of time. There must be
// at least one sample, and each must be above 0. The error is an *[InputError].
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
	return Lifetime{&o}, nil // a pointer, because a Lifetime may be compared
}

// ParseLifetime returns the lifetime that [Lifetime.String] wrote: oldest, random, pareto:SHAPE or
// mixture:PART:RATIO. It does not read observed lifetimes. The error is an *[InputError].
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

// String returns the name of the lifetime with its parameters, as [ParseLifetime] reads it. The
// name of an observed lifetime cannot be read back.
func (l Lifetime) String() string { return l.distribution().String() }

// Draw returns a random lifetime of a new member, in turnovers.
func (l Lifetime) Draw(rng *rand.Rand) float64 { return l.distribution().draw(rng) }

// DrawRest returns a random rest of the lifetime, in turnovers, of a member of a population in
// equilibrium.
func (l Lifetime) DrawRest(rng *rand.Rand) float64 {
	lived, u := l.distribution().lived, rng.Float64() // lived is the distribution of it
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
	if l.form == nil {
		return oldest{}
	}
	return l.form
}

type oldest struct{}

func (oldest) String() string          { return "oldest" }
func (oldest) lived(x float64) float64 { return min(x, 1) }
func (oldest) draw(*rand.Rand) float64 { return 1 }

type exponential struct{}

func (exponential) String() string              { return "random" }
func (exponential) lived(x float64) float64     { return -elementary.Expm1(-x) }
func (exponential) draw(rng *rand.Rand) float64 { return rng.ExpFloat64() }

type pareto struct{ shape float64 }

func (p pareto) String() string { return fmt.Sprintf("pareto:%g", p.shape) }

func (p pareto) lived(x float64) float64 {
	return -elementary.Expm1((1 - p.shape) * elementary.Log1p(x/(p.shape-1)))
}

func (p pareto) draw(rng *rand.Rand) float64 {
	return (p.shape - 1) * elementary.Expm1(rng.ExpFloat64()/p.shape)
}

type mixture struct {
	short, ratio float64
	long         float64 // the mean of the long lifetimes
}

func (m mixture) String() string { return fmt.Sprintf("mixture:%g:%g", m.short, m.ratio) }

func (m mixture) lived(x float64) float64 {
	brief := m.ratio * m.long
	short := float64(m.short * brief * elementary.Expm1(-x/brief))
	return -short - float64((1-m.short)*m.long*elementary.Expm1(-x/m.long))
}

func (m mixture) draw(rng *rand.Rand) float64 {
	mean := m.long
	if rng.Float64() < m.short {
		mean *= m.ratio
	}
	return mean * rng.ExpFloat64()
}

type observed struct {
	sorted []float64 // the samples, in their own unit
	sums   []float64 // sums[i] is the sum of the first i samples
}

func (o observed) String() string { return fmt.Sprintf("observed:%d", len(o.sorted)) }

func (o observed) mean() float64 { return o.sums[len(o.sorted)] / float64(len(o.sorted)) }

func (o observed) lived(x float64) float64 {
	x *= o.mean()
	shorter, _ := slices.BinarySearch(o.sorted, x)
	return min(1, (o.sums[shorter]+float64(float64(len(o.sorted)-shorter)*x))/o.sums[len(o.sorted)])
}

func (o observed) draw(rng *rand.Rand) float64 {
	return o.sorted[rng.IntN(len(o.sorted))] / o.mean()
}
