package elastic

import (
	"math"
	"math/rand/v2"

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

	reads, writes int // of bits or counters
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
	s.writes += last.hashes
	if last.set() > s.full {
		s.all = append(s.all, layer{make([]uint8, s.times*len(last.cells)),
			last.hashes + s.more, 0})
	}
}

// holds reads the cells of a layer, up to the first that is 0.
func (s *layers) holds(l *layer, hash uint64) (held bool) {
	held = true
	l.each(hash, func(cell *uint8) bool {
		s.reads++
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
func (s *layers) delete(hash uint64) (of *layer) {
	held := 0
	for i := range s.all {
		if s.holds(&s.all[i], hash) {
			of, held = &s.all[i], held+1
		}
	}
	if held != 1 {
		return nil
	}
	of.remove(hash)
	s.writes += of.hashes
	return of
}

// rate returns the false-positive rate of the bits, exactly.
func (s *layers) rate() float64 {
	absent := 0.0
	for i := range s.all {
		absent += math.Log1p(-math.Pow(s.all[i].set(), float64(s.all[i].hashes)))
	}
	return -math.Expm1(absent)
}

func (s *layers) bits() (n int) {
	for i := range s.all {
		n += len(s.all[i].cells)
	}
	return n
}

// expectedLayers returns the rate of layers with n members, by the formulas of the peers' papers,
// and the cells that a query of a non-member reads: the layers before the last one have the members
// with which more of their cells are used than the threshold. That is a few cells more, as a
// renewal process overshoots.
func expectedLayers(s *layers, n int) (rate, reads float64) {
	m, k, left, absent := float64(len(s.all[0].cells)), float64(hashes), float64(n), 1.0
	for {
		of := left
		if s.full < never {
			full := (math.Floor(s.full*m) + (k*(1-s.full)+s.full+1)/2) / m
			of = math.Min(left, m*perBit(full)/k)
		}
		set := -math.Expm1(-k * of / m)
		reads += absent * (1 - math.Pow(set, k)) / (1 - set)
		absent *= 1 - math.Pow(set, k)
		if left -= of; left <= 0 {
			return 1 - absent, reads
		}
		m, k = float64(s.times)*m, k+float64(s.more)
	}
}

// A subject grows with its members.
type subject struct {
	name   string
	insert func(hash uint64)
	query  func(hash uint64) bool
	// churn deletes a member, counts what that takes, and undoes it; nil if it cannot.
	churn  func(hash uint64) (deleted bool)
	rate   func() float64
	bits   func() (fast, slow int)
	layers func() int
	// accesses are those of bits and counters, which queries need, of buckets, and of buckets in
	// expansions.
	accesses func() original.Accesses
	// expected is the rate with n members, and the bits that a query of a non-member reads.
	expected func(n int) (rate, reads float64)
}

// The subjects of Figs. 3 to 6, in the order of the pictures.
const (
	elasticOne = iota
	dynamicOne
	scalableOne
	tightenedOne
	plainOne
	parOne
)

// subjects returns them, without members; Par-BF is for some at most.
func subjects(log, most int) []subject {
	of := func(name string, s *layers, deletes bool) subject {
		one := subject{
			name: name, insert: s.insert, query: s.query, rate: s.rate,
			bits:   func() (fast, slow int) { return s.bits(), 0 },
			layers: func() int { return len(s.all) },
			accesses: func() original.Accesses {
				return original.Accesses{Fast: s.reads + s.writes}
			},
			expected: func(n int) (rate, reads float64) { return expectedLayers(s, n) },
		}
		if deletes {
			one.bits = func() (fast, slow int) { return s.bits(), 4 * s.bits() }
			one.churn = func(hash uint64) bool {
				of := s.delete(hash)
				if of != nil {
					of.add(hash)
				}
				return of != nil
			}
		}
		return one
	}
	return []subject{
		ofOriginal(log),
		of("counting dynamic", newLayers(log, 1, 0, threshold), true),
		of("scalable", newLayers(log, 2, 0, threshold), false),
		of("scalable tightened", newLayers(log, 2, 1, threshold), false),
		of("plain", newLayers(log, 1, 0, never), false),
		of("Par-BF", newLayers(log, 1, 0, fullOfParBF(log, most)), true),
	}
}

func ofOriginal(log int) subject {
	c := original.Default()
	c.Log = log
	f := must(original.New(c))
	return subject{
		name: "elastic",
		insert: func(hash uint64) {
			if err := f.Insert(hash); err != nil {
				panic(err)
			}
		},
		query: f.Query,
		churn: func(hash uint64) bool {
			deleted := f.Delete(hash)
			if deleted {
				was := f.Accesses
				if err := f.Insert(hash); err != nil {
					panic(err)
				}
				f.Accesses = was
			}
			return deleted
		},
		rate: func() float64 { return math.Pow(f.SetBits(), hashes) },
		bits: func() (fast, slow int) {
			fast, slow = f.Bytes()
			return 8 * fast, 8 * slow
		},
		layers:   func() int { return 1 },
		accesses: func() original.Accesses { return f.Accesses },
		expected: func(n int) (rate, reads float64) {
			m := math.Exp2(float64(log))
			for float64(n)*hashes/m > perBit(threshold) {
				m *= 2
			}
			set := -math.Expm1(-float64(n) * hashes / m)
			return math.Pow(set, hashes), (1 - math.Pow(set, hashes)) / (1 - set)
		},
	}
}

// grown is what a subject has with a number of members.
type grown struct {
	rate, layers, fast, slow float64
	found                    float64 // non-members that are found, of those that were asked for
	random, positive         float64 // bits that a query reads
	slowQuery                float64 // buckets that queries read
	// bits, buckets and buckets of expansions per insert, of all until now
	insert, buckets, moved float64
	delete                 float64 // bits and buckets
	deleted                float64 // part of the deletes that were made
	mixRandom, mixPositive float64 // bits that queries read until now, per query
}

// sampled is the queries at each number of members, and the inserts of which one has queries behind
// it.
const sampled, mixed = 2000, 16

// grow inserts members, and returns what a subject has at some numbers of them.
func grow(rng *rand.Rand, s *subject, at []int) (all []grown) {
	var total original.Accesses // of inserts
	var random, positive, pairs float64
	counted := func(of *original.Accesses, f func()) {
		before := s.accesses()
		f()
		after := s.accesses()
		of.Fast += after.Fast - before.Fast
		of.Slow += after.Slow - before.Slow
		of.Moved += after.Moved - before.Moved
	}
	var members []uint64
	member := func() uint64 { return members[rng.IntN(len(members))] }
	for _, n := range at {
		for len(members) < n {
			hash := rng.Uint64()
			counted(&total, func() { s.insert(hash) })
			members = append(members, hash)
			if len(members)%mixed == 0 {
				var a, b original.Accesses
				counted(&a, func() { s.query(rng.Uint64()) })
				counted(&b, func() { s.query(member()) })
				random, positive, pairs = random+float64(a.Fast), positive+float64(b.Fast), pairs+1
			}
		}
		inserts := float64(n)
		fast, slow := s.bits()
		g := grown{
			rate:        s.rate(),
			layers:      float64(s.layers()),
			fast:        float64(fast),
			slow:        float64(slow),
			insert:      float64(total.Fast) / inserts,
			buckets:     float64(total.Slow) / inserts,
			moved:       float64(total.Moved) / inserts,
			mixRandom:   random / pairs,
			mixPositive: positive / pairs,
		}
		var absent, present, deletes original.Accesses
		for range sampled {
			counted(&absent, func() {
				if s.query(rng.Uint64()) {
					g.found += 1. / sampled
				}
			})
			counted(&present, func() { s.query(member()) })
		}
		g.random, g.positive = float64(absent.Fast)/sampled, float64(present.Fast)/sampled
		g.slowQuery = float64(absent.Slow+present.Slow) / (2 * sampled)
		if s.churn != nil {
			const times = sampled / 10
			for range times {
				counted(&deletes, func() {
					if s.churn(member()) {
						g.deleted += 1. / times
					}
				})
			}
			g.delete = float64(deletes.Fast+deletes.Slow) / times
		}
		all = append(all, g)
	}
	return all
}
