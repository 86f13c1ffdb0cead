// Package verify is no API: it simulates what a plan predicts, and draws both.
package verify

import (
	"fmt"
	"iter"
	"math"

	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/packets/verify/internal/simulation"
	"github.com/bloomlane/bloomlane/report/plan"
)

const (
	nonMembers  = 100_000
	mostInserts = 4_000_000 // of a simulated table
)

// Inserts returns the number of inserts of [Run], for a progress bar.
func Inserts(r *plan.Report, members int) int {
	tables := 0
	for range bySize(r) {
		tables++
	}
	return tables*insertsOfTable(r, members) + insertsForEver(r.ForEver, most(r, members))
}

// insertsOfTable returns those of one of the simulated tables.
func insertsOfTable(r *plan.Report, members int) int {
	return int(float64(simulatedMembers(r, members)) * (1 + r.Last()))
}

// simulatedMembers returns how many members a simulated table has: these at most, and no more
// inserts in all than take seconds.
func simulatedMembers(r *plan.Report, members int) int {
	return max(1, min(most(r, members), int(mostInserts/(1+r.Last()*(1+r.Reinserts)))))
}

// most returns the plan's members, or those that are given.
func most(r *plan.Report, members int) int { return min(r.Members, members) }

// Run simulates every point of the report, in tables of the same bits per key with at
// most the given members, and compares. Progress is called with the inserts so far.
func Run(r *plan.Report, limit int, seed uint64, progress func(inserts int)) error {
	members := simulatedMembers(r, limit)
	r.Verified = &plan.Verification{Seed: seed, Members: members}
	done := 0
	for points := range bySize(r) {
		table := r.Planned.Table
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
		turnovers := make([]float64, 0, len(points))
		for _, p := range points[:len(points)-1] {
			turnovers = append(turnovers, p.Turnovers)
		}
		table.Turnovers = points[len(points)-1].Turnovers
		measured, err := simulation.Run(simulation.Config{
			Table: table, At: turnovers, NonMembers: nonMembers, Seed: seed,
			Progress: func(inserts int) { progress(done + inserts) },
		})
		if err != nil {
			return fmt.Errorf("plan: simulate: %w", err)
		}
		done += insertsOfTable(r, limit)
		for i := range measured {
			compare(r, &points[i], table.Members, &measured[i])
		}
	}
	// The report's start and end are copies of two of its points.
	r.Start, r.End = r.Over[0], r.Over[len(r.Over)-1]
	if r.ForEver == nil {
		return nil
	}
	return simulate(r, most(r, limit), seed,
		func(inserts int) { progress(done + inserts) })
}

// bySize returns the points of each table.
func bySize(r *plan.Report) iter.Seq[[]plan.Point] {
	return func(yield func([]plan.Point) bool) {
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
}

// compare adds a measurement to its point.
func compare(r *plan.Report, p *plan.Point, members int, m *simulation.Measurement) {
	part := plan.ChurnRate
	if p.Turnovers == 0 {
		part = plan.FreshRate
	}
	variance := max(0.25/float64(members), m.Deletability*(1-m.Deletability)/float64(members))
	sampled := math.Sqrt(variance)
	p.Simulated = &plan.Simulated{
		Members: members, Rate: m.Rate, RateError: m.RateError, Deletability: m.Deletability,
		NonMembers: nonMembers, Found: m.Found,
		Agrees: math.Abs(p.Rate-m.Rate) <= part*m.Rate+plan.StandardErrors*m.RateError &&
			math.Abs(p.Deletability-m.Deletability) <=
				plan.Deletability+plan.StandardErrors*sampled,
	}
	r.Verified.Points++
	if !p.Simulated.Agrees {
		r.Verified.Off++
	}
}
