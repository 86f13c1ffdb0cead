package flows

import (
	"fmt"

	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/planning"
)

// plan is what a survey comes to.
type plan struct {
	Members int `json:"members"`
	Bytes   int `json:"bytes"` // of each filter
	// until the rebuilt filter is due, of the mean live flows
	Turnovers float64 `json:"rebuild_turnovers"`
	Reinserts float64 `json:"reinserts"` // of the refreshed filter, per insert
	// that is expected of it forever, with all Members live
	Refreshed float64 `json:"refreshed_rate"`
	flows     int     // that are inserted in all
	rate      float64 // to keep
	due       float64 // Turnovers, of the Members
	lifetime  planning.Lifetime
}

// The rebuilt filter and the elastic one are planned for a part of the rate, because the rate of a
// small table is not quite that of the mean table, which planning predicts. A filter is rebuilt at
// most a few times per turnover.
const (
	planRate       = 0.5
	leastTurnovers = 0.25
)

// tooSmall is how many times fewer members the elastic filter is made for: it starts far too small.
const tooSmall = 64

// start returns the members that the elastic filter is made for.
func (p *plan) start() int { return max(1, p.Members/tooSmall) }

// newPlan plans the filters for some traffic, with its own lifetimes.
func (c *Config) newPlan(t *Traffic) (*plan, error) {
	p := &plan{Members: c.Members, Reinserts: c.Reinserts, rate: c.Rate, flows: max(1, t.Flows)}
	if p.Members == 0 {
		p.Members = max(1, t.Peak)
	}
	var err error
	if p.Bytes, err = memory(p.Members, c.BitsPerKey); err != nil {
		return nil, err
	}
	samples := []float64{1} // of no flows any lifetime will do
	if len(t.patterns) > 0 {
		samples = samples[:0]
	}
	for i := range t.patterns {
		samples = append(samples, float64(max(1, t.patterns[i].lifetime(c.Idle))))
	}
	if p.lifetime, err = planning.Observed(samples); err != nil {
		return nil, fmt.Errorf("flows: %w", err)
	}
	if p.due, err = p.turnoversUntil(planRate*c.Rate, p.Members); err != nil {
		return nil, fmt.Errorf("flows: %w", err)
	}
	p.due = max(p.due, leastTurnovers)
	p.Turnovers = t.turnovers((1 + p.due) * float64(p.Members))
	return p, nil
}

// turnoversUntil returns after how many turnovers a deletable filter with a number of members is
// expected to reach a rate.
func (p *plan) turnoversUntil(rate float64, members int) (float64, error) {
	table := planning.Table{Blocks: p.Bytes / deletable.BlockBytes, Members: members,
		Lifetime: p.lifetime}
	// it is found to a thousandth of the most
	for most := 1.0; ; most = min(2*most, planning.MaxTurnovers) {
		turnovers, err := table.TurnoversUntil(rate, most)
		if err != nil || turnovers < most || most == planning.MaxTurnovers {
			return turnovers, err
		}
	}
}

// generations is the number of tables of the rolling filter, its default. The memory of all filters
// is a whole number of blocks of each.
const generations = 4

// memory returns the bytes of every filter for a number of members: the least that are enough for
// the bits of each and make whole tables of all filters.
func memory(members int, bitsPerKey float64) (int, error) {
	config := deletable.Config{Members: members, BitsPerKey: bitsPerKey}
	size, err := config.Shape()
	if err != nil {
		return 0, fmt.Errorf("flows: %w", err)
	}
	blocks := (size.Blocks + generations - 1) / generations * generations
	if blocks > maxBlocks {
		return 0, fmt.Errorf("flows: found %d members at %g bits, expected filters of at most "+
			"%d bytes", members, bitsPerKey, maxBlocks*deletable.BlockBytes)
	}
	return blocks * deletable.BlockBytes, nil
}

// maxBlocks bounds the memory of a filter: 1 GiB.
const maxBlocks = 1 << 24
