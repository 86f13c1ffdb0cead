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

	Fixed Parameters // that all trials have: see [Quantity.Fixed]
}

// Named returns names of trials by a format and the parameters for it.
func Named(format string, parameters ...string) func(at Parameters) string {
	return func(at Parameters) string {
		values := make([]any, len(parameters))
		for i, parameter := range parameters {
			values[i] = at.Value(parameter)
		}
		return fmt.Sprintf(format, values...)
	}
}

// NamedBy returns names of trials by a text and something of the parameters.
func NamedBy[T any](text string, subject func(at Parameters) T) func(at Parameters) string {
	return func(at Parameters) string { return fmt.Sprint(text, subject(at)) }
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

// recorded is the numbers of trials, and the parameters that these read.
type recorded struct {
	columns Outcome
	read    Parameters
}

// Across returns the index of two points, of which the second goes along a number of values.
func Across(first, second func(at Parameters) int, number int) func(at Parameters) int {
	return func(at Parameters) int {
		row, column := first(at), second(at)
		if row < 0 || column < 0 {
			return -1
		}
		return row*number + column
	}
}

// Column returns a number of all trials, one after another, of each as often as it has it; the name
// of the trials, and how many there are. What only the name of trials says, and no trial reads, is
// not read. Trials with the same name and subject that would read something else are refused.
func (s *Simulation) Column(
	run *trials.Run,
	point Parameters,
	number string,
) (name string, times int, values []float64) {
	s.Fixed.meet(point)
	said := point.noted()
	name, subject := s.Name(said), ""
	times, short := s.Times(point.silent())
	if run.Short {
		times = short
	}
	if s.Subject != nil {
		subject = s.Subject(said)
	}
	known := trials.Remember(run, name, subject, times, func() recorded {
		noted, columns := point.noted(), Outcome{}
		for _, outcome := range trials.Each(run, name, times,
			func(rng *rand.Rand) Outcome { return s.Trial(rng, noted) }) {
			for number, values := range outcome {
				columns[number] = append(columns[number], values...)
			}
		}
		return recorded{columns, noted.read()}
	})
	says := said.read()
	for parameter, value := range known.read {
		own := point.Value(parameter)
		_, says := says[parameter] // in another way, where one of both does not have it
		if says = says && (own == nil || value == nil); !says && !same(own, value) {
			refuse("trials of %q do not say %s: it was %v, and now is %v", name, parameter, value,
				own)
		}
	}
	if known.columns[number] == nil && times > 0 {
		refuse("trials of %q have no %q", name, number)
	}
	return name, times, known.columns[number]
}

// Mean returns trials of a number, of which the quantity is the mean: that of the claim's point if
// there are several.
func (s *Simulation) Mean(number string) Trials { return s.At(number, s.Point) }

// At is Mean of the number at some point.
func (s *Simulation) At(number string, place func(at Parameters) int) Trials {
	return func(run *trials.Run, point Parameters) Sample {
		name, times, values := s.Column(run, point, number)
		sample, first := Sample{Of: name}, 0
		if len(values) > times {
			first = place(point)
			if each := len(values) / times; first < 0 || first >= each {
				refuse("trials of %q have no %q there, but at %d points", name, number, each)
			}
		}
		for ; first < len(values); first += len(values) / times {
			sample.Values = append(sample.Values, values[first])
		}
		return sample
	}
}

// MeanBy is Mean of the number that has the name of a parameter's value.
func (s *Simulation) MeanBy(parameter string) Trials {
	return func(run *trials.Run, at Parameters) Sample {
		return s.Mean(at.Text(parameter))(run, at)
	}
}

// Total returns trials of a number in all of them together, which is counted.
func (s *Simulation) Total(number string) Trials {
	return func(run *trials.Run, at Parameters) Sample {
		each := s.Mean(number)(run, at)
		return Sample{Of: each.Of, Values: []float64{floats.Sum(each.Values)}}
	}
}

// Counted returns trials of a proportion: the cases of all trials that hit.
func (s *Simulation) Counted(hits, cases string) Trials {
	return func(run *trials.Run, at Parameters) Sample {
		return Sample{Hits: int(floats.Sum(s.Mean(hits)(run, at).Values)),
			Cases: int(floats.Sum(s.Mean(cases)(run, at).Values))}
	}
}

// Among returns trials of a ratio: of the cases of each trial those that hit. These need not be
// independent, but tell how sure it is that none hits.
func (s *Simulation) Among(hits, cases string) Trials {
	return func(run *trials.Run, at Parameters) Sample {
		sample := s.Mean(hits).By(s.Mean(cases))(run, at)
		if n := len(sample.Over); n > 0 {
			sample.Each = int(floats.Sum(sample.Over)) / n
		}
		return sample
	}
}

// Which counts the trials of a number that holds something.
func (t Trials) Which(hits func(v float64, at Parameters) bool) Trials {
	return func(run *trials.Run, at Parameters) (s Sample) {
		values := t(run, at).Values
		for _, v := range values {
			if hits(v, at) {
				s.Hits++
			}
		}
		s.Cases = len(values)
		return s
	}
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
