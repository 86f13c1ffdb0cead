package agreement

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/template"

	"github.com/bloomlane/bloomlane/report/command"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// Read reads what --record writes.
func Read(text []byte) (*command.Record, *Report, error) {
	var record command.Record
	var report Report
	strict := func(text []byte, into any) error {
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		return d.Decode(into)
	}
	err := strict(text, &record)
	if err == nil && record.Command != "agreement" {
		err = fmt.Errorf("found a record of another command, expected one of agreement")
	}
	if err == nil {
		err = strict(record.Result, &report)
	}
	return &record, &report, err
}

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
	}{r, r.Captured + r.Synthesised, rows, y + 14, y + 14 + 92 + 2*rowHeight, links,
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
	{258, "Go: machine code", "single keys, and listed batches:", "the same block and answer"},
	{496, "C: bytecode of the kernel", "each operation of the header,", "compiled for BPF"},
	{734, "Verilog", "blocks; the table in its order;", "SipHash; whole frames; sources"},
}
