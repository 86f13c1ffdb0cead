package retouched

import (
	_ "embed"
	"slices"

	"github.com/bloomlane/bloomlane/papers/claim"
)

// This file has what section VII says of other filters and is not so.

//go:embed claims.tsv
var claimTable string

var quantities = claim.Quantities{
	"packets that a time-out filter samples": {Formulas: claim.Formulas{
		"buckets of the flow": sampled(func(flow, _ int) int { return flow }, false),
		"buckets of the time": sampled(func(_, time int) int { return time }, false),
		"buckets of the flow, others set to 0": sampled(
			func(flow, _ int) int { return flow }, true),
	}},
	"filters of a dynamic filter": {Formulas: claim.Formulas{
		"fewer keys than n": dynamic(func(keys, _ int) int { return keys }),
		"fewer keys than it is made for": dynamic(
			func(_, capacity int) int { return capacity }),
	}},
}

// sampled returns how many packets a time-out Bloom filter samples, of flows that take turns and
// never pause for its time-out. A bucket has the time of its last packet.
func sampled(position func(flow, time int) int, forget bool) func(claim.Parameters) float64 {
	return func(at claim.Parameters) (packets float64) {
		last := map[int]bool{}
		for i := range at.Int("packets") {
			// no flow has the number of a time
			bucket := position(-1-i%at.Int("flows"), i)
			if !last[bucket] {
				packets++
			}
			if forget {
				clear(last)
			}
			last[bucket] = true
		}
		return packets
	}
}

// dynamic returns how many filters a dynamic Bloom filter has after some keys, each into the first
// filter with fewer keys than a limit, which may depend on how many keys there are.
func dynamic(limit func(keys, capacity int) int) func(claim.Parameters) float64 {
	return func(at claim.Parameters) float64 {
		filters := []int{0}
		for n := range at.Int("keys") {
			i := slices.IndexFunc(filters,
				func(own int) bool { return own < limit(n, at.Int("capacity")) })
			if i < 0 {
				i, filters = len(filters), append(filters, 0)
			}
			filters[i]++
		}
		return float64(len(filters))
	}
}
