package retouched

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/plotter"

	"github.com/bloomlane/bloomlane/cmd/bloomlane/chart"
	"github.com/bloomlane/bloomlane/cmd/bloomlane/quantity"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// increase returns by what part χ is more than that of another algorithm.
func (g *grid) increase(i int, s, than selection) claim.Interval {
	return claim.Ratio(of(g[i], s, chi), of(g[i], than, chi)).Map(func(v float64) float64 { return v - 1 })
}

// estimates is why section V improves the algorithms. It runs their listings, which must clear what our
// filter does.
func estimates(run *trials.Run) ([]claim.Claim, []claim.Figure) {
	t := text{item: "section V: what counts are off by"}
	number := runs
	if run.Short {
		number /= 3
	}
	type off struct{ losses, gains, bits float64 } // of the counts' sums, from what is gone; bits that differ
	for _, i := range []int{0, last} {
		results := trials.Each(run, fmt.Sprint("estimates ", i), number,
			func(rng *rand.Rand) map[selection]off {
				at, all := newScene(rng, bits, members, universe), map[selection]off{}
				for _, s := range selections()[1:] { // Random draws numbers of its own
					keys := at.share(betas[i])
					w := listing{selection: s}.run(rng, bits, at.elements(at.members),
						at.elements(at.positives), keys)
					o, report := at.retouch(s, keys, 0)
					differ := 0
					for j, p := range w.cleared {
						if j >= len(report.Cleared) || report.Cleared[j] != p {
							differ++
						}
					}
					all[s] = off{float64(w.losses) - o.lost, float64(w.gains) - o.removed,
						float64(differ + max(0, len(report.Cleared)-len(w.cleared)))}
				}
				return all
			})
		column := func(s selection, number func(off) float64) claim.Interval {
			return claim.Mean(trials.Column(results,
				func(t *map[selection]off) float64 { return number((*t)[s]) }))
		}
		for _, s := range []selection{minimumFN, ratio} {
			t.add(`"an over-estimation of the quantity of false negatives generated"`,
				"members by the counts, less |A'|: "+s.String(), i, claim.Literal, claim.Trend(claim.Higher),
				column(s, func(o off) float64 { return o.losses }), "hardly a member has two of the bits "+
					"that are cleared")
		}
		for _, s := range []selection{maximumFP, ratio} {
			all, names := readings(s)
			for r, s := range all {
				found := column(s, func(o off) float64 { return o.gains })
				t.add(fmt.Sprintf(`"a sub-estimation of the amount of false positives removed", β = %s`,
					percent(betas[i])),
					"keys by the counts, less those removed: "+
						s.String(), i, names[r], claim.Trend(claim.Lower), found,
					fmt.Sprintf("a count that is not updated still has keys that are gone: %.0f too many",
						*found.Measured))
			}
		}
		t.add("algorithms 2 to 7, run as they are listed", "bits that filter/retouched clears otherwise, "+
			"of all algorithms", i,
			claim.Literal, claim.Rounded(0, 0), claim.Mean(trials.Column(results,
				func(t *map[selection]off) (all float64) {
					for _, off := range *t {
						all += off.bits
					}
					return all
				})), "the two are not the same")
	}
	for i := range t.claims {
		t.claims[i].Trials = number
	}
	return t.claims, nil
}

// figures8to10 holds the improved algorithms beside the others.
func (g *grid) figures8to10(*trials.Run) ([]claim.Claim, []claim.Figure) {
	t := text{item: "figures 8 to 10: improved algorithms"}
	better := minimumFN.improve()
	for _, at := range []struct {
		beta int
		p    float64
	}{{0, 0.66048}, {6, 0.84129}} {
		i := at.beta
		had := *mean(g[i], minimumFN, lost).Measured
		t.add(`"between 66.048% (β = 0.01) and 84.129% (β = 0.75)"`, "rise of χ: Minimum FN", i,
			claim.Literal,
			claim.Rounded(at.p, 0.00001), g.increase(i, better, minimumFN),
			fmt.Sprintf("|A'| would fall from %.0f to %.0f. Algorithm 5 loses %.0f, which its lists count "+
				"exactly; that no algorithm "+
				"can lose fewer than %.0f follows from how many of the %.0f keys a member has bits "+
				"of", had, had/(1+at.p),
				*mean(g[i], better, lost).Measured, *claim.Mean(trials.Column(g[i],
					func(t *trial) float64 { return t.fewest })).Measured,
				*mean(g[i], better, keys).Measured))
	}
	for _, s := range standard[1:] {
		all, names := readings(s)
		for r, s := range all {
			at, i := least(0, last, claim.Higher, func(i int) claim.Interval {
				return g.increase(i,
					s.improve(), s)
			})
			t.add(`"our improved selective clearing algorithms perform better", at every β, where it is `+
				`least clear`, "rise of χ: "+s.String(), at,
				names[r], claim.Trend(claim.Higher), i, fmt.Sprintf("of %.0f bits that are cleared hardly "+
					"one shares a key with another: "+
					"the rise is %.2g at β = 1 %%, and %.2g at 100 %%", *mean(g[at], s,
					reset).Measured, *g.increase(0, s.improve(), s).Measured,
					*g.increase(last, s.improve(), s).Measured))
			if s.countsKeys() {
				for _, i := range []int{6, last} {
					t.add(`Improved Maximum FP and Ratio "provides better results … when β is high"`,
						"rise of χ: "+s.String(), i, names[r],
						claim.Trend(claim.Higher), g.increase(i, s.improve(), s), "")
				}
				for _, i := range []int{0, 6} {
					t.add(`"Improved Minimum FN Selection provides the strongest increase"`,
						"rise of χ: Minimum FN, less "+s.String(), i, names[r],
						claim.Trend(claim.Higher), g.increase(i, better, minimumFN).Less(g.increase(i,
							s.improve(), s)),
						fmt.Sprintf("χ rises from %.3f to %.3f and from %.3f to %.3f", *mean(g[i],
							minimumFN, chi).Measured,
							*mean(g[i], better, chi).Measured, *mean(g[i], s, chi).Measured, *mean(g[i],
								s.improve(), chi).Measured))
				}
			}
		}
	}
	for _, than := range []selection{minimumFN, maximumFP} {
		at, i := least(0, last, claim.Higher, func(i int) claim.Interval {
			return g.less(i,
				ratio.improve(), than.improve(), chi)
		})
		t.add(`"Improved Ratio Selection provides the best results", where it is least clear`,
			"χ of Improved Ratio, less that of Improved "+
				than.String(), at, claim.Literal, claim.Trend(claim.Higher), i, "")
	}
	picture := &chart.Picture{
		Title:   "Figures 8 to 10: χ of the improved algorithms",
		Columns: 3, Width: 250, Height: 230,
	}
	for _, s := range standard[1:] {
		p := panel(s.String(), "χ")
		all, names := readings(s)
		for r, s := range all {
			for i, s := range []selection{s, s.improve()} {
				name := []string{"standard", "improved"}[i]
				if len(all) > 1 {
					name += ", " + names[r]
				}
				xys, points := g.series("χ", s, names[r], chi)
				p.Add(name, xys, chart.Marked(i+2*(r+len(all)-1)))
				t.claims = append(t.claims, points...)
			}
		}
		p.Y.Min, p.Y.Max = 1, 3
		picture.Panels = append(picture.Panels, p)
	}
	return t.claims, []claim.Figure{{Name: "figure8-10", Picture: picture}}
}

// lists is what figure 11 has of a vector of lists: the part of its cells that have an element, and how many
// these have on average.
type lists struct{ usedA, usedB, sizeA, sizeB float64 }

// figure11 is the vectors of lists of all members and of all false positives, by their number of cells.
func figure11(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	number := runs
	if run.Short {
		number = 3
	}
	used, sizes := chart.New("filled cells", "cells, m", "share of the cells"), chart.New("elements of a "+
		"filled cell", "cells, m", "elements")
	var vectors [10][]lists
	var drawn [4]plotter.XYs
	for i := range vectors {
		m := 10_000 * (i + 1)
		vectors[i] = trials.Each(run, fmt.Sprint("figure 11 ", m), number, func(rng *rand.Rand) (l lists) {
			s := newScene(rng, m, members, universe)
			of := func(hashes []uint64, used, size *float64) {
				counts, own, cells := make([]int32, m), []uint64(nil), 0
				for _, hash := range hashes {
					own = s.AppendPositions(own[:0], hash)
					for _, p := range own {
						if counts[p]++; counts[p] == 1 {
							cells++
						}
					}
				}
				*used, *size = float64(cells)/float64(m), float64(len(hashes)*s.Hashes())/float64(cells)
			}
			of(s.members, &l.usedA, &l.sizeA)
			of(s.positives, &l.usedB, &l.sizeB)
			return l
		})
		f, load := rate(m, members, hashes), hashes*float64(members)/float64(m)
		p1 := -math.Expm1(-load)
		keys := hashes * f * (universe - members) / (p1 * float64(m)) // of a bit that is set
		for j, line := range []struct {
			name   string
			of     func(l *lists) float64
			theory float64
		}{
			{"v_A: cells that are filled", func(l *lists) float64 { return l.usedA }, p1},
			{"v_B: cells that are filled", func(l *lists) float64 { return l.usedB }, -p1 *
				math.Expm1(-keys)},
			{"v_A: elements of a filled cell", func(l *lists) float64 { return l.sizeA }, load / p1},
			{"v_B: elements of a filled cell", func(l *lists) float64 { return l.sizeB }, keys /
				-math.Expm1(-keys)},
		} {
			found := claim.Mean(trials.Column(vectors[i], line.of))
			drawn[j] = append(drawn[j], plotter.XY{X: float64(m), Y: *found.Measured})
			claims = append(claims, claim.Claim{
				Item: "figure 11: lists", Where: "figure " +
					"11", Parameters: map[string]any{"m": m}, Quantity: line.name, Unit: claim.Number,
				Interval: found, Theory: claim.By("Poisson",
					line.theory), Trials: number, Reading: claim.Literal, Point: true,
			})
		}
	}
	c := claim.Claim{Item: "figure 11: lists", Trials: number, Unit: claim.Number}
	add := func(where, quantity, reading string, m int, p claim.Published, i claim.Interval, why string) {
		c.Where, c.Quantity, c.Reading, c.Published, c.Interval, c.Why = where, quantity, reading, p, i, why
		c.Parameters = map[string]any{"m": m}
		claims = append(claims, c)
	}
	column := func(i int, of func(l *lists) float64) []float64 { return trials.Column(vectors[i], of) }
	var xs, ys []float64
	for _, xy := range drawn[0] {
		xs, ys = append(xs, xy.X), append(ys, xy.Y)
	}
	r := stat.Correlation(xs, ys, nil)
	add(`"decreases nearly linearly with the vector size"`, "correlation of size and occupancy of v_A",
		claim.Literal, 100_000,
		claim.Rounded(-1, 0.1), claim.Exact(r), "")
	for i := range vectors {
		gap := claim.Mean(column(i, func(l *lists) float64 { return l.usedA - l.usedB }))
		p := claim.Published{Value: new(0.0), Least: new(-0.005), Most: new(0.005)}
		where := `"the occupancy rate of both … is the same for most of the vector sizes", to half a percent`
		if m := 10_000 * (i + 1); m > 90_000 {
			p, where = claim.Trend(claim.Higher), `"above 90,000 cells, the occupancy rate of v_B becomes `+
				`smaller"`
		} else if m > 70_000 {
			where += ", near 90,000"
		}
		add(where, "filled cells of v_A, less those of v_B", claim.Literal, 10_000*(i+1), p, gap,
			fmt.Sprintf("a bit that is set is in no list of v_B with probability %.2g: its share is %.3f, "+
				"and that of v_A %.3f",
				1-drawn[1][i].Y/drawn[0][i].Y, drawn[1][i].Y, drawn[0][i].Y))
	}
	fall := claim.Mean(column(0, func(l *lists) float64 { return math.Log10(l.sizeB) })).
		Less(claim.Mean(column(9, func(l *lists) float64 { return math.Log10(l.sizeB) })))
	why := fmt.Sprintf("a cell has %.0f keys on average in the smallest vector and %.2f in the largest, as "+
		"the rate falls from %s to %s",
		drawn[3][0].Y, drawn[3][9].Y, quantity.Percent(rate(10_000, members,
			hashes)), quantity.Percent(rate(bits, members, hashes)))
	const orders = `"It decreases by two order of magnitude while the vector size increases only by one"`
	add(orders, "orders of magnitude by which a list of v_B is shorter", "to half an order", bits,
		claim.Rounded(2, 1), fall, why)
	add(orders, "orders of magnitude by which a list of v_B is shorter", "two at least", bits,
		claim.Published{Value: new(2.0), Least: new(2.0), Most: new(3.0)}, fall, why)
	add(`"in the worst case, a cell contains, on average, less than ten elements"`,
		"elements of a cell of v_A, less 10", claim.Literal, 10_000,
		claim.Trend(claim.Lower), claim.Mean(column(0, func(l *lists) float64 { return l.sizeA - 10 })), "")
	add(`"until having, at worst, one element per filled cell"`, "elements of a cell of v_A",
		claim.Literal, bits, claim.Rounded(1, 1),
		claim.Mean(column(9, func(l *lists) float64 { return l.sizeA })), "")
	for j, name := range []string{"v_A, members", "v_B, all false positives"} {
		used.Add(name, drawn[j], chart.Marked(j))
		sizes.Add(name, drawn[j+2], chart.Marked(j))
	}
	for _, p := range []*chart.Panel{used, sizes} {
		p.X.Tick.Marker = chart.Ticks(func(v float64) string { return quantity.Count(int(v)) }, 20_000,
			60_000, 100_000)
	}
	used.Y.Min, used.Y.Max = 0, 1
	chart.Logarithmic(quantity.Number, &sizes.Y)
	return claims, []claim.Figure{{Name: "figure11", Picture: &chart.Picture{
		Title: "Figure 11: the vectors of lists", Panels: []*chart.Panel{used,
			sizes}, Columns: 2, Width: 300, Height: 240,
	}}}
}
