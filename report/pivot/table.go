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
	Detail       bool   // for a terminal alone: a page has the like of it already
	// Class is the class of a cell in HTML, empty where it has none; nil: no cell has one.
	Class func(row, column int) string
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

// align makes the cells of a column equally wide, and returns the widths, which are no less than
// the given one.
func (t *Table) align(cells [][]string, least int) []int {
	widths := make([]int, len(t.Columns))
	for c := range widths {
		widths[c] = least
		for _, row := range cells {
			widths[c] = max(widths[c], utf8.RuneCountInString(row[c]))
		}
		for _, row := range cells {
			pad := strings.Repeat(" ", widths[c]-utf8.RuneCountInString(row[c]))
			if t.figures(c) {
				row[c] = pad + row[c]
			} else {
				row[c] += pad
			}
		}
	}
	return widths
}

// Text writes the table for a terminal, with some spaces before each column but that of a first
// label.
func (t *Table) Text(w io.Writer, spaces int) {
	gap := strings.Repeat(" ", spaces)
	cells := t.cells(func(text string) string { return text })
	t.align(cells, 0)
	for r, row := range cells {
		if r == 0 && strings.Join(t.Columns, "") == "" { // no heads
			continue
		}
		line := strings.Join(row, gap)
		if t.Labels == 0 {
			line = gap + line
		}
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
}

// Explained writes the table for a terminal, and below it what its figures are.
func (t *Table) Explained(w io.Writer, spaces int) {
	t.Text(w, spaces)
	if t.About != "" {
		fmt.Fprintln(w, t.About)
	}
}

// Right writes the table for a terminal, all of it at the right sides of its columns.
func (t *Table) Right(w io.Writer, spaces int) {
	figures := *t
	figures.Labels, figures.Empty = 0, ""
	figures.Text(w, spaces)
}

// Markdown writes the table as Markdown.
func (t *Table) Markdown(w io.Writer) {
	t.markdown(w, t.cells(Escape), nil)
}

// Aligned writes the table as Markdown that is aligned for a terminal too.
func (t *Table) Aligned(w io.Writer) {
	cells := t.cells(Escape)
	widths := t.align(cells, 4)
	t.markdown(w, cells, widths)
}

func (t *Table) markdown(w io.Writer, cells [][]string, widths []int) {
	for r, row := range cells {
		fmt.Fprintf(w, "| %s |\n", strings.Join(row, " | "))
		if r > 0 {
			continue
		}
		for c := range t.Columns {
			width := 3
			if t.figures(c) {
				width = 4
			}
			if widths != nil {
				width = widths[c]
			}
			rule := strings.Repeat("-", width)
			if t.figures(c) {
				rule = rule[1:] + ":"
			}
			fmt.Fprintf(w, "| %s ", rule)
		}
		fmt.Fprintln(w, "|")
	}
}

// HTML returns the table as an element of a page.
func (t *Table) HTML() template.HTML {
	var b strings.Builder
	b.WriteString("<table>\n")
	for r, row := range t.cells(template.HTMLEscapeString) {
		b.WriteString("<tr>")
		for c, cell := range row {
			element, class := "td", ""
			if r == 0 {
				element = "th"
			} else if t.Class != nil {
				class = t.Class(r-1, c)
			}
			if class != "" {
				class = fmt.Sprintf(" class=%q", class)
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
