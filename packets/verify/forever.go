package verify

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/cuckoo"
	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/filter/rolling"
	"github.com/bloomlane/bloomlane/internal/workload"
	"github.com/bloomlane/bloomlane/packets/verify/internal/simulation"
	"github.com/bloomlane/bloomlane/report/plan"
)

// insertsForEver returns those of simulate.
func insertsForEver(f *plan.ForEver, members int) int {
	if f == nil {
		return 0
	}
	return len(f.Subjects) * members * (1 + plan.LongTurnovers)
}

// simulate adds what simulations of the subjects measure, with a number of members.
func simulate(r *plan.Report, members int, seed uint64, progress func(inserts int)) error {
	table := r.Planned.Table
	if members < r.Members {
		blocks, err := planning.BlocksFor(table.BlockBits, members, r.BitsPerKey)
		if err != nil {
			return fmt.Errorf("plan: simulate: %w", err)
		}
		table.Members, table.Blocks = members, blocks
	}
	for i := range r.ForEver.Subjects {
		s := subject{&r.ForEver.Subjects[i]}
		tell := func(inserts int) { progress(i*members*(1+plan.LongTurnovers) + inserts) }
		var err error
		switch s.Name {
		case plan.Refreshed:
			err = s.table(table, r.Reinserts, seed, tell)
		case plan.Alone:
			err = s.table(table, 0, seed, tell)
		default:
			err = s.kind(table, seed, tell)
		}
		if err != nil {
			return fmt.Errorf("plan: simulate %s: %w", s.Name, err)
		}
	}
	return nil
}

// subject is a filter that is simulated.
type subject struct{ *plan.Subject }

// table simulates a table with a number of re-inserts per insert.
func (s subject) table(
	table planning.Table,
	reinserts float64,
	seed uint64,
	progress func(inserts int),
) error {
	table.Reinserts, table.Turnovers = reinserts, plan.LongTurnovers
	turnovers := make([]float64, plan.Looks)
	for i := range turnovers {
		turnovers[i] = plan.LongTurnovers * float64(i) / plan.Looks
	}
	measured, err := simulation.Run(simulation.Config{Table: table, At: turnovers, Seed: seed,
		Progress: progress})
	for _, m := range measured {
		s.Samples = append(s.Samples,
			plan.Sample{Turnovers: m.Turnovers, Rate: m.Rate, Deletability: m.Deletability})
	}
	return err
}

// kind simulates a filter of another kind, of the size of a table.
func (s subject) kind(table planning.Table, seed uint64, progress func(inserts int)) error {
	rng := rand.New(rand.NewPCG(seed, 2))
	members := workload.NewPopulation(table.Members, table.Lifetime, rng)
	f, err := newOther(s.Name, table.Members, table.BitsPerKey(), members.Live)
	if err != nil {
		return err
	}
	defer f.Close()
	// of those that are members: not in the filter, so not to be deleted from it
	refused := map[uint64]bool{}
	inserts := 0
	insert := func(h uint64) error {
		const now = 1 << 16 // and then
		if inserts++; inserts%now == 0 {
			progress(inserts)
		}
		_, err := f.InsertHash(h)
		if errors.Is(err, filter.ErrFull) {
			refused[h] = true
			s.Refused++
			return nil
		}
		return err
	}
	for h := range members.Live() {
		if err := insert(h); err != nil {
			return err
		}
	}
	nonMembers := make([]uint64, 4096)
	for i := range plan.Looks + 1 {
		until := table.Members +
			int(math.Round(plan.LongTurnovers*float64(i)/plan.Looks*float64(table.Members)))
		for inserts < until {
			gone, come := members.Replace()
			if refused[gone] {
				delete(refused, gone)
			} else {
				f.DeleteHash(gone)
			}
			if err := insert(come); err != nil {
				return err
			}
		}
		found := 0
		const batches = 256
		for range batches {
			workload.Fill(rng, nonMembers)
			found += f.QueryHashBatch(nonMembers, nil)
		}
		s.Samples = append(s.Samples, plan.Sample{
			Turnovers: plan.LongTurnovers * float64(i) / plan.Looks,
			Rate:      float64(found) / float64(batches*len(nonMembers)),
		})
	}
	return nil
}

// other is a filter of another kind.
type other interface {
	filter.Stored
	filter.Deleter
}

// newOther makes a filter of a kind for a number of members. The source of live members is for a
// kind that asks for it.
func newOther(
	kind string,
	members int,
	bitsPerKey float64,
	live func() iter.Seq[uint64],
) (other, error) {
	if kind == cuckoo.Kind.Name {
		return cuckoo.New(cuckoo.Config{Members: members, BitsPerKey: bitsPerKey})
	}
	return rolling.New(rolling.Config{
		Members: members, BitsPerKey: bitsPerKey,
		Stragglers: func(
			context.Context,
			rolling.Generation,
			rolling.Generation,
		) iter.Seq2[uint64, error] {
			return filter.Infallible(live())
		},
	})
}
