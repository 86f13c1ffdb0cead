package claim

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
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

// row is a line of a table: its cells by their columns.
type row map[string]string

// line is where a row has its file and its line, beside its cells.
const line = "line"

// ErrTable is the error of a table that cannot be read, or of a row that cannot be evaluated.
var ErrTable = errors.New("bad table")

// fault returns the error of a row.
func (r row) fault(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %s: %w", ErrTable, r[line], err)
}

// inside returns an error with its place: a cell, a file or a paper.
func inside(place string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", place, err)
}

// guard calls what computes a row. Formulas and trials may refuse it, or panic, as for an index out
// of range, and the row is what the reader can change.
func guard(compute func() error) (err error) {
	defer func() {
		switch found := recover().(type) {
		case nil:
		case misuse:
			err = found.error
		default:
			err = fmt.Errorf("panic: %v", found)
		}
	}()
	return compute()
}

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
	err = scan(claimsFile, table, header, func(r row) error {
		claims, err := r.claims(quantities)
		parts = append(parts, func(run *trials.Run) (found []Claim, _ []Figure, err error) {
			err = guard(func() error {
				for _, c := range claims {
					found = append(found, c(run))
				}
				return nil
			})
			return found, nil, r.fault(err)
		})
		return err
	})
	return parts, err
}

// Read returns the claims of a paper's files with what is published, and nothing measured: for
// formulas of what a document prints.
func Read(files fs.FS) (claims []Claim, err error) {
	err = scan(claimsFile, text(files, claimsFile), header, func(r row) error {
		published, err := Print(r["published"], Rule(r["rule"]))
		if err != nil {
			return err
		}
		all, err := parseParameters(r["parameters"])
		for _, at := range all {
			claims = append(claims, Claim{Item: r["item"], Where: r["where"], Parameters: at,
				Quantity: r["quantity"], Published: published, Reading: r["reading"]})
		}
		return err
	})
	return claims, err
}

// scan visits the rows of a file's table with some columns.
func scan(file, table string, columns []string, visit func(r row) error) error {
	var above []string
	for number, text := range strings.Split(strings.TrimSuffix(table, "\n"), "\n") {
		cells := strings.Split(text, "\t")
		r := row{line: fmt.Sprintf("%s, line %d", file, number+1)}
		switch {
		case number == 0 && !slices.Equal(cells, columns):
			return r.fault(fmt.Errorf("found columns %q, expected %q", cells, columns))
		case len(cells) != len(columns):
			return r.fault(fmt.Errorf("found %d columns, expected %d, with a tab between two",
				len(cells), len(columns)))
		case number == 0:
			continue
		}
		for i := range cells {
			if cells[i] == ditto && above != nil {
				cells[i] = above[i]
			}
			r[columns[i]] = cells[i]
		}
		above = cells
		if err := r.fault(visit(r)); err != nil {
			return err
		}
	}
	return nil
}

// check returns the error of a quantity, and of its trials or a formula, that there is not.
func (q Quantities) check(name, formula string) error {
	named, found := q[name]
	_, computed := named.Formulas[formula]
	switch {
	case !found:
		return fmt.Errorf("found no quantity %q", name)
	case formula == byTrials && named.Trials == nil:
		return fmt.Errorf("found no trials of %q", name)
	case formula != byTrials && !computed:
		return fmt.Errorf("found no formula %q of %q", formula, name)
	}
	return nil
}

// known returns the error of a row that names what the quantities lack. One that cannot be
// reproduced names nothing.
func (r row) known(quantities Quantities) error {
	for _, column := range []string{"measured", "theory"} {
		if r[column] == "" {
			continue
		}
		if err := quantities.check(r["quantity"], r[column]); err != nil {
			return inside(column, err)
		}
	}
	if r["theory"] == byTrials {
		return errors.New("theory: found trials, expected a formula")
	}
	return nil
}

// claims returns functions that make the row's claims, after it checked all that can be checked
// without trials.
func (r row) claims(quantities Quantities) (claims []func(*trials.Run) Claim, err error) {
	published, err := Print(r["published"], Rule(r["rule"]))
	all, otherErr := parseParameters(r["parameters"])
	err = cmp.Or(inside("published", err), inside("parameters", otherErr), r.known(quantities))
	switch {
	case err != nil:
		return nil, err
	case r["measured"] == "" && r["why"] == "":
		return nil, errors.New("why: found no reason why it cannot be reproduced")
	}
	unit := quantities.unit(r["quantity"])
	if _, found := quantities[r["quantity"]]; !found && strings.Contains(r["published"], "%") {
		unit = Share
	}
	for _, point := range all {
		e := evaluation{quantities, r["quantity"], point}
		if other := point.less(); other != nil {
			if _, found := quantities[e.subtracted().quantity]; !found {
				return nil, fmt.Errorf("parameters: found no quantity %q", e.subtracted().quantity)
			}
		}
		err := cmp.Or(inside("reading", e.names(r["reading"])), inside("why", e.names(r["why"])))
		if err != nil {
			return nil, err
		}
		claims = append(claims, func(run *trials.Run) Claim {
			c := Claim{Item: r["item"], Where: r["where"], Parameters: point,
				Quantity: r["quantity"], Unit: unit, Published: published,
				Reading: cmp.Or(e.expand(run, r["reading"]), Literal), Why: e.expand(run, r["why"])}
			e.measure(run, &c, r["measured"], r["theory"])
			if r["measured"] != "" && c.Measured == nil {
				c.Verdict = NotRun
			}
			return c
		})
	}
	return claims, nil
}

// unit is that of a quantity: a number where none is said.
func (q Quantities) unit(name string) Unit { return cmp.Or(q[name].Unit, Number) }

// parseParameters returns every combination of the values of some lists, those of the last one
// changing first.
func parseParameters(text string) ([]Parameters, error) {
	all := []Parameters{{}}
	if text == "" {
		return all, nil
	}
	for parameter := range strings.SplitSeq(text, "; ") {
		name, values, found := strings.Cut(parameter, "=")
		if _, twice := all[0][name]; !found || name == "" || twice {
			return nil, fmt.Errorf(`found parameter %q, expected "name=value", each name once`,
				parameter)
		}
		var next []Parameters
		for _, point := range all {
			for text := range strings.SplitSeq(values, ", ") {
				value, err := parse(text)
				if err != nil {
					return nil, fmt.Errorf("found parameter %q: %w", parameter, err)
				}
				point = maps.Clone(point)
				point[name] = value
				next = append(next, point)
			}
		}
		all = next
	}
	return all, nil
}

// parse returns a whole number, another number or words. Words with signs that stand between values
// are most likely several.
func parse(text string) (any, error) {
	if n, err := strconv.Atoi(text); err == nil {
		return n, nil
	}
	v, err := strconv.ParseFloat(text, 64)
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return nil, fmt.Errorf("found %q, expected a finite number", text)
	case err == nil:
		return v, nil
	case text == "" || strings.TrimSpace(text) != text || strings.ContainsAny(text, ",;="):
		return nil, fmt.Errorf(`found %q, expected a value: a list has ", " between two of them, `+
			`and parameters have "; "`, text)
	}
	return text, nil
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
	e.point = e.point.noted()
	defer c.mustRead(e.point)
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

// lookup returns the evaluation that a name in a text stands for, and the name of its formula.
func (e evaluation) lookup(name string) (moved evaluation, formula string, err error) {
	moved, formula = e, name
	moved.point = maps.Clone(e.point)
	if rest, found := strings.CutPrefix(name, lessName); found && e.point.less() != nil {
		moved, formula = e.subtracted(), rest
	}
	if other, rest, found := strings.Cut(formula, ": "); found {
		moved.quantity, formula = other, rest
	}
	maps.DeleteFunc(moved.point, func(name string, _ any) bool {
		return strings.HasPrefix(name, lessName)
	})
	return moved, formula, e.quantities.check(moved.quantity, formula)
}

// names returns the error of a text that names no parameter and no formula.
func (e evaluation) names(text string) (err error) {
	os.Expand(text, func(name string) string {
		if e.point.Text(name) == "" {
			_, _, unknown := e.lookup(name)
			err = cmp.Or(err, inside("${"+name+"}", unknown))
		}
		return ""
	})
	return err
}

// expand replaces what stands for a value in a text.
func (e evaluation) expand(run *trials.Run, text string) string {
	return os.Expand(text, func(name string) string {
		if value := e.point.Text(name); value != "" {
			return value
		}
		moved, name, _ := e.lookup(name) // its error was found before
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
		return e.quantities.unit(moved.quantity).format(value)
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
