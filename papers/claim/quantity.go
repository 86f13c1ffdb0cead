package claim

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/bloomlane/bloomlane/papers/trials"
)

// Quantity is what a paper has numbers of: by formulas, and by trials.
type Quantity struct {
	Unit Unit

	// Trials returns the quantity in each trial at some parameters; nil if it is only computed. A
	// sample without values is one that a short run does not take.
	Trials Trials

	// Formulas are by their names. One that has no value at some parameters returns NaN.
	Formulas Formulas
}

// Trials simulate a quantity at some parameters.
type Trials func(run *trials.Run, at Parameters) Sample

// Results simulates results, under the name that it returns. A short run may have none.
type Results[T any] func(run *trials.Run, at Parameters) (name string, results []T)

// Number returns the trials of a number of each result.
func (s Results[T]) Number(number func(result *T) float64) Trials {
	return Measured(s, func(result *T, _ Parameters) float64 { return number(result) })
}

// Measured returns the trials of a number of each of some results, which a function simulates under
// the name that it returns.
func Measured[T any](
	simulate Results[T],
	number func(result *T, at Parameters) float64,
) Trials {
	return func(run *trials.Run, at Parameters) Sample {
		name, results := simulate(run, at)
		return Take(name, results, func(result *T) float64 { return number(result, at) })
	}
}

// By returns the trials of the sum of what was measured by that of other numbers of the same
// trials.
func (t Trials) By(other Trials) Trials {
	return func(run *trials.Run, at Parameters) Sample {
		sample := t(run, at)
		sample.Over = other(run, at).Values
		return sample
	}
}

// Map returns the trials of an increasing function of the mean.
func (t Trials) Map(f func(mean float64, at Parameters) float64) Trials {
	return func(run *trials.Run, at Parameters) Sample {
		sample := t(run, at)
		sample.Map = func(mean float64) float64 { return f(mean, at) }
		return sample
	}
}

// Of returns trials of which each is a part of a number of cases.
func (t Trials) Of(cases func(at Parameters) int) Trials {
	return func(run *trials.Run, at Parameters) Sample {
		sample := t(run, at)
		sample.Each = cases(at)
		return sample
	}
}

// Formula is a number at some parameters.
type Formula = func(at Parameters) float64

// Constant is a formula without parameters.
func Constant(v float64) Formula { return func(Parameters) float64 { return v } }

// Formulas are formulas by name.
type Formulas map[string]Formula

// Share returns a quantity that is a share, in each trial.
func (t Trials) Share() Quantity { return Quantity{Unit: Share, Trials: t} }

// With returns a quantity with one more formula.
func (q Quantity) With(name string, formula Formula) Quantity {
	q.Formulas = maps.Clone(q.Formulas)
	if q.Formulas == nil {
		q.Formulas = Formulas{}
	}
	q.Formulas[name] = formula
	return q
}

// Fixed returns the quantity where some parameters have one value each. Its formulas and trials do
// not read them, and a row may say them, but no other values.
func (q Quantity) Fixed(fixed Parameters) Quantity {
	own := q
	if q.Trials != nil {
		q.Trials = func(run *trials.Run, at Parameters) Sample {
			fixed.meet(at)
			return own.Trials(run, at)
		}
	}
	q.Formulas = Formulas{}
	for name, formula := range own.Formulas {
		q.Formulas[name] = func(at Parameters) float64 {
			fixed.meet(at)
			return formula(at)
		}
	}
	return q
}

// meet refuses parameters that are others than those that are fixed.
func (fixed Parameters) meet(at Parameters) {
	for name, value := range fixed {
		if own := at.Value(name); own != nil && !same(own, value) {
			refuse("found %s=%v, expected %v", name, own, value)
		}
	}
}

// same says whether two values of a parameter are: 1 and 1.0 are.
func same(x, y any) bool { return fmt.Sprint(x) == fmt.Sprint(y) }

// Computed returns a quantity that has a formula only.
func Computed(unit Unit, name string, formula Formula) Quantity {
	return Quantity{Unit: unit, Formulas: Formulas{name: formula}}
}

// Quantities are by the names that rows have of them.
type Quantities map[string]Quantity

// Join returns the quantities of all sections. It panics if two have a quantity of one name.
func Join(sections ...Quantities) Quantities {
	all := Quantities{}
	for _, section := range sections {
		for name, quantity := range section {
			if _, found := all[name]; found {
				panic(fmt.Sprintf("claim: two quantities are %q", name))
			}
			all[name] = quantity
		}
	}
	return all
}

// Sample is a quantity in a number of trials.
type Sample struct {
	Of     string    // the trials' name: differences of the same trials are paired
	Values []float64 // one a trial; a single one is exact
	Over   []float64 // if there are: the quantity is the sum of the values by that of these

	// How many cases each value is a part of: where none hits, or all do, these tell how sure
	// that is.
	Each int

	// Of cases some hit, if there are no values.
	Hits, Cases int

	// Map is an increasing function of the mean, which is the quantity; nil for the mean itself.
	Map func(mean float64) float64
}

// Take returns a sample of a number of each of some trials.
func Take[T any](name string, results []T, number func(*T) float64) Sample {
	return Sample{Of: name, Values: trials.Column(results, number)}
}

// trials returns how many there are.
func (s *Sample) trials() int { return max(len(s.Values), s.Cases) }

// interval returns the interval of a quantity of a unit. Trials that all have none of something, or
// all of it, are as many cases, or those that they are parts of, of which the interval is Clopper's
// and Pearson's.
func (s *Sample) interval(unit Unit) (i Interval) {
	switch {
	case s.Cases > 0:
		i = Proportion(s.Hits, s.Cases)
	case len(s.Values) == 0:
		return Interval{}
	case len(s.Values) == 1: // which is counted, and not drawn
		i = Exact(s.Values[0])
	case len(s.Over) > 0:
		i = Ratio(s.Values, s.Over)
	default:
		i = Mean(s.Values)
	}
	part := unit == Share && s.Map == nil
	if part && *i.Low == *i.High && (*i.Low == 0 || *i.Low == 1) {
		n := len(s.Values) * max(1, s.Each)
		i = Proportion(n*int(*i.Low), n)
	}
	if part && *i.Measured >= 0 && *i.Measured <= 1 {
		*i.Low, *i.High = max(0, *i.Low), min(1, *i.High)
	}
	if s.Map != nil {
		i = i.Map(s.Map)
	}
	return i
}

// less returns the interval of the difference of two samples.
func (s *Sample) less(unit Unit, t *Sample, other Unit) Interval {
	switch {
	case s.trials() == 0 || t.trials() == 0:
		return Interval{}
	case s.Of == t.Of && len(s.Values) == len(t.Values) && len(s.Values) > 0 &&
		s.Over == nil && t.Over == nil && s.Map == nil && t.Map == nil:
		i := Difference(s.Values, t.Values)
		if unit != Share || *i.Low != *i.High || len(s.Values) == 1 {
			return i
		}
	}
	return s.interval(unit).Less(t.interval(other))
}

// Parameters are those of a claim, by name: numbers and words.
type Parameters map[string]any

// readName is no parameter: under it is the set of those that were read, where they are noted.
const readName = ""

// noted returns the same parameters, which note the names that are read.
func (p Parameters) noted() Parameters {
	noted := maps.Clone(p)
	noted[readName] = new(sync.Map) // trials on all cores read them
	return noted
}

// silent returns the same parameters, which note nothing.
func (p Parameters) silent() Parameters {
	silent := maps.Clone(p)
	delete(silent, readName)
	return silent
}

// read returns the parameters that were read, those too that there are none of the name of.
func (p Parameters) read() Parameters {
	read := Parameters{}
	if names, noted := p[readName].(*sync.Map); noted {
		for name := range names.Range {
			read[name.(string)] = p[name.(string)]
		}
	}
	return read
}

// Value returns a parameter as it is, or nil where there is none of the name.
func (p Parameters) Value(name string) any {
	if names, noted := p[readName].(*sync.Map); noted {
		names.Store(name, true)
	}
	return p[name]
}

// Int returns a parameter that is a whole number, or 0 where there is none of the name.
func (p Parameters) Int(name string) int {
	n, _ := p.Value(name).(int)
	return n
}

// Float returns a parameter that is a number, or NaN where there is none of the name.
func (p Parameters) Float(name string) float64 {
	switch v := p.Value(name).(type) {
	case int:
		return float64(v)
	case float64:
		return v
	}
	return math.NaN()
}

// Text returns a parameter as it is printed, or nothing where there is none of the name.
func (p Parameters) Text(name string) string {
	if v := p.Value(name); v != nil {
		return fmt.Sprint(v)
	}
	return ""
}

// Word returns a parameter that is one of some words. Another one is an error; so is none, if ""
// is not among the words.
func (p Parameters) Word(name string, words ...string) string {
	word := p.Text(name)
	if !slices.Contains(words, word) {
		refuse("found %s=%s, expected one of %q", name, word, words)
	}
	return word
}

// Pick returns the value that a parameter names. Another name is an error.
func Pick[T any](at Parameters, name string, values map[string]T) T {
	return values[at.Word(name, slices.Sorted(maps.Keys(values))...)]
}

// List returns all parameters in the order of their names: each with a text before its value, and
// one between two of them.
func (p Parameters) List(before, between string) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(p.silent())) {
		all = append(all, name+before+fmt.Sprint(p[name]))
	}
	return strings.Join(all, between)
}

// misuse is an error of a row that shows only when it is evaluated.
type misuse struct{ error }

// refuse ends the evaluation of a row.
func refuse(format string, values ...any) { panic(misuse{fmt.Errorf(format, values...)}) }

// mustRead is deferred by the evaluation of a claim: it names the claim of which the parameters are
// misused, and refuses those that nothing has read.
func (c *Claim) mustRead(point Parameters) {
	name := fmt.Sprintf("%s, %s, %s", c.Item, c.Quantity, point.List("=", "; "))
	switch found := recover().(type) {
	case nil:
	case misuse:
		refuse("%s: %w", name, found.error)
	default:
		panic(found)
	}
	read := point.read()
	for parameter := range point.silent() {
		plain := strings.TrimPrefix(parameter, lessName)
		if _, found := read[plain]; !found && plain != quantityName && c.Measured != nil {
			refuse("%s: nothing reads %s", name, parameter)
		}
	}
}

// lessName stands before the parameters of what is subtracted, where they are others.
const lessName = "less "

// quantityName is the parameter that says which quantity is subtracted, where it is another one.
const quantityName = "quantity"

// less returns the parameters of what is subtracted, or nil if nothing is.
func (p Parameters) less() Parameters {
	var other Parameters
	for name, value := range p {
		if len(name) > len(lessName) && name[:len(lessName)] == lessName {
			if other == nil {
				other = Parameters{}
			}
			other[name[len(lessName):]] = value
		}
	}
	if other == nil {
		return nil
	}
	for name, value := range p {
		if _, found := other[name]; !found && (len(name) <= len(lessName) ||
			name[:len(lessName)] != lessName) {
			other[name] = value
		}
	}
	return other
}
