package elastic

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bloomlane/bloomlane/filter/elastic"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/elastic/original"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// The forms that are compared: package filter/elastic is the one to use.
const (
	papersForm = "the paper's"
	usedForm   = "filter/elastic"
	alephForm  = "Aleph filter"
)

// Both grow from the same number of members, for the same rate. Now and then non-members are asked
// for.
const leastMembers, asked = 1 << 10, 1 << 16

var rateOfForms = math.Pow(threshold, hashes)

// membersTo returns the numbers of members up to one, in steps of an eighth of a doubling.
func membersTo(most int) (at []float64) {
	for n := float64(leastMembers); n <= float64(most); n *= math.Exp2(1. / 8) {
		at = append(at, math.Floor(n))
	}
	return at
}

// mostMembers is what a full run grows to.
const mostMembers = 1 << 18

func (s study) sizesOfForms() []float64 { return membersTo(s.number(mostMembers, 1<<14)) }

// form is what a filter has with a number of members: bytes per member, and non-members that it
// finds.
type form struct{ fast, slow, found float64 }

// grown returns a claim's form at each number of members.
func (s study) grown(at claim.Parameters) (string, []form) {
	sizes := s.sizesOfForms()
	grow := func(
		rng *rand.Rand,
		insert func(hash uint64),
		query func(hash uint64) bool,
		bytes func() (fast, slow int),
	) (all []form) {
		members := 0
		for i, n := range sizes {
			for ; members < int(n); members++ {
				insert(rng.Uint64())
			}
			fast, slow := bytes()
			f := form{fast: float64(fast) / n, slow: float64(slow) / n}
			if i%8 == 0 {
				for range asked {
					if query(rng.Uint64()) {
						f.found++
					}
				}
			}
			all = append(all, f)
		}
		return all
	}
	if at.Text("form") == usedForm {
		const name = "forms, in use"
		return name, trials.Recall(s.run, name, 1, func(rng *rand.Rand) []form {
			f := must(elastic.New(elastic.Config{Members: leastMembers, Rate: rateOfForms,
				Key: keytest.Key(1)}))
			return grow(rng, func(hash uint64) { must(f.InsertHash(hash)) }, f.QueryHash,
				func() (fast, slow int) {
					s := f.Stats()
					return s.FastBytes, s.SlowBytes
				})
		})[0]
	}
	return "forms", trials.Recall(s.run, "forms", 1, func(rng *rand.Rand) []form {
		c := original.Default()
		c.Log = 14 // of the first bits of which as many members set less than the threshold
		for float64(leastMembers)*hashes/math.Exp2(float64(c.Log)) > perBit(threshold) {
			c.Log++
		}
		f := must(original.New(c))
		return grow(rng, func(hash uint64) { must(0, f.Insert(hash)) }, f.Query, f.Bytes)
	})[0]
}

// ofForm is a number of a claim's form at its members; without them the last, or the highest.
func (s study) ofForm(number func(f *form) float64) claim.Trials {
	return func(_ *trials.Run, at claim.Parameters) claim.Sample {
		name, all := s.grown(at)
		values := trials.Column(all, number)
		i := len(values) - 1
		if n := at.Float("n"); !math.IsNaN(n) {
			if i = slices.Index(s.sizesOfForms(), n); i < 0 {
				return claim.Sample{}
			}
		} else if at.Text("of") == "the highest" {
			return claim.Sample{Of: name, Values: []float64{slices.Max(values)}}
		}
		return claim.Sample{Of: name, Values: values[i : i+1]}
	}
}

// aleph returns the Aleph filter that has the rate with the most members of a run, and the bytes
// per member and the rate with each number of them.
func (s study) aleph() (a aleph, bytes []float64, rate float64) {
	sizes := s.sizesOfForms()
	a = alephFor(leastMembers, int(sizes[len(sizes)-1]), rateOfForms)
	for _, n := range sizes {
		var bits float64
		bits, rate = a.at(int(n))
		bytes = append(bytes, bits/8/n)
	}
	return a, bytes, rate
}

// forms is the form to use, package filter/elastic, beside the paper's, and an Aleph filter.
func (s study) forms() claim.Quantities {
	return claim.Quantities{
		"bytes of fast memory per member": {
			Trials: s.ofForm(func(f *form) float64 { return f.fast })},
		"bytes of slow memory per member": {
			Trials: s.ofForm(func(f *form) float64 { return f.slow })},
		"non-members that are found while it grows": {Unit: claim.Share,
			Trials: func(_ *trials.Run, at claim.Parameters) (sample claim.Sample) {
				_, all := s.grown(at)
				for _, f := range all {
					sample.Hits += int(f.found)
				}
				sample.Cases = (len(all) + 7) / 8 * asked
				return sample
			}},
		"bytes per member": computed(func(at claim.Parameters) float64 {
			_, bytes, _ := s.aleph()
			if n := at.Float("n"); !math.IsNaN(n) {
				if i := slices.Index(s.sizesOfForms(), n); i >= 0 {
					return bytes[i]
				}
				return math.NaN()
			}
			if at.Text("of") == "the highest" {
				return slices.Max(bytes)
			}
			return bytes[len(bytes)-1]
		}),
		"bits of a fingerprint's field": computed(func(claim.Parameters) float64 {
			a, _, _ := s.aleph()
			return float64(a.field)
		}),
		"rate of false positives at last, as a multiple of that of Ω^k": computed(
			func(claim.Parameters) float64 {
				_, _, rate := s.aleph()
				return rate / rateOfForms
			}),
	}
}

func formsPlot() claim.Plot {
	var curves []claim.Curve
	for _, of := range []string{papersForm, usedForm} {
		for _, memory := range []string{"fast", "slow"} {
			curves = append(curves, claim.Curve{Name: of + ", " + memory,
				Quantity:   fmt.Sprintf("bytes of %s memory per member", memory),
				Parameters: claim.Parameters{"form": of}})
		}
	}
	curves = append(curves, claim.Curve{Name: "Aleph filter, all of it, by formula",
		Quantity: "bytes per member", Theory: exact, Computed: true,
		Parameters: claim.Parameters{"form": alephForm}})
	return claim.Plot{Name: "forms", Where: "section 3",
		Title: fmt.Sprintf("Memory of the paper's form, of filter/elastic and of an Aleph filter, "+
			"for a rate of %s at most", quantity.Percent(rateOfForms)),
		Columns: 1, Width: 480, Height: 300, Panels: []claim.Panel{{
			X: "members", Y: "bytes per member", By: "n", At: membersTo(mostMembers),
			Log: true, Curves: curves, Look: logarithmicX()}}}
}
