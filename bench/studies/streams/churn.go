// Package streams is no API: for those who choose a filter, it compares filters on the same keys,
// at equal memory: all kinds on each stream that they can serve; and the filters that delete, other
// libraries' too, while members come and go.
package streams

import (
	"math/rand/v2"
	"slices"

	"github.com/bloomlane/bloomlane/bench/peer"
	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// churn has the members of a filter come and go, and asks it at the given turnovers, with
// at most the given non-members.
func churn(
	s *subject,
	members int,
	life planning.Lifetime,
	turnovers []int,
	most int,
) (r row, err error) {
	rng := rand.New(rand.NewPCG(1, 2)) // for all filters the same keys
	p := workload.NewPopulation(members, life, rng)
	f := s.filter.(peer.Deleter)
	r = row{Subject: s.name, Keeps: s.keeps, Bits: float64(8*f.State().Bytes) / float64(members)}
	// members that the filter refused: to delete them would break the contract
	out := map[uint64]bool{}
	one := make([]uint64, 1)
	insert := func(hash uint64) error {
		r.Inserts++
		if one[0] = hash; peer.Insert(f, one) > 0 {
			out[hash] = true
			r.Refused++
			return nil
		}
		if s.owner == nil {
			return nil
		}
		s.owner.add(hash)
		again, err := s.owner.step()
		r.Again += again
		return err
	}
	for _, hash := range p.Hashes() {
		if err := insert(hash); err != nil {
			return r, err
		}
	}

	turnover := 0
	for _, until := range turnovers {
		deletes := share{}
		for ; turnover < until; turnover++ {
			if s.rebuild != nil && turnover > 0 {
				f = s.rebuild()
				r.Again += members - peer.Insert(f, p.Hashes())
			}
			for range members {
				gone := p.Hashes()[p.Next()]
				if one[0] = gone; out[gone] {
					delete(out, gone)
				} else {
					if s.owner != nil {
						s.owner.remove(gone)
					}
					f.DeleteHashBatch(one, nil)
					deletes.Of++
					deletes.Count += 1 - f.QueryHashBatch(one, nil)
				}
				_, come := p.Replace()
				if err := insert(come); err != nil {
					return r, err
				}
			}
		}
		r.Deletes = append(r.Deletes, deletes)
		r.Rates = append(r.Rates, ask(f, rng, most))
	}
	in := slices.DeleteFunc(slices.Clone(p.Hashes()), func(hash uint64) bool { return out[hash] })
	r.Lost = len(in) - f.QueryHashBatch(in, nil)
	return r, nil
}

// enough is the number of false positives after which no more non-members are asked: the rate is
// then known to 2 %.
const enough = 10_000

// ask queries random non-members, most at most, and returns the share that is present.
func ask(f peer.Filter, rng *rand.Rand, most int) (positives share) {
	keys := make([]uint64, min(most, 1<<16))
	for positives.Of < most && positives.Count < enough {
		workload.Fill(rng, keys)
		positives.Count += f.QueryHashBatch(keys, nil)
		positives.Of += len(keys)
	}
	return positives
}
