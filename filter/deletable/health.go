package deletable

import (
	"fmt"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/planning"
)

// RebuildError says that a filter has had more inserts than its plan has: from now on its rate may
// be above the planned one, until it is built anew. See [Filter.Rebuild].
type RebuildError struct {
	// see [Filter.Inserts]; planned are those of the members and of their turnovers
	Inserts, PlannedInserts int

	// Members is the number of members now. Where it is above that of the plan, or near it and
	// without planned turnovers, the same plan is soon used up again: make a filter for more.
	Members, PlannedMembers int
}

func (e *RebuildError) Error() string {
	return fmt.Sprintf("filter: a rebuild is due: found %d inserts and %d members, expected at "+
		"most %d inserts for %d members",
		e.Inserts, e.Members, e.PlannedInserts, e.PlannedMembers)
}

// Turnovers returns how many times all planned members were replaced: the inserts since there were
// as many as planned members, as a multiple of these. It is 0 until then.
func (f *Filter) Turnovers() float64 {
	f.table.Table()
	return f.turnovers()
}

func (f *Filter) turnovers() float64 {
	return max(0, float64(f.history.Inserts)/float64(f.plan.members)-1)
}

// Due returns a *[RebuildError] from the first insert on that is not in the plan, and nil until
// then. The plan has an insert for each of the Members and of their replacements,
// Members*(1+Turnovers) of [Config], to the nearest. Due compares counters, so that it may be
// called after every insert; [Filter.Health] looks at the bits. Of a closed filter it returns
// [filter.ErrClosed].
func (f *Filter) Due() error {
	if f.history.Inserts <= f.plan.inserts && f.table.Load() != nil {
		return nil
	}
	return f.dueError()
}

// dueError is apart from Due, which is inlined so.
func (f *Filter) dueError() error {
	if f.table.Load() == nil {
		return filter.ErrClosed
	}
	return &RebuildError{f.Inserts(), int(f.plan.inserts), f.Members(), int(f.plan.members)}
}

// Health is how a filter fares against its plan.
type Health struct {
	Stats

	// Deletable is the expected part of the members that a delete clears bits of; the others will
	// be retained. It goes by the regions that have collided: it is that of a filter with as many
	// inserts, whose number of members was constant, and was the one that makes so many collide; or
	// with fewer inserts, where the members now make more collide, as in a filter that is
	// refreshed.
	Deletable float64

	// TurnoversLeft is how many turnovers are expected until the rate is the planned one, starting
	// from the rate now: from PlannedTurnovers down to 0. Where it is well below PlannedTurnovers
	// less Turnovers, members live otherwise than planned, or there are more of them. Where
	// re-inserts are planned, for ever, it is for how long there may be none: the turnovers from
	// the rate now to the planned one without any.
	TurnoversLeft float64

	// Due is what [Filter.Due] returns.
	Due error
}

// Health scans the table, as [Filter.Stats] does, and predicts from it what package planning can:
// that takes tens of milliseconds more, and up to a second where hundreds of turnovers were made.
func (f *Filter) Health() Health {
	h := Health{Stats: f.Stats(), Due: f.Due()}
	if h.Blocks == 0 { // a closed filter has nothing to expect
		return h
	}
	h.Deletable = f.deletable(&h.Stats)
	if h.Rate >= h.PlannedRate {
		return h
	}
	planned := planning.Table{BlockBits: blockBits, Blocks: h.Blocks, Members: h.Planned,
		Lifetime: f.plan.lifetime}
	all := h.PlannedTurnovers
	// the rate of the steady state is that of blocks older than some, and younger than others
	if h.PlannedReinserts > 0 {
		all = turnoversUntil(planned, h.PlannedRate, 1/h.PlannedReinserts)
	}
	h.TurnoversLeft = all - turnoversUntil(planned, h.Rate, all)
	return h
}

// turnoversUntil returns what [planning.Table.TurnoversUntil] does, of a rate that may be 0. It
// looks from few on: hundreds of turnovers, which leave most tables full, take longest to predict.
func turnoversUntil(table planning.Table, rate, all float64) float64 {
	for most := 1.0; ; most *= 8 {
		most = min(most, all)
		made, err := table.TurnoversUntil(rate, most)
		if err != nil { // nothing is in
			return 0
		}
		if made < most || most == all {
			return made
		}
	}
}

// deletable is what Health.Deletable says. The more of the inserts were members at a time, the more
// regions they made collide: so the number is found by halving the interval.
func (f *Filter) deletable(s *Stats) float64 {
	collided := float64(s.Collided) / float64(s.Regions)
	turnovers := func(members int) float64 {
		return min(float64(max(s.Inserts, members))/float64(members)-1, planning.MaxTurnovers)
	}
	predict := func(members int, turnovers float64) planning.Prediction {
		p, err := (&planning.Table{
			BlockBits: blockBits, Blocks: s.Blocks, Members: members, Lifetime: f.plan.lifetime,
			Turnovers: turnovers,
		}).Predict()
		if err != nil {
			panic(err) // there is such a table
		}
		return p
	}
	low, high := min(max(1, s.Members), planning.MaxMembers),
		min(max(1, s.Inserts), planning.MaxMembers)
	p := predict(low, turnovers(low))
	const steps = 8 // to a 256th of the interval
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
		return p.Deletable
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
	return p.Deletable
}
