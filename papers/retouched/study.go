package retouched

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// setting is a stop set in a cycle of traces. A list has m = 0, a Bloom filter β = 0.
type setting struct {
	m, k     int
	beta     float64
	improved bool
	cycle    int
}

const (
	tuned, tunedBeta = 60_000, 0.25 // "suggested by previous studies"
	lastCycle        = 10
)

// The stop sets of claims.
const (
	listSet     = "list"
	bloomFilter = "Bloom filter"
	touched     = "RBF"
	better      = "improved RBF"
)

// settingOf returns a claim's stop set.
func settingOf(point claim.Parameters) setting {
	set := point.Word("set", listSet, bloomFilter, touched, better)
	s := setting{point.Int("m"), cmp.Or(point.Int("k"), hashes), point.Float("β"), set == better,
		max(1, point.Int("cycle"))}
	switch set {
	case listSet: // of any m and β that it stands beside
		return setting{cycle: s.cycle}
	case bloomFilter:
		s.beta = 0
	}
	return s
}

// isTold says whether sentences are about a stop set: a short run asks no others.
func (s setting) isTold() bool {
	swept := s.m == 10_000 || s.m == tuned // figure 18
	switch {
	case s.cycle > 1:
		return s.cycle == lastCycle
	case s.beta == 0 || s.beta == tunedBeta:
		return slices.Contains([]int{0, 10_000, 20_000, 30_000, tuned, 80_000, 100_000}, s.m)
	case slices.Contains([]float64{0.01, 0.05, 0.1}, s.beta):
		return swept || s.m == 100_000
	}
	return swept && slices.Contains(sweep(true), s.beta)
}

// sweep returns the β of figure 18: a short run takes some.
func sweep(short bool) (betas []float64) {
	for i := 1; i <= 100; i++ {
		if !short || i%12 == 0 || i == 1 || i == 10 || i == 30 || i == 100 {
			betas = append(betas, float64(i)/100)
		}
	}
	return betas
}

// study makes the networks: a learning cycle, and then cycles in which stop sets can be asked.
var study claim.Results[stopSet] = func(
	run *trials.Run,
	at claim.Parameters,
) (name string, sets []stopSet) {
	name = "case study"
	number, short := times(at)
	if run.Short {
		number = short
	}
	return name, trials.Recall(run, name, number, func(rng *rand.Rand) stopSet {
		n := newInternet(rng)
		set := learn(n)
		for i := 1; i <= lastCycle; i++ {
			n.change()
			set.hash(n)
			if !run.Short || i == 1 || i == lastCycle {
				set.cycles[i] = n.trace()
			}
		}
		set.cycles[1].number()
		return set
	})
}

// probes is a number of a claim's stop set; no sample where a run does not ask it.
func probes(number string) claim.Trials {
	return func(run *trials.Run, point claim.Parameters) claim.Sample {
		s := settingOf(point)
		if run.Short && !s.isTold() {
			return claim.Sample{}
		}
		name, all := study(run, point)
		var asking sync.WaitGroup
		for i := range all {
			asking.Go(func() { all[i].probe(s) })
		}
		asking.Wait()
		return claim.Sample{Of: name, Each: destinations, Values: trials.Column(all,
			func(t *stopSet) float64 { return t.probes[s][number] })}
	}
}

// peak is the β of the highest success.
func peak(run *trials.Run, point claim.Parameters) (beta float64) {
	highest := math.Inf(-1)
	for _, b := range sweep(run.Short) {
		sample := substitute(probes(success), "β", b)(run, point)
		if sum := floats.Sum(sample.Values); sum > highest {
			highest, beta = sum, b
		}
	}
	return beta
}

// stopSets is section VI.
func stopSets() claim.Quantities {
	all := claim.Quantities{}
	for _, name := range []string{success, stoppingShort, collisions, nodes, links} {
		each, unit := probes(name), claim.Share
		byList := substitute(each, "set", listSet)
		if name == nodes || name == links {
			unit = claim.Number
			all[name[:len("nodes")]+" missed"] = claim.Quantity{Unit: claim.Share,
				Trials: difference(byList, each).By(byList)}
		}
		all[name] = claim.Quantity{Unit: unit, Trials: each}
		all[name+" with k = 1"] = claim.Quantity{Unit: unit, Trials: substitute(each, "k", 1)}
		all[name+", by the list's"] = claim.Quantity{Trials: each.By(byList)}
	}
	short, succeeded := all[stoppingShort].Trials, all[success].Trials
	lists, plainly := substitute(succeeded, "set", listSet), substitute(short, "set", bloomFilter)
	all[success] = claim.Quantity{Unit: claim.Share, Trials: succeeded, Formulas: claim.Formulas{
		"neither moved nor behind another router": func(point claim.Parameters) float64 {
			if point.Text("set") != listSet {
				return math.NaN()
			}
			return math.Pow(1-moved-becameShort, float64(max(1, point.Int("cycle"))))
		}}}
	return claim.Join(all, claim.Quantities{
		"a quarter of success": {Unit: claim.Share, Trials: succeeded.To(
			func(v float64, _ claim.Parameters) float64 { return v / 4 })},
		"rise of success from a size": {Unit: claim.Share,
			Trials: func(run *trials.Run, point claim.Parameters) claim.Sample {
				from := substitute(succeeded, "m", point.Int("from"))
				return difference(succeeded, from)(run, point)
			}},
		"rise of success by improved ratio": {Unit: claim.Share,
			Trials: difference(substitute(succeeded, "set", better), succeeded)},
		"success at its peak": {Unit: claim.Share,
			Trials: func(run *trials.Run, point claim.Parameters) claim.Sample {
				return substitute(succeeded, "β", peak(run, point))(run, point)
			}},
		"β of the highest success": {
			Trials: func(run *trials.Run, point claim.Parameters) claim.Sample {
				return claim.Sample{Values: []float64{peak(run, point)}}
			}},
		"decrease of success in ten cycles, by the list's": {
			Trials: difference(substitute(succeeded, "cycle", 1), succeeded).By(
				difference(substitute(lists, "cycle", 1), lists))},
		"part of stopping short that is gone": {Unit: claim.Share,
			Trials: difference(plainly, short).By(plainly)},
		"addresses that are no penultimate nodes": {
			Trials: study.Number(func(t *stopSet) float64 { return float64(len(t.others)) })},
		"nodes of a path":                    {Trials: study.Number((*stopSet).hops)},
		"chance that an address is positive": claim.Computed(claim.Share, "Eq. (5)", stopRate),
		"keys that are bought off": {
			Trials: claim.Measured(study, func(t *stopSet, point claim.Parameters) float64 {
				return point.Float("β") * float64(len(t.others)) * stopRate(point)
			})},
		"false positives that all traces of a monitor meet": claim.Computed(claim.Number,
			"of the gateways",
			func(at claim.Parameters) float64 { return monitors * stopRate(at) }),
		"false positives on as many traces, or more": {
			Trials: claim.Measured(study, func(t *stopSet, point claim.Parameters) (n float64) {
				for _, a := range t.bloom(tuned, hashes).positives {
					if float64(t.traffic[a]) >= point.Float("traces") {
						n++
					}
				}
				return n
			})},
		"bits sent": claim.Computed(claim.Number, "32 bits an address, or m",
			func(point claim.Parameters) float64 {
				m := point.Float("m")
				if point.Text("set") == listSet {
					m = 32 * penultimates
				}
				return m
			}),
	})
}

// stopRate is Eq. (5) of a claim's stop set.
func stopRate(point claim.Parameters) float64 {
	return rate(point.Int("m"), penultimates, cmp.Or(point.Int("k"), hashes))
}
