package claim

import (
	"fmt"
	"math"

	"github.com/bloomlane/bloomlane/report/quantity"
)

// Unit is how a number is shown.
type Unit string

// The units.
const (
	Share  Unit = "share"
	Number Unit = "number"
)

func (u Unit) format(v float64) string {
	switch {
	case u == Share:
		return quantity.Percent(v)
	case math.Abs(v) >= 1e4:
		return quantity.Count(int64(math.Round(v)))
	}
	return fmt.Sprintf("%.4g", v)
}

// Published is what a paper says: a value and how far it may be off, or a direction, or neither.
type Published struct {
	Value, Least, Most *float64
	Direction          Direction
	Rule               Rule
}

// Direction is what a paper says of a difference, or of the logarithm of a ratio.
type Direction string

// The directions.
const (
	Higher    Direction = "higher"     // than 0, significantly
	Lower     Direction = "lower"      // than 0, significantly
	NotHigher Direction = "not higher" // than 0, significantly
)

// Trend is a direction without a value.
func Trend(d Direction) Published { return Published{Direction: d} }
