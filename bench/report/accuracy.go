package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/bloomlane/bloomlane/bench/result"
)

// accuracyTables returns what filters answer by the bits a key that were asked for: false positives,
// and the share of members that can be deleted.
func accuracyTables(run *result.Run) (all []table) {
	var lines ordered[string, map[float64]result.Accuracy]
	members := map[string][]int64{}
	var asked []float64
	for _, a := range run.Accuracy {
		row := lines.at(a.Name)
		if row == nil {
			row = map[float64]result.Accuracy{}
			lines.put(a.Name, row)
		}
		row[a.Asked] = a
		members[a.Name] = append(members[a.Name], a.Members)
		if !slices.Contains(asked, a.Asked) {
			asked = append(asked, a.Asked)
		}
	}
	slices.Sort(asked)
	add := func(title, about, picture string, figure func(a result.Accuracy) (measured, predicted *float64)) {
		t := table{title: title, about: about, picture: picture, labels: 1, columns: []string{"filter", "members"}}
		for _, b := range asked {
			t.columns = append(t.columns, bits(b)+" bits")
		}
		for _, l := range lines.keys {
			low, high := slices.Min(members[l]), slices.Max(members[l])
			held := count(high)
			if low < high {
				held = count(low) + " to " + held
			}
			row, any := []string{l, held}, false
			for _, b := range asked {
				text := "–"
				if a, ok := lines.of[l][b]; ok {
					if measured, predicted := figure(a); measured != nil {
						any = true
						text = percent(*measured)
						if predicted != nil {
							text += " / " + percent(*predicted)
						}
						if math.Abs(a.Bits-a.Asked) > 0.01*a.Asked {
							text += " at " + bits(a.Bits)
						}
					}
				}
				row = append(row, text)
			}
			if any {
				t.rows = append(t.rows, row)
			}
		}
		if len(t.rows) > 0 {
			all = append(all, t)
		}
	}
	add("False positives by bits a key",
		"measured / predicted by the filter's own theory; \"at\" is what a filter took that was asked for the bits of the column", falsePositivesPicture,
		func(a result.Accuracy) (_, _ *float64) { return &a.Rate, a.Predicted })
	add("Deletable members by bits a key",
		"the share of members that a delete makes invisible when each is deleted from the full filter, measured / predicted", deletablePicture,
		func(a result.Accuracy) (_, _ *float64) { return a.Deletable, a.PredictedDeletable })
	return all
}

// round writes a rate that is a round number.
func round(rate float64) string { return strings.TrimSpace(percentTick(rate)) }

// rates are those at which the memory of filters is compared.
var rates = []float64{0.01, 0.001}

// memoryTable returns the bits a key that each filter needs for a rate, and false where nothing is known.
func memoryTable(run *result.Run) (table, bool) {
	t := table{
		title:   "Memory at an equal rate of false positives",
		about:   "bits a key, interpolated between the measured points on both sides of the rate, and of filters that delete the share of members that they can; – is a rate that was not reached",
		labels:  2,
		columns: []string{"filter", "deletes"},
	}
	for _, rate := range rates {
		t.columns = append(t.columns, "at "+round(rate))
	}
	any := false
	for _, m := range result.MemoryAtRates(run.Accuracy, rates) {
		row := []string{m.Name, "no"}
		if m.Deletes {
			row[1] = "yes"
		}
		for _, at := range m.At {
			text := "–"
			if at != nil {
				text, any = fmt.Sprintf("%.1f", at.Bits), true
				if m.Deletes {
					text += fmt.Sprintf(" (%s)", percent(at.Deletable))
				}
			}
			row = append(row, text)
		}
		t.rows = append(t.rows, row)
	}
	return t, any
}

// filter is the points at which the accuracy of a filter was measured.
type filter struct {
	name    string
	kind    result.Kind
	deletes bool
	points  []result.Accuracy // by bits
}

// filters returns what the accuracies are of: ours first, then those that delete.
func filters(run *result.Run) []filter {
	var names ordered[string, *filter]
	for _, a := range run.Accuracy {
		f := names.at(a.Name)
		if f == nil {
			f = &filter{name: a.Name, kind: a.Kind}
			names.put(a.Name, f)
		}
		f.deletes = f.deletes || a.Deletable != nil
		f.points = append(f.points, a)
	}
	var all []filter
	for _, name := range names.keys {
		f := names.of[name]
		slices.SortStableFunc(f.points, func(a, b result.Accuracy) int { return cmp.Compare(a.Bits, b.Bits) })
		all = append(all, *f)
	}
	slices.SortStableFunc(all, func(a, b filter) int { return a.order() - b.order() })
	return all
}

func (f filter) order() int {
	switch {
	case f.kind == result.Kernel:
		return 0
	case f.deletes:
		return 1
	}
	return 2
}
