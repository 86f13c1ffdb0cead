package main

import (
	"math"
	"time"
)

// contender is one of those that are measured side by side.
type contender struct {
	row                           // what it is called in the results
	isFloor bool                  // or a kernel
	prepare func(slice int)       // before each slice, not timed
	phases  []func(slice int) int // what is timed; each returns how often its answer was yes
	names   []string              // of the phases
}

// timing is what a contender took in one phase.
type timing struct {
	ns  float64 // the sum over the slices of the least time that each took
	yes int     // answers, the sum over the slices of one round
}

// schedule is how contenders are interleaved.
type schedule struct {
	slices int
	turn   int            // slices after which the next phase follows, a divisor of slices
	rounds int            // how often each contender has each slice
	draw   func(pass int) // before each pass over the slices
	step   func(passes int)
}

// passes is the number of passes over the slices that contenders need.
func (s schedule) passes(contenders int) int { return s.rounds * contenders }

// interleave runs the contenders, which have equal numbers of phases: in a pass each slice goes to
// one of them, and in as many passes as there are contenders to all. It returns the timings of each
// contender, by phase.
func interleave(contenders []contender, s schedule) [][]timing {
	n, phases := len(contenders), len(contenders[0].phases)
	least := make([]time.Duration, n*phases*s.slices)
	for i := range least {
		least[i] = math.MaxInt64
	}
	all := make([][]timing, n)
	for c := range all {
		all[c] = make([]timing, phases)
	}
	clock := clockCost()
	for pass := range s.passes(n) {
		s.draw(pass)
		for start := 0; start < s.slices; start += s.turn {
			for phase := range phases {
				for slice := start; slice < start+s.turn; slice++ {
					c := (slice + pass) % n
					if pass/n%2 == 1 { // the other way round
						c = (pass%n + (n-1)*(slice%n)) % n
					}
					contenders[c].prepare(slice)
					run := contenders[c].phases[phase]
					begin := time.Now()
					yes := run(slice)
					took := time.Since(begin) - clock
					t := &least[(c*phases+phase)*s.slices+slice]
					*t = min(*t, took)
					if pass/n == 0 {
						all[c][phase].yes += yes
					}
				}
			}
		}
		s.step(1)
	}
	for c := range all {
		for phase := range phases {
			for _, t := range least[(c*phases+phase)*s.slices:][:s.slices] {
				all[c][phase].ns += float64(t.Nanoseconds())
			}
		}
	}
	return all
}

// clockCost returns what it costs to take a time.
func clockCost() time.Duration {
	least := time.Duration(math.MaxInt64)
	for range 1000 {
		begin := time.Now()
		least = min(least, time.Since(begin))
	}
	return least
}
