package pivot

import (
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// Table is figures in rows, which labels name, and columns. A row may end before the last column.
type Table struct {
	Title, About string // About: what the figures are
	Labels       int    // of the first columns, that name a row
	Words        int    // of the last columns, that hold words
	Columns      []string
	Rows         [][]string
	Empty        string // a cell without a figure
	// Class is the class of a cell in HTML, empty where it has none; nil: no cell has one.
	Class func(row, column int) string
	// Bar is the length of a bar below a cell in HTML, of 0 to 1; nil: no cell has one.
	Bar func(row, column int) float64
}

// Titled gives the table a title, and says what its figures are.
func (t *Table) Titled(title, about string) *Table {
	t.Title, t.About = title, about
	return t
}

// Dash is in a cell where there is nothing to tell.
const Dash = "–"

// Set puts a figure into the row that has the labels and the column that has the name. Rows and
// columns are in the order in which they are first set. An empty figure is none.
func (t *Table) Set(column, figure string, labels ...string) {
	if figure == "" {
		return
	}
	row := slices.IndexFunc(t.Rows,
		func(row []string) bool { return slices.Equal(row[:t.Labels], labels) })
	if row < 0 {
		row = len(t.Rows)
		t.Rows = append(t.Rows, slices.Clone(labels))
	}
	i := slices.Index(t.Columns[t.Labels:], column)
	if i < 0 {
		i = len(t.Columns) - t.Labels
		t.Columns = append(t.Columns, column)
	}
	for len(t.Rows[row]) <= t.Labels+i {
		t.Rows[row] = append(t.Rows[row], "")
	}
	t.Rows[row][t.Labels+i] = figure
}

// cells returns the texts of the table, the names of its columns first. A label that the row above
// has too, with all labels before it, is left out, but for the last.
func (t *Table) cells(text func(string) string) [][]string {
	all := make([][]string, 1+len(t.Rows))
	for c, name := range t.Columns {
		all[0] = append(all[0], text(name))
		for r, row := range t.Rows {
			cell := ""
			if c < len(row) {
				cell = row[c]
			}
			switch {
			case c >= t.Labels && cell == "":
				cell = t.Empty
			case c < t.Labels-1 && r > 0 && slices.Equal(row[:c+1], t.Rows[r-1][:c+1]):
				cell = ""
			}
			all[r+1] = append(all[r+1], text(cell))
		}
	}
	return all
}

// figures reports whether a column has figures, which end at its right side.
func (t *Table) figures(column int) bool {
	return column >= t.Labels && column < len(t.Columns)-t.Words
}

// align makes the cells of a column equally wide.
func (t *Table) align(cells [][]string) {
	for c := range t.Columns {
		width := 0
		for _, row := range cells {
			width = max(width, utf8.RuneCountInString(row[c]))
		}
		for _, row := range cells {
			pad := strings.Repeat(" ", width-utf8.RuneCountInString(row[c]))
			if t.figures(c) {
				row[c] = pad + row[c]
			} else {
				row[c] += pad
			}
		}
	}
}

// Text returns tables for a terminal, those that have rows: each under its title, and below it what
// its figures are, with an empty line between two.
func Text(tables ...*Table) string {
	var b strings.Builder
	for _, t := range Where(tables, (*Table).hasRows) {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		if t.Title != "" {
			fmt.Fprintln(&b, t.Title)
		}
		t.text(&b)
		if t.About != "" {
			fmt.Fprintln(&b, t.About)
		}
	}
	return b.String()
}

func (t *Table) hasRows() bool  { return len(t.Rows) > 0 }
func (t *Table) hasHeads() bool { return strings.Join(t.Columns, "") != "" }

func (t *Table) text(w io.Writer) {
	cells := t.cells(func(text string) string { return text })
	t.align(cells)
	for r, row := range cells {
		if r > 0 || t.hasHeads() {
			fmt.Fprintln(w, strings.TrimRight(strings.Join(row, "  "), " "))
		}
	}
}

// Markdown writes the table as Markdown.
func (t *Table) Markdown(w io.Writer) {
	for r, row := range t.cells(Escape) {
		fmt.Fprintf(w, "| %s |\n", strings.Join(row, " | "))
		if r > 0 {
			continue
		}
		for c := range t.Columns {
			rule := "---"
			if t.figures(c) {
				rule = "---:"
			}
			fmt.Fprintf(w, "| %s ", rule)
		}
		fmt.Fprintln(w, "|")
	}
}

// HTML returns the table as an element of a page, with its title. Cells of words are of the class
// text.
func (t *Table) HTML() template.HTML {
	var b strings.Builder
	b.WriteString("<table>\n")
	if t.Title != "" {
		fmt.Fprintf(&b, "<caption>%s</caption>\n", template.HTMLEscapeString(t.Title))
	}
	for r, row := range t.cells(template.HTMLEscapeString) {
		if r == 0 && !t.hasHeads() {
			continue
		}
		b.WriteString("<tr>")
		for c, cell := range row {
			element, classes := "td", []string(nil)
			if !t.figures(c) {
				classes = append(classes, "text")
			}
			if r == 0 {
				element = "th"
			} else if t.Class != nil && t.Class(r-1, c) != "" {
				classes = append(classes, t.Class(r-1, c))
			}
			if r > 0 && t.Bar != nil && t.Bar(r-1, c) > 0 {
				cell += fmt.Sprintf(`<i style="width:%.3f%%"></i>`, 100*min(1, t.Bar(r-1, c)))
			}
			class := ""
			if len(classes) > 0 {
				class = fmt.Sprintf(" class=%q", strings.Join(classes, " "))
			}
			fmt.Fprintf(&b, "<%s%s>%s</%[1]s>", element, class, cell)
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</table>")
	return template.HTML(b.String())
}

// Escape keeps a text that others choose (CPUs, peers) from being markup.
func Escape(text string) string { return markup.Replace(text) }

var markup = strings.NewReplacer("\n", " ", `\`, `\\`, "|", `\|`, "<", "&lt;", "*", `\*`, "_", `\_`,
	"`", "\\`", "[", `\[`)
