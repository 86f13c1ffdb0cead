package retouched

import (
	"fmt"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// This file has the numbers of the case study that take skitter's data.

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
