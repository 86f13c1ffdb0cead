package proof

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// Invariants are guessed: what a register has on the way to a head is looked up in the vocabulary,
// by values for random arguments. Nothing depends on the guess but whether the proof succeeds.

// guess is a choice for a register of a head that turned out to be wrong.
type guess struct {
	address  uint64
	register int
	name     string
}

const (
	fixedGuess = "fixed"
	mostRounds = 12
)

// guessInvariants finds what holds at each head.
func (x *induction) guessInvariants() error {
	wrong := map[guess]bool{}
	for range mostRounds {
		again, err := x.tryInvariants(wrong)
		if err != nil || !again {
			return err
		}
	}
	return &StructureError{x.batch.String(), "no invariants are found"}
}

// tryInvariants goes through the loops once. A guess that a later arrival contradicts is noted as
// wrong, and then all has to be tried again.
func (x *induction) tryInvariants(wrong map[guess]bool) (retry bool, err error) {
	x.invariant = map[uint64]*invariant{}
	options := map[uint64][][]string{}
	samples := newSamples(x)
	arrive := func(from *point, ends []end) error {
		for _, e := range ends {
			if e.outcome != arrived {
				continue
			}
			h := x.headAt(e.next)
			done, err := x.follow(from, e)
			if err != nil {
				return err
			}
			g := done.progress
			inv := x.invariant[h.address]
			words := x.vocabulary(h, g)
			values := samples.observe(from, e, words)
			if inv == nil {
				inv = x.firstInvariant(h, e, wrong)
				x.invariant[h.address] = inv
				registers := x.registers(e.state)
				options[h.address] = make([][]string, len(registers))
				for r, t := range registers {
					var list []string
					for _, w := range words {
						if w.term.width == t.width {
							list = append(list, w.name)
						}
					}
					if r < len(x.architecture().general) && x.fixed(t) {
						inv.fixed[r] = e.general[r]
						// An index of another module begins at a constant.
						if e.general[r].operator == constant && x.batch != foreign {
							list = append([]string{fixedGuess}, list...)
						} else {
							list = append(list, fixedGuess)
						}
					}
					options[h.address][r] = list
					options[h.address][r] = slices.DeleteFunc(options[h.address][r],
						func(name string) bool { return wrong[guess{h.address, r, name}] })
				}
			}
			for r, t := range x.registers(e.state) {
				fits := func(name string) bool {
					if name == fixedGuess {
						return t == inv.fixed[r]
					}
					n := slices.IndexFunc(words, func(w named) bool { return w.name == name })
					return t == words[n].term || values.agree(r, n)
				}
				list := options[h.address][r]
				if inv.executed {
					if len(list) > 0 && !fits(list[0]) {
						wrong[guess{h.address, r, list[0]}] = true
						retry = true
					}
					continue
				}
				options[h.address][r] = slices.DeleteFunc(list, func(name string) bool {
					return !fits(name)
				})
			}
			retry = x.narrow(h, e, wrong) || retry
		}
		return nil
	}
	ends, err := x.runner.explore(x.batch.symbol(), x.start.clone())
	if err != nil {
		return false, err
	}
	if err := arrive(x.first(), ends); err != nil {
		return false, err
	}
	for _, h := range x.heads {
		inv := x.invariant[h.address]
		if inv == nil {
			return false, &StructureError{x.batch.String(), "no way leads to " + h.name}
		}
		inv.executed, inv.general = true, map[int]string{}
		fixed := inv.fixed
		inv.fixed = map[int]*term{}
		for r, list := range options[h.address] {
			switch {
			case len(list) == 0:
			case list[0] == fixedGuess:
				inv.fixed[r] = fixed[r]
			default:
				inv.general[r] = list[0]
			}
		}
		from := x.at(h)
		ends, err := x.runner.explore(x.batch.symbol(), from.start.clone())
		if err != nil {
			return false, err
		}
		if err := arrive(from, ends); err != nil {
			return false, err
		}
		inv.fixed = fixed
		for r := range fixed {
			if list := options[h.address][r]; len(list) == 0 || list[0] != fixedGuess {
				delete(inv.fixed, r)
			}
		}
	}
	return retry, nil
}

// registers returns those of a state that may have words of the vocabulary: the general ones, and
// where a word is a vector the vectors behind them.
func (x *induction) registers(s *state) []*term {
	all := slices.Clone(s.general[:len(x.architecture().general)])
	if x.lists() || x.batch == foreign {
		all = append(all, s.vectors[:]...)
	}
	return all
}

// point is where a part of the proof begins: at the first instruction, or at a head.
type point struct {
	head   head
	inside bool // at a head
	start  *state
	ghost  *ghost
}

func (x *induction) headAt(address uint64) head {
	n := slices.IndexFunc(x.heads, func(h head) bool { return h.address == address })
	return x.heads[n]
}

// What is guessed of a head beside general registers, in the numbers of registers.
const (
	vectorGuess = "vector"
	opmaskGuess = "opmask"
	stackGuess  = "stack"
)

// firstInvariant has what is fixed on the first way to a head.
func (x *induction) firstInvariant(
	h head,
	e end,
	wrong map[guess]bool,
) *invariant {
	inv := &invariant{fixed: map[int]*term{}, vectors: map[int]*term{}, opmasks: map[int]*term{},
		stack: map[int64]*term{}}
	fits := func(t *term, n int, name string) bool {
		return x.fixed(t) && !wrong[guess{h.address, n, name}]
	}
	for r, t := range e.vectors {
		if fits(t, r, vectorGuess) {
			inv.vectors[r] = t
		}
	}
	for r, t := range e.opmasks {
		if fits(t, r, opmaskGuess) {
			inv.opmasks[r] = t
		}
	}
	for at, t := range e.memory.(*regionMemory).stack {
		if fits(t, int(at), stackGuess) {
			inv.stack[at] = t
		}
	}
	return inv
}

// narrow takes back what another way to a head does not keep, and says whether there was something
// that the head was executed with.
func (x *induction) narrow(h head, e end, wrong map[guess]bool) (retry bool) {
	inv := x.invariant[h.address]
	drop := func(kept bool, n int, name string) bool {
		if !kept {
			wrong[guess{h.address, n, name}] = true
			retry = retry || inv.executed
		}
		return !kept
	}
	maps.DeleteFunc(inv.vectors, func(r int, t *term) bool {
		return drop(e.vectors[r] == t, r, vectorGuess)
	})
	maps.DeleteFunc(inv.opmasks, func(r int, t *term) bool {
		return drop(e.opmasks[r] == t, r, opmaskGuess)
	})
	stack := e.memory.(*regionMemory).stack
	maps.DeleteFunc(inv.stack, func(at int64, t *term) bool {
		return drop(stack[at] == t, int(at), stackGuess)
	})
	return retry
}

// fixed says whether a term depends on nothing but what there is at the start.
func (x *induction) fixed(t *term) bool {
	if t.operator == variable {
		return !strings.HasPrefix(t.name, "loop")
	}
	return !slices.ContainsFunc(t.arguments, func(t *term) bool { return !x.fixed(t) })
}

// samples are random values for variables.
type samples struct {
	*induction
	random *rand.Rand
}

func newSamples(x *induction) *samples { return &samples{x, rand.New(rand.NewPCG(36, 1))} }

// observed has the values of registers and words, for each sample.
type observed struct{ registers, words [][]value }

func (o observed) agree(register, word int) bool {
	for i := range o.registers {
		if o.registers[i][register] != o.words[i][word] {
			return false
		}
	}
	return true
}

const (
	mostTries  = 600
	sampleSize = 12
)

// observe evaluates the registers at an end, for samples that lead there.
func (s *samples) observe(from *point, e end, words []named) (o observed) {
	conditions := []*term{e.path}
	for _, g := range s.assumed {
		conditions = append(conditions, g.term)
	}
	if from.inside {
		conditions = append(conditions, s.holds(from.head, from.ghost.progress))
	}
	first := newEvaluation(s.pool, conditions)
	terms := s.registers(e.state)
	count := len(terms)
	for _, w := range words {
		terms = append(terms, w.term)
	}
	second := newEvaluation(s.pool, terms)
	inputs, many := first.variables(conditions), second.variables(terms)
	for try := 0; try < mostTries && len(o.registers) < sampleSize; try++ {
		values := s.values(from)
		for _, t := range inputs {
			first.values[t.number] = values(t)
		}
		first.run()
		if slices.ContainsFunc(conditions, func(t *term) bool {
			return first.lookup(t)[0] == 0
		}) {
			continue
		}
		for _, t := range many {
			if !slices.Contains(inputs, t) {
				second.values[t.number] = values(t)
			}
		}
		for _, t := range inputs {
			second.values[t.number] = first.values[t.number]
		}
		second.run()
		var registers, spoken []value
		for _, t := range terms[:count] {
			registers = append(registers, second.lookup(t))
		}
		for _, t := range terms[count:] {
			spoken = append(spoken, second.lookup(t))
		}
		o.registers, o.words = append(o.registers, registers), append(o.words, spoken)
	}
	return o
}

// values returns a function that makes the value of a variable: numbers that fit together for what
// is counted, and anything else for the rest.
func (s *samples) values(from *point) func(t *term) value {
	r := s.random
	n := uint64(r.IntN(300))
	together := uint64(1)
	if s.batch.hashes() {
		together = hashedTogether
	}
	n -= n % together
	start := uint64(0)
	if s.batch.grouped() {
		start = 64 * uint64(r.IntN(int(n/64)+1))
	}
	done := uint64(r.IntN(int(n-start) + 1))
	if s.batch.grouped() {
		done %= 65
	}
	done -= done % together
	fetch := uint64(r.IntN(int(n) + 1))
	if r.IntN(2) == 0 {
		fetch = min(n, start+done+uint64(r.IntN(30)))
	}
	small := map[string]uint64{"n": n, "fetch": fetch, "distance": uint64(r.IntN(100)),
		"nblocks": 1 + uint64(r.IntN(1000)), "portable": 0, "back": uint64(r.IntN(100)),
		"part": uint64(r.IntN(1000)), "groups": n / 32}
	if name := from.head.name; name != "" {
		if from.head.turn == groups && r.IntN(3) == 0 {
			start = n
		}
		small[name+"_start"], small[name+"_done"] = start, done
		small[name+"_word"] = r.Uint64() & (1<<done - 1)
		small[name+"_count"] = uint64(r.IntN(int(start + 1)))
	}
	others := likely(r)
	return func(t *term) value {
		if v, ok := small[t.name]; ok {
			return value{v}
		}
		if _, ok := s.arguments[t.name]; ok && t.name != "first" {
			return value{r.Uint64() >> 1 &^ 63}
		}
		return others(t)
	}
}

// turns is how many keys a path does: by how far a pointer moves along.
func (x *induction) turns(from *point, e end) (int, error) {
	walks, sizes := x.walks()
	base, rest := x.split(x.add(walks[0].term, x.times(x.reached(from.ghost.progress), sizes[0])))
	most := -1
	for r := range x.architecture().general {
		b, c := x.split(e.general[r])
		if moved := int64(c.value[0] - rest.value[0]); b == base && moved >= 0 &&
			moved%int64(sizes[0]) == 0 {
			most = max(most, int(moved/int64(sizes[0])))
		}
	}
	if most < 0 || most > 64 {
		return 0, &StructureError{x.batch.String(), fmt.Sprintf("no register has a pointer to %s",
			walks[0].name)}
	}
	return most, nil
}

// variables returns those that what is asked for depends on.
func (e *evaluation) variables(asked []*term) (all []*term) {
	for _, list := range append([][]*term{asked}, arguments(e.order)...) {
		for _, t := range list {
			if t.operator == variable && !slices.Contains(all, t) {
				all = append(all, t)
			}
		}
	}
	return all
}

func arguments(terms []*term) (all [][]*term) {
	for _, t := range terms {
		all = append(all, t.arguments)
	}
	return all
}
