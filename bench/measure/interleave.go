package measure

import (
	"math"
	"time"

	"github.com/bloomlane/bloomlane/bench/result"
)

// contender is one of those that are measured side by side.
type contender struct {
	kind     result.Kind
	name     string
	distance *int                  // keys ahead that it prefetches, where that was chosen
	batch    int                   // keys a call, where that was chosen
	pages    string                // of its table
	prepare  func(slice int)       // before each slice, not timed
	phases   []func(slice int) int // what is timed; each returns how often its answer was yes; nil where it cannot
}

// timing is what a contender took in one phase.
type timing struct {
	least  float64   // ns: the sum over the slices of the least time that each took
	rounds []float64 // ns: the sum over the slices, by round
	yes    int       // answers, the sum over the slices of one round
}

// schedule is how contenders are interleaved.
type schedule struct {
	slices int
	turn   int            // slices after which the next phase follows, a divisor of slices
	rounds int            // how often each contender has each slice
	draw   func(pass int) // before each pass over the slices
	step   func(passes int)
	// between is run before each phase but the first: it takes from the cache what one phase leaves for
	// the next.
	between func()
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
		for phase := range all[c] {
			all[c][phase].rounds = make([]float64, s.rounds)
		}
	}
	clock := clockCost()
	for pass := range s.passes(n) {
		s.draw(pass)
		round := pass / n
		for start := 0; start < s.slices; start += s.turn {
			for phase := range phases {
				if phase > 0 && s.between != nil {
					s.between()
				}
				for slice := start; slice < start+s.turn; slice++ {
					c := (slice + pass) % n
					if round%2 == 1 { // the other way round
						c = (pass%n + (n-1)*(slice%n)) % n
					}
					run := contenders[c].phases[phase]
					if run == nil {
						continue
					}
					contenders[c].prepare(slice)
					begin := time.Now()
					yes := run(slice)
					took := time.Since(begin) - clock
					t := &least[(c*phases+phase)*s.slices+slice]
					*t = min(*t, took)
					all[c][phase].rounds[round] += float64(took.Nanoseconds())
					if round == 0 {
						all[c][phase].yes += yes
					}
				}
			}
		}
		s.step(1)
	}
	for c := range all {
		for phase := range phases {
			if contenders[c].phases[phase] == nil {
				continue
			}
			for _, t := range least[(c*phases+phase)*s.slices:][:s.slices] {
				all[c][phase].least += float64(t.Nanoseconds())
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
