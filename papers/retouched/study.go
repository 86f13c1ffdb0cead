package retouched

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/bloomlane/bloomlane/filter/family/retouched"
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

	// told are the sizes that sentences are about: a short run takes no others. Those of the others
	// are about one β.
	known      = []int{10_000, 20_000, 30_000, 60_000, 80_000, 100_000}
	toldWholly = []int{10_000, tuned, 100_000}
)

func bloom(m int) setting              { return setting{m: m, cycle: 1} }
func rbf(m int, beta float64) setting  { return setting{m: m, beta: beta, cycle: 1} }
func (s setting) hashes(k int) setting { s.k = k; return s }
func (s setting) better() setting      { s.improved = true; return s }
func (s setting) later(c int) setting  { s.cycle = c; return s }

// The stop sets of claims.
const (
	listSet     = "list"
	bloomFilter = "Bloom filter"
	touched     = "RBF"
	better      = "improved RBF"
)

// settingOf returns a claim's stop set.
func settingOf(point claim.Parameters) setting {
	s, set := setting{cycle: max(1, point.Int("cycle"))}, point.Text("set")
	if set == listSet {
		return s
	}
	s.m, s.improved = point.Int("m"), set == better
	if set != bloomFilter {
		s.beta = point.Float("β")
	}
	if k := point.Int("k"); k != hashes {
		s.k = k
	}
	return s
}

// cycles is a trial of the case study.
type cycles struct {
	probes     map[setting]probed
	traffic    []int   // of the false positives of a filter
	seen, hops float64 // addresses that are no penultimate nodes, and hops of a trace, on average
}

// swept are the β of figure 18: a short run takes some.
func swept(run *trials.Run) (betas []float64) {
	step := 1
	if run.Short {
		step = 12
	}
	for i := 1; i <= 100; i++ {
		if i%step == 0 || i == 1 || i == 10 || i == 30 || i == 100 {
			betas = append(betas, float64(i)/100)
		}
	}
	return betas
}

// study runs the trials: a learning cycle, and then cycles in which each stop set is asked.
var study claim.Results[cycles] = func(run *trials.Run, _ claim.Parameters) (string, []cycles) {
	const name = "case study"
	return name, trials.Recall(run, name, part(run), func(rng *rand.Rand) (r cycles) {
		r.probes = map[setting]probed{}
		n := newInternet(rng)
		set := learn(rng, n.trace(), n.addresses)
		r.seen, r.hops = float64(len(set.others)), set.hops()
		n.change()
		c := n.trace()
		c.number()
		set.hash(rng, n.addresses)
		r.probes[list] = c.probe(set.list)
		for _, m := range sizes {
			if run.Short && !slices.Contains(known, m) {
				continue
			}
			f, positives := set.bloom(m, hashes)
			r.probes[bloom(m)] = c.probe(set.finds(f))
			ask := func(at setting, by retouched.Algorithm) {
				r.probes[at] = c.probe(set.finds(set.retouch(f, positives, at.beta, by)))
			}
			tried := some
			if run.Short && !slices.Contains(toldWholly, m) {
				tried = []float64{tunedBeta}
			}
			for _, beta := range tried {
				ask(rbf(m, beta), retouched.Ratio)
				ask(rbf(m, beta).better(), retouched.ImprovedRatio)
			}
			if m == tuned || m == sizes[0] {
				for _, beta := range swept(run) {
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
			f, positives = set.bloom(m, 1)
			r.probes[bloom(m).hashes(1)] = c.probe(set.finds(f))
			for _, beta := range append([]float64{0.3, 1}, tried...) {
				if m == tuned || slices.Contains(tried, beta) {
					touched := set.retouch(f, positives, beta, retouched.Ratio)
					r.probes[rbf(m, beta).hashes(1)] = c.probe(set.finds(touched))
				}
			}
			for k := 2; k < hashes && (m == sizes[0] || m == sizes[len(sizes)-1]); k++ {
				f, _ := set.bloom(m, k)
				r.probes[bloom(m).hashes(k)] = c.probe(set.finds(f))
			}
		}
		f, positives := set.bloom(tuned, hashes)
		touched := set.retouch(f, positives, tunedBeta, retouched.Ratio)
		for cycle := 2; cycle <= 10; cycle++ {
			n.change()
			set.hash(rng, n.addresses)
			if run.Short && cycle < 10 { // no sentence is about these
				continue
			}
			c, filter := n.trace(), rbf(tuned, tunedBeta)
			r.probes[list.later(cycle)] = c.probe(set.list)
			r.probes[filter.later(cycle)] = c.probe(set.finds(touched))
		}
		return r
	})
}

// measure is a number of what was probed.
type measure = func(probed) float64

var measures = map[string]measure{
	"success":        func(p probed) float64 { return p.success },
	"stopping short": func(p probed) float64 { return p.short },
	"collisions":     func(p probed) float64 { return p.collision },
	"nodes reached":  func(p probed) float64 { return p.nodes },
	"links reached":  func(p probed) float64 { return p.links },
}

// place is a stop set in the place of a claim's.
type place = func(at setting) setting

func itself(at setting) setting  { return at }
func theList(setting) setting    { return list }
func plainly(at setting) setting { return bloom(at.m).hashes(at.k) } // that it is made from

// alone is what a stop set comes to; no sample where a run does not ask it.
func alone(r measure, set place) claim.Trials {
	return func(run *trials.Run, point claim.Parameters) claim.Sample {
		name, all := study(run, point)
		sample := claim.Sample{Of: name, Each: destinations}
		for _, c := range all {
			p, found := c.probes[set(settingOf(point))]
			if !found {
				return claim.Sample{}
			}
			sample.Values = append(sample.Values, r(p))
		}
		return sample
	}
}

// less is by how much that is less than with another one.
func less(r measure, set, than place) claim.Trials {
	return func(run *trials.Run, at claim.Parameters) claim.Sample {
		s, more := alone(r, set)(run, at), alone(r, than)(run, at)
		if len(s.Values) != len(more.Values) {
			return claim.Sample{}
		}
		floats.SubTo(s.Values, more.Values, s.Values)
		return s
	}
}

// peak is the β of the highest success.
func peak(run *trials.Run, point claim.Parameters) (beta float64) {
	_, all := study(run, point)
	highest := math.Inf(-1)
	for _, b := range swept(run) {
		sum := 0.0
		for _, c := range all {
			sum += c.probes[rbf(point.Int("m"), b)].success
		}
		if sum > highest {
			highest, beta = sum, b
		}
	}
	return beta
}

// stopSets is section VI.
func stopSets() claim.Quantities {
	success, short := measures["success"], measures["stopping short"]
	all := claim.Quantities{
		"a quarter of success": {Unit: claim.Share,
			Trials: alone(func(p probed) float64 { return p.success / 4 }, itself)},
		"rise of success from a size": {Unit: claim.Share,
			Trials: func(run *trials.Run, point claim.Parameters) claim.Sample {
				return less(success, func(s setting) setting {
					s.m = point.Int("from")
					return s
				}, itself)(run, point)
			}},
		"rise of success by improved ratio": {Unit: claim.Share,
			Trials: less(success, itself, setting.better)},
		"success at its peak": {Unit: claim.Share,
			Trials: func(run *trials.Run, at claim.Parameters) claim.Sample {
				return alone(success, func(s setting) setting {
					return rbf(s.m, peak(run, at))
				})(run, at)
			}},
		"β of the highest success": {
			Trials: func(run *trials.Run, at claim.Parameters) claim.Sample {
				return claim.Sample{Values: []float64{peak(run, at)}}
			}},
		"decrease of success in ten cycles, by the list's": {
			Trials: less(success, itself, func(at setting) setting { return at.later(1) }).By(
				less(success, func(setting) setting { return list.later(10) }, theList))},
		"part of stopping short that is gone": {Unit: claim.Share,
			Trials: less(short, itself, plainly).By(alone(short, plainly))},
		"addresses that are no penultimate nodes": {
			Trials: study.Number(func(c *cycles) float64 { return c.seen })},
		"nodes of a path": {Trials: study.Number(func(c *cycles) float64 { return c.hops })},
		"chance that an address is positive": claim.Computed(claim.Share, "Eq. (5)",
			func(at claim.Parameters) float64 {
				return rate(at.Int("m"), penultimates, cmp.Or(at.Int("k"), hashes))
			}),
		"keys that are bought off": {
			Trials: claim.Measured(study, func(c *cycles, at claim.Parameters) float64 {
				return at.Float("β") * c.seen * rate(at.Int("m"), penultimates, hashes)
			})},
		"false positives that all traces of a monitor meet": claim.Computed(claim.Number,
			"of the gateways", func(at claim.Parameters) float64 {
				return monitors * rate(at.Int("m"), penultimates, hashes)
			}),
		"false positives on as many traces, or more": {
			Trials: claim.Measured(study, func(c *cycles, at claim.Parameters) (n float64) {
				for _, traffic := range c.traffic {
					if float64(traffic) >= at.Float("traces") {
						n++
					}
				}
				return n
			})},
		"bits sent": claim.Computed(claim.Number, "32 bits an address, or m",
			func(point claim.Parameters) float64 {
				if point.Text("set") == listSet {
					return 32 * penultimates
				}
				return point.Float("m")
			}),
	}
	for name, r := range measures {
		unit := claim.Share
		if name == "nodes reached" || name == "links reached" {
			unit = claim.Number
			all[name[:len("nodes")]+" missed"] = claim.Quantity{Unit: claim.Share,
				Trials: less(r, itself, theList).By(alone(r, theList))}
		}
		all[name] = claim.Quantity{Unit: unit, Trials: alone(r, itself)}
		all[name+" with k = 1"] = claim.Quantity{Unit: unit,
			Trials: alone(r, func(at setting) setting { return at.hashes(1) })}
		all[name+", by the list's"] = claim.Quantity{
			Trials: alone(r, itself).By(alone(r, theList))}
	}
	kept := all["success"]
	kept.Formulas = claim.Formulas{"neither moved nor behind another router": func(
		point claim.Parameters,
	) float64 {
		if point.Text("set") != listSet {
			return math.NaN()
		}
		return math.Pow(1-moved-becameShort, float64(max(1, point.Int("cycle"))))
	}}
	all["success"] = kept
	return all
}

// studyPlots are figures 13 to 22.
func studyPlots() []claim.Plot {
	numbers := func(all []int) (values []float64) {
		for _, v := range all {
			values = append(values, float64(v))
		}
		return values
	}
	// stop sets by size, from the worst to the best by the figures
	retouchedAt := func(set string, k int, beta float64) claim.Parameters {
		return claim.Parameters{"set": set, "k": k, "β": beta}
	}
	sets := func(k int) (curves []claim.Curve) {
		curves = append(curves, claim.Curve{Name: bloomFilter,
			Parameters: claim.Parameters{"set": bloomFilter, "k": k}})
		for _, beta := range some {
			curves = append(curves, claim.Curve{Name: "RBF, β = " + percent(beta),
				Parameters: retouchedAt(touched, k, beta)})
		}
		return append(curves, listCurve)
	}
	rates := []string{"success", "stopping short", "collisions"}
	bySize := func(curves []claim.Curve, quantities ...string) (panels []claim.Panel) {
		for _, name := range quantities {
			p := claim.Panel{Title: name, X: "bits, m", Y: "share (%)", By: "m",
				At: numbers(sizes), Part: true, Curves: slices.Clone(curves), Look: thousandsX}
			for i := range p.Curves {
				p.Curves[i].Quantity = name
			}
			panels = append(panels, p)
		}
		return panels
	}
	figure := func(name, where, title string, columns int, panels ...claim.Panel) claim.Plot {
		return claim.Plot{Name: name, Where: where, Title: title, Columns: columns, Width: 250,
			Height: 240, Panels: panels}
	}
	var improving []claim.Curve
	for _, beta := range []float64{0.01, 0.25} {
		for _, set := range []string{touched, better} {
			improving = append(improving, claim.Curve{Name: set + ", β = " + percent(beta),
				Parameters: retouchedAt(set, hashes, beta)})
		}
	}
	var byBeta []claim.Panel
	sweep := swept(&trials.Run{})
	for _, m := range []int{tuned, sizes[0]} {
		p := claim.Panel{Title: "m = " + whole(float64(m)), X: "β", Y: "share (%)", By: "β",
			At: sweep, Part: true}
		for _, name := range rates {
			p.Curves = append(p.Curves, claim.Curve{Name: name, Quantity: name,
				Parameters: claim.Parameters{"set": touched, "m": m}})
		}
		byBeta = append(byBeta, p)
	}
	cycle := claim.Panel{X: "cycle of traces", Y: "share (%)", By: "cycle", Part: true,
		At: []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}}
	for _, name := range rates {
		theory := ""
		for _, set := range []string{touched, listSet} {
			if name == "success" && set == listSet {
				theory = "neither moved nor behind another router"
			}
			cycle.Curves = append(cycle.Curves, claim.Curve{Name: name + ": " + set,
				Quantity: name, Theory: theory, Parameters: claim.Parameters{"set": set,
					"m": tuned, "β": tunedBeta}})
		}
	}
	return []claim.Plot{
		figure("figure13-15-17", "figures 13, 15 and 17",
			"Figures 13, 15 and 17 with k = 5: what traces do, by stop set", 3,
			bySize(sets(hashes), rates...)...),
		figure("figure13-15-17-k1", "figures 13, 15 and 17",
			"Figures 13, 15 and 17 with k = 1, which fits the Bloom filter's numbers", 3,
			bySize(sets(1), rates...)...),
		figure("figure16", "figure 16", "Figure 16: what is missed of what a list reaches", 2,
			bySize(sets(hashes)[:5], "nodes missed", "links missed")...),
		figure("figure20-22", "figures 20 to 22", "Figures 20 to 22: ratio and improved ratio", 3,
			bySize(append(improving, listCurve), rates...)...),
		figure("figure14", "figure 14",
			"Figure 14: how troublesome false positives are (m = "+whole(tuned)+")", 1,
			claim.Panel{X: "traces through a false positive, or more", Y: "false positives",
				By: "traces", Log: true, Look: logarithmicX,
				At: []float64{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000},
				Curves: []claim.Curve{{Name: bloomFilter,
					Quantity: "false positives on as many traces, or more"}}}),
		figure("figure18", "figure 18", "Figure 18: what traces do, by β", 2, byBeta...),
		figure("figure19", "figure 19", "Figure 19: ten cycles (m = "+whole(tuned)+")", 1, cycle),
	}
}

var listCurve = claim.Curve{Name: listSet, Parameters: claim.Parameters{"set": listSet}}
