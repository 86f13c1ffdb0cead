package measure

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/report/progress"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// The operations on keys.
const (
	query  = "query"
	insert = "insert"
	remove = "delete"
	choose = "select"
)

// stream is an operation on keys; it returns how often the answer was yes: present, present before,
// deleted.
type stream func(keys []uint64) int

// operations are streams by the name of the operation.
type operations map[string]stream

// subject is what is timed: an implementation, a peer or a floor.
type subject struct {
	kind  result.Kind
	name  string
	batch int                 // keys per call, where that was chosen
	warm  func(keys []uint64) // before each slice, not timed
	do    operations          // what it cannot do is not there
}

// phase is an operation and its keys.
type phase struct {
	operation, questions string
	keys                 []uint64
}

// group is subjects that are timed side by side. Each phase is a group of results.
type group struct {
	result.Conditions // what the phases have in common
	phases            []phase
	subjects          []subject
	slice             int            // keys that go to a subject at a time
	turn              int            // slices after which the next phase follows, a divisor of all
	units             int            // what a slice does, for the time per unit
	draw              func(pass int) // before each pass over the slices: new keys
	// between is run before each phase but the first: it takes from the cache what one phase leaves
	// for the next.
	between func()
}

func (g group) slices() int { return len(g.phases[0].keys) / g.slice }

// keys are what operations on keys are timed with: members, non-members, half of each, and a tenth
// of members.
type keys struct{ hit, miss, mixed, tenth []uint64 }

func newKeys(n int) keys {
	return keys{make([]uint64, n), make([]uint64, n), make([]uint64, n), make([]uint64, n)}
}

// questions are the keys that a query is timed on.
var questions = []string{"hit", "miss", "mixed"}

// groups returns those of a group's subjects and conditions: a query by what is asked for, and an
// update, which is a delete and then an insert of the same keys.
func (k keys) groups(form group, questions []string) (all []group) {
	add := func(phases ...phase) {
		g := form
		g.phases = phases
		g.subjects = slices.DeleteFunc(slices.Clone(form.subjects), func(s subject) bool {
			return !slices.ContainsFunc(phases,
				func(p phase) bool { return s.do[p.operation] != nil })
		})
		if len(g.subjects) > 0 {
			all = append(all, g)
		}
	}
	for _, kind := range questions {
		add(phase{query, kind, map[string][]uint64{"hit": k.hit, "miss": k.miss,
			"mixed": k.mixed}[kind]})
	}
	add(phase{remove, "", k.hit}, phase{insert, "", k.hit})
	return all
}

// timing is what a subject took in one phase.
type timing struct {
	least  float64   // ns: the sum over the slices of the least time that each took
	rounds []float64 // ns: the sum over the slices, by round
	yes    int       // answers, the sum over the slices of one round
}

// interleave times the subjects: in a pass each slice goes to one of them, and in as many passes as
// there are subjects to all, which is a round. It returns the timings of each subject, by phase,
// and calls step after each pass.
func (g group) interleave(rounds int, step func()) [][]timing {
	n, count := len(g.subjects), g.slices()
	least := make([]time.Duration, n*len(g.phases)*count)
	for i := range least {
		least[i] = math.MaxInt64
	}
	all := make([][]timing, n)
	for s := range all {
		all[s] = make([]timing, len(g.phases))
		for p := range all[s] {
			all[s][p].rounds = make([]float64, rounds)
		}
	}
	clock := clockCost()
	for pass := range rounds * n {
		if g.draw != nil {
			g.draw(pass)
		}
		round := pass / n
		for start := 0; start < count; start += g.turn {
			for p, phase := range g.phases {
				if p > 0 && g.between != nil {
					g.between()
				}
				for slice := start; slice < start+g.turn; slice++ {
					s := (slice + pass) % n
					if round%2 == 1 { // the other way round
						s = (pass%n + (n-1)*(slice%n)) % n
					}
					run := g.subjects[s].do[phase.operation]
					if run == nil {
						continue
					}
					keys := phase.keys[slice*g.slice:][:g.slice]
					g.subjects[s].warm(keys)
					begin := time.Now()
					yes := run(keys)
					took := time.Since(begin) - clock
					t := &least[(s*len(g.phases)+p)*count+slice]
					*t = min(*t, took)
					all[s][p].rounds[round] += float64(took.Nanoseconds())
					if round == 0 {
						all[s][p].yes += yes
					}
				}
			}
		}
		step()
	}
	for s := range all {
		for p, phase := range g.phases {
			if g.subjects[s].do[phase.operation] == nil {
				continue
			}
			for _, t := range least[(s*len(g.phases)+p)*count:][:count] {
				all[s][p].least += float64(t.Nanoseconds())
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

// quickUnits is what a subject does in the rounds that are given, at least.
const quickUnits = 256 << 10

// time times a group and adds its results.
func (s Settings) time(r *result.Run, g group) {
	rounds, units := s.Rounds, g.slices()*g.units
	if !s.once { // what is quickly done has more rounds
		rounds *= max(1, quickUnits/units)
		if g.Bytes <= warmBytes {
			rounds *= 2
		}
	}
	what := g.phases[0].operation
	if g.Bytes > 0 {
		what = fmt.Sprintf("%s, %s", what, quantity.Bytes(g.Bytes))
	}
	bar := progress.Start(s.Stderr, what, int64(rounds*len(g.subjects)), "")
	timings := g.interleave(rounds, func() { bar.Add(1) })
	bar.Done()
	for p, phase := range g.phases {
		found := result.Group{Conditions: g.Conditions}
		found.Operation, found.Keys = phase.operation, phase.questions
		for i, subject := range g.subjects {
			if subject.do[phase.operation] == nil {
				continue
			}
			t := timings[i][p]
			found.Subjects = append(found.Subjects, result.Subject{
				Kind: subject.kind, Name: subject.name, Batch: subject.batch,
				Rounds:  rounds,
				Least:   max(0, t.least/float64(units)),
				Samples: samples(t.rounds, float64(units)),
				Units:   int64(units),
				Yes:     float64(t.yes) / float64(units),
			})
		}
		r.Groups = append(r.Groups, found)
	}
}

// maxSamples bounds the samples that a result keeps: many rounds of small tables are averaged by
// neighbours.
const maxSamples = 20

// samples returns the times per unit by round, neighbouring rounds together where there are many.
func samples(rounds []float64, units float64) (all []float64) {
	together := (len(rounds) + maxSamples - 1) / maxSamples
	for chunk := range slices.Chunk(rounds, together) {
		sum := 0.0
		for _, ns := range chunk {
			sum += ns
		}
		all = append(all, max(0, result.Round(sum/float64(len(chunk))/units)))
	}
	return all
}
