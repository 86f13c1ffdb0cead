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
	reinserts float64 // per insert, where it is for ever; else 0

	// of the members and their turnovers, to the nearest; where it is for ever, the largest number
	inserts uint64
}

// counted returns the plan with its inserts, and with a lifetime that is one by name: plans are
// compared.
func (p plan) counted() plan {
	if p.lifetime == (planning.Lifetime{}) {
		p.lifetime = planning.Oldest()
	}
	p.inserts = math.MaxInt
	if replaced := math.Round(float64(p.members) * p.turnovers); p.reinserts == 0 &&
		replaced < float64(p.inserts-p.members) {
		p.inserts = p.members + uint64(replaced)
	}
	return p
}

// below reports whether q is the plan for more, of filters of one size.
func (p *plan) below(q *plan) bool {
	return cmp.Or(cmp.Compare(p.members, q.members), cmp.Compare(p.inserts, q.inserts),
		cmp.Compare(p.rate, q.rate)) < 0
}

// changes reports whether members are planned to come and go, so that their lifetime matters.
func (p *plan) changes() bool { return p.turnovers > 0 || p.reinserts > 0 }
