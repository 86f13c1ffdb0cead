package letter

import (
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/plot/plotter"

	"github.com/bloomlane/bloomlane/filter/family/dlbf"
	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/inpacket"
	"github.com/bloomlane/bloomlane/kernel"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// lipsin holds three filters in a packet's header beside each other, for the links of a delivery
// tree: that of LIPSIN (Jokela et al., SIGCOMM 2009), from which nothing is deleted, the letter's,
// and a block of this project.
func lipsin(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	const least, most = 12, 35
	number := letterly
	plain, letters := standard(256, hashes), shape(regions)
	of := func(s dlbf.Shape) func(n int) []trial {
		return func(n int) []trial {
			return simulate(run, fmt.Sprint("in packets ", s, n), s, n, hashed, queries, number)
		}
	}
	forms := []struct {
		name      string
		simulated func(n int) []trial
		rate      func(n int) float64
		deletable func(n int) float64 // nil where nothing is
	}{
		{"LIPSIN: m = 256, k = 5", of(plain),
			func(n int) float64 { return occupied(plain, n) }, nil},
		{"letter: m = 240, k = 5, r = 24", of(letters),
			func(n int) float64 { return occupied(letters, n) }, letters.Deletability},
		{"Bloomlane: a block of 256 bits, k = 7",
			func(n int) []trial { return ours(run, n, number) },
			inpacket.FalseMatchRate[kernel.Block256],
			func(n int) float64 { return planning.FreshDeletability(256, n, 1) }},
	}
	rates := chart.New("", "links, n", "rate of false matches")
	removable := shares(chart.New("", "links, n", "deletable links (%)"))
	line := func(of func(n int) float64) (xys plotter.XYs) {
		for n := least; n <= most; n++ {
			xys = append(xys, plotter.XY{X: float64(n), Y: of(n)})
		}
		return xys
	}
	for i, form := range forms {
		var found, links plotter.XYs
		for n := least; n <= most; n++ {
			if run.Short && n%5 != 2 && n != most {
				continue
			}
			results := form.simulated(n)
			c := claim.Claim{
				Item: "in packet headers", Where: "section V", Parameters: map[string]any{"n": n},
				Unit: claim.Share, Trials: number,
				Reading: form.name, Point: n != 12 && n != members && n != most,
			}
			c.Quantity = "rate of false matches"
			c.Theory, c.Interval = claim.By(exact, form.rate(n)), mean(results, before)
			claims = append(claims, c)
			found = append(found, plotter.XY{X: float64(n), Y: *c.Measured})
			if form.deletable == nil {
				continue
			}
			c.Quantity = "deletable links"
			c.Theory, c.Interval = claim.By(exact, form.deletable(n)), deletables(results)
			claims = append(claims, c)
			links = append(links, plotter.XY{X: float64(n), Y: *c.Measured})
		}
		rates.Add(form.name, line(form.rate), chart.Expected(i))
		rates.Add(form.name, found, chart.Marks(i))
		if form.deletable != nil {
			removable.Add(form.name, line(form.deletable), chart.Expected(i))
			removable.Add(form.name, links, chart.Marks(i))
		}
	}
	chart.Logarithmic(quantity.Percent, &rates.Y)
	return claims, []claim.Figure{{Name: "inpacket", Picture: &chart.Picture{
		Title:  "Filters in packet headers; lines are exact, marks simulated",
		Panels: []*chart.Panel{rates, removable}, Columns: 2, Width: 320, Height: 250,
	}}}
}

// ours runs the trials of a block of this project's format.
func ours(run *trials.Run, n, number int) []trial {
	return trials.Each(run, fmt.Sprint("ours ", n), number, func(rng *rand.Rand) (t trial) {
		var b kernel.Block256
		masks := make([]kernel.Block256, n)
		for i := range masks {
			masks[i] = kernel.Mask256(rng.Uint64())
			b.Insert(&masks[i])
		}
		for range queries {
			if mask := kernel.Mask256(rng.Uint64()); b.Query(&mask) {
				t.before += 1. / queries
			}
		}
		for i := range masks {
			if b.Delete(&masks[i]) == kernel.Deleted {
				t.deletable += 1 / float64(n)
			}
		}
		return t
	})
}
