package retouched

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/plotter"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// lists is what figure 11 has of a vector of lists of all members, A, and of all false positives,
// B: the part of its cells that have an element, and how many these have on average.
type lists struct{ usedA, usedB, sizeA, sizeB float64 }

func (l *lists) columns() [4]float64 { return [...]float64{l.usedA, l.usedB, l.sizeA, l.sizeB} }

// newLists draws a filter of m bits, and counts.
func newLists(rng *rand.Rand, m int) (l lists) {
	s := newScene(rng, m, members, universe)
	fill := func(hashes []uint64, used, size *float64) {
		counts, own, cells := make([]int32, m), []uint64(nil), 0
		for _, hash := range hashes {
			own = s.AppendPositions(own[:0], hash)
			for _, p := range own {
				if counts[p]++; counts[p] == 1 {
					cells++
				}
			}
		}
		*used = float64(cells) / float64(m)
		*size = float64(len(hashes)*s.Shape().Hashes) / float64(cells)
	}
	fill(s.members, &l.usedA, &l.sizeA)
	fill(s.positives, &l.usedB, &l.sizeB)
	return l
}

// expectedLists is the same by the Poisson distribution.
func expectedLists(m int) lists {
	throws := hashes * float64(members) / float64(m)
	p1 := -math.Expm1(-throws)
	keys := hashes * rate(m, members, hashes) * (universe - members) /
		(p1 * float64(m)) // of a bit that is set
	return lists{p1, -p1 * math.Expm1(-keys), throws / p1, keys / -math.Expm1(-keys)}
}

// figure11 is the vectors of lists by their number of cells.
func figure11(run *trials.Run) ([]claim.Claim, []claim.Figure) {
	number := runs
	if run.Short {
		number = 3
	}
	t := newText("figure 11: lists", number)
	var vectors [10][]lists
	var drawn [4]plotter.XYs
	size := func(i int) int { return 10_000 * (i + 1) }
	mean := func(i int, of func(l *lists) float64) claim.Interval {
		return claim.Mean(trials.Column(vectors[i], of))
	}
	t.Point = true
	for i := range vectors {
		m := size(i)
		vectors[i] = trials.Each(run, fmt.Sprint("figure 11 ", m), number,
			func(rng *rand.Rand) lists { return newLists(rng, m) })
		expected := expectedLists(m)
		for j, name := range []string{"v_A: cells that are filled", "v_B: cells that are filled",
			"v_A: elements of a filled cell", "v_B: elements of a filled cell"} {
			found := mean(i, func(l *lists) float64 { return l.columns()[j] })
			drawn[j] = append(drawn[j], plotter.XY{X: float64(m), Y: *found.Measured})
			t.Parameters, t.Theory = map[string]any{"m": m},
				claim.By("Poisson", expected.columns()[j])
			t.says("figure 11", name, claim.Published{}, found, "")
		}
	}
	t.Point, t.Theory = false, claim.Theory{}
	var xs, ys []float64
	for _, xy := range drawn[0] {
		xs, ys = append(xs, xy.X), append(ys, xy.Y)
	}
	t.says(`"decreases nearly linearly with the vector size"`,
		"correlation of size and occupancy of v_A", claim.Rounded(-1, 0.1),
		claim.Exact(stat.Correlation(xs, ys, nil)), "")
	for i := range vectors {
		gap := mean(i, func(l *lists) float64 { return l.usedA - l.usedB })
		why := fmt.Sprintf("a bit that is set is in no list of v_B with probability %.2g: its "+
			"share is %.3f, and that of v_A %.3f", 1-drawn[1][i].Y/drawn[0][i].Y, drawn[1][i].Y,
			drawn[0][i].Y)
		const name = "filled cells of v_A, less those of v_B"
		t.Parameters = map[string]any{"m": size(i)}
		if size(i) > 90_000 {
			t.trend(`"above 90,000 cells, the occupancy rate of v_B becomes smaller"`,
				name, claim.Higher, gap, why)
			continue
		}
		t.says(`"the occupancy rate … is the same for most of the vector sizes", to half a percent`,
			name, claim.Rounded(0, 0.01), gap, why)
	}
	end := len(vectors) - 1
	long := func(l *lists) float64 { return math.Log10(l.sizeB) }
	for _, reading := range []struct {
		name string
		claim.Published
	}{
		{"to half an order", claim.Rounded(2, 1)},
		{"two at least", claim.Published{Value: new(2.0), Least: new(2.0), Most: new(3.0)}},
	} {
		t.Reading = reading.name
		t.says(`"It decreases by two order of magnitude while the vector size increases only by one"`,
			"orders of magnitude by which a list of v_B is shorter", reading.Published,
			mean(0, long).Less(mean(end, long)),
			fmt.Sprintf("a cell has %.0f keys on average in the smallest vector and %.2f in the "+
				"largest, as the rate falls from %s to %s", drawn[3][0].Y, drawn[3][end].Y,
				quantity.Percent(rate(size(0), members, hashes)),
				quantity.Percent(rate(size(end), members, hashes))))
	}
	t.Reading = claim.Literal
	t.says(`"until having, at worst, one element per filled cell"`, "elements of a cell of v_A",
		claim.Rounded(1, 1), mean(end, func(l *lists) float64 { return l.sizeA }), "")
	t.Parameters = map[string]any{"m": size(0)}
	t.trend(`"in the worst case, a cell contains, on average, less than ten elements"`,
		"elements of a cell of v_A, less 10", claim.Lower, mean(0,
			func(l *lists) float64 { return l.sizeA - 10 }), "")

	picture := &chart.Picture{Title: "Figure 11: the vectors of lists", Columns: 2,
		Width: 300, Height: 240}
	for j, y := range []string{"share of the cells", "elements"} {
		p := chart.New([]string{"filled cells", "elements of a filled cell"}[j], "cells, m", y)
		for i, name := range []string{"v_A, members", "v_B, all false positives"} {
			p.Add(name, drawn[2*j+i], chart.Marked(i))
		}
		p.X.Tick.Marker = thousands(20, 60, 100)
		picture.Panels = append(picture.Panels, p)
	}
	picture.Panels[0].Y.Min, picture.Panels[0].Y.Max = 0, 1
	chart.Logarithmic(quantity.Number, &picture.Panels[1].Y)
	return t.claims, []claim.Figure{{Name: "figure11", Picture: picture}}
}
