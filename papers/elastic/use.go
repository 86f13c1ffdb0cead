package elastic

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/plot/plotter"

	"github.com/bloomlane/bloomlane/filter/elastic"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/elastic/original"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// inUse is the form to use, package filter/elastic, beside the paper's.
var inUse = []claim.Part{forms}

// form is what a filter has with a number of members: bytes per member, and non-members that it
// finds.
type form struct{ fast, slow, found float64 }

// forms grows both from the same number of members, for the same rate.
func forms(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	const least, asked = 1 << 10, 1 << 16
	rate := math.Pow(threshold, hashes)
	most := number(run, 1<<18, 1<<14)
	var at []int
	for n := float64(least); n <= float64(most); n *= math.Exp2(1. / 8) {
		at = append(at, int(n))
	}
	names := []string{"the paper's", "filter/elastic"}
	grow := func(
		rng *rand.Rand,
		insert func(hash uint64),
		query func(hash uint64) bool,
		bytes func() (fast, slow int),
	) []form {
		var all []form
		members := 0
		for i, n := range at {
			for ; members < n; members++ {
				insert(rng.Uint64())
			}
			fast, slow := bytes()
			f := form{fast: float64(fast) / float64(n), slow: float64(slow) / float64(n)}
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
	all := trials.Each(run, "forms", 2, func(rng *rand.Rand) []form {
		c := original.Default()
		c.Log = 14 // of the first bits of which as many members set less than the threshold
		for float64(least)*hashes/math.Exp2(float64(c.Log)) > perBit(threshold) {
			c.Log++
		}
		f := must(original.New(c))
		return grow(rng, func(hash uint64) { must(0, f.Insert(hash)) }, f.Query, f.Bytes)
	})[:1]
	all = append(all, trials.Each(run, "forms, in use", 1, func(rng *rand.Rand) []form {
		f := must(elastic.New(elastic.Config{Members: least, Rate: rate,
			Key: keytest.Key(1)}))
		return grow(rng, func(hash uint64) { must(f.InsertHash(hash)) }, f.QueryHash,
			func() (fast, slow int) {
				s := f.Stats()
				return s.FastBytes, s.SlowBytes
			})
	})...)

	panel := chart.New("", "members", "bytes per member")
	for i, name := range names {
		var fast, slow plotter.XYs
		highest, worst, heaviest := 0.0, form{}, 0.0
		for j, n := range at {
			f := all[i][j]
			fast, slow = append(
				fast,
				plotter.XY{X: float64(n), Y: f.fast},
			), append(
				slow,
				plotter.XY{X: float64(n), Y: f.slow},
			)
			highest, heaviest = max(highest, f.fast), max(heaviest, f.slow)
			worst.found += f.found
			for _, of := range []struct {
				quantity string
				value    float64
			}{{"bytes of fast memory per member", f.fast},
				{"bytes of slow memory per member", f.slow}} {
				claims = append(claims, claim.Claim{
					Item: "the form to use", Where: "section 3",
					Parameters: map[string]any{"form": name, "n": n}, Unit: claim.Number,
					Quantity: of.quantity, Interval: claim.Exact(of.value), Trials: 1,
					Reading: claim.Literal, Point: true,
				})
			}
		}
		panel.Add(name+", fast", fast, chart.Curve(2*i))
		panel.Add(name+", slow", slow, chart.Curve(2*i+1))
		c := claim.Claim{
			Item: "the form to use", Where: "section 3", Unit: claim.Number, Trials: 1,
			Reading:    claim.Literal,
			Parameters: map[string]any{"form": name, "from": least, "to": most},
		}
		for _, of := range []struct {
			quantity string
			value    float64
		}{
			{"bytes of fast memory per member at last", all[i][len(at)-1].fast},
			{"bytes of slow memory per member at last", all[i][len(at)-1].slow},
			{"bytes of fast memory per member, at most", highest},
			{"bytes of slow memory per member, at most", heaviest},
		} {
			c.Quantity, c.Interval = of.quantity, claim.Exact(of.value)
			claims = append(claims, c)
		}
		c.Where, c.Quantity, c.Unit = "section 3.2.4: the rate is Ω^k at most",
			"non-members that are found", claim.Share
		c.Published, c.Trials = upTo(rate), (len(at)+7)/8*asked
		c.Interval, c.Why = claim.Proportion(int(worst.found), c.Trials), "there are more"
		claims = append(claims, c)
	}
	a, highest, worst := alephFor(least, at[len(at)-1], rate), 0., 0.
	var points plotter.XYs
	for _, n := range at {
		bits, found := a.at(n)
		points = append(points, plotter.XY{X: float64(n), Y: bits / 8 / float64(n)})
		highest, worst = max(highest, points[len(points)-1].Y), found
	}
	panel.Add("Aleph filter, all of it, by formula", points, chart.Expected(2*len(names)))
	c := claim.Claim{
		Item: "the form to use", Where: "section 3", Unit: claim.Number, Reading: claim.Literal,
		Parameters: map[string]any{"form": "Aleph filter", "field": a.field,
			"from": least, "to": most},
	}
	for _, of := range []struct {
		quantity string
		value    float64
	}{
		{"bytes per member at last", points[len(points)-1].Y},
		{"bytes per member, at most", highest},
		{"rate of false positives at last, as a multiple of that of Ω^k", worst / rate},
	} {
		c.Quantity, c.Interval = of.quantity, claim.Exact(of.value)
		claims = append(claims, c)
	}
	chart.Logarithmic(quantity.Number, &panel.X)
	chart.Logarithmic(quantity.Number, &panel.Y)
	return claims, []claim.Figure{{Name: "forms", Picture: &chart.Picture{
		Title: fmt.Sprintf(
			"Memory of the paper's form, of filter/elastic and of an Aleph filter, for a rate of "+
				"%s at most",
			quantity.Percent(rate),
		),
		Panels: []*chart.Panel{panel}, Columns: 1, Width: 480, Height: 300,
	}}}
}
