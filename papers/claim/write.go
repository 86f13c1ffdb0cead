package claim

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/pivot"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// WriteTable writes each value with its cells for a terminal, and then how many there are by
// verdict. Points of figures are counted only: pictures and JSON have them.
func (f Found) WriteTable(w io.Writer) error {
	var text strings.Builder
	for i := range f.Values {
		v := &f.Values[i]
		fmt.Fprintf(&text, "== %s: %s ==\n%s\n", v.Name, v.Verdict, v.Where)
		if v.Formula != "" {
			fmt.Fprintf(&text, "formula: %s\n", v.Formula)
		}
		if v.Trial != "" {
			fmt.Fprintf(&text, "trial: %s\n", v.Trial)
		}
		if v.Panels != nil {
			text.WriteString(pivot.Text(v.line()))
		} else {
			text.WriteString(pivot.Text(v.table()))
		}
		if v.Why != "" {
			fmt.Fprintf(&text, "    why: %s\n", v.Why)
		}
		fmt.Fprintln(&text)
	}
	for verdict, values := range pivot.Groups(f.Values,
		func(v Value) string { return string(v.Verdict) }) {
		fmt.Fprintf(&text, "%5d %s\n", len(values), verdict)
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// cellHeads name the columns of cells.
const cellHeads = "published|formula|trial|verdict"

// table has a row for each cell.
func (v *Value) table() *pivot.Table {
	return pivot.Rows("of|"+cellHeads, v.Cells, func(c Cell) []string {
		name := c.Row
		if c.Row != "" && c.Column != "" {
			name += ", "
		}
		return []string{name + c.Column, v.published(&c), v.format(c.Formula), v.measured(&c),
			string(c.Verdict)}
	})
}

// line has one row for all cells: what is published of them, from which number to which they are,
// and how many of them have the value's verdict.
func (v *Value) line() *pivot.Table {
	return pivot.Rows("value|"+cellHeads, []*Value{v}, (*Value).cells)
}

func (v *Value) cells() []string {
	if len(v.Cells) == 1 {
		c := &v.Cells[0]
		return []string{v.Name, v.published(c), v.format(c.Formula), v.measured(c),
			string(v.Verdict)}
	}
	var formulas, measured []*float64
	for _, c := range v.Cells {
		formulas, measured = append(formulas, c.Formula), append(measured, c.Measured)
	}
	printed := pivot.Where(pivot.Names(v.Cells, func(c Cell) string { return v.published(&c) }),
		func(text string) bool { return text != "" })
	published := strings.Join(printed, "; ")
	if len(printed) > 2 {
		published = quantity.Of(len(printed), "number")
	}
	own := pivot.Where(v.Cells, func(c Cell) bool { return c.Verdict == v.Verdict })
	return []string{v.Name, published, v.spanned(formulas), v.spanned(measured),
		fmt.Sprintf("%s, %d of %d", v.Verdict, len(own), len(v.Cells))}
}

// spanned is the least, the greatest and the mean of some numbers, of those that are there.
func (v *Value) spanned(numbers []*float64) string {
	there := pivot.Where(numbers, func(number *float64) bool { return number != nil })
	if len(there) == 0 {
		return ""
	}
	least, most, sum := *there[0], *there[0], 0.
	for _, number := range there {
		least, most, sum = min(least, *number), max(most, *number), sum+*number
	}
	return fmt.Sprintf("%s to %s, mean %s", v.format(&least), v.format(&most),
		v.format(new(sum/float64(len(there)))))
}

// format formats a number in the value's unit, nothing where there is none.
func (v *Value) format(number *float64) string {
	if number == nil {
		return ""
	}
	return v.number(*number)
}

func (v *Value) number(number float64) string { return cmp.Or(v.Unit, Share).format(number) }

func (v *Value) published(c *Cell) string {
	p := v.limits(c)
	switch {
	case p.Least != nil && p.Most != nil && v.Rule != ToDigit:
		return fmt.Sprintf("%s (%s to %s)", c.Published, v.format(p.Least), v.format(p.Most))
	case p.Direction == "" && c.Published != "":
		return strings.TrimSpace(string(v.Rule) + " " + c.Published)
	}
	return c.Published
}

func (v *Value) measured(c *Cell) string {
	if c.Measured == nil {
		return ""
	}
	return fmt.Sprintf("%s [%s, %s]", v.format(c.Measured), v.format(c.Low), v.format(c.High))
}

// WriteJSON writes one object a line: a value.
func (f Found) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	for i := range f.Values {
		if err := encoder.Encode(&f.Values[i]); err != nil {
			return err
		}
	}
	return nil
}

// WritePage writes the page of a document, in Markdown: a line for each value, and the reasons.
func (p *Paper) WritePage(w io.Writer, run *trials.Run, found Found) error {
	var text strings.Builder
	form := ""
	if run.Short {
		form = " --short"
	}
	fmt.Fprintf(&text, "# %s, reproduced\n\n%s.\n\n`go run ./papers report %s%s --seed %d` writes "+
		"this page.\nOf several numbers it has the least, the greatest and the mean; "+
		"`go run ./papers %[3]s --json` has all.\n\n",
		strings.ToUpper(p.Name[:1])+p.Name[1:], p.Title, p.Name, form, run.Seed)
	_ = WriteSummary(&text, found) // into memory
	fmt.Fprint(&text, "\n")
	lines := pivot.Rows("value|where|"+cellHeads, found.Values, func(v Value) []string {
		cells := slices.Insert(v.cells(), 1, v.Where)
		if v.Formula != "" && cells[3] != "" {
			cells[3] = v.Formula + ": " + cells[3]
		}
		return cells
	})
	lines.Labels, lines.Words = 2, 1
	lines.Markdown(&text)
	fmt.Fprint(&text, "\n## Why\n\n")
	for i := range found.Values {
		if v := &found.Values[i]; v.Why != "" {
			fmt.Fprintf(&text, "- **%s**, %s: %s.\n", v.Name, v.Verdict, v.Why)
		}
	}
	_, err := io.WriteString(w, text.String())
	return err
}
