package recording

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Table is rows of cells, the first with the names of the columns. The first column is of words,
// and so are the others of a table of few columns.
type Table [][]string

func (t Table) figures() bool { return len(t[0]) > 4 }

// Write writes the table as Markdown, aligned for a terminal too.
func (t Table) Write(w io.Writer) {
	widths := make([]int, len(t[0]))
	for _, row := range t {
		for c, cell := range row {
			widths[c] = max(widths[c], utf8.RuneCountInString(cell), 4)
		}
	}
	line := func(row []string) {
		for c, cell := range row {
			pad := strings.Repeat(" ", widths[c]-utf8.RuneCountInString(cell))
			if c == 0 || !t.figures() {
				cell, pad = cell+pad, ""
			}
			fmt.Fprintf(w, "| %s%s ", pad, cell)
		}
		fmt.Fprintln(w, "|")
	}
	line(t[0])
	for c := range t[0] {
		rule := strings.Repeat("-", widths[c])
		if c > 0 && t.figures() {
			rule = rule[1:] + ":"
		}
		fmt.Fprintf(w, "| %s ", rule)
	}
	fmt.Fprintln(w, "|")
	for _, row := range t[1:] {
		line(row)
	}
}
