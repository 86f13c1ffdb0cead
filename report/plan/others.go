package plan

import (
	"fmt"
	"math"

	"github.com/bloomlane/bloomlane/filter/cuckoo"
	"github.com/bloomlane/bloomlane/filter/rolling"
)

// Other is a filter of another kind for the same members.
type Other struct {
	Kind       string  `json:"kind"`
	BitsPerKey float64 `json:"bits_per_key"`
	Rate       float64 `json:"rate"` // that is expected, whatever comes and goes
	Costs      string  `json:"costs"`
}

// String says how many bits it takes, and what it costs besides.
func (o Other) String() string {
	return fmt.Sprintf("%s: %.1f bits per key; %s", o.Kind, o.BitsPerKey, o.Costs)
}

// kinds are those of the other kinds of which no number of turnovers raises the rate. Each returns
// its size for a rate, or with a rate of 0 for bits per key, and the number with which its rate is
// the highest.
var kinds = []struct {
	name, costs string
	planned     func(members int, rate, bitsPerKey float64) (size shape, most int, err error)
}{
	{cuckoo.Kind.Name, "it can refuse an insert, and a query reads two cache lines",
		func(members int, rate, bitsPerKey float64) (shape, int, error) {
			s, err := (&cuckoo.Config{Members: members, Rate: rate, BitsPerKey: bitsPerKey}).Shape()
			return s, members, err
		}},
	{rolling.Kind.Name, "a query reads up to four cache lines, and members that outlive the ring " +
		"are inserted again", func(members int, rate, bitsPerKey float64) (shape, int, error) {
		s, err := (&rolling.Config{Members: members, Rate: rate, BitsPerKey: bitsPerKey}).Shape()
		return s, math.MaxInt, err
	}},
}

// shape is the size of a filter of any kind.
type shape interface {
	Rate(n int) float64
	Bytes() int
}

// others returns the filters of the other kinds that there are, for a rate or for bits per key.
func (r *Report) others(rate, bitsPerKey float64) (all []Other) {
	for _, k := range kinds {
		size, most, err := k.planned(r.Members, rate, bitsPerKey)
		if err == nil {
			all = append(all, Other{k.name, 8 * float64(size.Bytes()) / float64(r.Members),
				size.Rate(most), k.costs})
		}
	}
	return all
}

// cheaper returns the others that take fewer bits for the rate that was asked for, or else for that
// at the end.
func (r *Report) cheaper() (all []Other) {
	rate := r.Rate
	if rate == 0 {
		rate = r.End.Rate
	}
	if !(rate > 0 && rate < 1) {
		return nil
	}
	for _, o := range r.others(rate, 0) {
		if o.BitsPerKey < r.BitsPerKey || !r.Keeps {
			all = append(all, o)
		}
	}
	return all
}
