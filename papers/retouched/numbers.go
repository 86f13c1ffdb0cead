package retouched

import (
	"fmt"
	"math"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// This file has the numbers of the case study: those that follow from others, and those that take
// skitter's data.

// sums holds the numbers of the case study against each other: they are shares of all traces.
func (s *stopping) sums(*trials.Run) ([]claim.Claim, []claim.Figure) {
	t := newText("section VI: numbers that must fit", 0)
	at := func(name string) *text {
		t.Parameters = map[string]any{"at": name}
		return t
	}
	for _, printed := range []struct {
		where                     string
		success, short, collision float64
	}{
		{"list", 0.7812, 0.0936, 0.1251},
		{"Bloom filter, m = 100,000", 0.2446, 0.7668, 0},
		{"figure 18, β = 1", 0.4575, 0, 0.5387},
		{"figure 18, β = 0.1", 0.7015, 0.2355, 0.1073},
		{"figure 18, β = 0.3", 0.7218, 0.1168, 0.1987},
	} {
		at(printed.where).says("section VI-B", "success, stopping short and collisions together",
			claim.Rounded(1, 0.0003), claim.Exact(printed.success+printed.short+printed.collision),
			fmt.Sprintf("where stopping short is %.4f and collisions are %.4f, success is %.4f "+
				"at most, and not %.4f",
				printed.short, printed.collision, 1-printed.short-printed.collision,
				printed.success))
	}
	at("figure 18").trend(
		`"a peak at 0.642 (β = 0.24)"; "between 0.1 and 0.3 … between 0.7015 and 0.7218"`,
		"success at its peak, less the least within the range that has the peak", claim.Higher,
		claim.Exact(0.642-0.7015), fmt.Sprintf("a peak is below no neighbour. By its collisions "+
			"and short stops success is %.4f at β = 0.1 and %.4f at 0.3: neither sentence fits",
			1-0.2355-0.1073, 1-0.1168-0.1987))
	const start = 1 - 0.6842 - 0.0081
	t.trend(`figure 18: "it decreases until the minimum success rate, 0.4575, is reached at β = 1"`,
		"success at β = 1, less that at β = 0", claim.Lower, claim.Exact(0.4575-start),
		fmt.Sprintf("by its collisions and short stops success is %.4f at β = 0: what follows "+
			"the peak has its minimum at β = 1, the curve has not", start))
	at("figures 15 and 18").trend(
		`a Bloom filter is β = 0, and stops short "between 0.9981 … and 0.7668" `+
			`of all sizes`,
		"stopping short at β = 0, m = 60,000, less that at m = 100,000",
		claim.Higher, claim.Exact(0.6842-0.7668),
		"with fewer bits a filter has more false positives: 0.6842 must be of β = 0.01, where "+
			"figure 18 starts")
	for _, ratio := range []struct {
		m       int
		printed float64
	}{{100_000, 2.5}, {60_000, 4.2}, {10_000, 25.6}} {
		value := 32 * float64(penultimates) / float64(ratio.m)
		why := fmt.Sprintf("32 bits of %s addresses are %.3f times as many",
			quantity.Count(penultimates), value)
		where := fmt.Sprintf("section VI-B: compression ratio of %g", ratio.printed)
		const name = "bits of the list, by those of the filter"
		at(fmt.Sprintf("m = %d", ratio.m)).Reading = "rounded"
		t.says(where, name, claim.Rounded(ratio.printed, 0.1), claim.Exact(value), why)
		t.Reading = "cut off"
		t.says(where, name, claim.Rounded(ratio.printed, 0), claim.Exact(math.Floor(10*value)/10),
			why)
	}
	at("a list").Reading = claim.Literal
	t.says(`section VI-A: "skitter's million destinations would consume 4 MB"`,
		"MB of 971,080 addresses of 32 bits",
		claim.Rounded(4, 1), claim.Exact(971_080*4/1e6), "")
	return t.claims, nil
}

// missing is the numbers that take skitter's traces, with what the network here has instead.
func (s *stopping) missing(*trials.Run) ([]claim.Claim, []claim.Figure) {
	t := s.text("section VI: numbers of skitter's traces")
	t.Trials = 0
	const cannot = "skitter's traces of January 2006 are not available"
	add := func(
		where string,
		at setting,
		p claim.Published,
		name string,
		ours func(at setting) claim.Interval,
	) {
		show := func(at setting) string {
			i := ours(at)
			return fmt.Sprintf("%s [%s, %s]", quantity.Percent(*i.Measured),
				quantity.Percent(*i.Low), quantity.Percent(*i.High))
		}
		why := cannot + ": on the network here, which is made to have this value, it is " + show(at)
		if at.m > 0 {
			why = cannot + ": on the network here it is " + show(at) + ", and with k = 1 " +
				show(at.by(1))
		}
		t.with(at).says(where, fmt.Sprintf("%s with %v", name, at), p, claim.Interval{}, why)
	}
	small, end := sizes[0], sizes[len(sizes)-1]
	for _, n := range []struct {
		where string
		measure
		at    setting
		value float64
	}{
		{"figure 13", success, list, 0.7812},
		{"figure 15", short, list, 0.0936},
		{"figure 17", collision, list, 0.1251},
		{"figure 13", success, rbf(end, tunedBeta), 0.7564},
		{"figure 18", success, rbf(tuned, 1), 0.4575},
		{"figure 18", collision, rbf(tuned, 1), 0.5387},
		{"figure 18", short, rbf(tuned, 1), 0},
		{"figure 18", short, bloom(tuned), 0.6842},
		{"figure 18", collision, bloom(tuned), 0.0081},
		{"figure 18, the peak at 0.24", success, rbf(tuned, 0.25), 0.642},
		{"figure 18, the range", success, rbf(tuned, 0.1), 0.7015},
		{"figure 18, the range", success, rbf(tuned, 0.3), 0.7218},
		{"figure 18", collision, rbf(tuned, 0.1), 0.1073},
		{"figure 18", collision, rbf(tuned, 0.3), 0.1987},
		{"figure 18", short, rbf(tuned, 0.1), 0.2355},
		{"figure 18", short, rbf(tuned, 0.3), 0.1168},
	} {
		add(n.where, n.at, claim.Rounded(n.value, 0.0001), n.name,
			func(at setting) claim.Interval { return s.mean(at, n.measure) })
	}
	for _, n := range []struct {
		where string
		at    setting
		value float64
	}{
		{"figure 15, printed as 10^3", rbf(small, tunedBeta), 0.7617},
		{"figure 15, printed as 10^4", rbf(end, tunedBeta), 0.8435},
	} {
		add(n.where, n.at, claim.Rounded(n.value, 0.0001), "part of stopping short that is gone",
			func(at setting) claim.Interval { return s.part(at, bloom(at.m).by(at.k), short) })
	}
	add(`figure 16: "above 80% for filter sizes below 70,000"`, bloom(tuned),
		claim.Published{Value: new(0.8), Least: new(0.8), Most: new(1.0)}, "nodes missed",
		func(at setting) claim.Interval { return s.part(at, list, nodes) })
	t.Unit = claim.Number
	t.with(bloom(small)).says(
		`figure 14: "nine false positives are, each one, encountered 10,000 times"`,
		"false positives that all traces of a monitor meet", claim.Rounded(9, 1), claim.Interval{},
		fmt.Sprintf("%s, and the size of the filter is not said. Of the gateways of %d monitors "+
			"a filter of 10,000 bits finds %.1f, and one of 60,000 bits %.1f",
			cannot, monitors, monitors*rate(small, penultimates,
				hashes),
			monitors*rate(tuned, penultimates, hashes)))
	return t.claims, nil
}

// tableV is what each implementation of the stop set has of each aspect. In the text the columns of
// its crosses are lost. It has four for the list, three for the Bloom filter and four for the
// retouched one, as here.
func (s *stopping) tableV(*trials.Run) ([]claim.Claim, []claim.Figure) {
	t := s.text("table V: aspects")
	all := []setting{list, bloom(tuned), rbf(tuned, tunedBeta)}
	of := func(r measure) func(at setting) claim.Interval {
		return func(at setting) claim.Interval { return s.mean(at, r) }
	}
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
		crosses [3]bool         // of the positive aspect
		better  claim.Direction // what a cross says, beside one that has none
	}{
		{"success", claim.Share, of(success), [...]bool{true, false, true}, claim.Higher},
		{"topology discovery and topology missed: nodes", claim.Number, of(nodes),
			[...]bool{true, false, true}, claim.Higher},
		{"topology discovery and topology missed: links", claim.Number, of(links),
			[...]bool{true, false, true}, claim.Higher},
		{"compression and load: bits sent", claim.Number, sent,
			[...]bool{false, true, true}, claim.Lower},
		{"no collision and collision", claim.Share, of(collision),
			[...]bool{true, true, false}, claim.Lower},
	} {
		t.Unit = aspect.unit
		for i, at := range all {
			t.with(at).says("table V", fmt.Sprintf("%s: %v", aspect.names, at), claim.Published{},
				aspect.of(at), "")
			for j, than := range all {
				if aspect.crosses[i] && !aspect.crosses[j] {
					t.trend("table V", fmt.Sprintf("%s: %v, less %v", aspect.names, at, than),
						aspect.better, aspect.of(at).Less(aspect.of(than)),
						s.stops(rbf(tuned, tunedBeta)))
				}
			}
		}
	}
	return t.claims, nil
}
