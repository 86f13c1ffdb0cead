package elastic

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/bloomlane/bloomlane/filter/elastic"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// The forms that are compared: package filter/elastic is the one to use.
const (
	papersForm = "the paper's"
	usedForm   = "filter/elastic"
	alephForm  = "Aleph filter"
)

// All grow from the same number of members, for the same rate. Now and then non-members are asked
// for.
const leastMembers, mostMembers, queries = 1 << 10, 1 << 18, 1 << 16

var rateOfForms = math.Pow(threshold, hashes)

// membersTo returns the numbers of members up to one, in steps of an eighth of a doubling.
func membersTo(most int) (places []float64) {
	for n := float64(leastMembers); n <= float64(most); n *= math.Exp2(1. / 8) {
		places = append(places, math.Floor(n))
	}
	return places
}

// newForm returns an empty filter of a form: to insert and to query a hash, and the bytes of its
// parts.
func newForm(name string) (insert, query func(uint64) bool, bytes func() (fast, slow float64)) {
	if name == usedForm {
		f, err := elastic.New(elastic.Config{Members: leastMembers, Rate: rateOfForms,
			Key: keytest.Key(1)})
		must(err == nil)
		insert = func(hash uint64) bool {
			_, err := f.InsertHash(hash)
			return err == nil
		}
		return insert, f.QueryHash, func() (fast, slow float64) {
			s := f.Stats()
			return float64(s.FastBytes), float64(s.SlowBytes)
		}
	}
	// of the first bits of which as many members set less than the threshold
	f := large(logFor(14, leastMembers), threshold)
	return f.Insert, f.Query, func() (fast, slow float64) {
		return math.Exp2(float64(f.Log())) / 8, slowBits(f.Log(), true) / 8
	}
}

// forms is the form to use, package filter/elastic, beside the paper's, and an Aleph filter.
func (s study) forms() claim.Quantities {
	sizes := membersTo(s.number(mostMembers, 1<<14))
	grown := claim.Simulation{
		Name: func(at claim.Parameters) string {
			names := map[string]string{papersForm: "forms", usedForm: "forms, in use"}
			return claim.Pick(at, "form", names)
		},
		Times: claim.Times(1, 1),
		Trial: func(rng *rand.Rand, at claim.Parameters) claim.Outcome {
			o, members := claim.Outcome{"found": {0}, "asked": {0}}, 0
			insert, query, bytes := newForm(at.Text("form"))
			for i, n := range sizes {
				for ; members < int(n); members++ {
					must(insert(rng.Uint64()))
				}
				fast, slow := bytes()
				o["fast"], o["slow"] = append(o["fast"], fast/n), append(o["slow"], slow/n)
				if i%8 != 0 {
					continue
				}
				o["asked"][0] += queries
				for range queries {
					if query(rng.Uint64()) {
						o["found"][0]++
					}
				}
			}
			return o
		},
	}
	point := claim.Along("n", sizes)
	// meanOf is one of the values by members: that of a claim, the last, or the highest.
	meanOf := func(values []float64, given claim.Parameters) float64 {
		switch i := point(given); {
		case i >= 0:
			return values[i]
		case given.Text("n") != "": // which a short run does not grow to
			return math.NaN()
		case given.Text("of") == "the highest":
			return slices.Max(values)
		}
		return values[len(values)-1]
	}
	bytes := func(memory string) claim.Quantity {
		return claim.Quantity{Trials: func(run *trials.Run, at claim.Parameters) claim.Sample {
			name, _, values := grown.Column(run, at, memory)
			v := meanOf(values, at)
			if math.IsNaN(v) {
				return claim.Sample{}
			}
			return claim.Sample{Of: name, Values: []float64{v}}
		}}
	}
	ofAleph := claim.Parameters{"form": alephForm}
	// the Aleph filter that has the rate with the most members of a run
	a := alephFor(leastMembers, int(sizes[len(sizes)-1]), rateOfForms)
	perMember := make([]float64, len(sizes))
	rate := 0.0
	for i, n := range sizes {
		perMember[i], rate = a.grown(int(n))
	}
	floats.Scale(1./8, floats.DivTo(perMember, perMember, sizes))
	return claim.Quantities{
		"bytes of fast memory per member": bytes("fast"),
		"bytes of slow memory per member": bytes("slow"),
		"non-members that are found while it grows": {Unit: claim.Share,
			Trials: grown.Counted("found", "asked")},
		"bytes per member": computed(func(at claim.Parameters) float64 {
			return meanOf(perMember, at)
		}).Fixed(ofAleph),
		"bits of a fingerprint's field": computed(claim.Constant(float64(a.field))).Fixed(ofAleph),
		"rate of false positives at last, as a multiple of that of Ω^k": computed(
			claim.Constant(rate / rateOfForms)).Fixed(ofAleph),
	}
}
