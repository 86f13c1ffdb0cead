package chart

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// Ticks labels the values, and nothing else.
func Ticks(label func(float64) string, values ...float64) (ticks plot.ConstantTicks) {
	for _, value := range values {
		ticks = append(ticks, plot.Tick{Value: value, Label: label(value)})
	}
	return ticks
}

// The values that axes show. Beyond them ranges are infinite, and steps between ticks are none.
const (
	most  = 1e100
	least = 1e-100 // of a logarithmic axis
)

// finite returns a value that an axis can show: the value itself, or the nearest one.
func finite(value float64) float64 { return max(-most, min(most, value)) }

// Logarithmic makes axes logarithmic over the positive range that their data has together, with a
// little room around it. Without data they stay as they are.
func Logarithmic(label func(float64) string, axes ...*plot.Axis) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, axis := range axes {
		low, high = min(low, axis.Min), max(high, axis.Max)
	}
	if !(low > 0) || low > high {
		return
	}
	low, high = max(low, least), max(least, min(high, most))
	for _, axis := range axes {
		axis.Scale = logScale{}
		axis.Min, axis.Max = low/1.2, high*1.2
		axis.Tick.Marker = logTicks{label}
	}
}

// logScale is gonum's, but for what gonum takes for the middle of an axis: it leaves room for the
// axis's name there, which it draws in the middle.
type logScale struct{ plot.LogScale }

// Normalize implements plot.Normalizer.
func (s logScale) Normalize(low, high, x float64) float64 {
	if x == 0.5*(high+low) {
		return 0.5
	}
	return s.LogScale.Normalize(low, high, x)
}

// logTicks labels the powers of ten, and where the axis has few of them, twice and five times
// those.
type logTicks struct{ label func(float64) string }

// Ticks implements plot.Ticker.
func (t logTicks) Ticks(low, high float64) (ticks []plot.Tick) {
	narrow := high/low < 300
	for e := math.Floor(math.Log10(low)); e <= math.Ceil(math.Log10(high)); e++ {
		for m := 1.0; m < 10; m++ {
			// Written and read: 3e-2 is nearer to 0.03 than 3 times 0.01 is.
			value, _ := strconv.ParseFloat(fmt.Sprintf("%ge%g", m, e), 64)
			if value < low || value > high {
				continue
			}
			tick := plot.Tick{Value: value}
			if m == 1 || narrow && (m == 2 || m == 5) {
				tick.Label = t.label(value)
			}
			ticks = append(ticks, tick)
		}
	}
	return ticks
}
