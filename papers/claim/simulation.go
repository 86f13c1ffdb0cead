package claim

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/bloomlane/bloomlane/papers/trials"
)

// Outcome is the numbers of a trial by their names: one, or one for each point of the simulation.
type Outcome map[string][]float64

// Simulation is trials that some quantities are numbers of.
type Simulation struct {
	Name func(at Parameters) string // of the trials, which seeds them: see [Named]

	// Subject is what trials of a name differ in that have the same random numbers; nil if nothing.
	Subject func(at Parameters) string

	Times func(at Parameters) (full, short int) // how many trials a run takes: see [Times]

	Point func(at Parameters) int // of numbers that have several: see [Along]

	Trial func(rng *rand.Rand, at Parameters) Outcome
}

// Named returns names of trials by a format and the parameters for it.
func Named(format string, parameters ...string) func(at Parameters) string {
	return func(at Parameters) string {
		values := make([]any, len(parameters))
		for i, parameter := range parameters {
			values[i] = at[parameter]
		}
		return fmt.Sprintf(format, values...)
	}
}

// Times returns a number of trials that is the same with all parameters.
func Times(full, short int) func(Parameters) (int, int) {
	return func(Parameters) (int, int) { return full, short }
}

// Along returns the index of the value that a parameter has, of some; -1 if it has none of them.
func Along[T any](parameter string, values []T) func(at Parameters) int {
	var texts []string
	for _, v := range values {
		texts = append(texts, fmt.Sprint(v))
	}
	return func(at Parameters) int { return slices.Index(texts, at.Text(parameter)) }
}

// Results returns the outcomes of all trials, and their name.
func (s *Simulation) Results(run *trials.Run, point Parameters) (name string, results []Outcome) {
	name = s.Name(point)
	times, short := s.Times(point)
	if run.Short {
		times = short
	}
	subject := ""
	if s.Subject != nil {
		subject = s.Subject(point)
	}
	return name, trials.RecallOf(run, name, subject, times,
		func(rng *rand.Rand) Outcome { return s.Trial(rng, point) })
}

// Value returns a number of a trial, that of the claim's point if there are several.
func (s *Simulation) Value(o *Outcome, number string, point Parameters) float64 {
	values, found := (*o)[number]
	switch {
	case !found:
		panic(fmt.Sprintf("claim: trials of %q have no %q", s.Name(point), number))
	case len(values) == 1:
		return values[0]
	}
	return values[s.Point(point)]
}

// Mean returns trials of a number, of which the quantity is the mean.
func (s *Simulation) Mean(number string) Trials {
	return Measured(s.Results,
		func(o *Outcome, at Parameters) float64 { return s.Value(o, number, at) })
}

// Total returns trials of a number in all of them together, which is counted.
func (s *Simulation) Total(number string) Trials {
	return func(run *trials.Run, at Parameters) Sample {
		each := s.Mean(number)(run, at)
		return Sample{Of: each.Of, Values: []float64{floats.Sum(each.Values)}}
	}
}

// Counted returns trials of a proportion: see [Counted].
func (s *Simulation) Counted(hits, cases string) Trials {
	return Counted(s.Results, func(o *Outcome, at Parameters) (int, int) {
		return int(s.Value(o, hits, at)), int(s.Value(o, cases, at))
	})
}

// Among returns trials of a ratio: see [Among].
func (s *Simulation) Among(hits, cases string) Trials {
	return Among(s.Results, func(o *Outcome, at Parameters) (float64, float64) {
		return s.Value(o, hits, at), s.Value(o, cases, at)
	})
}

// To returns trials of a function of each trial's number.
func (t Trials) To(f func(v float64, at Parameters) float64) Trials {
	return func(run *trials.Run, point Parameters) Sample {
		s := t(run, point)
		s.Values = slices.Clone(s.Values)
		for i, v := range s.Values {
			s.Values[i] = f(v, point)
		}
		return s
	}
}

// Log returns trials of the logarithm of each trial's number.
func (t Trials) Log() Trials {
	return t.To(func(v float64, _ Parameters) float64 { return math.Log(v) })
}
