package plan

import (
	"fmt"

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
// its filter for a rate, or with a rate of 0 for bits per key.
var kinds = []struct {
	name, costs string
	planned     func(members int, rate, bitsPerKey float64) (bytes int, expected float64, err error)
}{
	{cuckoo.Kind.Name, "it can refuse an insert, and a query reads two cache lines",
		func(members int, rate, bitsPerKey float64) (int, float64, error) {
			p, err := (&cuckoo.Config{Members: members, Rate: rate,
				BitsPerKey: bitsPerKey}).Planned()
			return p.Bytes, p.Rate, err
		}},
	{rolling.Kind.Name, "a query reads up to four cache lines, and members that outlive the ring " +
		"are inserted again", func(members int, rate, bitsPerKey float64) (int, float64, error) {
		p, err := (&rolling.Config{Members: members, Rate: rate, BitsPerKey: bitsPerKey}).Planned()
		return p.Bytes, p.Rate, err
	}},
}

// others returns the filters of the other kinds that there are, for a rate or for bits per key.
func (r *Report) others(rate, bitsPerKey float64) (all []Other) {
	for _, k := range kinds {
		bytes, expected, err := k.planned(r.Members, rate, bitsPerKey)
		if err == nil {
			all = append(all, Other{k.name, 8 * float64(bytes) / float64(r.Members),
				expected, k.costs})
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
