package letter

import (
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/filter/family/dlbf"
)

// state is a filter at some time of its life.
type state struct{ rate, deletable, collided float64 }

// life is a filter whose members come and go.
type life struct {
	states []state // after each number of turnovers
	full   float64 // replacements until every region has a collision
}

const turnovers = 10

// live replaces the members of a filter one after another, the oldest first.
func live(rng *rand.Rand, s dlbf.Shape, n int) (l life) {
	a := array(s)
	hashes := make([]uint64, n)
	for i := range hashes {
		hashes[i] = rng.Uint64()
		a.Insert(hashes[i])
	}
	for replaced := 0; replaced <= turnovers*n || l.full == 0; replaced++ {
		count := a.Count()
		if replaced%n == 0 && replaced <= turnovers*n {
			state := state{rate: rate(a), collided: float64(count.Collided) / float64(s.Regions)}
			for _, hash := range hashes {
				if a.Deletable(hash) {
					state.deletable += 1 / float64(n)
				}
			}
			l.states = append(l.states, state)
		}
		if count.Collided == s.UsedRegions() && l.full == 0 {
			l.full = float64(replaced)
		}
		a.Delete(hashes[replaced%n])
		hashes[replaced%n] = rng.Uint64()
		a.Insert(hashes[replaced%n])
	}
	return l
}
