package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bloomlane/bloomlane/bench/result"
)

// callsTables returns a table for each operation with a line for each table and implementation and a column
// for each number of keys a call.
func callsTables(contests []result.Contest) (all []table) {
	var subjects ordered[subject, []result.Contest]
	for _, c := range contests {
		if c.Form == result.FormCalls {
			s := subjectOf(c.Group)
			subjects.put(s, append(subjects.at(s), c))
		}
	}
	for _, s := range subjects.keys {
		t := table{
			title: s.String(), labels: 2, columns: []string{"table", "", "one key"},
			about: "ns a key by the keys of a call",
		}
		var sizes []int
		for _, c := range subjects.of[s] {
			for _, b := range batchesOf(c) {
				if !slices.Contains(sizes, b.Batch) {
					sizes = append(sizes, b.Batch)
				}
			}
		}
		slices.Sort(sizes)
		for _, size := range sizes {
			t.columns = append(t.columns, count(int64(size)))
		}
		for _, c := range subjects.of[s] {
			single, ok := singleOf(c)
			row := []string{column{c.Bytes, c.Masks}.String(), "", timeAndRatio(single, ok)}
			for _, size := range sizes {
				cell := "–"
				for _, b := range batchesOf(c) {
					if b.Batch == size {
						row[1], cell = b.Name, nanoseconds(b.Least)
					}
				}
				row = append(row, cell)
			}
			t.rows = append(t.rows, row)
		}
		all = append(all, t)
	}
	return all
}

// singleOf returns the loop over calls of one key of a contest of form calls, and batchesOf the others:
// those of the implementation that has the methods of one key too.
func singleOf(c result.Contest) (single result.Timing, ok bool) {
	for _, t := range c.Of(result.Kernel) {
		if t.Name == result.Methods {
			return t, true
		}
	}
	return single, false
}

func batchesOf(c result.Contest) []result.Timing {
	return slices.DeleteFunc(c.Of(result.Kernel), func(t result.Timing) bool { return t.Name == result.Methods })
}

// crossing says from which batch on the batch calls of an implementation take less time a key than
// calls of one key each.
type crossing struct {
	result.Group
	name   string
	single float64 // ns of the call of one key
	batch  int     // 0 where no batch is faster
}

// crossings returns one for each contest of form calls. A batch is faster where the samples of the same
// rounds bear that out, of it and of every larger one.
func crossings(contests []result.Contest) (all []crossing) {
	for _, c := range contests {
		single, ok := singleOf(c)
		if c.Form != result.FormCalls || !ok {
			continue
		}
		batches := batchesOf(c)
		slices.SortFunc(batches, func(a, b result.Timing) int { return b.Batch - a.Batch })
		crossed := crossing{Group: c.Group, single: single.Least}
		for _, t := range batches {
			crossed.name = t.Name
			if result.Paired(t.Samples, single.Samples).Outcome != result.Faster {
				break
			}
			crossed.batch = t.Batch
		}
		all = append(all, crossed)
	}
	return all
}

// crossingSummary folds the crossings to a line for each implementation: from the least to the
// largest batch over operations and tables.
func crossingSummary(all []crossing) (lines []string) {
	var names ordered[string, []crossing]
	for _, c := range all {
		names.put(c.name, append(names.at(c.name), c))
	}
	for _, name := range names.keys {
		var batches []int
		var never []string
		for _, c := range names.of[name] {
			if c.batch == 0 {
				never = append(never, c.Operation+" of "+size(c.Bytes))
			} else {
				batches = append(batches, c.batch)
			}
		}
		text := name + ", never"
		if len(batches) > 0 {
			low, high := slices.Min(batches), slices.Max(batches)
			text = fmt.Sprintf("%s, from %s", name, plural(low, "key"))
			if high > low {
				text = fmt.Sprintf("%s, from %d to %s, by operation and table", name, low, plural(high, "key"))
			}
			if len(never) > 0 {
				slices.Sort(never)
				text += ", never for " + strings.Join(slices.Compact(never), ", ")
			}
		}
		lines = append(lines, text)
	}
	return lines
}
