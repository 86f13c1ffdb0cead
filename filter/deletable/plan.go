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
}

// named returns the plan with Oldest in place of the zero lifetime, so that equal plans compare
// equal.
func (p plan) named() plan {
	if p.lifetime == (planning.Lifetime{}) {
		p.lifetime = planning.Oldest()
	}
	return p
}

// inserts returns the planned inserts: members*(1+turnovers), rounded, or the largest int if
// re-inserts are planned.
func (p *plan) inserts() uint64 {
	const most = math.MaxInt
	replaced := math.Round(float64(p.members) * p.turnovers)
	if p.reinserts != 0 || replaced >= float64(most-p.members) {
		return most
	}
	return p.members + uint64(replaced)
}

// below reports whether q is a plan for more than p, for filters of the same size.
func (p *plan) below(q *plan) bool {
	return cmp.Or(cmp.Compare(p.members, q.members), cmp.Compare(p.inserts(), q.inserts()),
		cmp.Compare(p.rate, q.rate)) < 0
}

// changes reports whether members will be replaced, so that their lifetime matters.
func (p *plan) changes() bool { return p.turnovers > 0 || p.reinserts > 0 }
