package elastic

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/internal/require"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// full reports whether the long form of the test of growth runs, in some 400 MB:
// BLOOMLANE_GROWTH=full.
func full() bool { return os.Getenv("BLOOMLANE_GROWTH") == "full" }

// Through a growth to a thousand times the members and back the rate is at most the planned one,
// every member is found, and the lists need no more than the package documentation says.
func TestGrowth(t *testing.T) {
	require.Once(t)
	least, most := 1000, 200_000
	if full() {
		least, most = 10_000, 10_000_000
	}
	if testing.Short() {
		most /= 8
	}
	const planned = 0.01
	f := newFilter(t, Config{Members: least, Rate: planned})
	rng := rand.New(rand.NewPCG(10, 10))
	probes := workload.Hashes(rand.New(rand.NewPCG(11, 11)), 1<<19)
	members := workload.Hashes(rng, most)
	highest, heaviest, growing := 0.0, 0.0, 0
	look := func(in []uint64) {
		t.Helper()
		rate := float64(f.QueryHashBatch(probes, nil)) / float64(len(probes))
		if s := f.State(); rate > planned+4*math.Sqrt(planned/float64(len(probes)))+spreadOf(f) ||
			math.Abs(s.Rate-rate) > 0.05*planned+spreadOf(f) || s.Rate > planned {
			t.Errorf("%d members in %+v: rate %.5g, the state says %.5g", len(in),
				f.Stats(), rate, s.Rate)
		}
		if found := f.QueryHashBatch(in, nil); found != len(in) {
			t.Fatalf("%d of %d members are present", found, len(in))
		}
		highest = max(highest, rate)
		if len(in) >= least {
			heaviest = max(heaviest, float64(f.Stats().SlowBytes-2*segmentBytes)/float64(len(in)))
		}
		if f.Stats().Moving {
			growing++
		}
	}
	grown, blocks, next := 0, f.Stats().Blocks, least
	for n, hash := range members {
		if _, err := f.InsertHash(hash); err != nil {
			t.Fatal(err)
		}
		if f.Stats().Blocks > blocks { // right after a growth, and right before the next
			blocks = f.Stats().Blocks
			grown++
		} else if n+1 < next && f.Members() != f.plan.limit(blocks) &&
			f.Members() != f.plan.growsAt(blocks)+7 {
			continue
		} else if n+1 == next {
			next += next / 2
		}
		look(members[:n+1])
	}
	t.Logf("%d members in %+v, grown %d times: highest rate %.5g, at most %.2f slow bytes "+
		"per member", most, f.Stats(), grown, highest, heaviest)
	if growing < 3 || grown < 3 || heaviest > 11.5 {
		t.Errorf("grown %d times, looked at %d times meanwhile; %.2f bytes of lists per member",
			grown, growing, heaviest)
	}
	next = most - most/4
	for len(members) > least/10 {
		if status := f.DeleteHash(members[0]); status == filter.Absent {
			t.Fatal("a member is absent")
		}
		if members = members[1:]; len(members) == next {
			look(members)
			next -= next / 4
		}
	}
	if s := f.Stats(); s.Blocks > 2*f.plan.blocks || s.SlowBytes > 64*f.plan.blocks+12*4*least {
		t.Errorf("%+v for %d members", s, len(members))
	}
}

// spreadOf returns four standard deviations of a rate of 1 % over hash keys: a block's is 0.012.
func spreadOf(f *Filter) float64 { return 4 * 0.012 / math.Sqrt(float64(f.Stats().Blocks)) }

// No call of a growth and back waits for anything, or moves more than its share of the blocks,
// however many there are. The clock is one that only what waits moves.
func TestCallsDoTheirShare(t *testing.T) {
	most := 100_000
	if testing.Short() {
		most /= 4
	}
	members := workload.Hashes(rand.New(rand.NewPCG(12, 12)), most)
	synctest.Test(t, func(t *testing.T) {
		f := newFilter(t, Config{Members: 1000, Rate: 0.01})
		moves := [2]int{}
		for i, call := range []func(hash uint64){
			func(hash uint64) { _, _ = f.InsertHash(hash) },
			func(hash uint64) { f.DeleteHash(hash) },
		} {
			for n, hash := range members {
				next, moved, units := f.next, f.moved, f.units(tableOf(f))
				start := time.Now()
				call(hash)
				if took := time.Since(start); took != 0 {
					t.Fatalf("call %d waits for %v", n, took)
				}
				done := f.moved - moved
				switch {
				case next == nil && f.next != nil:
					moves[i]++
					done = f.moved
				case next == nil:
					done = 0
				case f.next == nil:
					done = units - moved
				case f.next != next:
					t.Fatalf("call %d begins a move in another", n)
				}
				if done > f.plan.pace || next != nil && done == 0 {
					t.Fatalf("call %d moves %d of %d units, want 1 to %d", n, done, units,
						f.plan.pace)
				}
			}
		}
		if f.Members() != 0 || moves[0] < 4 || moves[1] < 3 {
			t.Errorf("%d members at the end, %d growths and %d shrinkings", f.Members(), moves[0],
				moves[1])
		}
	})
}

// The time of each call of a growth and back is logged: the least time of some runs of the same
// calls, because other work on the machine makes other calls long in each run.
func TestLongestCalls(t *testing.T) {
	require.Once(t)
	least, most, runs := 1000, 100_000, 1
	if full() {
		least, most, runs = 10_000, 10_000_000, 5
	}
	if testing.Short() {
		most /= 2
	}
	members := workload.Hashes(rand.New(rand.NewPCG(12, 12)), most)
	inserts, deletes := slices.Repeat([]float32{math.MaxFloat32}, most),
		slices.Repeat([]float32{math.MaxFloat32}, most)
	var moves, moving [2][]int // when they begin, and the calls meanwhile
	for run := range runs {
		f := newFilter(t, Config{Members: least, Rate: 0.01})
		for i, all := range [][]float32{inserts, deletes} {
			for n, hash := range members {
				before := f.next != nil
				start := time.Now()
				if i == 0 {
					_, _ = f.InsertHash(hash)
				} else {
					f.DeleteHash(hash)
				}
				all[n] = min(all[n], float32(time.Since(start)))
				if run == 0 && (before || f.next != nil) {
					moving[i] = append(moving[i], n)
					if !before {
						moves[i] = append(moves[i], n)
					}
				}
			}
		}
		if f.Members() != 0 || len(moves[0]) < 5 || len(moves[1]) < 4 {
			t.Fatalf("%d members at the end, %d growths and %d shrinkings", f.Members(),
				len(moves[0]), len(moves[1]))
		}
	}
	for i, all := range [][]float32{inserts, deletes} {
		summary := func(calls []int) string {
			var times []float32
			for _, n := range calls {
				times = append(times, all[n])
			}
			return quantiles(times)
		}
		t.Logf("%s, all: %s; in moves: %s; that begin one: %s", []string{"inserts", "deletes"}[i],
			quantiles(slices.Clone(all)), summary(moving[i]), summary(moves[i]))
	}
}

func quantiles(ns []float32) string {
	slices.Sort(ns)
	at := func(part float64) float64 { return float64(ns[int(part*float64(len(ns)-1))]) / 1000 }
	return fmt.Sprintf("half up to %.2f, 99 %% to %.2f, 99.99 %% to %.1f, all to %.0f µs", at(0.5),
		at(0.99), at(0.9999), at(1))
}
