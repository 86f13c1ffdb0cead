package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// table is a table that goes to a terminal or into Markdown. The first labels columns name a row;
// the others hold figures. A row may end before the last column.
type table struct {
	title   string
	about   string // what the cells hold
	labels  int
	words   int // of the last columns, that hold words
	columns []string
	rows    [][]string
	detail  bool // for a terminal alone: a page has the like of it already
}

// set puts a figure into the row that has the labels and the column that has the name. Rows and
// columns are in the order in which they are first set.
func (t *table) set(column, figure string, labels ...string) {
	if figure == "" {
		return
	}
	row := slices.IndexFunc(t.rows,
		func(row []string) bool { return slices.Equal(row[:t.labels], labels) })
	if row < 0 {
		row = len(t.rows)
		t.rows = append(t.rows, labels)
	}
	at := slices.Index(t.columns[t.labels:], column)
	if at < 0 {
		at = len(t.columns) - t.labels
		t.columns = append(t.columns, column)
	}
	for len(t.rows[row]) <= t.labels+at {
		t.rows[row] = append(t.rows[row], "")
	}
	t.rows[row][t.labels+at] = figure
}

// tables are tables in the order in which they are first asked for.
type tables []table

// titled returns the table of a title, a new one where there is none, whose columns so far are its
// labels.
func (all *tables) titled(title string, detail bool, about string, labels ...string) *table {
	i := slices.IndexFunc(*all, func(t table) bool { return t.title == title })
	if i < 0 {
		i = len(*all)
		*all = append(*all, table{title: title, detail: detail, about: about, labels: len(labels),
			columns: labels})
	}
	return &(*all)[i]
}

// cell returns the text of a cell: a dash where there is no figure, and nothing for a label that
// the row above has too, with all labels before it.
func (t *table) cell(row, column int) string {
	if column < t.labels-1 && row > 0 && slices.Equal(t.rows[row][:column+1],
		t.rows[row-1][:column+1]) {
		return ""
	}
	if column >= len(t.rows[row]) || column >= t.labels && t.rows[row][column] == "" {
		return "–"
	}
	return t.rows[row][column]
}

// text writes the table aligned by spaces, with two of them before a column.
func (t *table) text(w io.Writer) {
	widths := make([]int, len(t.columns))
	for c, column := range t.columns {
		widths[c] = utf8.RuneCountInString(column)
		for r := range t.rows {
			widths[c] = max(widths[c], utf8.RuneCountInString(t.cell(r, c)))
		}
	}
	line := func(cell func(c int) string) {
		var b strings.Builder
		for c := range t.columns {
			if c > 0 {
				b.WriteString("  ")
			}
			pad := strings.Repeat(" ", widths[c]-utf8.RuneCountInString(cell(c)))
			if c < t.labels {
				b.WriteString(cell(c) + pad)
			} else {
				b.WriteString(pad + cell(c))
			}
		}
		fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	}
	fmt.Fprintf(w, "\n%s", t.title)
	if t.about != "" {
		fmt.Fprintf(w, ": %s", t.about)
	}
	fmt.Fprintln(w)
	line(func(c int) string { return t.columns[c] })
	for r := range t.rows {
		line(func(c int) string { return t.cell(r, c) })
	}
}

// markdown writes the table, under its title.
func (t *table) markdown(w io.Writer) {
	fmt.Fprintf(w, "\n**%s**", escape(sentence(t.title)))
	if t.about != "" {
		fmt.Fprintf(w, ": %s", escape(t.about))
	}
	fmt.Fprintf(w, "\n\n")
	t.rule(w)
}

// rule writes the table alone, between rules.
func (t *table) rule(w io.Writer) {
	fmt.Fprintf(w, "|")
	for _, column := range t.columns {
		fmt.Fprintf(w, " %s |", escape(column))
	}
	fmt.Fprintf(w, "\n|%s%s%s\n", strings.Repeat(" --- |", t.labels),
		strings.Repeat(" ---: |", len(t.columns)-t.labels-t.words),
		strings.Repeat(" --- |", t.words))
	for r := range t.rows {
		fmt.Fprintf(w, "|")
		for c := range t.columns {
			fmt.Fprintf(w, " %s |", escape(t.cell(r, c)))
		}
		fmt.Fprintln(w)
	}
}

// escape keeps what a run names (CPUs, peers) from being markup.
func escape(s string) string { return markup.Replace(s) }

var markup = strings.NewReplacer("\n", " ", `\`, `\\`, "|", `\|`, "<", "&lt;", "*", `\*`, "_", `\_`,
	"`", "\\`", "[", `\[`)

// sentence begins with a capital letter.
func sentence(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	return strings.ToUpper(string(first)) + s[size:]
}
