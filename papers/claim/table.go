package claim

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/bloomlane/bloomlane/report/pivot"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// WriteTable writes the claims item by item, with their place if all share one, each with the
// reason for its verdict, and then how many there are by verdict. Points of figures are counted
// only: pictures and JSON have them.
func WriteTable(w io.Writer, claims []Claim) error {
	var text strings.Builder
	sentences := pivot.Where(claims, func(c Claim) bool { return !c.Point })
	for _, item := range pivot.Groups(sentences, func(c Claim) string { return c.Item }) {
		writeItem(&text, item)
	}
	for _, verdict := range Verdicts {
		number := len(pivot.Where(claims, func(c Claim) bool { return c.Verdict == verdict }))
		fmt.Fprintf(&text, "%5d %s\n", number, verdict)
	}
	_, err := io.WriteString(w, text.String())
	return err
}

func writeItem(w io.Writer, item []Claim) {
	fmt.Fprintf(w, "== %s ==\n", item[0].Item)
	if where := item[0].Where; where != "" && !slices.ContainsFunc(item, func(c Claim) bool {
		return c.Where != where
	}) {
		fmt.Fprintf(w, "%s\n", where)
	}
	var table strings.Builder
	t := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t,
		"quantity\tparameters\treading\tpublished\ttheory\tmeasured\tdifference\ttrials\tverdict")
	for i := range item {
		c := &item[i]
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", c.Quantity,
			c.Parameters.List(" = ", ", "), c.Reading, c.published(), c.theory(), c.measured(),
			c.difference(), quantity.Count(c.Trials), c.verdictText())
	}
	_ = t.Flush() // into memory
	lines := strings.SplitAfter(table.String(), "\n")
	fmt.Fprint(w, lines[0])
	for i, line := range lines[1 : len(item)+1] {
		fmt.Fprint(w, line)
		if item[i].Why != "" && (i == 0 || item[i-1].Why != item[i].Why) {
			fmt.Fprintf(w, "    why: %s\n", item[i].Why)
		}
	}
	fmt.Fprintln(w)
}

// number formats a number in the claim's unit.
func (c *Claim) number(v float64) string { return c.Unit.format(v) }

func (c *Claim) published() string {
	switch {
	case c.Direction != "":
		return string(c.Direction)
	case c.Value == nil:
		return "-"
	}
	printed := c.Printed
	if printed == "" {
		printed = c.number(*c.Value)
	}
	if c.Least == nil || c.Most == nil {
		return string(c.Rule) + " " + printed
	}
	return fmt.Sprintf("%s (%s to %s)", printed, c.number(*c.Least), c.number(*c.Most))
}

func (c *Claim) theory() string {
	if c.Expected == nil {
		return "-"
	}
	return fmt.Sprintf("%s (%s)", c.number(*c.Expected), c.Of)
}

func (c *Claim) measured() string {
	switch {
	case c.Measured == nil:
		return "-"
	case *c.Low == *c.High:
		return c.number(*c.Measured)
	}
	return fmt.Sprintf("%s [%s, %s]", c.number(*c.Measured), c.number(*c.Low), c.number(*c.High))
}

// difference is what was measured less what was published.
func (c *Claim) difference() string {
	if c.Value == nil || c.Measured == nil {
		return "-"
	}
	return c.number(*c.Measured - *c.Value)
}

func (c *Claim) verdictText() string {
	if c.Meant != "" {
		return fmt.Sprintf("%s: %s", c.Verdict, c.Meant)
	}
	return string(c.Verdict)
}
