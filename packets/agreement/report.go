package agreement

import (
	"errors"
	"fmt"

	"github.com/bloomlane/bloomlane/internal/legible"
	"github.com/bloomlane/bloomlane/report/pivot"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// Form is how many synthesised packets have a form.
type Form struct {
	Name    string `json:"name"`
	Packets int    `json:"packets"`
}

// Comparison is how much was compared with the definition, and how much of it differs.
type Comparison struct {
	Compared int `json:"compared"`
	Differ   int `json:"differ"`
}

// Machine is what one machine did.
type Machine struct {
	Name     string     `json:"name"`
	Missing  string     `json:"missing,omitempty"` // why it did not run here
	missing  error      // the same
	Verdicts Comparison `json:"verdicts"`
	Changes  Comparison `json:"changes"`
	Blocks   Comparison `json:"blocks"`
	// The first difference.
	Difference string `json:"difference,omitempty"`
	Cost       Cost   `json:"cost"`
}

// agrees reports whether nothing differs.
func (m *Machine) agrees() bool {
	return m.Verdicts.Differ == 0 && m.Changes.Differ == 0 && m.Blocks.Differ == 0
}

// Report is what a run found out.
type Report struct {
	Input       string `json:"input"`
	Captured    int    `json:"captured"`    // packets
	Synthesised int    `json:"synthesised"` // packets between them
	Forms       []Form `json:"forms"`       // of these

	Entries   int `json:"entries"` // of the list at the start
	FileBytes int `json:"file_bytes"`
	Blocks    int `json:"blocks"`

	// Of the packets, by the definition and an exact set.
	Denied   int `json:"denied"`   // of a listed source
	Innocent int `json:"innocent"` // false positives, which are dropped too
	Passed   int `json:"passed"`
	NoSource int `json:"no_source"` // no IP, or a header is cut or is none: they pass

	Adds     int `json:"adds"`
	Present  int `json:"present"` // of these, entries that were found before
	Deletes  int `json:"deletes"`
	Deleted  int `json:"deleted"`  // of these, those that cleared bits
	Retained int `json:"retained"` // and those that could clear none

	Machines []Machine `json:"machines"`
}

// Failure returns an error if a machine does not agree.
func (r *Report) Failure() error {
	var all []error
	for _, m := range r.Machines {
		if !m.agrees() {
			all = append(all, fmt.Errorf("%s differs: %s", m.Name, m.Difference))
		}
	}
	return errors.Join(all...)
}

// of prints a comparison.
func (c Comparison) String() string {
	if c.Differ > 0 {
		return fmt.Sprintf("%s of %s DIFFER", quantity.Count(c.Differ), quantity.Count(c.Compared))
	}
	return quantity.Count(c.Compared)
}

// String prints what a packet costs.
func (c Cost) String() string { return fmt.Sprintf("%.3g %s", c.PerPacket, c.Unit) }

// String returns the report for people.
func (r *Report) String() string { return pivot.Text(r.Tables()...) }

// Tables are the report for people: what was compared, and a row for each machine.
func (r *Report) Tables() []*pivot.Table {
	t := pivot.Rows("the same as the definition|verdicts|changes|blocks|per packet|of", r.Machines,
		func(m Machine) []string {
			if m.Missing != "" {
				return []string{m.Name, "", "", "", "", "did not run: " + m.Missing}
			}
			return []string{m.Name, m.Verdicts.String(), m.Changes.String(), m.Blocks.String(),
				m.Cost.String(), m.Cost.What}
		})
	t.Words = 1
	t.Class = func(row, _ int) string {
		if r.Machines[row].agrees() {
			return ""
		}
		return "bad"
	}
	count := quantity.Count[int]
	return []*pivot.Table{pivot.Lines([][]string{
		{"input", legible.Escape(r.Input)},
		{"packets", fmt.Sprintf("%s captured, %s SYNTHESISED between them", count(r.Captured),
			count(r.Synthesised))},
		{"filter", fmt.Sprintf("a file of %s: %s, %s", quantity.Of(r.Entries, "entry"),
			quantity.Of(r.Blocks, "block"), quantity.Bytes(r.FileBytes))},
		{"verdicts", fmt.Sprintf("%s dropped as listed, %s as false positives, %s passed, %s "+
			"without a source", count(r.Denied), count(r.Innocent), count(r.Passed),
			count(r.NoSource))},
		{"meanwhile", fmt.Sprintf("%s added, %s deleted, of which %s stay visible", count(r.Adds),
			count(r.Deletes), count(r.Retained))},
	}), t}
}
