package plan

import (
	"fmt"
	"math"

	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/internal/simulation"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// What a prediction may be off, besides the simulation's own uncertainty: the rate, as a part of
// it, and the deletable part of the members.
const (
	FreshRate      = 0.05
	ChurnRate      = 0.10
	Deletable      = 0.01
	standardErrors = 3 // of the simulation, and of what it sampled
)

// Verification is about the simulations of a report.
type Verification struct {
	Seed    uint64 `json:"seed"`
	Members int    `json:"members_most"` // of a simulated table
	Points  int    `json:"points"`
	Off     int    `json:"off"` // points where the prediction is not within the tolerance
}

// String says what was compared, by what measure.
func (v *Verification) String() string {
	return fmt.Sprintf("verified     %d of %d points agree: rates within %g %% fresh and %g %% "+
		"later, deletable parts within %g point,\n             and %d standard errors of the "+
		"simulation (seed %d, tables of at most %s members, the same bits per key)",
		v.Points-v.Off, v.Points, 100*FreshRate, 100*ChurnRate, 100*Deletable, standardErrors,
		v.Seed, quantity.Count(v.Members))
}

const (
	nonMembers  = 100_000
	mostInserts = 4_000_000 // of a simulated table
)

// Inserts returns the number of inserts of [Report.Verify], for a progress bar.
func (r *Report) Inserts(members int) int {
	tables := 0
	for range r.bySize {
		tables++
	}
	return tables*r.insertsOfTable(members) + r.ForEver.inserts(r.members(members))
}

// insertsOfTable returns those of one of the simulated tables.
func (r *Report) insertsOfTable(members int) int {
	return int(float64(r.simulatedMembers(members)) * (1 + r.last()))
}

// simulatedMembers returns how many members a simulated table has: most at most, and no more
// inserts in all than take seconds.
func (r *Report) simulatedMembers(most int) int {
	return max(1, min(r.members(most), int(mostInserts/(1+r.last()*(1+r.Reinserts)))))
}

// members returns the plan's, or most.
func (r *Report) members(most int) int { return min(r.Members, most) }

// Verify simulates every point of the report, in tables of the same bits per key with at
// most the given members, and compares. Progress is called with the inserts so far.
func (r *Report) Verify(most int, seed uint64, progress func(inserts int)) error {
	members := r.simulatedMembers(most)
	r.Verified = &Verification{Seed: seed, Members: members}
	done := 0
	for points := range r.bySize {
		table := r.planned.Table
		blocks, err := planning.BlocksFor(table.BlockBits, members, points[0].BitsPerKey)
		if err != nil {
			return fmt.Errorf("plan: simulate: %w", err)
		}
		if members < r.Members {
			table.Members, table.Blocks = members, blocks
		} else {
			table.Blocks = int(math.Round(points[0].BitsPerKey * float64(r.Members) /
				float64(r.BlockBits)))
		}
		at := make([]float64, 0, len(points))
		for _, p := range points[:len(points)-1] {
			at = append(at, p.Turnovers)
		}
		table.Turnovers = points[len(points)-1].Turnovers
		measured, err := simulation.Run(simulation.Config{
			Table: table, At: at, NonMembers: nonMembers, Seed: seed,
			Progress: func(inserts int) { progress(done + inserts) },
		})
		if err != nil {
			return fmt.Errorf("plan: simulate: %w", err)
		}
		done += r.insertsOfTable(most)
		for i := range measured {
			r.compare(&points[i], table.Members, &measured[i])
		}
	}
	// The report's start and end are copies of two of its points.
	r.Start, r.End = r.Over[0], r.Over[len(r.Over)-1]
	if r.ForEver == nil {
		return nil
	}
	return r.ForEver.simulate(r, r.members(most), seed,
		func(inserts int) { progress(done + inserts) })
}

// bySize iterates over the points of each table.
func (r *Report) bySize(yield func([]Point) bool) {
	if !yield(r.Over) {
		return
	}
	for first := 0; first < len(r.Sizes); {
		next := first + 1
		for next < len(r.Sizes) && r.Sizes[next].BitsPerKey == r.Sizes[first].BitsPerKey {
			next++
		}
		if !yield(r.Sizes[first:next]) {
			return
		}
		first = next
	}
}

// compare adds a measurement to its point.
func (r *Report) compare(p *Point, members int, m *simulation.Measurement) {
	part := ChurnRate
	if p.Turnovers == 0 {
		part = FreshRate
	}
	sampled := math.Sqrt(max(0.25/float64(members), m.Deletable*(1-m.Deletable)/float64(members)))
	p.Simulated = &Simulated{
		Members: members, Rate: m.Rate, RateError: m.RateError, Deletable: m.Deletable,
		NonMembers: nonMembers, Found: m.Found,
		Agrees: math.Abs(p.Rate-m.Rate) <= part*m.Rate+standardErrors*m.RateError &&
			math.Abs(p.Deletable-m.Deletable) <= Deletable+standardErrors*sampled,
	}
	r.Verified.Points++
	if !p.Simulated.Agrees {
		r.Verified.Off++
	}
}
