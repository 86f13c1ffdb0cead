package agreement

import (
	_ "embed"
	"fmt"
	"io"
	"strings"
	"text/template"

	"github.com/bloomlane/bloomlane/report/command"
	"github.com/bloomlane/bloomlane/report/quantity"
)

//go:embed picture.tmpl
var pictureText string

var pictureTemplate = template.Must(template.New("picture").Funcs(template.FuncMap{
	"count": quantity.Count[int],
	"add":   func(a, b int) int { return a + b },
	"text":  escape,
}).Parse(pictureText))

// escape returns a text as SVG has it.
func escape(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(text)
}

// The sizes of the picture.
const (
	rowHeight = 26
	rowsFrom  = 206
)

// row is a machine in the picture.
type row struct {
	Y int
	Machine
	Ran, Agrees bool
}

// Draw draws a report as SVG: who agreed on what and at which cost, and what is proved of it.
func Draw(w io.Writer, record *command.Record, r *Report) error {
	var rows []row
	y := rowsFrom
	for _, m := range r.Machines {
		rows = append(rows, row{y, m, m.Missing == "", m.agrees()})
		y += rowHeight
	}
	err := pictureTemplate.Execute(w, struct {
		*Report
		Packets       int
		Rows          []row
		Chain, Height int
		Links         []link
		Where         string
	}{r, r.Captured + r.Synthesised, rows, y + 26, y + 26 + 92 + 2*rowHeight, links,
		fmt.Sprintf("%s. %s. %s.", record.Machine, record.Program,
			record.Made.Format("2006-01-02"))})
	if err != nil {
		return fmt.Errorf("agreement: %w", err)
	}
	return nil
}

// link is a link of the chain of proofs, of docs/proofs.md and hdl/README.md.
type link struct {
	X          int
	Name       string
	What, Also string
}

var links = []link{
	{20, "no member is lost", "the definition, in any history", "of inserts and deletes"},
	{258, "Go: machine code", "operations on single keys:", "the same block and answer"},
	{496, "C: bytecode of the kernel", "the header's operations,", "the look-up of an address"},
	{734, "Verilog", "operations, table, hash, parser;", "each frame by its own source"},
}
