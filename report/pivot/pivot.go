// Package pivot is no API: a report is figures by subject and condition, and here records become
// such tables, for a terminal, in Markdown and in HTML. In JSON a report is the records.
package pivot

import (
	"iter"
	"slices"
	"strings"

	"github.com/bloomlane/bloomlane/report/quantity"
)

// Empty returns a table without rows. Heads are those of its labels, with bars between them.
func Empty(heads string) *Table {
	columns := strings.Split(heads, "|")
	return &Table{Columns: columns, Labels: len(columns), Empty: Dash}
}

// Figures returns a table with a figure for each record, of which the texts say all: what labels
// its subject; the column of its condition; and the figure, if it is not empty. Heads are those of
// the labels, with bars between them. Rows and columns are in the order in which records first name
// them.
func Figures[R any](heads string, records []R, texts ...func(R) string) *Table {
	t := Empty(heads)
	for _, r := range records {
		var all []string
		for _, text := range texts {
			all = append(all, text(r))
		}
		t.Set(all[t.Labels], all[t.Labels+1], all[:t.Labels]...)
	}
	return t
}

// Rows returns a table with a row for each record, whose first cell is a label. Heads are those of
// all columns, with bars between them.
func Rows[R any](heads string, records []R, cells func(R) []string) *Table {
	t := Empty(heads)
	t.Labels = 1
	for _, r := range records {
		t.Rows = append(t.Rows, cells(r))
	}
	return t
}

// Lines returns a table without heads, of names and what is said of each.
func Lines(rows [][]string) *Table {
	return &Table{Columns: []string{"", ""}, Labels: 1, Words: 1, Rows: rows}
}

// Part is a number of something that was counted.
type Part[N int | int64] struct {
	Name  string
	Count N
	More  string // to say of it
}

// Parts returns a table of those that are not zero. Heads are three, with bars between them.
func Parts[N int | int64](heads string, parts ...Part[N]) *Table {
	t := Rows(heads, Where(parts, func(p Part[N]) bool { return p.Count > 0 }),
		func(p Part[N]) []string { return []string{p.Name, quantity.Count(p.Count), p.More} })
	t.Words, t.Empty = 1, ""
	return t
}

// Shares returns a table of those that are not zero, each with its share of all, which is a bar in
// HTML too.
func Shares[N int | int64](heads string, parts ...Part[N]) *Table {
	sum, shares := 0., []float64{} // of the rows
	parts = Where(parts, func(p Part[N]) bool { return p.Count > 0 })
	for _, p := range parts {
		sum += float64(p.Count)
	}
	for i, p := range parts {
		shares = append(shares, float64(p.Count)/sum)
		parts[i].More = quantity.Percent(shares[i])
	}
	t := Parts(heads, parts...)
	t.Words = 0
	t.Bar = func(row, column int) float64 {
		if column != 0 {
			return 0
		}
		return shares[row]
	}
	return t
}

// Where returns the records that are chosen.
func Where[R any](records []R, chosen func(R) bool) []R {
	return slices.DeleteFunc(slices.Clone(records), func(r R) bool { return !chosen(r) })
}

// Find returns the first of the records that is meant, nil where there is none.
func Find[R any](records []R, meant func(R) bool) *R {
	if i := slices.IndexFunc(records, meant); i >= 0 {
		return &records[i]
	}
	return nil
}

// First returns of the records of each name the first.
func First[R any](records []R, name func(R) string) (first []R) {
	for _, of := range Groups(records, name) {
		first = append(first, of[0])
	}
	return first
}

// Names returns the names of records, each once, in the order in which they first come.
func Names[R any](records []R, name func(R) string) (names []string) {
	for n := range Groups(records, name) {
		names = append(names, n)
	}
	return names
}

// Groups yields the records of each name, in the order in which the names first come.
func Groups[R any](records []R, name func(R) string) iter.Seq2[string, []R] {
	var names []string
	rows := map[string][]R{}
	for _, r := range records {
		n := name(r)
		if rows[n] == nil {
			names = append(names, n)
		}
		rows[n] = append(rows[n], r)
	}
	return func(yield func(string, []R) bool) {
		for _, n := range names {
			if !yield(n, rows[n]) {
				return
			}
		}
	}
}
