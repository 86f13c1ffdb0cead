package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// table is a table that goes to a terminal or into Markdown. The first labels columns name a row; the
// others hold figures. A row may end before the last column.
type table struct {
	title   string
	about   string // what the cells hold, a sentence
	labels  int
	columns []string
	rows    [][]string
	picture string // the file of the picture of the same, "" for none; of several tables the same
}

// cell returns the text of a cell, "" where the row has ended.
func (t *table) cell(row, column int) string {
	if column < len(t.rows[row]) {
		return t.rows[row][column]
	}
	return ""
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

// markdown writes the table under a heading of the given level.
func (t *table) markdown(w io.Writer, level int) {
	fmt.Fprintf(w, "\n%s %s\n\n", strings.Repeat("#", level), sentence(t.title))
	if t.about != "" {
		fmt.Fprintf(w, "%s.\n\n", sentence(t.about))
	}
	t.cells(w)
}

// cells writes the table as Markdown, less its title.
func (t *table) cells(w io.Writer) {
	fmt.Fprintf(w, "|")
	for _, column := range t.columns {
		fmt.Fprintf(w, " %s |", escape(column))
	}
	fmt.Fprintf(w, "\n|")
	for c := range t.columns {
		if c < t.labels {
			fmt.Fprint(w, " --- |")
		} else {
			fmt.Fprint(w, " ---: |")
		}
	}
	fmt.Fprintln(w)
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

var markup = strings.NewReplacer("\n", " ", `\`, `\\`, "|", `\|`, "<", "&lt;", "*", `\*`, "_", `\_`, "`", "\\`", "[", `\[`)

// sentence begins with a capital letter.
func sentence(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	return strings.ToUpper(string(first)) + s[size:]
}

// column is what a column of figures stands for: the size of a table, or a number of masks.
type column struct {
	bytes int64
	masks int
}

func (c column) String() string {
	if c.masks > 0 {
		return fmt.Sprintf("%d masks", c.masks)
	}
	if c.bytes == 0 {
		return "all"
	}
	return size(c.bytes)
}

func (c column) compare(d column) int {
	switch {
	case c.bytes != d.bytes:
		return sign(c.bytes - d.bytes)
	default:
		return sign(int64(c.masks - d.masks))
	}
}

func sign(n int64) int {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}

// ordered collects keys in the order in which they are first added.
type ordered[K comparable, V any] struct {
	keys []K
	of   map[K]V
}

// at returns the value of a key, the zero value being added for a new one.
func (o *ordered[K, V]) at(key K) V {
	value, ok := o.of[key]
	if !ok {
		o.put(key, value)
	}
	return value
}

func (o *ordered[K, V]) put(key K, value V) {
	if o.of == nil {
		o.of = map[K]V{}
	}
	if _, ok := o.of[key]; !ok {
		o.keys = append(o.keys, key)
	}
	o.of[key] = value
}
