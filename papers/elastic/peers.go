package elastic

import (
	"math"

	"github.com/bloomlane/bloomlane/internal/probe"
	"github.com/bloomlane/bloomlane/papers/elastic/original"
)

// layers is the peers of the figures, as far as these go: Bloom filters with a counter for each
// bit, of which a new one is appended where more than a part of the last one's bits are set.
//
//   - A counting dynamic filter appends such as the first (Guo, Wu, Chen, Yuan and Luo: "The
//     Dynamic Bloom Filters", IEEE Transactions on Knowledge and Data Engineering 22, 2010).
//   - Par-BF (Liu, Ge, Du and Huang, 2014) is that, but it appends sooner: so that with the most
//     members the rate is that of one filter at the threshold. Its paper is not at hand. This is
//     how the authors of the Elastic Bloom filter made it for Fig. 7: exp.cpp of
//     Dustin-He/ElasticBloomFilter at commit d04de57.
//   - A scalable filter appends one of twice the bits. That of Almeida, Baquero, Preguiça and
//     Hutchison ("Scalable Bloom Filters", Information Processing Letters, 2007) gives each a hash
//     more: then the rate has a bound.
//   - A plain filter appends none.
type layers struct {
	// the bits of the next one, as a multiple, and its hashes beyond those of the last
	times, more int
	full        float64 // the part of the bits of the last one with which it appends one
	all         []layer

	accessed int // bits or counters
}

type layer struct {
	cells        []uint8
	hashes, ones int
}

// never is more than all bits.
const never = 2

func newLayers(log, times, more int, full float64) *layers {
	return &layers{times: times, more: more, full: full,
		all: []layer{{make([]uint8, 1<<log), hashes, 0}}}
}

// fullOfParBF is Par-BF's: each part has the rate full^k, and there are about kn/(m full) of them.
func fullOfParBF(log, most int) float64 {
	return math.Pow(math.Pow(threshold, hashes)*math.Exp2(float64(log))/(hashes*float64(most)),
		1./(hashes-1))
}

func (l *layer) set() float64 { return float64(l.ones) / float64(len(l.cells)) }

// each calls f for the cells of a hash, until it returns false.
func (l *layer) each(hash uint64, f func(cell *uint8) bool) {
	for range l.hashes {
		hash = probe.Next(hash)
		if !f(&l.cells[probe.Reduce(hash, uint64(len(l.cells)))]) {
			return
		}
	}
}

func (l *layer) add(hash uint64) {
	l.each(hash, func(cell *uint8) bool {
		if *cell == 0 {
			l.ones++
		}
		*cell++
		return true
	})
}

func (l *layer) remove(hash uint64) {
	l.each(hash, func(cell *uint8) bool {
		*cell--
		if *cell == 0 {
			l.ones--
		}
		return true
	})
}

func (s *layers) insert(hash uint64) {
	last := &s.all[len(s.all)-1]
	last.add(hash)
	s.accessed += last.hashes
	if last.set() > s.full {
		s.all = append(s.all, layer{make([]uint8, s.times*len(last.cells)),
			last.hashes + s.more, 0})
	}
}

// holds reads the cells of a layer, up to the first that is 0.
func (s *layers) holds(l *layer, hash uint64) (held bool) {
	held = true
	l.each(hash, func(cell *uint8) bool {
		s.accessed++
		held = *cell > 0
		return held
	})
	return held
}

func (s *layers) query(hash uint64) bool {
	for i := range s.all {
		if s.holds(&s.all[i], hash) {
			return true
		}
	}
	return false
}

// delete deletes a member, as Guo et al. do: where just one layer holds it, and else not, because
// it is not known which of them has it. It returns that layer, or nil.
func (s *layers) delete(hash uint64) (owner *layer) {
	held := 0
	for i := range s.all {
		if s.holds(&s.all[i], hash) {
			owner, held = &s.all[i], held+1
		}
	}
	if held != 1 {
		return nil
	}
	owner.remove(hash)
	s.accessed += owner.hashes
	return owner
}

func (s *layers) churn(hash uint64) bool {
	held := s.delete(hash)
	if held != nil {
		held.add(hash)
	}
	return held != nil
}

// rate returns the false-positive rate of the bits, exactly.
func (s *layers) rate() float64 {
	absent := 0.0
	for i := range s.all {
		absent += math.Log1p(-math.Pow(s.all[i].set(), float64(s.all[i].hashes)))
	}
	return -math.Expm1(absent)
}

func (s *layers) accesses() original.Accesses { return original.Accesses{Fast: s.accessed} }

// expected is by the formulas of the peers' papers: the layers before the last one have the members
// with which more of their cells are used than the threshold. That is a few cells more, as a
// renewal process overshoots.
func (s *layers) expected(n int) (rate, reads float64) {
	m, k, left, absent := float64(len(s.all[0].cells)), float64(hashes), float64(n), 1.0
	for {
		size := left
		if s.full < never {
			full := (math.Floor(s.full*m) + (k*(1-s.full)+s.full+1)/2) / m
			size = math.Min(left, m*perBit(full)/k)
		}
		set := part(k * size / m)
		reads += absent * bitsRead(set, k)
		absent *= 1 - math.Pow(set, k)
		if left -= size; left <= 0 {
			return 1 - absent, reads
		}
		m, k = float64(s.times)*m, k+float64(s.more)
	}
}

// growing is the paper's filter as a peer of these.
type growing struct {
	*original.Filter
	log int // to begin with
}

func (g growing) insert(hash uint64)          { must(g.Insert(hash)) }
func (g growing) query(hash uint64) bool      { return g.Query(hash) }
func (g growing) rate() float64               { return math.Pow(g.SetBits(), hashes) }
func (g growing) accesses() original.Accesses { return g.Accesses }

func (g growing) churn(hash uint64) bool {
	deleted := g.Delete(hash)
	if deleted {
		was := g.Accesses
		g.insert(hash)
		g.Accesses = was
	}
	return deleted
}

func (g growing) expected(n int) (rate, reads float64) {
	set := part(float64(n) * hashes / math.Exp2(float64(logFor(g.log, n))))
	return math.Pow(set, hashes), bitsRead(set, hashes)
}

// A subject grows with its members.
type subject interface {
	insert(hash uint64)
	query(hash uint64) bool
	churn(hash uint64) (deleted bool) // deletes a member, counts what that takes, and undoes it
	rate() float64
	// accesses are those of bits and counters, which queries need, of buckets, and of buckets in
	// expansions.
	accesses() original.Accesses
	// expected is the rate with n members, and the bits that a query of a non-member reads.
	expected(n int) (rate, reads float64)
}

// The subjects of Figs. 3 to 5, and those of them that delete.
var (
	subjects = []string{"elastic", "counting dynamic", "scalable", "scalable tightened", "plain",
		"Par-BF"}
	deleters = []string{subjects[0], subjects[1], subjects[5]}
)

// newSubject returns one without members; Par-BF is for some at most.
func newSubject(name string, log, most int) subject {
	switch name {
	case "counting dynamic":
		return newLayers(log, 1, 0, threshold)
	case "scalable":
		return newLayers(log, 2, 0, threshold)
	case "scalable tightened":
		return newLayers(log, 2, 1, threshold)
	case "plain":
		return newLayers(log, 1, 0, never)
	case "Par-BF":
		return newLayers(log, 1, 0, fullOfParBF(log, most))
	}
	return growing{large(log, threshold), log}
}
