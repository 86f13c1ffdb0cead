package garden

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/bloomlane/bloomlane/filter/counting"
	"github.com/bloomlane/bloomlane/filter/cuckoo"
	"github.com/bloomlane/bloomlane/filter/plain"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// visited is what a browser does that checks URLs in two stages, a filter and a server that has the
// list: it asks the server, needlessly, and is wrong.
type visited struct{ trips, needless, wrong int }

const visits = 20_000

func visit(run *trials.Run, at claim.Parameters) (string, []visited) {
	const n = 1000
	bad, rate := at.Float("listed"), at.Float("rate") // part of the visits
	return repeated(run, fmt.Sprint("blocklist ", bad, rate), 200, 6,
		func(rng *rand.Rand) (r visited) {
			f, listed := must(plain.New(plain.Config{Members: n, Rate: rate, Key: secret})),
				make([]uint64, n)
			server := map[uint64]bool{}
			for i := range listed {
				listed[i] = rng.Uint64()
				server[listed[i]] = true
				must(f.InsertHash(listed[i]))
			}
			for range visits {
				url := rng.Uint64()
				if rng.Float64() < bad {
					url = listed[rng.IntN(n)]
				}
				blocked := false
				if f.QueryHash(url) {
					r.trips++
					if blocked = server[url]; !blocked {
						r.needless++
					}
				}
				if blocked != server[url] {
					r.wrong++
				}
			}
			return r
		})
}

// replaced are parts of a cache's objects that were replaced since it sent a digest.
var replaced = []float64{0, 0.1, 0.25, 0.5, 0.75, 1}

// lacking are the parts of cached objects that the digest lacks, and those that a counting filter
// lacks that is told of all that comes and goes.
type lacking struct{ digest, current []float64 }

func digests(run *trials.Run, at claim.Parameters) (string, []lacking) {
	n, rate := at.Int("n"), at.Float("rate")
	return repeated(run, "digests", 200, 20, func(rng *rand.Rand) (r lacking) {
		digest := must(plain.New(plain.Config{Members: n, Rate: rate, Key: secret}))
		current := must(counting.New(counting.Config{Members: n, Rate: rate, Key: secret}))
		objects := make([]uint64, 2*n) // of which n at a time are cached, the oldest goes
		for i := range objects {
			objects[i] = rng.Uint64()
		}
		for _, object := range objects[:n] {
			must(digest.InsertHash(object))
			must(current.InsertHash(object))
		}
		gone := 0
		missing := func(present int) float64 { return 1 - float64(present)/float64(n) }
		for _, part := range replaced {
			for ; gone < int(part*float64(n)); gone++ {
				current.DeleteHash(objects[gone])
				must(current.InsertHash(objects[n+gone]))
			}
			cached := objects[gone : gone+n]
			r.digest = append(r.digest, missing(digest.QueryHashBatch(cached, nil)))
			r.current = append(r.current, missing(current.QueryHashBatch(cached, nil)))
		}
		return r
	})
}

// applied is the introduction, with its applications, and the filters that the end of the article
// names.
func applied() claim.Quantities {
	trips := func(at claim.Parameters) float64 {
		bad := at.Float("listed")
		return bad + (1-bad)*at.Float("rate")
	}
	lacks := func(parts func(*lacking) []float64) claim.Trials {
		return claim.Measured(digests, func(l *lacking, at claim.Parameters) float64 {
			return parts(l)[slices.Index(replaced, at.Float("replaced"))]
		})
	}
	cuckooBits := func(at claim.Parameters) float64 {
		f := must(cuckoo.New(cuckoo.Config{Members: at.Int("n"), Rate: at.Float("rate"),
			Key: secret}))
		return 8 * float64(f.State().Bytes) / at.Float("n")
	}
	basicBits := func(at claim.Parameters) float64 {
		m, _, n := basicOf(at)
		return float64(m) / float64(n)
	}
	return claim.Quantities{
		"visits with a round trip": measured(claim.Counted(visit,
			func(v *visited, _ claim.Parameters) (hits, cases int) { return v.trips, visits }),
			meanField, trips),
		"round trips for URLs that are not listed": measured(claim.Counted(visit,
			func(v *visited, _ claim.Parameters) (hits, cases int) { return v.needless, v.trips }),
			meanField, func(at claim.Parameters) float64 {
				return 1 - at.Float("listed")/trips(at)
			}),
		"visits that are blocked or not by mistake": measured(claim.Counted(visit,
			func(v *visited, _ claim.Parameters) (hits, cases int) { return v.wrong, visits }),
			exact, never),
		"bits per key, less those of an exact list": computed(claim.Number, restored,
			func(at claim.Parameters) float64 {
				return optimalBits(at.Float("rate")) - at.Float("bits listed")
			}),
		"cached objects that the digest lacks": measured(
			lacks(func(l *lacking) []float64 { return l.digest }), meanField,
			func(at claim.Parameters) float64 {
				return at.Float("replaced") * (1 - at.Float("rate"))
			}),
		"cached objects that a counting filter lacks that follows": measured(
			lacks(func(l *lacking) []float64 { return l.current }).Of(
				func(at claim.Parameters) int { return at.Int("n") }), exact, never),
		"bits per key of a cuckoo filter, less those of a basic one": {Formulas: claim.Formulas{
			exact:    func(at claim.Parameters) float64 { return cuckooBits(at) - basicBits(at) },
			"cuckoo": cuckooBits, "basic": basicBits,
		}},
	}
}

func appliedFigures() []claim.Plot {
	var byPart []claim.Curve
	for _, bad := range []float64{0.01, 0.001, 0.0001} {
		byPart = append(byPart, claim.Curve{
			Name:     quantity.Percent(bad) + " of the visits listed",
			Quantity: "visits with a round trip", Theory: meanField,
			Parameters: claim.Parameters{"listed": bad}})
	}
	cache := claim.Parameters{"n": 1000, "rate": 0.05}
	return []claim.Plot{
		{
			Name: "blocklist", Where: "Introduction: Chrome's list of URLs",
			Title: "A blocklist in two stages: marks simulated, lines expected",
			Width: 420, Height: 280, Columns: 1, Panels: []claim.Panel{{
				X: "rate of the filter", Y: "visits with a round trip", By: "rate",
				At: []float64{0.1, 0.01, 0.001, 0.0001}, Log: true, Curves: byPart,
				Look: logPercents}},
		},
		{
			Name: "digests", Where: "Introduction: cache digests",
			Title: "What a cache digest lacks (n = 1000, rate 5 %): marks simulated, lines " +
				"expected",
			Width: 420, Height: 260, Columns: 1, Panels: []claim.Panel{{
				X: "objects replaced since the exchange",
				Y: "cached objects that the digest lacks", By: "replaced", At: replaced,
				Part: true, Curves: []claim.Curve{
					{Name: "a digest that was exchanged", Theory: meanField, Parameters: cache,
						Quantity: "cached objects that the digest lacks"},
					{Name: "a counting filter that follows", Parameters: cache,
						Quantity: "cached objects that a counting filter lacks that follows"}},
				Look: func(p *chart.Panel) { percents(&p.X, 0, 0.2, 0.4, 0.6, 0.8, 1) }}},
		},
	}
}
