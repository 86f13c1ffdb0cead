package planning

import (
	"math"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/internal/elementary"
	"github.com/bloomlane/bloomlane/internal/expected"
)

const lanes = fallback.K // the number of data lanes, and of positions per key

// A history is cut into stepsPerTurnover steps per turnover, at most maxSteps, or into stepsPerHit
// steps per hit of a cell, at most maxHitSteps, whichever is more. With four times as many steps,
// no rate up to 200 turnovers changes by more than 0.05 %.
const (
	stepsPerTurnover, maxSteps = 16, 512
	stepsPerHit, maxHitSteps   = 4, 2048
)

// history has what is the same for all blocks of a table: how long keys live, step by step.
type history struct {
	shape expected.Lanes
	w     float64   // the number of columns of a lane
	load  float64   // the mean number of members of a block
	lived []float64 // the lifetime's lived at the end of each step, lived[0] = 0
	h     float64   // the length of a step, in turnovers
	class []int     // of the keys that are born in a step and leave: see [ages]

	// Of the keys that are born in a step and will leave, the part left[d] does so d steps later.
	// window, unless it is 0, is a number of steps: left is h from 1 to window, and 0 beyond
	// window+1.
	left   []float64
	window int

	patterns [len(patterns)]float64 // the probabilities of the patterns
	scratch  cell                   // the last one
}

// newHistory returns the history with a part of the steps.
func newHistory(blockBits int, load, turnovers float64, life Lifetime, part float64) *history {
	w := float64(laneBits(blockBits))
	hits := turnovers * load / w
	steps := int(math.Ceil(part * max(min(turnovers*stepsPerTurnover, maxSteps),
		min(hits*stepsPerHit, maxHitSteps))))
	past := &history{shape: shape(blockBits), w: w, load: load}
	if steps > 0 {
		past.h = turnovers / float64(steps)
	}
	for i := range patterns {
		past.patterns[i] = patterns[i].probability(w)
	}
	of := func() (a []float64) { return make([]float64, steps+1) }
	past.lived, past.left, past.class = of(), of(), make([]int, steps)
	for k := range past.class {
		past.class[k] = 1 + k*(ages-1)/steps
	}
	for i := range past.lived {
		past.lived[i] = life.distribution().lived(float64(i) * past.h)
		if i > 0 {
			past.left[i] = past.lived[i] - past.lived[i-1]
		}
	}
	if life.distribution() == (oldest{}) {
		past.window = int(1 / past.h)
	}
	past.scratch = cell{past: past, steps: make([]step, steps), e: of(), s: of()}
	return past
}

func (past *history) steps() int { return len(past.lived) - 1 }

// staying returns how many keys that are born in step k are there at the end of the history, for a
// block that gets one key per turnover.
func (past *history) staying(k int) float64 { return past.left[past.steps()-k] }

// odds are the odds that one key of a block hits one given cell of a lane.
type odds struct {
	miss float64 // exp(-miss) is the probability that it does not
	hit  float64 // the odds that it does, and makes an empty cell occupied
}

// cell is the history of one cell: step by step, the probability that it has had no collision (s),
// and that it also is empty (e). docs/theory/planning.md has the equations.
type cell struct {
	past  *history
	e, s  []float64 // at the end of each step; e[0] and s[0] are those of the fresh table
	steps []step
}

// step is what happens to a cell in a step.
type step struct {
	staying, leaving float64 // the rate of births that stay, and the factor for those that leave

	// The probability that no birth of the step hits the cell is decay, and that of half of the
	// step is half.
	half, decay float64

	middle   float64 // e in the middle of the step
	occupied float64 // births of the step that found the cell empty, and no birth since in it
}

// cell solves the equations of a cell in blocks with the given arrivals. The cell is valid until
// the next call.
func (past *history) cell(got *arrivals, to odds) *cell {
	hit, miss := to.hit, to.miss
	c := &past.scratch
	e, s, last := c.e, c.s, past.steps()
	residual := 1 - past.lived[last]
	staysFirst := float64(past.load * got.stayed * residual)
	leavesFirst := past.load * got.left[0]
	first := staysFirst + float64(leavesFirst*(1-residual))
	e[0] = elementary.Exp(-first * miss)
	s[0] = e[0] * (1 + float64(first*hit))

	// The parts of q, below, of births that stay and, over h, of the births of the last window of
	// steps that leave.
	stay, leave := 0.0, 0.0
	never, through := 1.0, 1.0 // the products of decay, of all steps and of those of a window
	births := -1.0
	for i := range c.steps {
		now := &c.steps[i]
		stays := past.staying(i)
		now.leaving = float64(past.load * got.left[past.class[i]])
		now.staying = float64(stays * (float64(past.load*got.stayed) - now.leaving))
		if born := float64(miss * (now.staying + float64(past.h*now.leaving))); born != births {
			births = born
			now.half = elementary.Exp(-born / 2)
		} else {
			now.half = c.steps[i-1].half
		}
		now.decay = now.half * now.half
		never *= now.decay

		first := staysFirst + float64(leavesFirst*(1-past.lived[i+1]-residual))
		q := float64(hit * e[0] * first * never)
		if i > 0 {
			latest := &c.steps[i-1]
			stay = float64((stay + float64(latest.occupied*latest.staying)) * now.decay)
			if past.window > 0 {
				leave = float64((leave + float64(latest.occupied*latest.leaving)) * now.decay)
				through *= now.decay
				if k := i - past.window; k >= 0 {
					gone := &c.steps[k]
					if k > 0 && gone.decay > 0 {
						through /= gone.decay
					}
					before := float64(gone.occupied * gone.leaving * through)
					leave -= before
					q += float64(before * past.left[past.window+1])
				}
				q += float64(leave * past.h)
			} else {
				for k := range c.steps[:i] {
					old := &c.steps[k]
					old.occupied *= now.decay
					q += float64(old.occupied * old.leaving * past.left[i+1-k])
				}
			}
			q += stay
		}
		// The trapezoidal rule, for e and q at the end of the step together.
		own := float64(hit * now.half * (now.staying + float64(now.leaving*past.lived[1])))
		// below 0: one birth, one hit
		excess := births - float64(hit*(now.staying+float64(now.leaving*past.h)))
		both := 1 + float64(births/2)
		right := s[i] - float64(births*(s[i]-e[i])/2) - float64(excess*e[i]/2) -
			float64(both*(q+float64(own*e[i]/2)))
		e[i+1] = max(0, right/(1+float64(both*own/2)+float64(excess/2)))
		now.middle = (e[i] + e[i+1]) / 2
		now.occupied = hit * now.half * now.middle
		s[i+1] = e[i+1] + q + float64(own*now.middle)
	}
	return c
}

// backwards calls do with the steps from the last one, and with the probability that no birth hits
// the cell from the middle of the step to the end. It returns that of all steps.
func (c *cell) backwards(do func(k int, since float64)) (all float64) {
	all = 1
	for k := len(c.steps) - 1; k >= 0; k-- {
		do(k, all*c.steps[k].half)
		all *= c.steps[k].decay
	}
	return all
}

// set returns, for each number g, the probability that g given cells of a column are set at the
// end.
func (c *cell) set() (set [lanes + 1]float64) {
	var empty [lanes + 1]float64 // by the number of given cells
	// Never collided; or collided in a step in one of the other cells; or collided from the start.
	// No given cell has been hit since.
	last := c.past.steps()
	now, alone := powers(c.s[last]), powers(c.e[last])
	for n := range empty {
		empty[n] = now[lanes-n] * alone[n]
	}
	all := c.backwards(func(k int, since float64) {
		then, alone := powers(c.s[k]), powers(c.steps[k].middle*since)
		for n := range empty {
			empty[n] += float64(alone[n] * (then[lanes-n] - now[lanes-n]))
		}
		now = then
	})
	alone = powers(c.e[0] * all)
	for n := range empty {
		empty[n] += float64(alone[n] * (1 - now[lanes-n]))
	}
	for g := range set {
		set[g] = alternating(g, func(n int) float64 { return empty[n] })
	}
	return set
}

// rate returns the mean false-positive rate of blocks, and rates also the means of its square and
// its cube. set has the probabilities that g cells of a column are set. docs/theory/planning.md has the
// derivation.
func (past *history) rate(set *[lanes + 1]float64) float64 {
	return min(1, max(0, overPatterns(&past.patterns, set)))
}

func (past *history) rates(set *[lanes + 1]float64) expected.Blocks {
	b := past.shape.AtRate(past.rate(set))
	const none = 1e-9 // hardly any key
	if set[1] < none {
		return b
	}
	together := max(1, set[2]/(set[1]*set[1]))
	pair := elementary.Pow(1+(together-1)/past.w, lanes*(lanes-1))
	b.Square = min(b.Square*pair, b.Rate)
	b.Cube = min(b.Cube*pair*pair*pair, b.Square)
	return b
}

// collided returns the probability that a column collided.
func (c *cell) collided() float64 { return 1 - powers(c.s[c.past.steps()])[lanes] }

// retained returns the probability that all columns of a random member are collided at the end.
func (c *cell) retained() float64 {
	members, sum := 0.0, 0.0
	others := powers(c.s[c.past.steps()])
	// A member's cells were empty when it was born, and no birth has hit them since; then alone is
	// the chance of that for one of them.
	add := func(number, alone float64) {
		var collided [lanes + 1]float64
		own := powers(alone)
		for g := range collided {
			collided[g] = 1 - float64(own[g]*others[lanes-g])
		}
		members += number
		sum += float64(number * overPatterns(&c.past.patterns, &collided))
	}
	all := c.backwards(func(k int, since float64) {
		add(c.past.staying(k), c.steps[k].middle*since)
	})
	add(1-c.past.lived[c.past.steps()], c.e[0]*all)
	return sum / members
}

// powers returns the powers of x, from 0 to the number of lanes.
func powers(x float64) [lanes + 1]float64 {
	x2 := float64(x * x)
	x3, x4 := float64(x2*x), float64(x2*x2)
	return [...]float64{1, x, x2, x3, x4, float64(x4 * x), float64(x4 * x2), float64(x4 * x3)}
}

// alternating returns the sum of (-1)^n C(g, n) term(n) over n from 0 to g.
func alternating(g int, term func(n int) float64) (sum float64) {
	binomial := 1.0
	for n := range g + 1 {
		sum += float64(binomial * term(n))
		binomial *= -float64(g-n) / float64(n+1)
	}
	return sum
}
