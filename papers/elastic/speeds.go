package elastic

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bloomlane/bloomlane/filter/elastic"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// speeds is Fig. 7, and what of speeds cannot be reproduced.
func speeds(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	claims = fig7(run)
	const own = "it depends on their code and on a CPU with 36 threads, and the text has no " +
		"number; %s"
	for _, of := range []struct{ item, where, quantity, why string }{
		{"Fig. 5", `section 5.3: "processing speed comparison on each operation"`,
			"million operations per second",
			fmt.Sprintf(own, "the order is above, in bits and buckets")},
		{"Fig. 6", `section 5.3: "the MOPS of EBF is slightly lower than the other two"`,
			"million operations per second",
			fmt.Sprintf(own, "the order is above, in bits and buckets")},
		{"Fig. 7",
			`section 5.3: with 4 and 16 threads "the MOPS of EBF is higher than that of Par-BF"`,
			"million operations per second with 4 and 16 threads",
			fmt.Sprintf(own, "one and two threads are above")},
		{"Fig. 8b", `section 5.4: the "time cost" of expanding`, "milliseconds",
			fmt.Sprintf(own, "the order is above, in bits and buckets")},
		{"section 5.1.1", `section 5.1.1: CAIDA's traces and those of IMC's data centers`, "flows",
			"the traces are not available; random hashes stand for their flows"},
	} {
		claims = append(claims, claim.Claim{
			Item: "speeds and traces", Parameters: map[string]any{"of": of.item}, Where: of.where,
			Quantity: of.quantity,
			Unit:     claim.Number, Reading: claim.Literal, Why: of.why,
		})
	}
	return claims, nil
}

// timed is a filter of Fig. 7, or the form to use.
type timed struct {
	name string
	make func(log, most int) (insert func(hash uint64), query func(hash uint64) bool)
}

func paper(name string, lazy bool) timed {
	return timed{name, func(log, _ int) (func(uint64), func(uint64) bool) {
		s := ofOriginal(log, lazy)
		return s.insert, s.query
	}}
}

// timeds are the filters that are timed, the paper's first, with its lazy update.
var timeds = []timed{
	paper("elastic", true),
	{"counting dynamic", func(log, _ int) (func(uint64), func(uint64) bool) {
		s := newLayers(log, 1, 0, threshold)
		return s.insert, s.find
	}},
	{"Par-BF", func(log, most int) (func(uint64), func(uint64) bool) {
		s := newLayers(log, 1, 0, fullOfParBF(log, most))
		return s.insert, s.find
	}},
	{"filter/elastic", func(log, _ int) (func(uint64), func(uint64) bool) {
		f := must(elastic.New(elastic.Config{
			Members: 1 << log / 16, Rate: math.Pow(threshold, hashes),
			Key: keytest.Key(1),
		}))
		return func(hash uint64) { must(f.InsertHash(hash)) }, f.QueryHash
	}},
}

// laps are the times of some inserts each, and of the queries between them, by thread: the least of
// some rounds, because what else the machine does makes other laps long each time.
type laps [][]time.Duration

const perLap = 16 // inserts

// mix has some threads, a power of two, grow filters to a number of members in all, with the
// given queries of members per insert, and as many of others. It returns how many members were not
// found. Each thread has a part of the hashes, the same each time, and a filter of a part of the
// size, so that none waits for another.
func (f *timed) mix(log, members, threads, queries int, least laps) (missed int64) {
	members /= threads
	var lost atomic.Int64
	var all sync.WaitGroup
	for thread := range threads {
		all.Go(func() {
			begin := time.Now()
			insert, query := f.make(log-bits.TrailingZeros(uint(threads)), members)
			rng := rand.New(rand.NewPCG(6, uint64(thread)))
			in := make([]uint64, members)
			for i := range in {
				in[i] = rng.Uint64()
				insert(in[i])
				for range queries {
					if !query(in[rng.IntN(i+1)]) {
						lost.Add(1)
					}
					query(rng.Uint64())
				}
				if lap := &least[thread][i/perLap]; i%perLap == perLap-1 {
					*lap, begin = min(*lap, time.Since(begin)), time.Now()
				}
			}
		})
	}
	all.Wait()
	return lost.Load()
}

// newLaps returns those of no round.
func newLaps(members, threads int) (all laps) {
	for range threads {
		all = append(all, slices.Repeat([]time.Duration{math.MaxInt64}, members/threads/perLap))
	}
	return all
}

// ns is how long each of some operations takes all threads, of which the last one counts.
func (l laps) ns(operations int) float64 {
	var last time.Duration
	for _, thread := range l {
		sum := time.Duration(0)
		for _, lap := range thread {
			sum += lap
		}
		last = max(last, sum)
	}
	return float64(last) / float64(operations)
}

// longest is the longest insert on the way to a number of members, in ns: of each the least time of
// some rounds, because what else the machine does makes other calls long each time.
func (f *timed) longest(log, members, rounds int) time.Duration {
	calls := slices.Repeat([]time.Duration{math.MaxInt64}, members)
	for range rounds {
		insert, _ := f.make(log, members)
		rng := rand.New(rand.NewPCG(8, 8))
		for i := range calls {
			hash := rng.Uint64()
			begin := time.Now()
			insert(hash)
			calls[i] = min(calls[i], time.Since(begin))
		}
	}
	return slices.Max(calls)
}

// fig7 times them side by side, in rounds. A short run, which tests compare, does not.
func fig7(run *trials.Run) (claims []claim.Claim) {
	const rounds, full = 5, "times are of the full run only"
	const slower = "it is lower; most of the time is that of inserts, and package original packs " +
		"fingerprints bit by bit, to be checked and not to be fast"
	c := claim.Claim{Item: "Fig. 7", Unit: claim.Number, Reading: "one and two threads only",
		Trials: rounds}
	for _, of := range []struct{ peak, queries int }{{4, 2}, {16, 2}, {16, 64}, {peaks[last], 2}} {
		members, ratio := of.peak<<logBits/16, fmt.Sprintf("1:%[1]d:%[1]d", of.queries)
		var ns [2][]float64 // per operation, by threads and filter
		for i := range number(run, len(ns), 0) {
			var least []laps
			for range timeds {
				least = append(least, newLaps(members, i+1))
			}
			for round := range rounds {
				for j := range timeds {
					at := (round + j) % len(timeds)
					if missed := timeds[at].mix(logBits, members, i+1, of.queries,
						least[at]); missed > 0 {
						panic(fmt.Sprintf("elastic: %s did not find %d members",
							timeds[at].name, missed))
					}
				}
			}
			for _, l := range least {
				ns[i] = append(ns[i], l.ns(members*(1+2*of.queries)))
			}
		}
		add := func(quantity, why string, parameters map[string]any, measured func() float64) {
			parameters["peak"], parameters["ratio"] = of.peak, ratio
			c.Quantity, c.Parameters, c.Interval, c.Why = quantity, parameters,
				claim.Interval{}, full
			if !run.Short {
				c.Interval, c.Why = claim.Exact(measured()), why
			} else if c.Direction == "" {
				return
			}
			claims = append(claims, c)
		}
		for i := range ns {
			for j := 1; j < len(timeds); j++ {
				c.Where, c.Published = "section 5.3", claim.Published{}
				if timeds[j].name == "Par-BF" {
					c.Where =
						`section 5.3: with threads "the MOPS of EBF is higher than that of Par-BF"`
					c.Published = claim.Trend(claim.Higher)
				}
				add("speed, log of elastic by another's", slower,
					map[string]any{"other": timeds[j].name, "threads": i + 1},
					func() float64 { return math.Log(ns[i][j] / ns[i][0]) })
			}
			c.Where, c.Published = "section 5.3", claim.Published{}
			for j := range timeds {
				add("ns per operation", "",
					map[string]any{"filter": timeds[j].name, "threads": i + 1},
					func() float64 { return ns[i][j] })
			}
		}
		c.Where, c.Published =
			`section 5.3: threads are "helpful to accelerate the processing speed"`,
			claim.Trend(claim.Higher)
		add("speed of elastic with two threads, log by that with one", "no second core was free",
			map[string]any{}, func() float64 { return math.Log(ns[0][0] / ns[1][0]) })
	}
	c.Item, c.Where, c.Published, c.Reading = "the form to use", "section 3",
		claim.Published{}, claim.Literal
	for _, f := range []timed{paper("elastic, eager", false), timeds[0],
		timeds[len(timeds)-1]}[number(run, 0, 3):] {
		c.Parameters, c.Quantity = map[string]any{"form": f.name, "peak": peaks[last]},
			"µs of the longest insert"
		c.Interval = claim.Exact(f.longest(logBits, peaks[last]<<logBits/16,
			rounds).Seconds() * 1e6)
		claims = append(claims, c)
	}
	return claims
}
