// Package pivot is no API: a report is figures by subject and condition, and here records become
// such tables, for a terminal and in Markdown.
package pivot

import "slices"

// Column is a column of a table: its name, and what a record has in it.
type Column[R any] struct {
	Name string
	Text func(R) string
}

// Named returns a column.
func Named[R any](name string, text func(R) string) Column[R] { return Column[R]{name, text} }

// Rows returns a table with a row for each record, of which the first column is a label.
func Rows[R any](records []R, columns ...Column[R]) *Table {
	t := &Table{Labels: 1}
	for _, c := range columns {
		t.Columns = append(t.Columns, c.Name)
	}
	for _, r := range records {
		row := make([]string, 0, len(columns))
		for _, c := range columns {
			row = append(row, c.Text(r))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// Pivot makes tables with a figure for each record: labels name its subject, and a column its
// condition.
type Pivot[R any] struct {
	Title  string
	Titles func(R) string // of several tables, in the place of Title
	About  string
	Labels []Column[R]
	Column func(R) string
	Figure func(R) string // empty: the record has none
	Detail func(R) bool   // of a table, by its first record; nil: of none
}

// Tables returns the tables of some records: tables, rows and columns in the order in which records
// first name them.
func (p *Pivot[R]) Tables(records []R) (all Tables) {
	for _, r := range records {
		figure := p.Figure(r)
		if figure == "" {
			continue
		}
		title := p.Title
		if p.Titles != nil {
			title = p.Titles(r)
		}
		at := slices.IndexFunc(all, func(t *Table) bool { return t.Title == title })
		if at < 0 {
			at = len(all)
			t := &Table{Title: title, About: p.About, Labels: len(p.Labels), Empty: Dash,
				Detail: p.Detail != nil && p.Detail(r)}
			for _, label := range p.Labels {
				t.Columns = append(t.Columns, label.Name)
			}
			all = append(all, t)
		}
		var labels []string
		for _, label := range p.Labels {
			labels = append(labels, label.Text(r))
		}
		all[at].Set(p.Column(r), figure, labels...)
	}
	return all
}

// Where returns the records that are chosen.
func Where[R any](records []R, chosen func(R) bool) []R {
	return slices.DeleteFunc(slices.Clone(records), func(r R) bool { return !chosen(r) })
}

// First returns of the records of each name the first.
func First[R any](records []R, name func(R) string) []R {
	seen := map[string]bool{}
	return Where(records, func(r R) bool {
		is := !seen[name(r)]
		seen[name(r)] = true
		return is
	})
}
