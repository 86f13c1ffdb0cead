package claim

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// header names the columns of a table of claims.
var header = []string{"item", "where", "parameters", "quantity", "measured", "theory", "published",
	"rule", "reading", "why"}

// ditto is a cell that has the text of the one above it.
const ditto = `"`

// byTrials is the column "measured" of what is simulated. Others have the name of a formula there,
// and what cannot be reproduced has nothing.
const byTrials = "trials"

// row is a claim, read beside the paper.
type row struct {
	item, where, parameters, quantity, measured, theory, printed, rule, reading, why string
}

// ErrTable is the error of a table that cannot be read.
var ErrTable = errors.New("bad table of claims")

// Rows returns the parts of a table, one for each row. A table is text with tabs between its
// columns:
//
//   - item and where are those of the claim; where has the words of the paper.
//   - parameters are "name=value" with "; " between them. A value can be a list with ", ": a row
//     with lists is a claim for each combination. A parameter "less name" says that the quantity is
//     the difference to the one where the parameter has this value; "less quantity" names
//     another quantity.
//   - quantity is one of those given.
//   - measured is "trials", or the name of a formula of the quantity, or nothing: then the claim
//     cannot be reproduced, and why says what would be needed.
//   - theory is the formula beside it, if there is one.
//   - published is the number as printed, behind "implied " if it is not, and rule how far it may
//     be off, or a direction: see [Rule].
//   - reading says how the sentence was understood; nothing where it is clear.
//   - why is the reason for a verdict of [Differs] or [NotReproducible].
//
// A cell of one quotation mark is the cell above. In reading and why, ${name} is the value of a
// parameter, or of a formula of the quantity at the claim's parameters, or the mean of "trials";
// ${less name} is that of what is subtracted, and ${quantity: name} that of another quantity.
func Rows(table string, quantities Quantities) (parts []Part, err error) {
	err = scan(table, func(r row) error {
		claims, err := r.claims(quantities)
		parts = append(parts, func(run *trials.Run) ([]Claim, []Figure) {
			var found []Claim
			for _, c := range claims {
				found = append(found, c(run))
			}
			return found, nil
		})
		return err
	})
	return parts, err
}

// Read returns the claims of a table with what is published, and nothing measured: for formulas of
// what a document prints.
func Read(table string) (claims []Claim, err error) {
	err = scan(table, func(r row) error {
		published, err := Print(r.printed, Rule(r.rule))
		if err != nil {
			return err
		}
		all, err := parseParameters(r.parameters)
		for _, at := range all {
			claims = append(claims, Claim{Item: r.item, Where: r.where, Parameters: at,
				Quantity: r.quantity, Published: published, Reading: r.reading})
		}
		return err
	})
	return claims, err
}

// scan visits the rows of a table.
func scan(table string, visit func(r row) error) error {
	var above []string
	for number, line := range strings.Split(strings.TrimSuffix(table, "\n"), "\n") {
		cells := strings.Split(line, "\t")
		switch {
		case number == 0 && !slices.Equal(cells, header):
			return fmt.Errorf("%w: found columns %q, expected %q", ErrTable, cells, header)
		case len(cells) != len(header):
			return fmt.Errorf("%w: line %d: found %d columns, expected %d", ErrTable,
				number+1, len(cells), len(header))
		case number == 0:
			continue
		}
		for i := range cells {
			if cells[i] == ditto && above != nil {
				cells[i] = above[i]
			}
		}
		above = cells
		if err := visit(newRow(cells)); err != nil {
			return fmt.Errorf("%w: line %d: %w", ErrTable, number+1, err)
		}
	}
	return nil
}

func newRow(cells []string) (r row) {
	for i, cell := range []*string{&r.item, &r.where, &r.parameters, &r.quantity, &r.measured,
		&r.theory, &r.printed, &r.rule, &r.reading, &r.why} {
		*cell = cells[i]
	}
	return r
}

// claims returns functions that make the row's claims, after it checked all that can be checked
// without trials.
func (r row) claims(quantities Quantities) (claims []func(*trials.Run) Claim, err error) {
	published, err := Print(r.printed, Rule(r.rule))
	if err != nil {
		return nil, err
	}
	q, found := quantities[r.quantity]
	_, formula := q.Formulas[r.measured]
	_, theory := q.Formulas[r.theory]
	switch {
	case !found && r.measured != "":
		return nil, fmt.Errorf("found no quantity %q", r.quantity)
	case r.measured == byTrials && q.Trials == nil:
		return nil, fmt.Errorf("found no trials of %q", r.quantity)
	case r.measured != "" && r.measured != byTrials && !formula:
		return nil, fmt.Errorf("found no formula %q of %q", r.measured, r.quantity)
	case r.theory != "" && !theory:
		return nil, fmt.Errorf("found no formula %q of %q", r.theory, r.quantity)
	case r.measured == "" && r.why == "":
		return nil, errors.New("found no reason why it cannot be reproduced")
	}
	all, err := parseParameters(r.parameters)
	if err != nil {
		return nil, err
	}
	for _, point := range all {
		e := evaluation{quantities, r.quantity, point}
		if other := point.less(); other != nil {
			if _, found := quantities[e.subtracted().quantity]; !found {
				return nil, fmt.Errorf("found no quantity %q", e.subtracted().quantity)
			}
		}
		claims = append(claims, func(run *trials.Run) Claim {
			c := Claim{Item: r.item, Where: r.where, Parameters: point, Quantity: r.quantity,
				Unit: q.Unit, Published: published}
			if found || !strings.Contains(r.printed, "%") {
				c.Unit = q.unit()
			} else {
				c.Unit = Share
			}
			e.measure(run, &c, r.measured, r.theory)
			c.Reading, c.Why = e.expand(run, r.reading), e.expand(run, r.why)
			if c.Reading == "" {
				c.Reading = Literal
			}
			if r.measured != "" && c.Measured == nil {
				c.Verdict = NotRun
			}
			return c
		})
	}
	return claims, nil
}

func (q *Quantity) unit() Unit {
	if q.Unit == "" {
		return Number
	}
	return q.Unit
}

// parseParameters returns every combination of the values of some lists, those of the last one
// changing first.
func parseParameters(text string) ([]Parameters, error) {
	all := []Parameters{{}}
	if text == "" {
		return all, nil
	}
	for parameter := range strings.SplitSeq(text, "; ") {
		name, values, found := strings.Cut(parameter, "=")
		if !found || name == "" || values == "" {
			return nil, fmt.Errorf(`found parameter %q, expected "name=value"`, parameter)
		}
		var next []Parameters
		for _, at := range all {
			for value := range strings.SplitSeq(values, ", ") {
				at := maps.Clone(at)
				at[name] = parse(value)
				next = append(next, at)
			}
		}
		all = next
	}
	return all, nil
}

func parse(value string) any {
	if n, err := strconv.Atoi(value); err == nil {
		return n
	}
	if v, err := strconv.ParseFloat(value, 64); err == nil {
		return v
	}
	return value
}

// evaluation is a quantity at some parameters.
type evaluation struct {
	quantities Quantities
	quantity   string
	point      Parameters
}

// subtracted returns the evaluation of what is subtracted.
func (e evaluation) subtracted() evaluation {
	other := evaluation{e.quantities, e.quantity, e.point.less()}
	if name := other.point.Text(quantityName); name != "" {
		other.quantity = name
		delete(other.point, quantityName)
	}
	return other
}

// formula returns the value of a formula, less the one that is subtracted; NaN if there is none.
func (e evaluation) formula(name string) float64 {
	formula, found := e.quantities[e.quantity].Formulas[name]
	if !found {
		return math.NaN()
	}
	value := formula(e.point)
	if e.point.less() != nil {
		value -= e.subtracted().formula(name)
	}
	return value
}

func (e evaluation) sample(run *trials.Run) (Sample, Unit) {
	q := e.quantities[e.quantity]
	if q.Trials == nil {
		return Sample{}, q.Unit
	}
	return q.Trials(run, e.point), q.Unit
}

// measure sets what was measured, and the theory beside it.
func (e evaluation) measure(run *trials.Run, c *Claim, measured, theory string) {
	switch measured {
	case "":
	case byTrials:
		sample, unit := e.sample(run)
		if e.point.less() == nil {
			c.Interval = sample.interval(unit)
		} else {
			other, otherUnit := e.subtracted().sample(run)
			c.Interval = sample.less(unit, &other, otherUnit)
		}
		if c.Measured != nil {
			c.Trials = sample.trials()
		}
	default:
		if value := e.formula(measured); !math.IsNaN(value) {
			c.Interval = Exact(value)
		}
		if theory == "" || math.IsNaN(e.formula(theory)) {
			theory = measured
		}
	}
	if value := e.formula(theory); theory != "" && !math.IsNaN(value) {
		c.Theory = Theory{&value, theory}
	}
}

// expand replaces what stands for a value in a text.
func (e evaluation) expand(run *trials.Run, text string) string {
	return os.Expand(text, func(name string) string {
		if value := e.point.Text(name); value != "" {
			return value
		}
		moved := e
		moved.point = maps.Clone(e.point)
		if rest, found := strings.CutPrefix(name, lessName); found && e.point.less() != nil {
			moved, name = e.subtracted(), rest
		}
		if other, formula, found := strings.Cut(name, ": "); found {
			moved.quantity, name = other, formula
		}
		maps.DeleteFunc(moved.point, func(name string, _ any) bool {
			return strings.HasPrefix(name, lessName)
		})
		q := moved.quantities[moved.quantity]
		value := moved.formula(name)
		if name == byTrials {
			sample, unit := moved.sample(run)
			if i := sample.interval(unit); i.Measured != nil {
				value = *i.Measured
			}
		}
		if math.IsNaN(value) {
			return "?"
		}
		return q.unit().format(value)
	})
}

// format returns a number in the unit, with the digits that a text has.
func (u Unit) format(v float64) string {
	switch {
	case u == Share:
		return quantity.Percent(v)
	case math.Abs(v) >= 1e4:
		return quantity.Count(int64(math.Round(v)))
	}
	return fmt.Sprintf("%.4g", v)
}
