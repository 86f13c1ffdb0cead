package garden

import (
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/filter/counting"
	"github.com/bloomlane/bloomlane/filter/cuckoo"
	"github.com/bloomlane/bloomlane/filter/plain"
	"github.com/bloomlane/bloomlane/papers/claim"
)

// visited is what a browser does that checks URLs in two stages, a filter and a server that has the
// list: it asks the server, needlessly, and is wrong.
var visited = claim.Simulation{
	Name: claim.Named("blocklist %v %v", "listed", "rate"), Times: claim.Times(200, 6),
	Trial: func(rng *rand.Rand, point claim.Parameters) claim.Outcome {
		const n, visits = 1000, 20_000
		f := must(plain.New(plain.Config{Members: n, Rate: point.Float("rate"), Key: secret}))
		listed, server := fill(rng, f, n), map[uint64]bool{}
		for _, hash := range listed {
			server[hash] = true
		}
		var trips, needless, wrong float64
		for range visits {
			url := rng.Uint64()
			if rng.Float64() < point.Float("listed") { // a part of the visits
				url = listed[rng.IntN(n)]
			}
			blocked := false
			if f.QueryHash(url) {
				trips++
				if blocked = server[url]; !blocked {
					needless++
				}
			}
			if blocked != server[url] {
				wrong++
			}
		}
		return claim.Outcome{"trips": {trips}, "needless": {needless}, "wrong": {wrong},
			"visits": {visits}}
	},
}

// replaced are parts of a cache's objects that were replaced since it sent a digest.
var replaced = []float64{0, 0.1, 0.25, 0.5, 0.75, 1}

// digests are the parts of cached objects that the digest lacks, and those that a counting filter
// lacks that is told of all that comes and goes.
var digests = claim.Simulation{
	Name: claim.Named("digests"), Times: claim.Times(200, 20),
	Point: claim.Along("replaced", replaced),
	Trial: func(rng *rand.Rand, at claim.Parameters) claim.Outcome {
		n, rate := at.Int("n"), at.Float("rate")
		digest := must(plain.New(plain.Config{Members: n, Rate: rate, Key: secret}))
		current := must(counting.New(counting.Config{Members: n, Rate: rate, Key: secret}))
		objects := fill(rng, digest, n) // of which n at a time are cached, the oldest goes
		must(current.InsertHashBatch(objects, nil))
		for range n {
			objects = append(objects, rng.Uint64())
		}
		gone, o := 0, claim.Outcome{}
		for _, part := range replaced {
			for ; gone < int(part*float64(n)); gone++ {
				current.DeleteHash(objects[gone])
				must(current.InsertHash(objects[n+gone]))
			}
			cached := objects[gone : gone+n]
			o["digest"] = append(o["digest"], lacking(digest, cached))
			o["current"] = append(o["current"], lacking(current, cached))
		}
		return o
	},
}

// applied is the introduction, with its applications, and the filters that the end of the article
// names.
func applied() claim.Quantities {
	trips := func(at claim.Parameters) float64 {
		bad := at.Float("listed")
		return bad + (1-bad)*at.Float("rate")
	}
	cuckooBits := func(at claim.Parameters) float64 {
		f := must(cuckoo.New(cuckoo.Config{Members: at.Int("n"), Rate: at.Float("rate"),
			Key: secret}))
		return 8 * float64(f.State().Bytes) / at.Float("n")
	}
	basicBits := ofBasic(func(m, _, n float64) float64 { return m / n })
	return claim.Quantities{
		"visits with a round trip": measured(visited.Counted("trips", "visits"), meanField, trips),
		"round trips for URLs that are not listed": measured(visited.Counted("needless", "trips"),
			meanField, less(claim.Constant(1), divided(given("listed"), trips))),
		"visits that are blocked or not by mistake": measured(visited.Counted("wrong", "visits"),
			exact, never),
		"bits per key, less those of an exact list": claim.Computed(claim.Number, restored,
			less(optimalFor, given("bits listed"))),
		"cached objects that the digest lacks": measured(digests.Mean("digest"), meanField,
			func(at claim.Parameters) float64 {
				return at.Float("replaced") * (1 - at.Float("rate"))
			}),
		"cached objects that a counting filter lacks that follows": measured(
			digests.Mean("current").Of(func(at claim.Parameters) int { return at.Int("n") }),
			exact, never),
		"bits per key of a cuckoo filter, less those of a basic one": {Formulas: claim.Formulas{
			exact: less(cuckooBits, basicBits), "cuckoo": cuckooBits, "basic": basicBits}},
	}
}
