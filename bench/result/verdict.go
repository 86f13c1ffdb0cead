package result

import (
	"cmp"
	"math"
	"slices"

	"github.com/aclements/go-moremath/mathx"
	"github.com/aclements/go-moremath/stats"
	"golang.org/x/perf/benchmath"
)

// Summarize returns the least and the median of samples, and their spread: the interquartile range
// over the median. Of no samples all are 0.
func Summarize(samples []float64) (least, median, spread float64) {
	if len(samples) == 0 {
		return 0, 0, 0
	}
	s := stats.Sample{Xs: slices.Clone(samples)}
	s.Sort()
	median = s.Quantile(0.5)
	if median > 0 {
		spread = (s.Quantile(0.75) - s.Quantile(0.25)) / median
	}
	return s.Xs[0], median, spread
}

// Outcome is how a comparison of two contenders ended.
type Outcome string

const (
	Faster    Outcome = "faster"    // the first of the two
	Slower    Outcome = "slower"    // the first of the two
	Undecided Outcome = "undecided" // the noise, or the number of samples, supports neither
)

// Verdict is the comparison of a contender a with a contender b.
type Verdict struct {
	Outcome Outcome
	// Ratio is how many times as long as a's time b's was: above 1 where a is faster. It is 0 where there
	// are no samples.
	Ratio float64
	// Low and High enclose the true Ratio with Confidence; 0 and +Inf where the samples are too few for
	// that, or were not paired.
	Low, High float64
	P         float64 // how likely a difference such as this one is where there is none
}

const (
	// Significance is the P from which on a comparison is undecided. A report has hundreds of
	// comparisons: at the usual 0.05 tens of them would be decided by chance.
	Significance = 0.01
	Confidence   = 1 - Significance
	// Level is the difference up to which two contenders are level, and the comparison is undecided
	// however sure the difference is: where a loop happens to lie in memory makes as much.
	Level = 0.01
)

// leastPairs is the least number of pairs that can decide a sign test: of 8, all the same way, P is 2/256.
const leastPairs = 8

// Paired compares samples of one group, where the i-th of a and of b are of the same round. It tests
// the sign of their differences, which needs no assumption on the noise and is blind to what slows
// both in a round (frequency, neighbours on the machine), and that is most of it. Wilcoxon's signed
// ranks would need differences that are distributed symmetrically; times have a long tail. Samples
// that are no pairs, or fewer than 8, are compared as [Unpaired] does.
func Paired(a, b []float64) Verdict {
	if len(a) != len(b) || len(a) < leastPairs {
		return Unpaired(a, b)
	}
	ratios := make([]float64, len(a))
	var first, second int // rounds that each was faster in
	for i := range a {
		if a[i] <= 0 || b[i] <= 0 { // below what the clock tells
			return Unpaired(a, b)
		}
		ratios[i] = b[i] / a[i]
		if a[i] < b[i] {
			first++
		} else if b[i] < a[i] {
			second++
		}
	}
	s := benchmath.AssumeNothing.Summary(benchmath.NewSample(ratios, &benchmath.DefaultThresholds), Confidence)
	fair := stats.BinomialDist{N: first + second, P: 0.5}
	v := Verdict{Ratio: s.Center, Low: s.Lo, High: s.Hi, P: 1}
	if first+second > 0 {
		v.P = min(1, 2*fair.CDF(float64(min(first, second))))
	}
	if math.IsInf(v.Low, -1) {
		v.Low = 0
	}
	v.decide(Significance, Level)
	return v
}

// Unpaired compares samples of different times, such as of two runs, by the Mann-Whitney U test.
func Unpaired(a, b []float64) Verdict { return UnpairedAt(a, b, Significance, Level) }

// UnpairedAt is [Unpaired] that decides where P is below significance and the difference of the
// medians is more than level: 0.05 for a time that is 5 % longer, or the other one that is.
func UnpairedAt(a, b []float64, significance, level float64) Verdict {
	v := Verdict{High: math.Inf(1), P: 1, Outcome: Undecided}
	if len(a) == 0 || len(b) == 0 {
		return v
	}
	_, medianA, _ := Summarize(a)
	_, medianB, _ := Summarize(b)
	if medianA <= 0 || medianB <= 0 {
		return v
	}
	v.Ratio = medianB / medianA
	// The samples are cloned because benchmath sorts them.
	v.P = benchmath.AssumeNothing.Compare(
		benchmath.NewSample(slices.Clone(a), &benchmath.DefaultThresholds),
		benchmath.NewSample(slices.Clone(b), &benchmath.DefaultThresholds)).P
	v.decide(significance, level)
	return v
}

// Holm returns the P of many comparisons as if each had been the only one: how likely it is that any
// difference such as this one, or clearer, is found where there are none (Holm's method, which is Bonferroni's
// step by step, and needs no assumption on what the comparisons have in common).
func Holm(ps []float64) []float64 {
	order := make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(ps[i], ps[j]) })
	adjusted := make([]float64, len(ps))
	least := 0.0
	for rank, i := range order {
		least = max(least, min(1, float64(len(ps)-rank)*ps[i]))
		adjusted[i] = least
	}
	return adjusted
}

// ClearestUnpaired returns the least P that [Unpaired] can find of so many samples: where all of the one are
// below all of the other.
func ClearestUnpaired(a, b int) float64 {
	if a == 0 || b == 0 {
		return 1
	}
	return min(1, 2/mathx.Choose(a+b, a))
}

func (v *Verdict) decide(significance, level float64) {
	v.Outcome = Undecided
	switch {
	case v.P >= significance:
	case v.Ratio > 1+level:
		v.Outcome = Faster
	case v.Ratio < 1/(1+level):
		v.Outcome = Slower
	}
}
