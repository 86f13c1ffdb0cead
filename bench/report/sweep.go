package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"github.com/bloomlane/bloomlane/bench/result"
)

// Sweep writes the timings of a run by the keys ahead that each loop prefetched: a line for each operation
// and size, and a column for each distance.
func Sweep(w io.Writer, run *result.Run) error {
	var b bytes.Buffer
	for _, note := range run.Notes {
		fmt.Fprintf(&b, "note    %s\n", note)
	}
	var pages []string
	for _, t := range run.Timings {
		if t.Distance != nil && !slices.Contains(pages, t.Pages) {
			pages = append(pages, t.Pages)
		}
	}
	for _, kind := range pages {
		sweepTable(run, kind).text(&b)
	}
	_, err := b.WriteTo(w)
	return err
}

func sweepTable(run *result.Run, pages string) *table {
	t := &table{
		title: pages + " pages", about: "ns a key by prefetch distance",
		labels: 3, columns: []string{"table", "", ""},
	}
	var distances []int
	for _, timing := range run.Timings {
		if timing.Distance != nil && !slices.Contains(distances, *timing.Distance) {
			distances = append(distances, *timing.Distance)
			t.columns = append(t.columns, fmt.Sprint(*timing.Distance))
		}
	}
	rows := map[string]int{}
	for _, timing := range run.Timings {
		if timing.Pages != pages || timing.Distance == nil {
			continue
		}
		operation := timing.Operation
		if timing.Kind == result.Floor {
			operation = map[string]string{"query": "load", "delete": "rewrite (delete)", "insert": "rewrite (insert)"}[operation]
		}
		labels := []string{size(timing.Bytes), timing.Name, operation}
		row, ok := rows[fmt.Sprint(labels)]
		if !ok {
			row = len(t.rows)
			rows[fmt.Sprint(labels)] = row
			t.rows = append(t.rows, append(labels, make([]string, len(distances))...))
		}
		t.rows[row][3+slices.Index(distances, *timing.Distance)] = nanoseconds(timing.Least)
	}
	return t
}
