package sets

import (
	"fmt"

	"github.com/bloomlane/bloomlane/filter/audit"
	"github.com/bloomlane/bloomlane/report/pivot"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// Found is what the audit of a filter found.
type Found struct {
	Filter string
	*audit.Stats
}

// lostOfAll says what a sample tells of all members.
func (f *Found) lostOfAll() string {
	switch bound := (audit.Answers{NonMembers: f.Members}).Rate().High; {
	case f.Sum().FalseNegatives > 0:
		return "some"
	case bound == 1:
		return "unknown"
	default:
		return fmt.Sprintf("below %.2g %%", 100*bound)
	}
}

// Shadows has what audits found, one line per filter whose sample has had a member.
func Shadows(all []Found) *pivot.Table {
	share := func(n, all int) string { return quantity.Count(n) + " of " + quantity.Count(all) }
	audited := pivot.Where(all, func(f Found) bool {
		return f.Stats != nil && f.Members+f.Inserts.All()+f.Deletes.All() > 0
	})
	return pivot.Rows("shadow|sample|members in it|inserted again|deleted, no member|lost|"+
		"lost of all (95 %)|false positives (95 %)", audited, func(f Found) []string {
		sum := f.Sum()
		return []string{f.Filter, "1/" + quantity.Count(f.Every),
			quantity.Count(f.Members), share(f.Inserts.Members, f.Inserts.All()),
			share(f.Deletes.NonMembers, f.Deletes.All()), share(sum.FalseNegatives, sum.Members),
			f.lostOfAll(), fmt.Sprint(f.Checks.Rate())}
	}).Titled("", "A shadow is an exact set of a sample of the filter's keys. Lost are members "+
		"that the filter does not find.")
}
