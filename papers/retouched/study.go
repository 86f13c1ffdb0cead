package retouched

import (
	"cmp"
	"fmt"
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/cmd/bloomlane/quantity"
	"github.com/bloomlane/bloomlane/filter/retouched"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// setting is a stop set in a cycle of traces. A list has m = 0, a Bloom filter β = 0.
type setting struct {
	m        int
	beta     float64
	improved bool
	cycle    int
	k        int // where it is another one than 5
}

const tuned, tunedBeta = 60_000, 0.25 // "suggested by previous studies"

var (
	list  = setting{cycle: 1}
	sizes = []int{10_000, 20_000, 30_000, 40_000, 50_000, 60_000, 70_000, 80_000, 90_000, 100_000}
	some  = []float64{0.01, 0.05, 0.1, 0.25}
)

func bloom(m int) setting             { return setting{m: m, cycle: 1} }
func rbf(m int, beta float64) setting { return setting{m: m, beta: beta, cycle: 1} }
func (s setting) by(k int) setting    { s.k = k; return s }
func (s setting) better() setting     { s.improved = true; return s }
func (s setting) later(c int) setting { s.cycle = c; return s }
func (s setting) String() string {
	switch {
	case s.m == 0:
		return "list"
	case s.beta == 0:
		return "Bloom filter"
	case s.improved:
		return "improved RBF, β = " + percent(s.beta)
	}
	return "RBF, β = " + percent(s.beta)
}

// stopping is the trials of the case study.
type stopping struct {
	results []map[setting]probed
	swept   []float64 // β of figure 18
	traffic []int     // of the false positives of a filter, in the first trial
	seen    float64   // addresses that are no penultimate nodes, in the first trial
	hops    float64   // of a trace, on average
}

// simulate runs the trials: a learning cycle, and then cycles in which each stop set is asked.
func (s *stopping) simulate(run *trials.Run) ([]claim.Claim, []claim.Figure) {
	number, step := runs, 1
	if run.Short {
		number, step = 5, 6
	}
	for i := 1; i <= 100; i++ {
		if i%step == 0 || i == 1 || i == 10 || i == 30 || i == 100 {
			s.swept = append(s.swept, float64(i)/100)
		}
	}
	type result struct {
		of         map[setting]probed
		traffic    []int
		seen, hops float64
	}
	results := trials.Each(run, "case study", number, func(rng *rand.Rand) (r result) {
		r.of = map[setting]probed{}
		n := newInternet(rng)
		set := learn(rng, n.trace(), n.addresses)
		r.seen, r.hops = float64(len(set.others)), set.hops()
		n.change()
		c := n.trace()
		c.number()
		set.hash(rng, n.addresses)
		r.of[list] = c.probe(set.list)
		for _, m := range sizes {
			f, positives := set.bloom(m, hashes)
			r.of[bloom(m)] = c.probe(set.by(f))
			ask := func(at setting, by retouched.Algorithm) {
				r.of[at] = c.probe(set.by(set.retouch(f, positives, at.beta, by)))
			}
			for _, beta := range some {
				ask(rbf(m, beta), retouched.Ratio)
				ask(rbf(m, beta).better(), retouched.ImprovedRatio)
			}
			if m == tuned || m == sizes[0] {
				for _, beta := range s.swept {
					ask(rbf(m, beta), retouched.Ratio)
				}
			}
			if m == tuned {
				for _, a := range set.others {
					if f.QueryHash(set.hashes[a]) {
						r.traffic = append(r.traffic, set.traffic[a])
					}
				}
			}
			for k := 1; k < hashes; k++ {
				f, positives := set.bloom(m, k)
				r.of[bloom(m).by(k)] = c.probe(set.by(f))
				for _, beta := range []float64{0.01, 0.05, 0.1, 0.25, 0.3, 1} {
					if k == 1 {
						r.of[rbf(m, beta).by(1)] = c.probe(set.by(set.retouch(f, positives, beta,
							retouched.Ratio)))
					}
				}
			}
		}
		f, positives := set.bloom(tuned, hashes)
		touched := set.retouch(f, positives, tunedBeta, retouched.Ratio)
		for cycle := 2; cycle <= 10; cycle++ {
			n.change()
			c, at := n.trace(), rbf(tuned, tunedBeta)
			set.hash(rng, n.addresses)
			r.of[list.later(cycle)] = c.probe(set.list)
			r.of[at.later(cycle)] = c.probe(set.by(touched))
		}
		return r
	})
	s.traffic, s.seen, s.hops = results[0].traffic, results[0].seen, results[0].hops
	for _, r := range results {
		s.results = append(s.results, r.of)
	}
	return nil, nil
}

// Of what was probed, one number each.
func success(p probed) float64   { return p.success }
func short(p probed) float64     { return p.short }
func collision(p probed) float64 { return p.collision }
func nodes(p probed) float64     { return p.nodes }
func links(p probed) float64     { return p.links }

func (s *stopping) of(at setting, number func(probed) float64) []float64 {
	return trials.Column(s.results, func(r *map[setting]probed) float64 { return number((*r)[at]) })
}

func (s *stopping) mean(at setting, number func(probed) float64) claim.Interval {
	return claim.Mean(s.of(at, number))
}

// less returns by how much a rate is more with one stop set than with another, for the same traces.
func (s *stopping) less(at, than setting, number func(probed) float64) claim.Interval {
	return claim.Difference(s.of(at, number), s.of(than, number))
}

// part returns by what part a number is less with one stop set than with another.
func (s *stopping) part(at, than setting, number func(probed) float64) claim.Interval {
	i := claim.Ratio(s.of(at, number), s.of(than, number))
	return claim.Interval{Measured: new(1 - *i.Measured), Low: new(1 - *i.High), High: new(1 - *i.Low)}
}

// claim returns a claim about a stop set.
func (s *stopping) claim(item, where, quantity string, at setting, p claim.Published, i claim.Interval,
	why string) claim.Claim {
	parameters := map[string]any{}
	if at.m > 0 {
		parameters["m"], parameters["k"] = at.m, cmp.Or(at.k, hashes)
	}
	if at.beta > 0 {
		parameters["β"] = percent(at.beta)
	}
	return claim.Claim{
		Item: item, Where: where, Parameters: parameters, Quantity: quantity, Unit: claim.Share,
		Published: p, Interval: i, Trials: len(s.results), Reading: claim.Literal, Why: why,
	}
}

// shapes is what the text says of the figures' curves, without a number or with one that depends on no data.
func (s *stopping) shapes(*trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	trend := func(item, where, quantity string, at setting, d claim.Direction, i claim.Interval, why string) {
		claims = append(claims, s.claim(item, where, quantity, at, claim.Trend(d), i, why))
	}
	number := func(item, where, quantity string, at setting, p claim.Published, i claim.Interval) {
		c := s.claim(item, where, quantity, at, p, i, "the network is ours")
		c.Unit = claim.Number
		claims = append(claims, c)
	}
	less := func(item, where string, at, than setting, what string, number func(probed) float64,
		d claim.Direction, why string) {
		trend(item, where, fmt.Sprintf("%s with %v, less that with %v", what, at, than), at, d, s.less(at,
			than, number), why)
	}
	first, end := sizes[0], sizes[len(sizes)-1]

	const f13 = "figure 13: success"
	order := []setting{bloom(tuned), rbf(tuned, 0.01), rbf(tuned, 0.05), rbf(tuned, 0.1), rbf(tuned, 0.25),
		list}
	for i, at := range order[1:] {
		less(f13, "figure 13: the order of the stop sets", at, order[i], "success", success, claim.Higher, "")
	}
	for _, beta := range some {
		trend(f13, `"a significant increase in the success rate for RBF sizes from 10,000 to 60,000"`,
			fmt.Sprintf("success with %v, less that at m = 10,000", rbf(tuned, beta)), rbf(tuned,
				beta), claim.Higher,
			s.less(rbf(tuned, beta), rbf(first, beta), success), "")
		rise := func(from, to int) []float64 {
			high, low := s.of(rbf(to, beta), success), s.of(rbf(from, beta), success)
			for i := range high {
				high[i] -= low[i]
			}
			return high
		}
		trend(f13, `"after that point … the increase is less marked"`,
			fmt.Sprintf("rise of success after m = 60,000, less that before: %v", rbf(tuned,
				beta)), rbf(end, beta), claim.Lower,
			claim.Difference(rise(tuned, end), rise(first, tuned)), "")
	}
	quarter := s.of(rbf(first, tunedBeta), success)
	for i, v := range s.of(list, success) {
		quarter[i] -= v / 4
	}
	trend(f13, `"Even for compression ratios as high as 25.6, … over a quarter of that offered by the list"`,
		"success with RBF, β = 25 %, less a quarter of the list's", rbf(first,
			tunedBeta), claim.Higher, claim.Mean(quarter), "")
	for _, m := range []int{tuned, end} {
		number(f13, `β = 0.25: for ratios of 4.2 and lower "the success rate approaches that of the list"`,
			"success with RBF, β = 25 %, by the list's", rbf(m, tunedBeta), claim.About(1),
			claim.Ratio(s.of(rbf(m, tunedBeta), success), s.of(list, success)))
	}

	const which = "figures 13 and 15: which k"
	for _, at := range []struct {
		m             int
		where         string
		short, served float64
	}{{first, "figure 15, m = 10,000", 0.9981, 0}, {end, "figures 13 and 15, m = 100,000", 0.7668, 0.2446}} {
		for k := 1; k <= hashes; k++ {
			b := bloom(at.m)
			if k < hashes {
				b = b.by(k)
			}
			why := fmt.Sprintf("a path has some %.0f nodes, each of which is a false positive with %s",
				s.hops, quantity.Percent(rate(at.m, penultimates, k)))
			c := s.claim(which, at.where+", within a tenth because the network is ours",
				"stopping short, Bloom filter", b, claim.About(at.short), s.mean(b, short), why)
			c.Reading = fmt.Sprintf("k = %d", k)
			claims = append(claims, c)
			if at.served > 0 {
				c.Quantity, c.Published, c.Interval = "success, Bloom "+
					"filter", claim.About(at.served), s.mean(b, success)
				claims = append(claims, c)
			}
		}
	}

	const f15 = "figure 15: stopping short"
	for i, at := range order[1:] {
		less(f15, "figure 15: the order of the stop sets", at, order[i], "stopping short", short,
			claim.Lower, "")
	}
	const f16 = "figure 16: topology missed"
	for _, reach := range []struct {
		name   string
		number func(probed) float64
	}{{"nodes", nodes}, {"links", links}} {
		for _, m := range []int{first, tuned} {
			number(f16, `"We miss a much smaller quantity of nodes and links with RBFs"`,
				reach.name+" missed with RBF, β = 25 %, less those with Bloom filter", rbf(m,
					tunedBeta), claim.Trend(claim.Lower),
				s.less(bloom(m), rbf(m, tunedBeta), reach.number))
		}
		number(f16, `"we are able to nearly reach the same level of coverage as with the list"`,
			reach.name+" reached with RBF, β = 25 %, by the list's", rbf(end, tunedBeta), claim.About(1),
			claim.Ratio(s.of(rbf(end, tunedBeta), reach.number), s.of(list, reach.number)))
	}

	const f17 = "figure 17: collisions"
	for _, m := range []int{first, tuned, end} {
		less(f17, `"Collisions can be reduced … due to a high rate of stopping short": Bloom filter`,
			bloom(m), list,
			"collisions", collision, claim.Lower, "")
		for _, beta := range []float64{0.01, 0.1} {
			less(f17, `"even for fairly high values of β, such as β = 0.10, … lower than the collision `+
				`cost for the list … over a wide range"`,
				rbf(m, beta), list, "collisions", collision, claim.Lower, s.atSize(m, beta))
		}
		less(f17, `"Even at β = 0.25, the RBF collision cost is only slightly higher"`, rbf(m, 0.25), list,
			"collisions", collision,
			claim.Higher, s.atSize(m, 0.25))
	}

	const f18 = "figure 18: by β"
	for _, m := range []int{tuned, first} {
		peak, best := 0.0, 0.0
		for _, beta := range s.swept {
			if v := *s.mean(rbf(m, beta), success).Measured; v > best {
				peak, best = beta, v
			}
		}
		why := fmt.Sprintf("it is highest at β = %g. At β = 1 the paper loses half of its stop set, which "+
			"takes some half as many keys as it has "+
			"members. Here %.0f addresses are no penultimate nodes, of which a filter of %s bits finds "+
			"%s", peak, s.seen, quantity.Count(m),
			quantity.Percent(rate(m, penultimates, hashes)))
		where := fmt.Sprintf("figure 18, m = %s: ", quantity.Count(m))
		trend(f18, where+`success "increases with β until reaching a peak"`,
			"success at its peak, less that at β = 1 %", rbf(m, peak),
			claim.Higher, s.less(rbf(m, peak), rbf(m, 0.01), success), why)
		trend(f18, where+`"after which it decreases until … β = 1"`, "success at its peak, less that at β "+
			"= 100 %", rbf(m, peak),
			claim.Higher, s.less(rbf(m, peak), rbf(m, 1), success), why)
		less(f18, where+`"the stopping short rate decreases with β"`, rbf(m, 1), rbf(m, 0.01),
			"stopping short", short, claim.Lower, "")
		less(f18, where+`"the collision rate increases with β"`, rbf(m, 1), rbf(m, 0.01), "collisions",
			collision, claim.Higher, "")
	}

	const f19 = "figure 19: ten cycles"
	for _, at := range []setting{rbf(tuned, tunedBeta), list} {
		for i, rate := range []func(probed) float64{success, short, collision} {
			d := []claim.Direction{claim.Lower, claim.Higher, claim.Higher}[i]
			why := "a destination that has another router in front of it may move later on, and then its " +
				"trace stops short no more"
			trend(f19, `"The success rate decreases with time while the stopping short and the collision `+
				`rates increases"`,
				[]string{"success", "stopping short", "collisions"}[i]+" in the tenth cycle, less that in "+
					"the first: "+at.String(), at, d,
				s.less(at.later(10), at, rate), why)
		}
	}
	fall := func(at setting) []float64 {
		all := s.of(at, success)
		for i, left := range s.of(at.later(10), success) {
			all[i] -= left
		}
		return all
	}
	number(f19, `"The decrease of the success rate for the RBF is somewhat similar to the list one"`,
		"decrease of success in ten cycles, RBF's by the list's", rbf(tuned, tunedBeta), claim.About(1),
		claim.Ratio(fall(rbf(tuned, tunedBeta)), fall(list)))

	const f20 = "figures 20 to 22: improved ratio"
	for _, m := range []int{first, tuned} {
		for _, beta := range []float64{0.01, 0.25} {
			at := rbf(m, beta)
			why := fmt.Sprintf("some %.0f keys are bought off, of a stop set of %s: their bits are chosen "+
				"nearly the same",
				beta*s.seen*rate(m, penultimates, hashes), quantity.Count(penultimates))
			less(f20, `figure 20: "Improved Ratio Selection performs better"`, at.better(), at, "success",
				success, claim.Higher, why)
			less(f20, `figure 21: "the improved selective clearing algorithms performs better"`,
				at.better(), at, "stopping short", short, claim.Lower, why)
			less(f20, `figure 22: "can decrease the collision rate"`, at.better(), at, "collisions",
				collision, claim.Lower, why)
		}
	}
	gain := func(m int, beta float64) claim.Interval {
		return s.less(rbf(m, beta).better(), rbf(m, beta),
			success)
	}
	for _, beta := range []float64{0.01, 0.25} {
		d := claim.Higher
		if beta > 0.01 {
			d = claim.Lower
		}
		trend(f20, `figure 20: "For β = 0.01, the increase is more important for larger vector size while `+
			`it is the contrary for β = 0.25"`,
			"rise of success by improved ratio at m = 100,000, less that at 10,000", rbf(end,
				beta), d, gain(end, beta).Less(gain(first, beta)),
			fmt.Sprintf("of %s of the false positives at m = 100,000 and %s at 10,000 there are %.1f and "+
				"%.0f: of the fewer keys the same bits are chosen",
				percent(beta), percent(beta), beta*s.seen*rate(end, penultimates,
					hashes), beta*s.seen*rate(first, penultimates, hashes)))
	}
	for _, m := range []int{20_000, 30_000} {
		at := rbf(m, 0.25)
		less(f20, `figure 21: β = 0.25, "a small increase in the stopping short rate for some vector `+
			`sizes"`, at.better(), at, "stopping short",
			short, claim.Higher, "the sizes at which it rises depend on the network")
	}
	for _, m := range []int{80_000, end} {
		at := rbf(m, 0.25).better()
		number(f20, `figure 22: "the collision rate, for Improved Ratio Selection, is very close to the `+
			`list one" above 70,000 bits`,
			"collisions with improved RBF, by the list's", at, claim.About(1), claim.Ratio(s.of(at,
				collision), s.of(list, collision)))
	}
	return claims, nil
}

// atSize says how collisions come about at a size.
func (s *stopping) atSize(m int, beta float64) string {
	at := rbf(m, beta)
	return fmt.Sprintf("%s of the traces stop short, and %s with a list", quantity.Percent(*s.mean(at,
		short).Measured),
		quantity.Percent(*s.mean(list, short).Measured))
}
