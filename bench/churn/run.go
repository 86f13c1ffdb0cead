package main

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/bloomlane/bloomlane/bench/peer"
	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// plan says what is compared.
type plan struct {
	Members   int
	Bits      []int
	Turnovers []int
	Lifetime  string
}

// row is what one filter did.
type row struct {
	Filter      string
	Budget      int       // bits a member, at most
	Bits        float64   // that it took
	Rates       []float64 // of false positives, for each of the plan's Turnovers
	Deleted     float64   // the part of all deletes after which the key was not visible
	Lost        float64   // the part of the members that is not found at the end, or was refused
	Nanoseconds float64   // a query of a non-member, in batches, at the end
}

func (p *plan) check() error {
	if p.Members < 1000 || p.Members > 10_000_000 {
		return fmt.Errorf("--members %d: want 1000 to 10000000", p.Members)
	}
	if _, err := workload.ParseLifetime(p.Lifetime, nil); err != nil {
		return fmt.Errorf("--lifetime: %w", err)
	}
	for _, bits := range p.Bits {
		if bits < 10 || bits > 1024 {
			return fmt.Errorf("--bits %d: want 10 to 1024", bits)
		}
	}
	if len(p.Bits) == 0 || len(p.Turnovers) == 0 || !slices.IsSorted(p.Turnovers) || p.Turnovers[0] < 0 {
		return fmt.Errorf("--bits %v --turnovers %v: want one at least of each, and turnovers ascending", p.Bits, p.Turnovers)
	}
	return nil
}

func (p *plan) run() ([]row, error) {
	life, err := workload.ParseLifetime(p.Lifetime, nil)
	if err != nil {
		return nil, fmt.Errorf("--lifetime: %w", err)
	}
	var rows []row
	for _, bits := range p.Bits {
		var members *workload.Population // of the filter at work; nil before its members are in
		all, err := contenders(p.Members, bits, func() iter.Seq[uint64] {
			if members == nil {
				return func(func(uint64) bool) {}
			}
			return members.Live()
		})
		if err != nil {
			return nil, err
		}
		for _, c := range all {
			rows = append(rows, p.churn(&c, life, &members))
			rows[len(rows)-1].Budget = bits
		}
	}
	return rows, nil
}

// churn has the members of a filter come and go. current is what they are, at any time.
func (p *plan) churn(c *contender, life planning.Lifetime, current **workload.Population) row {
	rng := rand.New(rand.NewPCG(1, 2)) // for all filters the same keys
	members := workload.NewPopulation(p.Members, life, rng)
	f := c.filter
	*current = nil
	peer.Insert(f, members.Hashes()) // what it refuses is lost
	*current = members

	nonMembers := make([]uint64, 1<<18)
	r := row{Filter: c.name, Bits: float64(8*f.State().Bytes) / float64(p.Members)}
	deletes, gone, one := 0, 0, make([]uint64, 1)
	turnover := 0
	for _, until := range p.Turnovers {
		for ; turnover < until; turnover++ {
			if c.rebuild != nil && turnover > 0 {
				f = c.rebuild()
				peer.Insert(f, members.Hashes())
			}
			for range p.Members {
				one[0] = members.Hashes()[members.Next()]
				f.DeleteHashBatch(one, nil)
				deletes++
				gone += 1 - f.QueryHashBatch(one, nil)
				_, one[0] = members.Replace()
				peer.Insert(f, one)
			}
		}
		present, took := 0, time.Duration(0)
		const rounds = 4
		for range rounds {
			workload.Fill(rng, nonMembers)
			start := time.Now()
			present += f.QueryHashBatch(nonMembers, nil)
			took += time.Since(start)
		}
		r.Rates = append(r.Rates, float64(present)/float64(rounds*len(nonMembers)))
		r.Nanoseconds = float64(took.Nanoseconds()) / float64(rounds*len(nonMembers))
	}
	r.Deleted = float64(gone) / float64(max(1, deletes))
	r.Lost = float64(p.Members-f.QueryHashBatch(members.Hashes(), nil)) / float64(p.Members)
	return r
}
