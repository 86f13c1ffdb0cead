package deletable

import (
	"cmp"
	"math"

	"github.com/bloomlane/bloomlane/filter/planning"
)

// plan says what a filter is for.
type plan struct {
	members   uint64 // the planned members at a time
	turnovers float64
	rate      float64 // the expected false-positive rate at the end of the turnovers
	lifetime  planning.Lifetime
	reinserts float64 // planned re-inserts per insert, or 0

	// members*(1+turnovers), rounded; the largest int if re-inserts are planned
	inserts uint64
}

// counted returns the plan with its inserts. It replaces the zero lifetime by Oldest, so that equal
// plans compare equal.
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

// below reports whether q is a plan for more than p, for filters of the same size.
func (p *plan) below(q *plan) bool {
	return cmp.Or(cmp.Compare(p.members, q.members), cmp.Compare(p.inserts, q.inserts),
		cmp.Compare(p.rate, q.rate)) < 0
}

// changes reports whether members will be replaced, so that their lifetime matters.
func (p *plan) changes() bool { return p.turnovers > 0 || p.reinserts > 0 }
