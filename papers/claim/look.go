package claim

import (
	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// Ticks returns a look of a panel: these ticks on its horizontal axis, if there are any.
func Ticks(at ...float64) func(*chart.Panel) {
	return func(p *chart.Panel) {
		if len(at) > 0 {
			p.X.Tick.Marker = chart.Ticks(quantity.Number, at...)
		}
	}
}

// LogarithmicX returns a look: a horizontal axis that is logarithmic, with these ticks.
func LogarithmicX(at ...float64) func(*chart.Panel) {
	return func(p *chart.Panel) {
		chart.Logarithmic(quantity.Number, &p.X)
		Ticks(at...)(p)
	}
}
