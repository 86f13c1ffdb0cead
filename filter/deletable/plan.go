package deletable

import (
	"cmp"
	"math"

	"github.com/bloomlane/bloomlane/filter/planning"
)

// plan is what a filter is for. Files hold it.
type plan struct {
	members   uint64 // at a time, that the size was chosen for
	turnovers float64
	rate      float64 // of false positives that is expected at their end
	lifetime  planning.Lifetime

	inserts uint64 // of the members and their turnovers, to the nearest
}

func newPlan(members uint64, turnovers, rate float64, lifetime planning.Lifetime) plan {
	inserts := uint64(math.MaxInt)
	if replaced := math.Round(float64(members) * turnovers); replaced < float64(inserts-members) {
		inserts = members + uint64(replaced)
	}
	return plan{members, turnovers, rate, lifetime, inserts}
}

// below reports whether q is the plan for more, of filters of one size.
func (p *plan) below(q *plan) bool {
	return cmp.Or(cmp.Compare(p.members, q.members), cmp.Compare(p.turnovers, q.turnovers), cmp.Compare(p.rate, q.rate)) < 0
}
