package proof

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// Statements of a batch: one where it begins, and one for each loop. Each says of all paths to the
// next head, or to the end, that what holds where they begin holds where they end.

// Induction returns the theorems of a batch. Silent ones are without an output, of which the
// pointer is nil.
func (p *Program) Induction(b Batch, silent bool) ([]Theorem, error) {
	return p.mutatedInduction(b, silent, nil)
}

// mutatedInduction has the invariants of the code as it is, and the statements of what is changed.
func (p *Program) mutatedInduction(b Batch, silent bool, change change) ([]Theorem, error) {
	x, err := p.induct(b, silent)
	if err != nil {
		return nil, err
	}
	if err := x.guessInvariants(); err != nil {
		return nil, err
	}
	if change != nil {
		if err := x.mutate(change); err != nil {
			return nil, err
		}
	}
	return x.theorems()
}

// mutate exchanges the code under the invariants.
func (x *induction) mutate(change change) error {
	x.runner.change = change
	_, err := x.runner.enter(x.batch.symbol())
	return err
}

// Silences are the outputs that a batch is asked for: one, and if it may be nil none.
func (b Batch) Silences() []bool {
	switch operations[b.Operation].output {
	case answers, statuses:
		return []bool{false, true}
	}
	return []bool{false}
}

// points are where the parts of the proof begin.
func (x *induction) points() []*point {
	all := []*point{x.first()}
	for _, h := range x.heads {
		all = append(all, x.at(h))
	}
	return all
}

func (x *induction) theorems() (all []Theorem, err error) {
	for _, from := range x.points() {
		parts, err := x.parts(from)
		if err != nil {
			return nil, err
		}
		all = append(all, parts...)
	}
	return all, nil
}

// statement collects goals of one name on all paths.
type statement struct {
	*pool
	goals []goal
}

var statements = map[string]string{
	"memory":         "Each cell that may be written is as the single operations leave it",
	"result":         "All keys are taken, and the result counts them",
	"in_bounds":      "Every access is to a whole cell of an argument",
	"defined":        "The definition returns, and stays in the block",
	"not_nil":        "No address in an argument is nil",
	"forward":        "A way back to a head has taken a key",
	"same_block":     "Each store to a block is of a key, as the definition leaves the block",
	"same_answer":    "Each answer is the definition's",
	"stores":         "Each store is of a key",
	"within":         "No key behind its group is listed",
	"listed":         "No more is listed than there are keys",
	"group_complete": "A word of answers has the keys of its group",
	"numbers":        "What is known of the numbers at the next head holds there",
	"registers":      "The registers are what they have to be at the next head",
	"asked":          "The helper is asked for the elements of the prefix, in its order",
	"next":           "The next turn begins with what it needs",
}

func (s *statement) require(path *term, name string, t *term) {
	t = s.or(s.not(path), t)
	if s.isOnes(t) {
		return
	}
	n := slices.IndexFunc(s.goals, func(g goal) bool { return g.name == name })
	if n < 0 {
		says := statements[name]
		if region, ok := strings.CutPrefix(name, "in_bounds_of_"); ok {
			says = statements["in_bounds"] + ": " + region
		}
		s.goals = append(s.goals, goal{name, says, t})
		return
	}
	s.goals[n].term = s.and(s.goals[n].term, t)
}

// first is where the proof begins: at the first instruction.
func (x *induction) first() *point {
	return &point{start: x.start, ghost: x.begin(x.start.memory.(*regionMemory))}
}

// at is any turn of a loop.
func (x *induction) at(h head) *point {
	g := x.progressAt(h)
	s := x.state(h, g)
	return &point{h, true, s, x.ghost(g, s.memory.(*regionMemory))}
}

// follow takes the ghost along a path, as many keys as the code does. The code's stores and words
// are hints.
func (x *induction) follow(from *point, e end) (*ghost, error) {
	turns, err := x.turns(from, e)
	if err != nil {
		return nil, err
	}
	m := e.memory.(*regionMemory)
	g := x.ghost(from.ghost.progress, m)
	used := make([]bool, len(m.log))
	if x.uses("stores") {
		g.hints.store = func(c cell) *entry {
			for n := range m.log {
				switch e := &m.log[n]; {
				case used[n] || e.region != c.region:
				case x.each == "Delete" && e.region.name == "table" && e.cell != c:
					return nil // another key's: this one deletes nothing
				default:
					used[n] = true
					return e
				}
			}
			return nil
		}
	}
	g.hints.chosen = func(e *entry) *term {
		if by := x.chosenBy[valueOf(e)]; by != nil && x.uses("word") {
			return x.extract(by, listedAtOnce-1, 0)
		}
		return nil
	}
	g.hints.list = func(from int, chosen, count *term) { x.noMoreOnes(g, from, chosen, count) }
	for range turns {
		if err := g.key(); err != nil {
			return nil, err
		}
	}
	if from.inside && e.outcome == arrived && x.headAt(e.next).turn == groups {
		// The register in which the answers were has the word then.
		for _, h := range x.heads {
			if inv := x.invariant[h.address]; inv != nil && h.turn == plain && x.output == answers && x.uses("word") {
				for _, r := range slices.Sorted(maps.Keys(inv.general)) {
					if inv.general[r] == "found" {
						g.hints.word = e.general[r]
					}
				}
			}
		}
		if x.lists() && x.uses("word") {
			g.hints.number = x.listedFrom(g.progress)
		}
		if err := g.flush(); err != nil {
			return nil, err
		}
	}
	if x.uses("stores") && slices.Contains(used, false) {
		g.claim("stores", x.number(0, 1))
	}
	return g, nil
}

func valueOf(e *entry) *term {
	if e == nil {
		return nil
	}
	return e.value
}

// noMoreOnes assumes an instance of the lemma Ones: where no key is listed behind the group, no more
// are than it has.
func (x *induction) noMoreOnes(g *ghost, from int, chosen, count *term) {
	if !x.uses("listed") {
		return
	}
	size, before := x.size(g.progress), x.number(uint64(from), 64)
	keys := x.smaller(x.subtract(size, before), x.number(listedAtOnce, 64))
	keys = x.choose(x.less(size, before), x.number(0, 64), keys)
	within := x.equal(x.shiftRight(chosen, x.extract(keys, listedAtOnce-1, 0)),
		x.number(0, listedAtOnce))
	g.claim("within", within)
	after := x.add(g.count, count)
	g.claim("listed", x.and(x.not(x.less(x.argument("n"), after)), x.not(x.less(after, g.count))))
	g.assumed = append(g.assumed, goal{"", "an instance of the lemma Ones",
		x.or(x.not(within), x.not(x.less(keys, count)))})
}

// lemmas are what helps the solver. Each is proved, or has a theorem, and each can be left out: the
// postcondition is the same without.
var lemmas = []string{
	"stores",    // the code's stores are those of the ghost, one by one
	"word",      // a register has the answers of a group
	"registers", // what registers have at the heads of loops
	"numbers",   // what is known of the progress there
	"listed",    // no more is listed than there are keys
}

func (x *induction) uses(lemma string) bool { return x.without != lemma }

// paths are those from a point, each with the ghost that went along.
type paths struct {
	ends    []end
	ghosts  []*ghost
	assumed []goal // of the point, and about the definition
}

// explore follows all paths from a point.
func (x *induction) explore(from *point) (p paths, err error) {
	if p.ends, err = x.runner.explore(x.batch.symbol(), from.start.clone()); err != nil {
		return p, err
	}
	p.assumed = slices.Clone(x.assumed)
	if from.inside && x.uses("numbers") {
		p.assumed = append(p.assumed, goal{"", "the invariant of " + from.head.name,
			x.holds(from.head, from.ghost.progress)})
	}
	for _, e := range p.ends {
		g, err := x.follow(from, e)
		if err != nil {
			return p, err
		}
		p.ghosts = append(p.ghosts, g)
	}
	return p, nil
}

// parts are the goals from a point, each a theorem.
func (x *induction) parts(from *point) (all []Theorem, err error) {
	name, where := x.batch.String(), "start"
	if x.silent {
		name += "_nil"
	}
	if from.inside {
		where = from.head.name
	}
	x.pool.note(fmt.Sprintf("%s, from %s", name, where))
	p, err := x.explore(from)
	if err != nil {
		return nil, err
	}
	s := &statement{pool: x.pool}
	executed := 0
	for n, e := range p.ends {
		executed += len(e.followed)
		g := p.ghosts[n]
		for _, t := range e.obliged {
			s.require(x.number(1, 1), "not_nil", t)
		}
		goals := x.safe(e.memory.(*regionMemory))
		if e.outcome == arrived {
			err = x.arrive(s, from, e, g)
		} else {
			var post []goal
			post, err = g.returned(e, x.start)
			goals = append(goals, post...)
		}
		if err != nil {
			return nil, err
		}
		for _, g := range append(goals, g.claims...) {
			s.require(e.path, g.name, g.term)
		}
	}
	assumed := append(p.assumed, p.definitions()...)
	for i, g := range s.goals {
		title := []string{fmt.Sprintf("%s, from %s: on every path to the head of a loop or to the "+
			"end, the keys are done as by single operations.", name, where),
			"A counterexample is sat."}
		given := assumed
		lemma := map[string]string{"listed": "within", "in_bounds_of_positions": "listed"}[g.name]
		n := slices.IndexFunc(s.goals, func(g goal) bool { return g.name == lemma })
		if n >= 0 && x.uses("listed") {
			given = append(slices.Clip(given), goal{"", lemma + ", which is proved", s.goals[n].term})
		}
		c := &claim{x.pool, given, []goal{g}, func(r *rand.Rand) func(t *term) value {
			return (&samples{x, r}).values(from)
		}}
		t := Theorem{Name: name + "_" + where + "_" + g.name, Set: x.batch.Set,
			Script: c.script(title), claim: c}
		if i == 0 {
			t.Paths, t.Executed = len(p.ends), executed
		}
		all = append(all, t)
	}
	return all, nil
}

// definitions is what is assumed of the definition and of memory, on all paths.
func (p *paths) definitions() (all []goal) {
	for _, g := range p.ghosts {
		for _, a := range g.assumed {
			if !slices.ContainsFunc(all, func(old goal) bool { return old.term == a.term }) {
				all = append(all, a)
			}
		}
	}
	return all
}

// arrive asks for what the next head expects.
func (x *induction) arrive(s *statement, from *point, e end, g *ghost) error {
	h := x.headAt(e.next)
	inv := x.invariant[h.address]
	memory := e.memory.(*regionMemory)
	s.require(e.path, "memory", g.agrees(memory))
	if x.uses("registers") {
		x.keeps(s, e, inv, x.vocabulary(h, g.progress))
	}
	if x.uses("numbers") {
		s.require(e.path, "numbers", x.holds(h, g.progress))
	}
	// The ghost at a head has no more than this: a group that is begun only inside of one.
	zero := x.number(0, 64)
	if h.turn == groups {
		s.require(e.path, "group_complete", x.and(x.equal(g.done, zero), x.equal(g.word, zero)))
	}
	if from.inside && h.address <= from.head.address {
		s.require(e.path, "forward", x.less(x.reached(from.ghost.progress), x.reached(g.progress)))
	}
	for at := range memory.written {
		if at < -frame || at >= 0 {
			return &StructureError{x.batch.String(), fmt.Sprintf("it writes to the stack at %d", at)}
		}
	}
	return nil
}

// keeps asks that registers and the stack have what they have to have at the next head.
func (x *induction) keeps(s *statement, e end, inv *invariant, words []named) {
	same := func(has, t *term) { s.require(e.path, "registers", x.equal(has, t)) }
	for r, has := range x.registers(e.state) {
		if name := inv.general[r]; name != "" {
			same(has, words[slices.IndexFunc(words, func(w named) bool { return w.name == name })].term)
		} else if t, ok := inv.fixed[r]; ok {
			same(has, t)
		}
	}
	for _, r := range slices.Sorted(maps.Keys(inv.vectors)) {
		same(e.vectors[r], inv.vectors[r])
	}
	for _, r := range slices.Sorted(maps.Keys(inv.opmasks)) {
		same(e.opmasks[r], inv.opmasks[r])
	}
	for _, at := range slices.Sorted(maps.Keys(inv.stack)) {
		if has := e.memory.(*regionMemory).stack[at]; has != nil {
			same(has, inv.stack[at])
		} else {
			same(x.number(0, 1), x.number(1, 1))
		}
	}
}
