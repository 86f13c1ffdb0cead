package measure

import (
	"io"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bloomlane/bloomlane/bench/result"
)

// The tests of this file have a clock that only sleeps move, so each time is exact.

// What a group is timed at is what its subjects take: of each slice the least of all rounds, and
// the sum of each round.
func TestGroupTimes(t *testing.T) {
	const rounds, count, size = 3, 4, 2
	k := newKeys(count * size)
	for i := range k.hit {
		k.hit[i] = uint64(i / size)
	}
	// cost is of a subject, an operation, a slice and a round.
	cost := func(s, o, slice, round int) time.Duration {
		return time.Duration(1000*s + 100*o + 10*slice + (slice+round)%rounds)
	}
	var subjects []subject
	for s := range 2 {
		do := operations{}
		for o, operation := range []string{remove, insert} {
			var round [count]int
			do[operation] = func(keys []uint64) int {
				at := keys[0]
				time.Sleep(cost(s, o, int(at), round[at]))
				round[at]++
				return len(keys)
			}
		}
		subjects = append(subjects, subject{name: string(rune('a' + s)), do: do,
			warm: func([]uint64) { time.Sleep(time.Second) }})
	}
	common := group{slice: size, units: size, turn: 2, subjects: subjects,
		between: func() { time.Sleep(time.Second) }}
	settings, r := Settings{Rounds: rounds, Stderr: io.Discard, once: true}, &result.Run{}
	synctest.Test(t, func(*testing.T) { settings.time(r, k.groups(common, nil)[0]) })
	for o, g := range r.Groups {
		for s, found := range g.Subjects {
			least, sums := 0.0, make([]float64, rounds)
			for slice := range count {
				least += float64(cost(s, o, slice, rounds-slice%rounds))
				for round := range sums {
					sums[round] += float64(cost(s, o, slice, round))
				}
			}
			for round, sum := range sums {
				sums[round] = result.Round(sum / (count * size))
			}
			if want := least / (count * size); found.Least != want ||
				!slices.Equal(found.Samples, sums) {
				t.Errorf("%s of %s takes %g at least, and %g, want %g and %g", g.Operation,
					found.Name, found.Least, found.Samples, want, sums)
			}
		}
	}
	if len(r.Groups) != 2 || len(r.Groups[0].Subjects) != 2 {
		t.Errorf("%+v", r.Groups)
	}
}

// The quantiles of latencies are those of the calls, to a call.
func TestLatencyQuantiles(t *testing.T) {
	const calls, step = 10240, 100
	a := smallArena(t, 512, 16<<10)
	number := 0
	do := operations{
		query: func([]uint64) int { // takes 1 to calls steps, each once, in an order of its own
			number++
			time.Sleep(time.Duration(number * 7919 % (calls + 1) * step))
			return 0
		},
		remove: func([]uint64) int { time.Sleep(20 * time.Nanosecond); return 0 },
		insert: func([]uint64) int { time.Sleep(30 * time.Nanosecond); return 0 },
	}
	var all []result.Latency
	synctest.Test(t, func(*testing.T) {
		all = a.latency(result.Latency{Form: result.FormSingle, Batch: 1}, do, calls, 0)
	})
	for i, want := range []struct {
		operation string
		quantile  func(part float64) float64
	}{
		{query, func(part float64) float64 { return part * calls * step }},
		{remove, func(float64) float64 { return 20 }},
		{insert, func(float64) float64 { return 30 }},
	} {
		l := all[i]
		if l.Operation != want.operation || l.Calls != calls {
			t.Errorf("%d calls of %s, want %d of %s", l.Calls, l.Operation, calls, want.operation)
		}
		for part, got := range map[float64]float64{
			0.5: l.P50, 0.99: l.P99, 0.999: l.P999, 1: l.Max,
		} {
			if want := want.quantile(part); math.Abs(got-want) > step {
				t.Errorf("%s: %g of the calls take up to %g ns, want %g", l.Operation, part, got,
					want)
			}
		}
	}
}
