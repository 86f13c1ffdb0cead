// Package claim is no API: it has what the papers share: values beside what was measured, their
// verdicts, and their output as tables, pictures and JSON.
//
// A document is a [Paper] with a list of functions, each of which returns one [Value]: a table or a
// figure with its cells, an equation, a theorem, an erratum, or a sentence with a number that users
// rely on. What the document does not publish is no value, and neither is a direction that another
// value's numbers show. A function runs its trials by [trials.Recall], under a name that says all
// their parameters, and is plain Go otherwise:
//
//	func section4(run *trials.Run) claim.Value {
//		found := observed(run, shape(24), 22)
//		return claim.Value{
//			Name: "Deletable elements", Where: `section IV: "80 % of the elements"`,
//			Rule: claim.ToTens, Formula: "exact", Trial: "filters with random elements",
//			Cells: []claim.Cell{{Row: "r = 24, n = 22", Published: "80 %",
//				Formula:  new(shape(24).Deletability(22)),
//				Interval: claim.Mean(trials.Column(found, deletable))}},
//			Why: "...",
//		}
//	}
//
// Published is a number as printed, a [Direction], or "implied " and a number that only follows
// from the words; nothing where a figure cannot be read, or where it is ours. What was measured is
// judged by it, or the formula where nothing is. One in twenty cells of a table may miss, because
// intervals are of 95 %. Where cells are readings of one sentence, a row holds those of a reading,
// and the sentence is reproduced if all of one are. Why has the numbers that show why a value
// differs, and may have a remark on another. A figure also has [Panel]s.
//
// The document's test is claimtest.Holds: its golden file is the paper's README.md, a line for
// each value, which go test -update writes.
package claim

import (
	"fmt"
	"strings"

	"github.com/bloomlane/bloomlane/report/pivot"
)

// Value is what a document publishes in one place, beside what is found here.
type Value struct {
	Document string  `json:"document"`
	Name     string  `json:"name"`
	Where    string  `json:"where"`          // in the document, with its words
	Unit     Unit    `json:"unit,omitempty"` // none: shares
	Rule     Rule    `json:"tolerance,omitempty"`
	Formula  string  `json:"formula,omitempty"` // what it is called
	Trial    string  `json:"trial,omitempty"`   // what is simulated
	Readings bool    `json:"readings,omitempty"`
	Cells    []Cell  `json:"cells"`
	Verdict  Verdict `json:"verdict"`
	Why      string  `json:"why,omitempty"`
	Seed     uint64  `json:"seed"`
	Panels   []Panel `json:"-"` // of a figure
}

// Cell is a number of a value: a cell of a table, a point of a figure, or the only one.
type Cell struct {
	Row       string   `json:"row,omitempty"` // a curve of a figure, a reading of a sentence
	Column    string   `json:"column,omitempty"`
	X         float64  `json:"x,omitempty"`     // of a point
	Panel     int      `json:"panel,omitempty"` // of a point, from 0
	Published string   `json:"published,omitempty"`
	Formula   *float64 `json:"formula,omitempty"`
	Interval
	Verdict Verdict `json:"verdict"`
}

// found is what is judged: what was measured, or else the formula.
func (c *Cell) found() Interval {
	if c.Measured == nil && c.Formula != nil {
		return Exact(*c.Formula)
	}
	return c.Interval
}

// limits is what is published of a cell. It panics where that is no number.
func (v *Value) limits(c *Cell) Published {
	text, rule := c.Published, v.Rule
	switch {
	case text == "":
		rule = ToDigit
	case Direction(text) == Higher, Direction(text) == Lower, Direction(text) == NotHigher:
		return Trend(Direction(text))
	}
	p, err := Print(text, rule)
	if err != nil {
		panic(fmt.Errorf("%s: %w", v.Name, err))
	}
	return p
}

// Judge sets the verdicts of the cells and the value's, and marks the lack of a reason.
func (v *Value) Judge() {
	for i := range v.Cells {
		c := &v.Cells[i]
		p, found := v.limits(c), c.found()
		c.Verdict = verdict(&p, &found)
	}
	v.Verdict = v.verdict()
	if v.Why == "" && (v.Verdict == Differs || v.Verdict == NotReproducible) {
		v.Why = unexplained
	}
}

// Explained says whether the verdict has the reason that it needs.
func (v *Value) Explained() bool { return v.Why != unexplained }

// verdict is that of all cells, or of the reading that holds best.
func (v *Value) verdict() Verdict {
	if len(v.Cells) == 0 {
		return NotReproducible
	}
	if !v.Readings {
		return together(v.Cells)
	}
	best := Differs
	for _, reading := range pivot.Groups(v.Cells, func(c Cell) string { return c.Row }) {
		if own := together(reading); own == Reproduced || own == Undecided && best == Differs {
			best = own
		}
	}
	return best
}

// together is the verdict of cells of which one in twenty may miss.
func together(cells []Cell) Verdict {
	count := map[Verdict]int{}
	for _, c := range cells {
		count[c.Verdict]++
	}
	missed := count[Differs] + count[Undecided]
	judged := count[Reproduced] + missed
	switch {
	case count[NotReproducible] == len(cells):
		return NotReproducible
	case judged == 0:
		return NotPublished
	case count[Differs] > judged/20:
		return Differs
	case missed > judged/20:
		return Undecided
	}
	return Reproduced
}

// file is the name of a figure's files: "Figure 2: ..." is figure2.
func (v *Value) file() string {
	name, _, _ := strings.Cut(v.Name, ":")
	return strings.ToLower(strings.ReplaceAll(name, " ", ""))
}
