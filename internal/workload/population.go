package workload

import (
	"iter"
	"math/rand/v2"
	"slices"
)

// Lifetime draws how long members stay, in mean lifetimes. Package planning has some.
type Lifetime interface {
	Draw(rng *rand.Rand) float64     // of a new member
	DrawRest(rng *rand.Rand) float64 // the rest, of a member of a population in equilibrium
}

// Population is a constant number of members that come and go. Each has a place, from 0 to Len()-1,
// which the member that replaces it takes over: what an owner keeps with a member stands in a slice
// of its own, at that place. The hashes are random.
type Population struct {
	rng    *rand.Rand
	life   Lifetime
	hashes []uint64 // by place
	leave  queue
}

// NewPopulation returns n members, at least 1, in equilibrium: the time that each still stays is
// the rest of a lifetime.
func NewPopulation(n int, life Lifetime, rng *rand.Rand) *Population {
	p := &Population{rng, life, make([]uint64, n), make(queue, n)}
	drawn := make([]uint64, n)
	for i := range p.leave {
		p.leave[i] = leaving{life.DrawRest(rng), i}
		drawn[i] = rng.Uint64()
	}
	for i := n/2 - 1; i >= 0; i-- {
		p.leave.down(i)
	}
	// places in the order of the heap: the recorded studies inserted their members so
	for i := range p.leave {
		p.hashes[i] = drawn[p.leave[i].place]
		p.leave[i].place = i
	}
	return p
}

// Len returns the number of members.
func (p *Population) Len() int { return len(p.hashes) }

// Hashes returns the hashes of the members, by place. The slice belongs to the population: do not
// write to it. Replace changes it.
func (p *Population) Hashes() []uint64 { return p.hashes }

// Live yields the hashes of the members, in the order of their places, as they are when it is
// called.
func (p *Population) Live() iter.Seq[uint64] { return slices.Values(p.hashes) }

// Next returns the place of the member that leaves next.
func (p *Population) Next() (place int) { return p.leave[0].place }

// Replace replaces the member at Next by a new one, and returns the hashes of both.
func (p *Population) Replace() (gone, come uint64) {
	next := &p.leave[0]
	gone = p.hashes[next.place]
	next.end += p.life.Draw(p.rng)
	come = p.rng.Uint64()
	p.hashes[next.place] = come
	p.leave.down(0)
	return gone, come
}

// leaving says when the member at a place leaves, in mean lifetimes.
type leaving struct {
	end   float64
	place int
}

// queue is a binary heap, with the next member to leave at the top.
type queue []leaving

// down restores the heap where the member at i may leave later than those below it.
func (q queue) down(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(q); child++ {
			if q[child].end < q[least].end {
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
