package deletable

import (
	"fmt"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/planning"
)

// RebuildError says that a filter has had more inserts than planned, so that its rate may be above
// the planned one. Rebuild the filter: see [Filter.Rebuild].
type RebuildError struct {
	// Inserts is what [Filter.Inserts] returns. PlannedInserts is Members*(1+Turnovers) of the
	// [Config].
	Inserts, PlannedInserts int

	// Members is the number of members now, and PlannedMembers that of the [Config]. If Members is
	// larger, or if it is near and no turnovers are planned, a rebuild will soon be due again: make
	// a filter for more members instead.
	Members, PlannedMembers int
}

// Error has the numbers of inserts and members, found and expected.
func (e *RebuildError) Error() string {
	return fmt.Sprintf("filter: a rebuild is due: found %d inserts and %d members, expected at "+
		"most %d inserts for %d members",
		e.Inserts, e.Members, e.PlannedInserts, e.PlannedMembers)
}

// Turnovers returns how many times the planned members have been replaced: Inserts divided by the
// planned members, minus 1, and not below 0.
func (f *Filter) Turnovers() float64 { return base.Open(&f.Body).turnovers() }

func (t *table) turnovers() float64 {
	return max(0, float64(t.history.Inserts)/float64(t.plan.members)-1)
}

// Due returns a *[RebuildError] if the filter has had more inserts than Members*(1+Turnovers) of
// its [Config], rounded to the nearest integer, and nil before. It compares two counters, so you
// may call it after every insert. [Filter.Health] looks at the bits. If the filter is closed, Due
// returns [filter.ErrClosed].
func (f *Filter) Due() error {
	if t := base.Live(&f.Body); t != nil {
		return t.due()
	}
	return filter.ErrClosed
}

func (t *table) due() error {
	if t.history.Inserts <= t.plan.inserts() {
		return nil
	}
	return &RebuildError{int(t.history.Inserts), int(t.plan.inserts()), t.history.Members(),
		int(t.plan.members)}
}

// Health compares a filter with its plan.
type Health struct {
	Stats

	// Deletability is the expected share of the members whose delete will clear bits. The others
	// will be retained. It is estimated from the share of collided regions: it is the share in a
	// filter with the same inserts and a constant number of members, chosen so that as many regions
	// collide. If the members now and these inserts would make more regions collide than there are,
	// as in a filter that is refreshed, the number of inserts is chosen instead.
	Deletability float64 `json:"deletability"`

	// TurnoversLeft is the expected number of turnovers until the rate now grows to the planned
	// rate, from PlannedTurnovers down to 0. If it is well below PlannedTurnovers - Turnovers, then
	// members live longer or shorter than planned, or there are more of them. If re-inserts are
	// planned, it is how many turnovers may pass without any refresh.
	TurnoversLeft float64 `json:"turnovers_left"`

	// Due is the result of [Filter.Due]. It is not in JSON.
	Due error `json:"-"`
}

// Health scans the table, as [Filter.Stats] does, and computes predictions by package planning. The
// predictions take 1 to 40 ms up to a hundred turnovers, and up to a second after hundreds. If the
// filter is closed, Health has only Due.
func (f *Filter) Health() Health {
	t := base.Live(&f.Body)
	if t == nil { // a closed filter has nothing to expect
		return Health{Due: filter.ErrClosed}
	}
	h := Health{Stats: t.stats(), Due: t.due()}
	h.Absent = int(f.absent)
	h.Deletability = t.deletability(&h.Stats)
	if h.Rate >= h.PlannedRate {
		return h
	}
	planned := planning.Table{BlockBits: blockBits, Blocks: h.Blocks, Members: h.Planned,
		Lifetime: t.plan.lifetime}
	all := h.PlannedTurnovers
	// in the steady state some blocks are older and some younger than the mean
	if h.PlannedReinserts > 0 {
		all = turnoversUntil(planned, h.PlannedRate, 1/h.PlannedReinserts)
	}
	h.TurnoversLeft = all - turnoversUntil(planned, h.Rate, all)
	return h
}

// turnoversUntil is [planning.Table.TurnoversUntil] for a rate that may be 0. It tries few
// turnovers first, because a prediction for hundreds of turnovers takes the longest.
func turnoversUntil(table planning.Table, rate, all float64) float64 {
	for most := 1.0; ; most *= 8 {
		most = min(most, all)
		made, err := table.TurnoversUntil(rate, most)
		if err != nil { // the filter is empty
			return 0
		}
		if made < most || most == all {
			return made
		}
	}
}

// deletability computes Health.Deletability. The more members there were at a time, the more
// regions collided, so the number of members is found by bisection.
func (t *table) deletability(s *Stats) float64 {
	collided := float64(s.Collided) / float64(s.Regions)
	turnovers := func(members int) float64 {
		return min(float64(max(s.Inserts, members))/float64(members)-1, planning.MaxTurnovers)
	}
	predict := func(members int, turnovers float64) planning.Prediction {
		p, err := (&planning.Table{
			BlockBits: blockBits, Blocks: s.Blocks, Members: members, Lifetime: t.plan.lifetime,
			Turnovers: turnovers,
		}).Predict()
		if err != nil {
			panic(err) // the table is valid, because the filter exists
		}
		return p
	}
	low, high := min(max(1, s.Members), planning.MaxMembers),
		min(max(1, s.Inserts), planning.MaxMembers)
	p := predict(low, turnovers(low))
	const steps = 8 // to 1/256 of the interval
	if p.Collided > collided {
		fewest, most := 0.0, turnovers(low)
		for range steps {
			middle := (fewest + most) / 2
			if p = predict(low, middle); p.Collided <= collided {
				fewest = middle
			} else {
				most = middle
			}
		}
		return p.Deletability
	}
	for range steps {
		if high-low < 2 {
			break
		}
		middle := low + (high-low)/2
		if q := predict(middle, turnovers(middle)); q.Collided <= collided {
			low, p = middle, q
		} else {
			high = middle
		}
	}
	return p.Deletability
}
