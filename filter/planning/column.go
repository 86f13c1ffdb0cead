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

	patterns [len(patterns)]float64 // the probabilities of the patterns
}

func newHistory(blockBits int, load, turnovers float64, life Lifetime) *history {
	w := float64(laneBits(blockBits))
	hits := turnovers * load / w
	steps := int(math.Ceil(max(min(turnovers*stepsPerTurnover, maxSteps),
		min(hits*stepsPerHit, maxHitSteps))))
	past := &history{shape: shape(blockBits), w: w, load: load, lived: make([]float64, steps+1)}
	if steps > 0 {
		past.h = turnovers / float64(steps)
	}
	for i := range patterns {
		past.patterns[i] = patterns[i].probability(w)
	}
	for i := range past.lived {
		past.lived[i] = life.distribution().lived(float64(i) * past.h)
	}
	return past
}

func (past *history) steps() int { return len(past.lived) - 1 }

// staying returns how many keys that are born in step k are there at the end of the history, for a
// block that gets one key per turnover.
func (past *history) staying(k int) float64 {
	left := past.steps() - k
	return past.lived[left] - past.lived[left-1]
}

// odds are the odds that one key of a block hits one given cell of a lane.
type odds struct {
	miss float64 // exp(-miss) is the probability that it does not
	hit  float64 // the odds that it does, and makes an empty cell occupied
}

// cell is the history of one cell: step by step, the probability that it has had no collision (s),
// and that it also is empty (e). docs/theory/planning.md has the equations.
type cell struct {
	past   *history
	e, s   []float64 // at the end of each step; e[0] and s[0] are those of the fresh table
	middle []float64 // e in the middle of each step
	missed []float64 // -log of the probability that no birth has hit a cell by the end of each step
}

// cell solves the equations of a cell in blocks with the given arrivals.
func (past *history) cell(got *arrivals, to odds) *cell {
	steps, hit, miss := past.steps(), to.hit, to.miss

	// For each step: the rate of births that stay, and the factor for the survival of the others.
	staying, leaving := make([]float64, steps), make([]float64, steps)
	missed := make([]float64, steps+1)
	for k := range steps {
		stays := past.staying(k)
		leaving[k] = float64(past.load * got.left[past.class(k)])
		staying[k] = float64(stays * (float64(past.load*got.stayed) - leaving[k]))
		missed[k+1] = missed[k] + float64(miss*(staying[k]+float64(past.h*leaving[k])))
	}

	e, s := make([]float64, steps+1), make([]float64, steps+1)
	residual := 1 - past.lived[steps]
	staysFirst := float64(past.load * got.stayed * residual)
	leavesFirst := past.load * got.left[0]
	first := staysFirst + float64(leavesFirst*(1-residual))
	e[0] = elementary.Exp(-first * miss)
	s[0] = e[0] * (1 + float64(first*hit))
	middle := make([]float64, steps) // e in the middle of a step
	// births of a step that found the cell empty, and no birth since
	occupied := make([]float64, steps)
	for i := range steps {
		born := missed[i+1] - missed[i]
		decay, halfDecay := elementary.Exp(-born), elementary.Exp(-born/2)
		first := staysFirst + float64(leavesFirst*(1-past.lived[i+1]-residual))
		q := float64(hit * e[0] * first * elementary.Exp(-missed[i+1]))
		for k := range occupied[:i] {
			occupied[k] *= decay
			left := past.lived[i+1-k] - past.lived[i-k]
			q += float64(occupied[k] * (staying[k] + float64(leaving[k]*left)))
		}
		// The trapezoidal rule, for e and q at the end of the step together.
		own := float64(hit * halfDecay * (staying[i] + float64(leaving[i]*past.lived[1])))
		// below 0: one birth, one hit
		excess := born - float64(hit*(staying[i]+float64(leaving[i]*past.h)))
		both := 1 + float64(born/2)
		right := s[i] - float64(born*(s[i]-e[i])/2) - float64(excess*e[i]/2) -
			float64(both*(q+float64(own*e[i]/2)))
		e[i+1] = max(0, right/(1+float64(both*own/2)+float64(excess/2)))
		middle[i] = (e[i] + e[i+1]) / 2
		occupied[i] = hit * halfDecay * middle[i]
		s[i+1] = e[i+1] + q + float64(own*middle[i])
	}
	return &cell{past, e, s, middle, missed}
}

// set returns, for each number g, the probability that g given cells of a column are set at the
// end.
func (c *cell) set() (set [lanes + 1]float64) {
	steps := c.past.steps()
	var empty [lanes + 1]float64 // by the number of given cells
	// add counts the columns with the probabilities s and e of a cell, no cell of which has been
	// hit since.
	add := func(s, before, e, since float64) {
		alone := powers(e * elementary.Exp(-since))
		now, then := powers(s), powers(before)
		for n := range empty {
			empty[n] += float64(alone[n] * (then[lanes-n] - now[lanes-n]))
		}
	}
	all := c.missed[steps]
	// Never collided; or collided from the start; or collided in a step in one of the other cells.
	never, last := powers(c.s[steps]), powers(c.e[steps])
	for n := range empty {
		empty[n] = never[lanes-n] * last[n]
	}
	add(c.s[0], 1, c.e[0], all)
	for k := range steps {
		add(c.s[k+1], c.s[k], c.middle[k], all-float64((c.missed[k]+c.missed[k+1])/2))
	}
	for g := range set {
		set[g] = alternating(g, func(n int) float64 { return empty[n] })
	}
	return set
}

// rates returns the mean false-positive rate of blocks, and the means of its square and its cube.
// set has the probabilities that g cells of a column are set. docs/theory/planning.md has the
// derivation.
func (past *history) rates(set *[lanes + 1]float64) expected.Blocks {
	b := past.shape.AtRate(min(1, max(0, overPatterns(&past.patterns, set))))
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
	steps := c.past.steps()
	members, sum := 0.0, 0.0
	others := powers(c.s[steps])
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
	add(1-c.past.lived[steps], c.e[0]*elementary.Exp(-c.missed[steps]))
	for k := range steps {
		since := float64((c.missed[k]+c.missed[k+1])/2) - c.missed[steps]
		add(c.past.staying(k), c.middle[k]*elementary.Exp(since))
	}
	return sum / members
}

// powers returns the powers of x, from 0 to the number of lanes.
func powers(x float64) (p [lanes + 1]float64) {
	p[0] = 1
	for i := range lanes {
		p[i+1] = p[i] * x
	}
	return p
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
