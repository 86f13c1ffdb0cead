package retouched

import (
	"fmt"
	"math"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// This file has what the text says of figures 13 to 22 without a number, or with one that depends
// on no data.

// change is two cycles or sizes of a rate, for each trial: the first less the second.
func (s *stopping) change(at, than setting, r measure) []float64 {
	all := s.of(at, r)
	for i, v := range s.of(than, r) {
		all[i] -= v
	}
	return all
}

// inOrder is the stop sets of a size, from the worst to the best by the figures.
func inOrder(m int) (all []setting) {
	all = append(all, bloom(m))
	for _, beta := range some {
		all = append(all, rbf(m, beta))
	}
	return append(all, list)
}

// figure13 is what is said of success.
func (s *stopping) figure13(*trials.Run) ([]claim.Claim, []claim.Figure) {
	first, end := sizes[0], sizes[len(sizes)-1]
	t := s.text("figure 13: success")
	order := inOrder(tuned)
	for i, at := range order[1:] {
		s.compare(t, "figure 13: the order of the stop sets", at, order[i], success,
			claim.Higher, "")
	}
	for _, beta := range some {
		at := rbf(tuned, beta)
		before, after := s.change(at, rbf(first, beta), success),
			s.change(rbf(end, beta), at, success)
		t.with(at).trend(
			`"a significant increase in the success rate for RBF sizes from 10,000 to 60,000"`,
			fmt.Sprintf("success with %v, less that at m = 10,000", at), claim.Higher,
			claim.Mean(before), "")
		t.with(rbf(end, beta)).trend(`"after that point … the increase is less marked"`,
			fmt.Sprintf("rise of success after m = 60,000, less that before: %v", at), claim.Lower,
			claim.Difference(after, before), "")
	}
	quarter := s.of(list, success)
	for i := range quarter {
		quarter[i] /= 4
	}
	small := rbf(first, tunedBeta)
	t.with(small).trend(
		`"Even for compression ratios as high as 25.6, … over a quarter of that of the list"`,
		fmt.Sprintf("success with %v, less a quarter of the list's", small), claim.Higher,
		claim.Difference(s.of(small, success), quarter), "")
	t.Unit = claim.Number
	for _, m := range []int{tuned, end} {
		at := rbf(m, tunedBeta)
		t.with(at).says(
			`for ratios of 4.2 and lower "the success rate approaches that of the list"`,
			fmt.Sprintf("success with %v, by the list's", at), claim.About(1),
			s.ratio(at, list, success), foreign)
	}

	which := s.text("figures 13 and 15: which k")
	for _, printed := range []struct {
		m             int
		where         string
		short, served float64
	}{{first, "figure 15, m = 10,000", 0.9981, 0},
		{end, "figures 13 and 15, m = 100,000", 0.7668, 0.2446}} {
		for k := 1; k <= hashes; k++ {
			at := bloom(printed.m)
			if k < hashes {
				at = at.by(k)
			}
			which.Reading = fmt.Sprintf("k = %d", k)
			where := printed.where + ", within a tenth because the network is ours"
			why := fmt.Sprintf("a path has about %.0f nodes, and each is a false positive with a "+
				"probability of %s",
				s.hops,
				quantity.Percent(rate(printed.m, penultimates, k)))
			which.with(at).says(where, "stopping short with Bloom filter",
				claim.About(printed.short), s.mean(at, short), why)
			if printed.served > 0 {
				which.says(where, "success with Bloom filter", claim.About(printed.served),
					s.mean(at, success), why)
			}
		}
	}
	return append(t.claims, which.claims...), nil
}

// foreign is the reason of numbers that depend on how the network is.
const foreign = "it depends on the network, which is ours"

// figures15to17 is what is said of stopping short, of the topology that is missed and of
// collisions.
func (s *stopping) figures15to17(*trials.Run) ([]claim.Claim, []claim.Figure) {
	first, end := sizes[0], sizes[len(sizes)-1]
	t := s.text("figure 15: stopping short")
	order := inOrder(tuned)
	for i, at := range order[1:] {
		s.compare(t, "figure 15: the order of the stop sets", at, order[i], short, claim.Lower, "")
	}
	t.Item, t.Unit = "figure 16: topology missed", claim.Number
	for _, reached := range []measure{nodes, links} {
		for _, m := range []int{first, tuned} {
			s.compare(t, `"We miss a much smaller quantity of nodes and links with RBFs"`,
				rbf(m, tunedBeta), bloom(m),
				reached, claim.Higher, "")
		}
		at := rbf(end, tunedBeta)
		t.with(at).says(`"we are able to nearly reach the same level of coverage as with the list"`,
			fmt.Sprintf("%s with %v, by the list's", reached.name, at), claim.About(1),
			s.ratio(at, list, reached),
			foreign)
	}
	t.Item, t.Unit = "figure 17: collisions", claim.Share
	for _, m := range []int{first, tuned, end} {
		s.compare(t,
			`"Collisions can be reduced … due to a high rate of stopping short": Bloom filter`,
			bloom(m), list, collision, claim.Lower, "")
		for _, beta := range []float64{0.01, 0.1} {
			s.compare(t,
				`"even for fairly high values of β, such as β = 0.10, … lower than the collision `+
					`cost for the list … over a wide range"`,
				rbf(m, beta), list, collision, claim.Lower, s.stops(rbf(m,
					beta)))
		}
		s.compare(t, `"Even at β = 0.25, the RBF collision cost is only slightly higher"`,
			rbf(m, 0.25), list, collision, claim.Higher, s.stops(rbf(m, 0.25)))
	}
	return t.claims, nil
}

// stops says how many traces stop short, and hit nothing.
func (s *stopping) stops(at setting) string {
	return fmt.Sprintf("%s of the traces stop short, and %s with a list",
		quantity.Percent(*s.mean(at, short).Measured),
		quantity.Percent(*s.mean(list, short).Measured))
}

// figures18and19 is what is said of β, and of ten cycles.
func (s *stopping) figures18and19(*trials.Run) ([]claim.Claim, []claim.Figure) {
	t := s.text("figure 18: by β")
	for _, m := range []int{tuned, sizes[0]} {
		peak := rbf(m, s.swept[0])
		for _, beta := range s.swept {
			if *s.mean(rbf(m, beta), success).Measured > *s.mean(peak, success).Measured {
				peak = rbf(m, beta)
			}
		}
		why := fmt.Sprintf("it is highest at β = %g. At β = 1 the paper loses half of its stop "+
			"set, which takes some half as many keys as it has members. Here %.0f addresses "+
			"are no penultimate nodes, of which a filter of %s bits finds %s",
			peak.beta, s.seen, quantity.Count(m), quantity.Percent(rate(m,
				penultimates, hashes)))
		where := fmt.Sprintf("figure 18, m = %s: ", quantity.Count(m))
		t.with(peak).trend(where+`success "increases with β until reaching a peak"`,
			"success at its peak, less that at β = 1 %", claim.Higher, s.less(peak, rbf(m, 0.01),
				success), why)
		t.trend(where+`"after which it decreases until … β = 1"`,
			"success at its peak, less that at β = 100 %",
			claim.Higher, s.less(peak, rbf(m, 1), success), why)
		s.compare(t, where+`"the stopping short rate decreases with β"`, rbf(m, 1),
			rbf(m, 0.01), short, claim.Lower, "")
		s.compare(t, where+`"the collision rate increases with β"`, rbf(m, 1),
			rbf(m, 0.01), collision, claim.Higher, "")
	}

	t.Item = "figure 19: ten cycles"
	touched := rbf(tuned, tunedBeta)
	for _, at := range []setting{touched, list} {
		for i, r := range []measure{success, short, collision} {
			t.with(at).trend(
				`"The success rate decreases with time while the stopping short and the `+
					`collision rates increases"`,
				fmt.Sprintf("%s in the tenth cycle, less that in the first: %v", r.name, at),
				[]claim.Direction{claim.Lower, claim.Higher, claim.Higher}[i],
				s.less(at.later(10), at, r),
				"a destination that has another router in front of it may move later on")
		}
	}
	t.Point = true
	for cycle := 1; cycle <= 10; cycle++ {
		t.Parameters = map[string]any{"cycle": cycle}
		t.Theory = claim.By("neither moved nor behind another router", math.Pow(1-moved-becameShort,
			float64(cycle)))
		t.says("figure 19", "success with list", claim.Published{},
			s.mean(list.later(cycle), success), "")
	}
	t.Point, t.Theory, t.Unit = false, claim.Theory{}, claim.Number
	t.with(touched).says(
		`"The decrease of the success rate for the RBF is somewhat similar to the list one"`,
		"decrease of success in ten cycles, RBF's by the list's", claim.About(1),
		claim.Ratio(s.change(touched, touched.later(10), success), s.change(list, list.later(10),
			success)), foreign)
	return t.claims, nil
}

// figures20to22 is what is said of the improved ratio.
func (s *stopping) figures20to22(*trials.Run) ([]claim.Claim, []claim.Figure) {
	first, end := sizes[0], sizes[len(sizes)-1]
	t := s.text("figures 20 to 22: improved ratio")
	bought := func(at setting) float64 {
		return at.beta * s.seen * rate(at.m,
			penultimates, hashes)
	}
	for _, m := range []int{first, tuned} {
		for _, beta := range []float64{0.01, 0.25} {
			at := rbf(m, beta)
			why := fmt.Sprintf("about %.0f keys are bought off, of a stop set of %s: nearly the "+
				"same bits are chosen",
				bought(at), quantity.Count(penultimates))
			s.compare(t, `figure 20: "Improved Ratio Selection performs better"`,
				at.better(), at, success, claim.Higher, why)
			s.compare(t, `figure 21: "the improved selective clearing algorithms performs better"`,
				at.better(), at,
				short, claim.Lower, why)
			s.compare(t, `figure 22: "can decrease the collision rate"`, at.better(), at, collision,
				claim.Lower, why)
		}
	}
	for _, trend := range []struct {
		beta float64
		claim.Direction
	}{{0.01, claim.Higher}, {0.25, claim.Lower}} {
		small, large := rbf(first, trend.beta), rbf(end, trend.beta)
		t.with(large).trend(
			`figure 20: "For β = 0.01, the increase is more important for larger vector `+
				`size while it is the contrary for β = 0.25"`,
			"rise of success by improved ratio, less that at m = 10,000", trend.Direction,
			s.less(large.better(), large, success).Less(s.less(small.better(), small, success)),
			fmt.Sprintf("%.1f keys are bought off, and %.0f at m = 10,000: for so few keys the "+
				"same bits are chosen",
				bought(large), bought(small)))
	}
	for _, m := range []int{20_000, 30_000} {
		s.compare(t,
			`figure 21: β = 0.25, "a small increase in the stopping short rate for some vector `+
				`sizes"`,
			rbf(m, 0.25).better(), rbf(m, 0.25), short, claim.Higher,
			"at which sizes it rises depends on the network")
	}
	t.Unit = claim.Number
	for _, m := range []int{80_000, end} {
		at := rbf(m, 0.25).better()
		t.with(at).says(
			`figure 22: above 70,000 bits "the collision rate … is very close to the list one"`,
			fmt.Sprintf("collisions with %v, by the list's", at), claim.About(1),
			s.ratio(at, list, collision), foreign)
	}
	return t.claims, nil
}
