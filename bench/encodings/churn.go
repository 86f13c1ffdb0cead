package main

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bloomlane/bloomlane/bench/encodings/encoding"
	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/internal/workload"
)

var (
	// compared are the ways to code collisions, the first of which is the format.
	compared = []encoding.Encoding{
		encoding.Lanes(1), encoding.Lanes(2), encoding.Lanes(3), encoding.Columns(2), encoding.Columns(4),
		encoding.Growing(24), encoding.Refining(8),
	}

	// between are the adaptive ones that change earlier or later. They are in tables, and in no picture.
	between = []encoding.Encoding{encoding.Growing(8), encoding.Growing(40), encoding.Refining(2), encoding.Refining(20)}

	encodings = slices.Concat(compared, between, []encoding.Encoding{encoding.Plain{}})
)

// Point is what an encoding's tables were like after a number of turnovers: means over seeds.
type Point struct {
	Lifetime  string  `json:"lifetime"`
	Bits      float64 `json:"bits_a_key"`
	Encoding  string  `json:"encoding"`
	Turnovers float64 `json:"turnovers"`

	// Rate is the false-positive rate of the tables' bits: the mean over blocks of the product of their
	// lanes' fills. RateError is its standard error over the seeds, 0 of one seed. Sampled is the
	// part of random strangers that were present.
	Rate      float64 `json:"rate"`
	RateError float64 `json:"rate_error"`
	Sampled   float64 `json:"sampled"`

	// Deletable is the part of the members whose delete clears a cell.
	Deletable float64 `json:"deletable"`

	// Lost is the number of members that are not found: 0.
	Lost int `json:"lost"`
}

// table is a table of an encoding.
type table struct {
	encoding.Encoding
	blocks []encoding.Block
}

// newTable returns one of as many whole blocks as come nearest to the bits.
func newTable(e encoding.Encoding, members int, bits float64) table {
	const blockBits = 64 * fallback.Lanes
	return table{e, make([]encoding.Block, max(1, int(math.Round(float64(members)*bits/blockBits))))}
}

func (t table) at(h uint64) *encoding.Block {
	return &t.blocks[fallback.Index(h, uint64(len(t.blocks)))]
}

func (t table) insert(h uint64) { t.Insert(t.at(h), fallback.Spread(h)) }
func (t table) remove(h uint64) { t.Delete(t.at(h), fallback.Spread(h)) }

func (t table) rate() (rate float64) {
	for i := range t.blocks {
		rate += t.Rate(&t.blocks[i])
	}
	return rate / float64(len(t.blocks))
}

// deletable returns the part of the members whose delete clears a cell, and the number that is lost.
func (t table) deletable(members *workload.Population) (part float64, lost int) {
	deletable := 0
	for _, h := range members.Hashes() {
		block := *t.at(h)
		switch t.Delete(&block, fallback.Spread(h)) {
		case fallback.Deleted:
			deletable++
		case fallback.Absent:
			lost++
		}
	}
	return float64(deletable) / float64(members.Len()), lost
}

// strangers is how many random keys are asked for, for each point and seed.
const strangers = 1 << 18

// churn has the same members come and go in a table of each encoding, for each lifetime, size and seed.
func (p *Plan) churn(step func()) (points []Point, err error) {
	for _, name := range p.Lifetimes {
		life, err := workload.ParseLifetime(name, nil)
		if err != nil {
			return nil, err
		}
		for _, bits := range p.Bits {
			sums := make([]Point, len(encodings)*len(p.Turnovers))
			squares := make([]float64, len(sums))
			for seed := range p.Seeds {
				rng := rand.New(rand.NewPCG(uint64(seed), 1))
				members := workload.NewPopulation(p.Members, life, rng)
				var tables []table
				for _, e := range encodings {
					t := newTable(e, p.Members, bits)
					for _, h := range members.Hashes() {
						t.insert(h)
					}
					tables = append(tables, t)
				}
				inserts := 0
				for at, turnovers := range p.Turnovers {
					for ; inserts < int(math.Round(turnovers*float64(p.Members))); inserts++ {
						gone, come := members.Replace()
						for _, t := range tables {
							t.remove(gone)
							t.insert(come)
						}
					}
					present := make([]int, len(tables))
					for range strangers {
						h := rng.Uint64()
						for i, t := range tables {
							if t.Query(t.at(h), fallback.Spread(h)) {
								present[i]++
							}
						}
					}
					for i, t := range tables {
						n := i*len(p.Turnovers) + at
						rate := t.rate()
						deletable, lost := t.deletable(members)
						s := &sums[n]
						*s = Point{
							Lifetime: name, Bits: bits, Encoding: t.String(), Turnovers: turnovers,
							Rate: s.Rate + rate, Sampled: s.Sampled + float64(present[i])/strangers,
							Deletable: s.Deletable + deletable, Lost: s.Lost + lost,
						}
						squares[n] += rate * rate
					}
				}
				step()
			}
			seeds := float64(p.Seeds)
			for n := range sums {
				s := &sums[n]
				s.Rate, s.Sampled, s.Deletable = s.Rate/seeds, s.Sampled/seeds, s.Deletable/seeds
				if p.Seeds > 1 {
					s.RateError = math.Sqrt(max(0, squares[n]/seeds-s.Rate*s.Rate) / (seeds - 1))
				}
			}
			points = append(points, sums...)
		}
	}
	return points, nil
}
