package claim

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Rule says how far a value may be off what is printed, or which way it has to go.
type Rule string

// The rules. A value of the rule [ToDigit] is printed to a digit, or with its own tolerance, as
// "434 ± 14" and "3 to 4" are.
const (
	ToDigit    Rule = ""           // within half a unit of the last digit
	ToTens     Rule = "to tens"    // within half of ten units
	CutOff     Rule = "cut off"    // less than a unit more
	Exactly    Rule = "exactly"    // but for the rounding of floating point
	Around     Rule = "around"     // within a tenth of it
	Comparable Rule = "comparable" // from a half of it to its double
	Above      Rule = "above"
	Below      Rule = "below"
	Never      Rule = "never" // less than one in a thousand, where 0 is printed
)

// implied stands before a value that the document does not print.
const implied = "implied "

// Print reads a value as a document prints it: a number, which may have thousands' commas and a
// percent sign, with its tolerance behind "±" or its other end behind "to". A value that is implied
// only says so before it.
func Print(text string, rule Rule) (Published, error) {
	if text == "" && rule == "" {
		return Published{}, nil
	}
	number := strings.TrimPrefix(text, implied)
	p := Published{Rule: rule}
	err := p.read(number)
	if err != nil {
		return Published{}, fmt.Errorf("found %q with rule %q: %w", text, rule, err)
	}
	return p, nil
}

// read sets the value, and how far it may be off, by the text of the number.
func (p *Published) read(number string) error {
	first, second, spread := strings.Cut(number, " ± ")
	pair := spread
	if !spread {
		first, second, pair = strings.Cut(number, " to ")
	}
	if !pair || p.Rule != ToDigit {
		v, unit, err := printed(number)
		return cmp.Or(err, p.within(v, unit))
	}
	value, _, err := printed(first)
	other, _, otherErr := printed(second)
	low, high := value, other
	if spread {
		low, high = value-other, value+other
	} else {
		value = (low + high) / 2
	}
	p.set(value, low, high)
	err = cmp.Or(err, otherErr)
	shares := strings.Count(number, "%")
	if err == nil && (low > high || shares == 1) {
		err = errors.New("expected the lower end first, and both in one unit")
	}
	return err
}

func (p *Published) set(value, least, most float64) {
	p.Value, p.Least, p.Most = &value, &least, &most
}

// within sets what the rule allows around a value of which the last digit has a unit.
func (p *Published) within(v, unit float64) error {
	tenth := math.Abs(v) / 10
	switch p.Rule {
	case ToDigit:
		p.set(v, v-unit/2, v+unit/2)
	case ToTens:
		p.set(v, v-5*unit, v+5*unit)
	case CutOff:
		p.set(v, v, v+unit)
	case Exactly:
		p.set(v, v-1e-9*(1+math.Abs(v)), v+1e-9*(1+math.Abs(v)))
	case Around:
		p.set(v, v-tenth, v+tenth)
	case Comparable:
		p.set(v, v/2, 2*v)
	case Above:
		p.Value, p.Least = &v, &v
	case Below:
		p.Value, p.Most = &v, &v
	case Never:
		if v != 0 {
			return fmt.Errorf("found %g, expected 0", v)
		}
		p.set(0, 0, 1e-3)
	default:
		return fmt.Errorf("found an unknown rule")
	}
	return nil
}

// asPrinted is the form of a number, with thousands' commas or without.
var asPrinted = regexp.MustCompile(`^-?(\d+|\d{1,3}(,\d{3})+)(\.\d+)?(e-?\d+)?( %)?$`)

// printed returns a number and the unit of its last digit.
func printed(text string) (v, unit float64, err error) {
	digits, share := strings.CutSuffix(strings.ReplaceAll(text, ",", ""), " %")
	v, err = strconv.ParseFloat(digits, 64)
	if err != nil || !asPrinted.MatchString(text) {
		return 0, 0, fmt.Errorf(`found %q, expected a number as "0.8", "1,000", "2e-3" or "80 %%"`,
			text)
	}
	mantissa, exponent, _ := strings.Cut(strings.ToLower(digits), "e")
	power, _ := strconv.Atoi(exponent)
	if _, fraction, found := strings.Cut(mantissa, "."); found {
		power -= len(fraction)
	}
	// Written and read: 1e-3 is nearer to a thousandth than a product is.
	unit, _ = strconv.ParseFloat(fmt.Sprintf("1e%d", power), 64)
	if share {
		v, unit = v/100, unit/100
	}
	return v, unit, nil
}
