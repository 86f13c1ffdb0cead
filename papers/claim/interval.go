package claim

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Interval is a value that was measured, and its interval of 95 %.
type Interval struct {
	Measured *float64 `json:"measured"`
	Low      *float64 `json:"low"`
	High     *float64 `json:"high"`
	Trials   int      `json:"trials"` // 0 where the value is computed
}

func around(value, half float64) Interval {
	return Interval{Measured: &value, Low: new(value - half), High: new(value + half)}
}

// Exact is a value that was computed.
func Exact(value float64) Interval { return around(value, 0) }

// Mean is the mean of independent values, by Student's t.
func Mean(values []float64) Interval {
	mean, deviation := stat.MeanStdDev(values, nil)
	n := float64(len(values))
	i := around(mean, distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(0.975)*deviation/math.Sqrt(n))
	i.Trials = len(values)
	return i
}

// MeanShare is the mean of shares. Where all are 0, or all 1, its interval is that of the
// [Proportion] of as many cases: those of one trial need not be independent.
func MeanShare(shares []float64) Interval {
	i := Mean(shares)
	if n := len(shares); *i.Low == *i.High && (*i.Low == 0 || *i.Low == 1) {
		return Proportion(n*int(*i.Low), n)
	}
	*i.Low, *i.High = max(0, *i.Low), min(1, *i.High)
	return i
}

// Difference is the mean of x-y, which belong together in pairs.
func Difference(x, y []float64) Interval {
	return Mean(floats.SubTo(make([]float64, len(x)), x, y))
}

// Ratio is the sum of x by the sum of y, which belong together in pairs: the interval is that of
// the mean of x - ratio*y, which is 0.
func Ratio(x, y []float64) Interval {
	total := floats.Sum(y)
	ratio := floats.Sum(x) / total
	rest := make([]float64, len(x))
	for i := range rest {
		rest[i] = x[i] - ratio*y[i]
	}
	i := Mean(rest)
	i = around(ratio, (*i.High-*i.Low)/2*float64(len(x))/total)
	i.Trials = len(x)
	return i
}

// Among is the part of some cases that hit, of numbers of both in each trial. Where none or all
// hit, it is the [Proportion] of all cases.
func Among(hits, cases []float64) Interval {
	hit, all := floats.Sum(hits), floats.Sum(cases)
	if hit == 0 || hit == all {
		return Proportion(int(hit), int(all))
	}
	i := Ratio(hits, cases)
	*i.Low, *i.High = max(0, *i.Low), min(1, *i.High)
	return i
}

// Proportion is how many of some independent cases hit, by Clopper and Pearson: also of none, or
// all.
func Proportion(hits, trials int) Interval {
	h, n := float64(hits), float64(trials)
	i := Interval{new(h / n), new(0.0), new(1.0), trials}
	if hits > 0 {
		*i.Low = distuv.Beta{Alpha: h, Beta: n - h + 1}.Quantile(0.025)
	}
	if hits < trials {
		*i.High = distuv.Beta{Alpha: h + 1, Beta: n - h}.Quantile(0.975)
	}
	return i
}

// Less returns the interval of i-j, which are independent (the MOVER of Zou and Donner, 2008).
func (i Interval) Less(j Interval) Interval {
	difference := *i.Measured - *j.Measured
	return Interval{&difference,
		new(difference - math.Hypot(*i.Measured-*i.Low, *j.High-*j.Measured)),
		new(difference + math.Hypot(*i.High-*i.Measured, *j.Measured-*j.Low)),
		min(i.Trials, j.Trials)}
}

// Map returns the interval of an increasing function of what was measured.
func (i Interval) Map(f func(float64) float64) Interval {
	return Interval{new(f(*i.Measured)), new(f(*i.Low)), new(f(*i.High)), i.Trials}
}
