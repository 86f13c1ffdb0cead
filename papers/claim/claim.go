package claim

import (
	"encoding/json"
	"io"
)

// Claim is one sentence, or one point of a figure, under one reading. Its JSON is an object without
// levels.
type Claim struct {
	Paper      string     `json:"paper"`
	Item       string     `json:"item"`  // what belongs together, such as a figure
	Where      string     `json:"where"` // in the paper
	Parameters Parameters `json:"parameters"`
	Quantity   string     `json:"quantity"`
	Unit       Unit       `json:"unit"`
	Published
	Theory
	Interval
	Trials int    `json:"trials"` // 0 where the value is computed
	Seed   uint64 `json:"seed"`

	// Reading says how an unclear sentence was understood; "literal" where it is clear.
	Reading string  `json:"reading"`
	Verdict Verdict `json:"verdict"`

	// Meant says whether the paper meant this reading, where another one of the same sentence
	// differs.
	Meant Meant `json:"meant,omitempty"`

	// Point says that this is a point of a figure, which the table leaves out.
	Point bool `json:"point,omitempty"`

	// Why is the reason for a verdict of [Differs] or [NotReproducible], with the numbers that show
	// it.
	Why string `json:"why,omitempty"`
}

// Unit is how a number is shown.
type Unit string

// The units.
const (
	Share  Unit = "share"
	Number Unit = "number"
)

// Literal is the reading of a sentence that is clear.
const Literal = "literal"

// Published is what a paper says: a value and how far it may be off, or a direction, or neither.
type Published struct {
	Value     *float64  `json:"published"`
	Least     *float64  `json:"published_low"`
	Most      *float64  `json:"published_high"`
	Direction Direction `json:"direction,omitempty"`

	// How it is printed, and how far it may be off. Implied says that no document prints it.
	Printed string `json:"printed,omitempty"`
	Rule    Rule   `json:"rule,omitempty"`
	Implied bool   `json:"implied,omitempty"`
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

// Theory is a value by a formula, and the formula's name.
type Theory struct {
	Expected *float64 `json:"theory"`
	Of       string   `json:"theory_of,omitempty"`
}

// WriteJSON writes one object a line.
func WriteJSON(w io.Writer, claims []Claim) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	for i := range claims {
		if err := encoder.Encode(&claims[i]); err != nil {
			return err
		}
	}
	return nil
}
