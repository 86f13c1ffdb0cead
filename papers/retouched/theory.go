package retouched

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/plot/plotter"

	"github.com/bloomlane/bloomlane/filter/family/retouched"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// rate is Eq. (5): the rate of false positives of n elements.
func rate(m, n, k int) float64 { return Shape{Bits: m, Members: n, Hashes: k}.Rate() }

// shape is the filter of section IV-C.
var shape = Shape{Bits: bits, Members: members, Hashes: hashes}

// figure3 is the rate by m, by n and by k.
func figure3(run *trials.Run) ([]claim.Claim, []claim.Figure) {
	const number = 4
	said, points := newText("figure 3: directions", 0), newText("figure 3: points", number)
	points.Unit, points.Point = claim.Share, true
	picture := &chart.Picture{
		Title:   "Figure 3: the rate of false positives; lines are Eq. (5), marks simulated",
		Columns: 3, Width: 250, Height: 220,
	}
	for _, axis := range []struct {
		name          string
		values, ticks []float64
		of            func(v int) Shape
	}{
		{"m", []float64{40e3, 60e3, 80e3, 100e3, 130e3, 160e3, 200e3},
			[]float64{50e3, 100e3, 150e3, 200e3}, func(v int) Shape {
				return Shape{Bits: v, Members: members,
					Hashes: hashes}
			}},
		{"n", []float64{2e3, 4e3, 7e3, 10e3, 14e3, 18e3, 22e3}, []float64{5e3, 10e3, 15e3, 20e3},
			func(v int) Shape {
				return Shape{Bits: bits, Members: v,
					Hashes: hashes}
			}},
		{"k", []float64{1, 2, 3, 4, 5, 7, 10, 14, 20}, []float64{1, 5, 10, 15, 20},
			func(v int) Shape {
				return Shape{Bits: bits, Members: members,
					Hashes: v}
			}},
	} {
		var line, marks plotter.XYs
		for _, v := range axis.values {
			s := axis.of(int(v))
			found := claim.Mean(trials.Each(run, fmt.Sprint("figure 3 ", s), number,
				func(rng *rand.Rand) float64 {
					set := make([]bool, s.Bits)
					for range s.Hashes * s.Members {
						set[rng.IntN(s.Bits)] = true
					}
					return math.Pow(count(set)/float64(s.Bits), float64(s.Hashes))
				}))
			line, marks = append(line, plotter.XY{X: v, Y: s.Rate()}), append(marks,
				plotter.XY{X: v, Y: *found.Measured})
			points.Parameters, points.Theory = map[string]any{axis.name: v},
				claim.By("Eq. (5)", s.Rate())
			points.says("figure 3", "rate of false positives", claim.Published{}, found, "")
		}
		panel := chart.New("", axis.name, "rate of false positives")
		panel.X.Tick.Marker = chart.Ticks(whole, axis.ticks...)
		panel.Add("Eq. (5)", line, chart.Expected(0))
		panel.Add("simulated", marks, chart.Marks(0))
		chart.Logarithmic(quantity.Percent, &panel.Y)
		picture.Panels = append(picture.Panels, panel)

		var steps []float64 // of the rate's logarithm
		for i := range len(line) - 1 {
			steps = append(steps, math.Log(line[i+1].Y/line[i].Y))
		}
		said.Parameters = map[string]any{"over": axis.name}
		switch axis.name {
		case "m":
			said.trend(`"f_P is a decreasing function of m"`, "log of the rate's largest step",
				claim.Lower, claim.Exact(slices.Max(steps)), "")
		case "n":
			said.trend(`"and an increasing function of n"`,
				"log of the rate's least step", claim.Higher, claim.Exact(slices.Min(steps)), "")
		case "k":
			const where = `with k "f_P first decreases, reaches a minimum and then increases"`
			said.trend(where, "log of the rate's first step", claim.Lower,
				claim.Exact(steps[0]), "")
			said.trend(where, "log of the rate's last step", claim.Higher,
				claim.Exact(steps[len(steps)-1]), "")
		}
	}
	return append(said.claims, points.claims...),
		[]claim.Figure{{Name: "figure3", Picture: picture}}
}

// randomized is what section III-B says of clearing bits at random.
func randomized(run *trials.Run) ([]claim.Claim, []claim.Figure) {
	shares := [...]float64{0.01, 0.05, 0.1, 0.25}
	type change struct{ removed, lost, rate, fewer float64 } // shares, f_P, and numbers
	results := trials.Each(run, "randomized", runs, func(rng *rand.Rand) (all [len(shares)]change) {
		at := newScene(rng, bits, members, universe)
		positives := float64(len(at.positives))
		for i, share := range shares {
			o, _ := at.apply(retouched.Config{
				Algorithm: retouched.Randomized, Members: source(at.members),
				Bits: int(math.Round(share * float64(at.Stats().Ones))), Seed: rng.Uint64(),
			})
			all[i] = change{o.removed / positives, o.lost / members,
				positives / (universe - members), o.removed - o.lost}
		}
		return all
	})
	t := newText("section III-B: random clearing", runs)
	for i, share := range shares {
		of := func(number func(c *change) float64) []float64 {
			return trials.Column(results,
				func(all *[len(shares)]change) float64 { return number(&all[i]) })
		}
		removed := of(func(c *change) float64 { return c.removed })
		lost := of(func(c *change) float64 { return c.lost })
		eq16 := 1 - shape.Kept(int(math.Round(share*shape.One()*bits)))
		within := claim.Published{Value: &eq16, Least: new(0.99 * eq16), Most: new(1.01 * eq16)}
		t.Parameters = map[string]any{"s/(p1 m)": percent(share)}
		t.Unit, t.Theory = claim.Share, claim.By("Eq. (16)", eq16)
		t.says("Eq. (16), within 1 %", "false positives removed", within, claim.Mean(removed),
			"not as Eq. (16) has it")
		t.says("Eq. (16), within 1 %", "false negatives made", within, claim.Mean(lost),
			"not as Eq. (16) has it")
		t.Unit, t.Theory = claim.Number, claim.By("Eqs. (14) and (15)", 1)
		t.says(`"maintaining the ratio χ equal to 1", within 1 %`, "χ", claim.Rounded(1, 0.02),
			claim.Ratio(removed, lost),
			"not as Eq. (16) has it")
		t.Theory = claim.By("Eq. (16)", eq16*((universe-members)*shape.Rate()-members))
		t.trend(
			`"eliminate many more false positives than the number of false negatives generated"`,
			"false positives removed, less members lost", claim.Higher,
			claim.Mean(of(func(c *change) float64 { return c.fewer })), "")
		if share != 0.1 {
			continue
		}
		const where = `abstract: an overall error rate, "a combination", "equal to the false positive rate ` + `of the corresponding" filter, within 1 %`
		why := fmt.Sprintf("a rate of false positives of %s falls by %s of it, and one of false "+
			"negatives rises from 0 to %s: only the proportions balance",
			quantity.Percent(shape.Rate()), quantity.Percent(eq16), quantity.Percent(eq16))
		t.Reading, t.Theory = "f'_P/f_P + f'_N, of 1", claim.By("Eq. (16)", 1)
		t.says(where, "overall error, as a multiple of the filter's", claim.Rounded(1, 0.02),
			claim.Mean(of(func(c *change) float64 { return 1 - c.removed + c.lost })), why)
		t.Reading, t.Theory = "f'_P + f'_N, of f_P", claim.By("Eq. (16)", 1-eq16+eq16/shape.Rate())
		t.says(where, "overall error, as a multiple of the filter's", claim.Rounded(1, 0.02),
			claim.Mean(of(func(c *change) float64 { return 1 - c.removed + c.lost/c.rate })), why)
		t.Reading = claim.Literal
	}
	return t.claims, nil
}
