package main

import (
	"fmt"
	"iter"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"time"
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
	Nanoseconds float64   // a query of a stranger, in batches, at the end
}

// lifetimes are how long a member stays in, in any unit.
var lifetimes = map[string]func(rng *rand.Rand) float64{
	"oldest": func(*rand.Rand) float64 { return 1 },
	"random": func(rng *rand.Rand) float64 { return rng.ExpFloat64() },
	// Pareto's of the second kind with the shape 1.5: it has a mean, and no variance.
	"pareto": func(rng *rand.Rand) float64 { return math.Pow(1-rng.Float64(), -1/1.5) - 1 },
}

func lifetimeNames() []string { return slices.Sorted(maps.Keys(lifetimes)) }

func (p *plan) check() error {
	if p.Members < 1000 || p.Members > 10_000_000 {
		return fmt.Errorf("--members %d: want 1000 to 10000000", p.Members)
	}
	if lifetimes[p.Lifetime] == nil {
		return fmt.Errorf("--lifetime %s: want one of %v", p.Lifetime, lifetimeNames())
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
	var rows []row
	for _, bits := range p.Bits {
		var members []uint64 // of the filter at work
		all, err := contenders(p.Members, bits, func() iter.Seq[uint64] { return slices.Values(members) })
		if err != nil {
			return nil, err
		}
		for _, c := range all {
			rows = append(rows, p.churn(&c, &members))
			rows[len(rows)-1].Budget = bits
		}
	}
	return rows, nil
}

// churn has the members of a filter come and go. members is what they are, at any time.
func (p *plan) churn(c *contender, members *[]uint64) row {
	rng := rand.New(rand.NewPCG(1, 2)) // for all filters the same keys
	life := lifetimes[p.Lifetime]
	q := queue{deaths: make([]float64, p.Members), hashes: make([]uint64, p.Members)}
	for i := range q.deaths {
		q.deaths[i], q.hashes[i] = float64(i)/float64(p.Members)+life(rng), rng.Uint64()
	}
	for i := p.Members/2 - 1; i >= 0; i-- {
		q.sift(i)
	}
	*members = nil
	c.filter.Insert(q.hashes) // what it refuses is lost
	*members = q.hashes

	strangers := make([]uint64, 1<<18)
	r := row{Filter: c.name, Bits: float64(8*c.filter.Bytes()) / float64(p.Members)}
	deletes, gone, one := 0, 0, make([]uint64, 1)
	turnover := 0
	for _, until := range p.Turnovers {
		for ; turnover < until; turnover++ {
			if c.rebuild != nil && turnover > 0 {
				c.rebuild(q.hashes)
			}
			for range p.Members {
				one[0] = q.hashes[0]
				c.filter.Delete(one)
				deletes++
				gone += 1 - c.filter.Query(one, nil)
				q.deaths[0] += life(rng)
				q.hashes[0] = rng.Uint64()
				one[0] = q.hashes[0]
				c.filter.Insert(one)
				q.sift(0)
			}
		}
		present, took := 0, time.Duration(0)
		const rounds = 4
		for range rounds {
			for i := range strangers {
				strangers[i] = rng.Uint64()
			}
			start := time.Now()
			present += c.filter.Query(strangers, nil)
			took += time.Since(start)
		}
		r.Rates = append(r.Rates, float64(present)/float64(rounds*len(strangers)))
		r.Nanoseconds = float64(took.Nanoseconds()) / float64(rounds*len(strangers))
	}
	r.Deleted = float64(gone) / float64(max(1, deletes))
	r.Lost = float64(p.Members-c.filter.Query(q.hashes, nil)) / float64(p.Members)
	return r
}

// queue is a heap of members by when they go.
type queue struct {
	deaths []float64
	hashes []uint64
}

func (q *queue) sift(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(q.deaths); child++ {
			if q.deaths[child] < q.deaths[least] {
				least = child
			}
		}
		if least == i {
			return
		}
		q.deaths[i], q.deaths[least] = q.deaths[least], q.deaths[i]
		q.hashes[i], q.hashes[least] = q.hashes[least], q.hashes[i]
		i = least
	}
}
