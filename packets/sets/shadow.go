package sets

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/bloomlane/bloomlane/filter/audit"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// Found is what the audit of a filter found.
type Found struct {
	Filter string
	*audit.Stats
}

// lostOfAll says what a sample tells of all members.
func (f *Found) lostOfAll() string {
	switch bound := quantity.Bound(f.Members); {
	case f.Sum().FalseNegatives > 0:
		return "some"
	case bound == 1:
		return "unknown"
	default:
		return fmt.Sprintf("below %.2g %%", 100*bound)
	}
}

// WriteShadows writes what audits found, one line per filter.
func WriteShadows(w io.Writer, all []Found) {
	columns := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintf(columns, "%-9s\tsample\tmembers in it\tinserted again\tdeleted, no "+
		"member\tlost\tlost of all (95 %%)\tfalse positives (95 %%)\t\n", "shadow")
	for _, f := range all {
		of := func(n, all int) string { return quantity.Count(n) + " of " + quantity.Count(all) }
		sum := f.Sum()
		fmt.Fprintf(columns, "%-9s\t1/%s\t%s\t%s\t%s\t%s\t%s\t%v\t\n", f.Filter,
			quantity.Count(f.Every), quantity.Count(f.Members),
			of(f.Inserts.Members, f.Inserts.All()), of(f.Deletes.NonMembers, f.Deletes.All()),
			of(sum.FalseNegatives, sum.Members), f.lostOfAll(), f.Checks.Rate())
	}
	_ = columns.Flush() // its error is w's, which is a text
}
