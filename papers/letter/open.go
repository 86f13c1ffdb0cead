package letter

import (
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/plot/plotter"

	"github.com/bloomlane/bloomlane/filter/family/dlbf"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/letter/encodings"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// This file has what section V leaves open: dynamics, other codings, adaptation, and the power of
// choices.

// state is a filter at some time of its life.
type state struct{ rate, deletable, collided float64 }

// life is a filter whose members come and go.
type life struct {
	states []state // after each number of turnovers
	full   float64 // replacements until every region has a collision
}

const turnovers = 10

// live replaces the members of a filter one after another, the oldest first.
func live(rng *rand.Rand, s dlbf.Shape, n int) (l life) {
	a := array(s)
	hashes := make([]uint64, n)
	for i := range hashes {
		hashes[i] = rng.Uint64()
		a.Insert(hashes[i])
	}
	for replaced := 0; replaced <= turnovers*n || l.full == 0; replaced++ {
		count := a.Count()
		if replaced%n == 0 && replaced <= turnovers*n {
			state := state{rate: rate(a), collided: float64(count.Collided) / float64(s.Regions)}
			for _, hash := range hashes {
				if a.Deletable(hash) {
					state.deletable += 1 / float64(n)
				}
			}
			l.states = append(l.states, state)
		}
		if count.Collided == s.UsedRegions() && l.full == 0 {
			l.full = float64(replaced)
		}
		a.Delete(hashes[replaced%n])
		hashes[replaced%n] = rng.Uint64()
		a.Insert(hashes[replaced%n])
	}
	return l
}

// dynamics is what happens "if we keep doing insertions and deletions".
func dynamics(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	picture := &chart.Picture{
		Title: "Members are replaced, the oldest first (m/n = 10.9, m/r = 10, k = 5)", Columns: 3,
		Width: 260, Height: 220,
	}
	for _, label := range []string{
		"rate of false positives (%)", "deletable members (%)", "regions with a collision (%)",
	} {
		picture.Panels = append(picture.Panels, shares(chart.New("", "turnovers", label)))
	}
	large := dlbf.Shape{Bits: 10 * bits, Regions: 10 * regions, Hashes: hashes}
	for series, p := range []struct {
		s dlbf.Shape
		n int
	}{{shape(regions), members}, {large, 10 * members}} {
		number := letterly / 2 / (1 + 9*series)
		lives := trials.Each(run, fmt.Sprint("dynamics ", p), number,
			func(rng *rand.Rand) life { return live(rng, p.s, p.n) })
		c := claim.Claim{
			Item:       "open: dynamics",
			Where:      `section III: orphaned bits fill the filter "until collisions have happened in every region"`,
			Parameters: parameters(p.s, p.n),
			Trials:     number,
			Reading:    "the oldest member goes",
		}
		for i, quantity := range []struct {
			name      string
			direction claim.Direction
			of        func(state) float64
		}{
			{"rate of false positives", claim.Higher, func(s state) float64 { return s.rate }},
			{"deletable members", claim.Lower, func(s state) float64 { return s.deletable }},
			{"regions with a collision", claim.Higher, func(s state) float64 { return s.collided }},
		} {
			c.Quantity, c.Unit = quantity.name+", after 3 turnovers less fresh", claim.Share
			c.Published = claim.Trend(quantity.direction)
			c.Interval = mean(lives, func(l *life) float64 {
				return quantity.of(l.states[3]) - quantity.of(l.states[0])
			})
			claims = append(claims, c)
			var xys plotter.XYs
			for t := range turnovers + 1 {
				at := c
				at.Quantity = fmt.Sprintf("%s, after %d turnovers", quantity.name, t)
				at.Published, at.Point = claim.Published{}, true
				at.Interval = mean(lives, func(l *life) float64 { return quantity.of(l.states[t]) })
				claims = append(claims, at)
				xys = append(xys, plotter.XY{X: float64(t), Y: *at.Measured})
			}
			picture.Panels[i].Add(fmt.Sprintf("m = %d, n = %d", p.s.Bits, p.n), xys,
				chart.Marked(series))
		}
		c.Quantity, c.Unit = "turnovers until every region has a collision", claim.Number
		c.Published = claim.Published{}
		c.Interval = mean(lives, func(l *life) float64 { return l.full / float64(p.n) })
		claims = append(claims, c)
	}
	return claims, []claim.Figure{{Name: "dynamics", Picture: picture}}
}

// codings is what other ways to code collisions are worth, and such as adapt, by the model of
// encodings.
func codings(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	all := []encodings.Encoding{
		encodings.Lanes(1), encodings.Lanes(2), encodings.Lanes(3), encodings.Columns(2),
		encodings.Columns(4), encodings.Growing(24), encodings.Refining(8), encodings.Twice{},
	}
	turnovers := []int{0, 1, 2, 3, 5}
	count, number := 40_000, 5
	if run.Short {
		count = 10_000
	}
	picture := &chart.Picture{
		Title: "Other codings of collisions, in blocks of 512 bits: members are replaced, the " +
			"oldest first",
		Columns: 2, Width: 320, Height: 250,
	}
	for _, bitsPerKey := range []float64{16, 24} {
		rates := chart.New(fmt.Sprintf("%g bits per key", bitsPerKey), "turnovers",
			"rate of false positives")
		deletable := shares(chart.New("", "turnovers", "deletable members (%)"))
		for i, e := range all {
			tables := trials.Each(run, fmt.Sprint("codings ", e, bitsPerKey), number,
				func(rng *rand.Rand) []encodings.State {
					return encodings.Churn(rng, e, count, bitsPerKey, turnovers)
				})
			var rate, share plotter.XYs
			for t, turnover := range turnovers {
				c := claim.Claim{
					Item: "open: other codings, adaptation",
					Where: `section V: "other compact and more flexible ways"; "a dynamic adaptation ` +
						`of the amount and the bit range"`,
					Parameters: map[string]any{"bits per key": bitsPerKey, "n": count,
						"turnovers": turnover},
					Unit: claim.Share, Trials: number, Reading: e.String(),
					Point: bitsPerKey != 16 || turnover != 0 && turnover != 3,
				}
				c.Quantity = "rate of false positives"
				c.Interval = mean(tables,
					func(s *[]encodings.State) float64 { return (*s)[t].Rate })
				claims = append(claims, c)
				rate = append(rate, plotter.XY{X: float64(turnover), Y: *c.Measured})
				c.Quantity = "deletable members"
				c.Interval = mean(tables,
					func(s *[]encodings.State) float64 { return (*s)[t].Deletability })
				claims = append(claims, c)
				share = append(share, plotter.XY{X: float64(turnover), Y: *c.Measured})
			}
			rates.Add(e.String(), rate, chart.Marked(i))
			deletable.Add(e.String(), share, chart.Marked(i))
		}
		chart.Logarithmic(quantity.Percent, &rates.Y)
		for _, panel := range []*chart.Panel{rates, deletable} {
			panel.X.Tick.Marker = chart.Ticks(quantity.Number, 0, 1, 2, 3, 5)
		}
		picture.Panels = append(picture.Panels, rates, deletable)
	}
	return claims, []claim.Figure{{Name: "codings", Picture: picture}}
}

// choices is what the best of d filters is worth.
func choices(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	const most, chosen = 5, 5 // d = 1, 2, …, 16; the first elements
	s := shape(regions)
	goals := []struct {
		name string
		goal goal
	}{
		{"chosen by rate", lowestRate}, {"chosen by deletable elements", mostDeletable},
		{fmt.Sprintf("chosen by the first %d elements", chosen), firstDeletable(chosen)},
	}
	type best [3][most]struct{ rate, deletable, first float64 }
	filters := trials.Each(run, "choices", letterly, func(rng *rand.Rand) (b best) {
		elements := make([]uint64, members)
		for i := range elements {
			elements[i] = rng.Uint64()
		}
		for g := range goals {
			for d := range most {
				a, choice := choose(s, 1<<d, elements, goals[g].goal)
				at := &b[g][d]
				at.rate, at.first = rate(a), 1
				for i, hash := range elements {
					switch {
					case a.Deletable(rehash(hash, choice)):
						at.deletable += 1. / members
					case i < chosen:
						at.first = 0
					}
				}
			}
		}
		return b
	})
	picture := &chart.Picture{
		Title:   "The power of choices: the best of d filters (m = 240, k = 5, r = 24, n = 22)",
		Columns: 3, Width: 260, Height: 220,
	}
	for q, what := range []struct {
		name, label string
		direction   claim.Direction
		of          func(b *best, g, d int) float64
	}{
		{"rate of false positives", "rate of false positives", claim.Lower,
			func(b *best, g, d int) float64 { return b[g][d].rate }},
		{"deletable elements", "deletable elements (%)", claim.Higher,
			func(b *best, g, d int) float64 { return b[g][d].deletable }},
		{fmt.Sprintf("filters whose first %d elements are all deletable", chosen),
			fmt.Sprintf("first %d deletable (%%)", chosen), claim.Higher,
			func(b *best, g, d int) float64 { return b[g][d].first }},
	} {
		panel := chart.New("", "choices, d", what.label)
		if q > 0 {
			shares(panel)
		} else {
			panel.Y.Min = 0
			panel.Y.Tick.Marker = chart.Ticks(quantity.Percent, 0, 0.003, 0.006, 0.009, 0.012)
		}
		for g := range goals {
			c := claim.Claim{
				Item:       "open: power of choices",
				Where:      `section V: "the best in terms of fpr or guarantees that certain elements are deletable"`,
				Parameters: parameters(s, members),
				Unit:       claim.Share,
				Trials:     letterly,
				Reading:    goals[g].name,
			}
			var xys plotter.XYs
			for d := range most {
				at := c
				at.Parameters = parameters(s, members)
				at.Parameters["d"] = 1 << d
				at.Quantity, at.Point = what.name, true
				at.Interval = mean(filters, func(b *best) float64 { return what.of(b, g, d) })
				claims = append(claims, at)
				xys = append(xys, plotter.XY{X: float64(int(1) << d), Y: *at.Measured})
			}
			panel.Add(goals[g].name, xys, chart.Marked(g))
			c.Parameters["d"] = 8
			c.Quantity = what.name + ", of the best of 8 less those of the first"
			c.Interval = mean(filters,
				func(b *best) float64 { return what.of(b, g, 3) - what.of(b, g, 0) })
			if g == q {
				c.Published = claim.Trend(what.direction)
			}
			claims = append(claims, c)
		}
		panel.X.Tick.Marker = chart.Ticks(func(d float64) string { return fmt.Sprint(d) },
			1, 2, 4, 8, 16)
		picture.Panels = append(picture.Panels, panel)
	}
	return claims, []claim.Figure{{Name: "choices", Picture: picture}}
}
