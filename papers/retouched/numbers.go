package retouched

import (
	"fmt"
	"math"

	"github.com/bloomlane/bloomlane/cmd/bloomlane/quantity"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// This file has the numbers of the case study: those that follow from others, and those that take skitter's
// data.

// sums holds the numbers of the case study against each other: they are shares of all traces.
func (s *stopping) sums(*trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	c := claim.Claim{Item: "section VI: numbers that must fit", Unit: claim.Number, Reading: claim.Literal}
	add := func(where, at, quantity string, p claim.Published, value float64, why string) {
		c.Where, c.Quantity, c.Published, c.Interval, c.Why = where, quantity, p, claim.Exact(value), why
		c.Parameters = map[string]any{"at": at}
		claims = append(claims, c)
	}
	for _, at := range []struct {
		where                     string
		success, short, collision float64
		why                       string
	}{
		{"list", 0.7812, 0.0936, 0.1251, ""},
		{"Bloom filter, m = 100,000", 0.2446, 0.7668, 0, "that is more than all traces, also without " +
			"collisions"},
		{"figure 18, β = 1", 0.4575, 0, 0.5387, "0.0038 of the traces must stop short"},
		{"figure 18, β = 0.1, success as printed", 0.7015, 0.2355, 0.1073, "success must be 0.6572"},
		{"figure 18, β = 0.3, success as printed", 0.7218, 0.1168, 0.1987, "success must be 0.6845"},
	} {
		p := claim.Rounded(1, 0.0003)
		add("section VI-B", at.where, "success, stopping short and collisions together", p,
			at.success+at.short+at.collision, at.why)
	}
	add(`figure 18: "a peak at 0.642 (β = 0.24)"; "between 0.1 and 0.3 … between 0.7015 and 0.7218"`,
		"figure 18", "success at its peak, less the least within the range that has the "+
			"peak", claim.Trend(claim.Higher), 0.642-0.7015,
		"a peak is below no neighbour. By its collisions and short stops success is 0.6572 at β = 0.1 and "+
			"0.6845 at 0.3: neither sentence fits")
	add(`figures 15 and 18: a Bloom filter is β = 0, and stops short "between 0.9981 … and 0.7668" of all `+
		`sizes`,
		"figures 15 and 18", "stopping short at β = 0, m = 60,000, less that at the largest "+
			"size", claim.Trend(claim.Higher), 0.6842-0.7668,
		"with fewer bits a filter has more false positives: 0.6842 must be of β = 0.01, where figure 18 "+
			"starts")
	for _, ratio := range []struct {
		m       int
		printed float64
	}{{100_000, 2.5}, {60_000, 4.2}, {10_000, 25.6}} {
		value := 32 * float64(penultimates) / float64(ratio.m)
		why := fmt.Sprintf("32 bits of %s addresses are %.3f times as many", quantity.Count(penultimates),
			value)
		where := fmt.Sprintf("section VI-B: compression ratio of %g", ratio.printed)
		c.Reading = "rounded"
		add(where, fmt.Sprintf("m = %d", ratio.m), "bits of the list, by those of the filter",
			claim.Rounded(ratio.printed, 0.1), value, why)
		c.Reading = "cut off"
		add(where, fmt.Sprintf("m = %d", ratio.m), "bits of the list, by those of the filter",
			claim.Rounded(ratio.printed, 0), math.Floor(10*value)/10, why)
	}
	c.Reading = claim.Literal
	add(`section VI-A: "skitter's million destinations would consume 4 MB"`, "a list",
		"MB of 971,080 addresses of 32 bits", claim.Rounded(4, 1),
		971_080*4/1e6, "")
	return claims, nil
}

// missing is the numbers that take skitter's traces, with what our network has instead.
func (s *stopping) missing(*trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	add := func(where, what string, at setting, p claim.Published, ours func(at setting) claim.Interval) {
		if at.m == 0 {
			where += ", which our network is made to have"
		}
		c := s.claim("section VI: numbers of skitter's traces", where, what+": "+at.String(), at, p,
			claim.Interval{}, "")
		show := func(at setting) string {
			i := ours(at)
			return fmt.Sprintf("%s [%s, %s]", quantity.Percent(*i.Measured), quantity.Percent(*i.Low),
				quantity.Percent(*i.High))
		}
		c.Why = "skitter's traces of January 2006 cannot be had: on our network it is " + show(at)
		if at.m > 0 {
			c.Why += ", and with k = 1 " + show(at.by(1))
		}
		c.Trials = 0
		claims = append(claims, c)
	}
	of := func(number func(probed) float64) func(at setting) claim.Interval {
		return func(at setting) claim.Interval { return s.mean(at, number) }
	}
	gone := func(at setting) claim.Interval {
		return s.part(at, setting{m: at.m, k: at.k, cycle: 1}, short)
	}
	printed := func(v float64) claim.Published { return claim.Rounded(v, 0.0001) }
	small, end := sizes[0], sizes[len(sizes)-1]
	for _, n := range []struct {
		where, what string
		at          setting
		value       float64
		ours        func(at setting) claim.Interval
	}{
		{"figure 13", "success", list, 0.7812, of(success)},
		{"figure 15", "stopping short", list, 0.0936, of(short)},
		{"figure 17", "collisions", list, 0.1251, of(collision)},
		{"figure 13", "success", rbf(end, tunedBeta), 0.7564, of(success)},
		{"figure 15, printed as 10^3", "stopping short that is gone", rbf(small, tunedBeta), 0.7617, gone},
		{"figure 15, printed as 10^4", "stopping short that is gone", rbf(end, tunedBeta), 0.8435, gone},
		{"figure 18", "success", rbf(tuned, 1), 0.4575, of(success)},
		{"figure 18", "collisions", rbf(tuned, 1), 0.5387, of(collision)},
		{"figure 18", "stopping short", rbf(tuned, 1), 0, of(short)},
		{"figure 18", "stopping short", bloom(tuned), 0.6842, of(short)},
		{"figure 18", "collisions", bloom(tuned), 0.0081, of(collision)},
		{"figure 18, the peak", "success", rbf(tuned, 0.25), 0.642, of(success)},
		{"figure 18, the range", "success", rbf(tuned, 0.1), 0.7015, of(success)},
		{"figure 18, the range", "success", rbf(tuned, 0.3), 0.7218, of(success)},
		{"figure 18", "collisions", rbf(tuned, 0.1), 0.1073, of(collision)},
		{"figure 18", "collisions", rbf(tuned, 0.3), 0.1987, of(collision)},
		{"figure 18", "stopping short", rbf(tuned, 0.1), 0.2355, of(short)},
		{"figure 18", "stopping short", rbf(tuned, 0.3), 0.1168, of(short)},
	} {
		add(n.where, n.what, n.at, printed(n.value), n.ours)
	}
	nine := s.claim("section VI: numbers of skitter's traces", `figure 14: "nine false positives are, each `+
		`one, encountered 10,000 times"`,
		"false positives that all traces of a monitor meet", bloom(small), claim.Rounded(9,
			1), claim.Interval{},
		fmt.Sprintf("skitter's traces of January 2006 cannot be had, and the size of the filter is not "+
			"said. Of the gateways of %d monitors "+
			"a filter of 10,000 bits finds %.1f, and one of 60,000 bits "+
			"%.1f", monitors, monitors*rate(small, penultimates, hashes),
			monitors*rate(tuned, penultimates, hashes)))
	nine.Unit, nine.Trials = claim.Number, 0
	claims = append(claims, nine)
	add(`figure 16: "above 80% for filter sizes below 70,000"`, "nodes missed", bloom(tuned),
		claim.Published{Value: new(0.8), Least: new(0.8),
			Most: new(1.0)}, func(at setting) claim.Interval { return s.part(at, list, nodes) })
	return claims, nil
}

// tableV is what each implementation of the stop set has of each aspect. In the text the columns of its
// crosses are lost. It has four for the list, three for the Bloom filter and four for the retouched one, as
// here.
func (s *stopping) tableV(*trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	all := []setting{list, bloom(tuned), rbf(tuned, tunedBeta)}
	sent := func(at setting) claim.Interval {
		if at.m == 0 {
			return claim.Exact(32 * penultimates)
		}
		return claim.Exact(float64(at.m))
	}
	for _, aspect := range []struct {
		names   string // a positive aspect, and the negative one that is its opposite
		unit    claim.Unit
		of      func(at setting) claim.Interval
		crosses [3]bool // of the positive aspect
		more    bool    // is better
	}{
		{"success", claim.Share, func(at setting) claim.Interval { return s.mean(at, success) },
			[3]bool{true, false, true}, true},
		{"topology discovery and topology missed: nodes", claim.Number,
			func(at setting) claim.Interval { return s.mean(at, nodes) },
			[3]bool{true, false, true}, true},
		{"topology discovery and topology missed: links", claim.Number,
			func(at setting) claim.Interval { return s.mean(at, links) },
			[3]bool{true, false, true}, true},
		{"compression and load: bits sent", claim.Number, sent, [3]bool{false, true, true}, false},
		{"no collision and collision", claim.Share, func(at setting) claim.Interval {
			return s.mean(at,
				collision)
		},
			[3]bool{true, true, false}, false},
	} {
		for i, at := range all {
			c := s.claim("table V: aspects", "table V", aspect.names+": "+at.String(), at,
				claim.Published{}, aspect.of(at), "")
			c.Unit = aspect.unit
			claims = append(claims, c)
			for j, than := range all {
				if !aspect.crosses[i] || aspect.crosses[j] {
					continue
				}
				c := c
				c.Quantity = fmt.Sprintf("%s: %v, less %v", aspect.names, at, than)
				c.Published, c.Interval = claim.Trend(claim.Lower), aspect.of(at).Less(aspect.of(than))
				if aspect.more {
					c.Direction = claim.Higher
				}
				c.Why = s.atSize(tuned, tunedBeta)
				claims = append(claims, c)
			}
		}
	}
	return claims, nil
}
