package result

import (
	"math"

	"golang.org/x/perf/benchmath"
)

// Outcome is how a comparison of two subjects ended.
type Outcome string

const (
	Faster    Outcome = "faster"    // the first of the two
	Slower    Outcome = "slower"    // the first of the two
	Undecided Outcome = "undecided" // the noise, or the number of samples, supports neither
)

const (
	// Confidence is that of a comparison. A report has hundreds: at the usual 0.95 tens of them
	// would be decided by chance.
	Confidence = 0.99
	// Level is the difference up to which two subjects are level, and the comparison is undecided
	// however sure the difference is: where a loop happens to lie in memory makes as much.
	Level = 0.01
)

// Verdict is the comparison of a subject a with a subject b of its group.
type Verdict struct {
	Outcome Outcome
	// Ratio is how many times as long as a's time b's was, in the median round; 0 where there are
	// no pairs.
	Ratio float64
	// Low and High enclose the true Ratio with Confidence; 0 and +Inf where the samples are too few
	// for that.
	Low, High float64
}

// Paired compares subjects of one group, by the ratios of the samples of the same round: that is
// blind to what slows both (frequency, neighbours on the machine), which is most of the noise. The
// interval is that of a median without assumptions on the noise; less than 8 pairs have none and
// decide nothing.
func Paired(a, b []float64) Verdict {
	ratios := make([]float64, 0, len(a))
	for i := range a {
		if len(a) != len(b) || a[i] <= 0 || b[i] <= 0 { // below what the clock tells
			return Verdict{Outcome: Undecided}
		}
		ratios = append(ratios, b[i]/a[i])
	}
	if len(ratios) == 0 {
		return Verdict{Outcome: Undecided}
	}
	s := benchmath.AssumeNothing.Summary(benchmath.NewSample(ratios, &benchmath.DefaultThresholds),
		Confidence)
	v := Verdict{Undecided, s.Center, s.Lo, s.Hi}
	switch {
	// an end alone would decide for one of the two alone
	case math.IsInf(s.Lo, -1) || math.IsInf(s.Hi, 1):
		v.Low, v.High = 0, math.Inf(1)
	case v.Low > 1 && v.Ratio > 1+Level:
		v.Outcome = Faster
	case v.High < 1 && v.Ratio < 1/(1+Level):
		v.Outcome = Slower
	}
	return v
}
