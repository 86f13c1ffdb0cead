package main

import (
	"math"
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/bench/encodings/encoding"
	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/filter/rolling"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// Demand is what a table must still be like after its turnovers.
type Demand struct {
	Rate      float64 `json:"rate"`      // of false positives, at most
	Deletable float64 `json:"deletable"` // the part of the members, at least
}

var (
	demands = []Demand{{Rate: 0.01}, {Rate: 0.001}, {Rate: 0.01, Deletable: 0.95}}
	ages    = []float64{0, 1, 2, 3, 5, 10} // turnovers
)

// Size is how many bits a key an encoding takes to meet a demand after delete-oldest turnovers, and what
// the table is like then.
type Size struct {
	Demand
	Encoding  string  `json:"encoding"`
	Turnovers float64 `json:"turnovers"`
	Bits      float64 `json:"bits_a_key"`

	HasRate      float64 `json:"has_rate"`
	HasDeletable float64 `json:"has_deletable"`
}

// ring is the name of package rolling's filter beside the encodings: of 4 generations, sized by its bound
// on the rate, which no history raises. A generation is a fresh table of the format when it is full, so
// that where a part must be deletable it has the format's fresh bits for each of its inserts.
const ring = "rolling, for ever"

const (
	mostBits = 256 // beyond which a demand is not met
	bitsStep = 0.1
)

// sizes finds the sizes for demands and turnovers, the first of which is 0, each by bisection: all have the
// same history of members.
func (p *Plan) sizes(demands []Demand, ages []float64, step func()) (sizes []Size, err error) {
	for _, d := range demands {
		plan, err := (&rolling.Config{Members: p.Members, Rate: d.Rate}).Planned()
		if err != nil {
			return nil, err
		}
		bits := 8 * float64(plan.Bytes) / float64(p.Members)
		inserts := float64(plan.Generations*plan.Capacity) / float64(p.Members)
		for _, turnovers := range ages {
			for _, e := range compared {
				s := Size{Demand: d, Encoding: e.String(), Turnovers: turnovers, Bits: mostBits}
				for low := 4.0; s.Bits-low > bitsStep; {
					middle := (low + s.Bits) / 2
					rate, deletable := p.after(e, middle, turnovers)
					if rate <= d.Rate && deletable >= d.Deletable {
						s.Bits, s.HasRate, s.HasDeletable = middle, rate, deletable
					} else {
						low = middle
					}
				}
				if s.Bits < mostBits {
					sizes = append(sizes, s)
				}
				if e == compared[0] && turnovers == 0 && d.Deletable > 0 {
					bits = max(bits, inserts*s.Bits)
				}
			}
			sizes = append(sizes, Size{Demand: d, Encoding: ring, Turnovers: turnovers, Bits: bits, HasRate: d.Rate})
			step()
		}
	}
	return sizes, nil
}

// after returns what a table is like after turnovers.
func (p *Plan) after(e encoding.Encoding, bits, turnovers float64) (rate, deletable float64) {
	members := workload.NewPopulation(p.Members, planning.Oldest(), rand.New(rand.NewPCG(1, 2)))
	t := newTable(e, p.Members, bits)
	for _, h := range members.Hashes() {
		t.insert(h)
	}
	for range int(math.Round(turnovers * float64(p.Members))) {
		gone, come := members.Replace()
		t.remove(gone)
		t.insert(come)
	}
	deletable, _ = t.deletable(members)
	return t.rate(), deletable
}
