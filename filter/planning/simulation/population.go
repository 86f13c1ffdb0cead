package simulation

import (
	"iter"
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/filter/planning"
)

// Population is the members of a table, which come and go at a constant number. Their hashes are random.
type Population struct {
	rng     *rand.Rand
	life    planning.Lifetime
	members queue
}

// NewPopulation returns n members, 1 at least, that have been coming and going for ever: how long they
// stay is the rest of a lifetime.
func NewPopulation(n int, life planning.Lifetime, rng *rand.Rand) *Population {
	p := &Population{rng, life, make(queue, n)}
	for i := range p.members {
		p.members[i] = member{life.DrawRest(rng), rng.Uint64()}
	}
	for i := n/2 - 1; i >= 0; i-- {
		p.members.down(i)
	}
	return p
}

// Len returns the number of members.
func (p *Population) Len() int { return len(p.members) }

// Hashes returns the members, in no order.
func (p *Population) Hashes() iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for i := range p.members {
			if !yield(p.members[i].hash) {
				return
			}
		}
	}
}

// Next replaces the member that goes next by a new one, and returns both.
func (p *Population) Next() (gone, come uint64) {
	next := &p.members[0]
	gone = next.hash
	next.goes += p.life.Draw(p.rng)
	next.hash = p.rng.Uint64()
	come = next.hash
	p.members.down(0)
	return gone, come
}

// member is a key of the table and when it goes, in mean lifetimes.
type member struct {
	goes float64
	hash uint64
}

// queue is a binary heap of the members, who goes first at the top.
type queue []member

// down restores the heap where the member at i may go later than those below it.
func (q queue) down(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(q); child++ {
			if q[child].goes < q[least].goes {
				least = child
			}
		}
		if least == i {
			return
		}
		q[i], q[least] = q[least], q[i]
		i = least
	}
}
