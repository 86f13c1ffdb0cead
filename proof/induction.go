package proof

import (
	"fmt"
	"math/rand/v2"
	"slices"
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
	x, err := p.induct(b, silent, nil)
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
	x.change, x.runner.change = change, change
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

func (x *induction) theorems() (all []Theorem, err error) {
	zero := x.number(0, 64)
	points := []*point{{start: x.begin, progress: progress{zero, zero, zero, zero}}}
	for _, h := range x.heads {
		g := x.progressAt(h)
		points = append(points, &point{h, true, x.state(h, g), g})
	}
	for _, from := range points {
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
	"same_block":     "The blocks are as the single operations leave them",
	"same_answer":    "The answers are those of the single operations",
	"stores":         "Each word is stored once, by the key that it is of",
	"not_nil":        "No address in an argument is nil",
	"group_complete": "A word of answers has the keys of its group",
	"in_bounds":      "Every access is to a whole cell of an argument",
	"invariant":      "What is known of the numbers at the next head holds there",
	"registers":      "The registers are what they have to be at the next head",
	"forward":        "A way back to a head has done a key",
	"result":         "The result counts all keys",
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
		s.goals = append(s.goals, goal{name, statements[name], t})
		return
	}
	s.goals[n].term = s.and(s.goals[n].term, t)
}

// parts are the goals from a point, each a theorem.
func (x *induction) parts(from *point) (all []Theorem, err error) {
	name := x.batch.String()
	if x.silent {
		name += "_nil"
	}
	where := "start"
	if from.inside {
		where = from.head.name
	}
	x.pool.note(fmt.Sprintf("%s, from %s", name, where))
	ends, err := x.runner.explore(x.batch.symbol(), from.start.clone())
	if err != nil {
		return nil, err
	}
	s := &statement{pool: x.pool}
	assumed := slices.Clone(x.assumed)
	if from.inside {
		assumed = append(assumed, goal{"", "the invariant of " + where,
			x.holds(from.head, from.progress)})
	}
	executed := 0
	for _, e := range ends {
		executed += len(e.followed)
		q, err := x.sequence(from, e)
		if err != nil {
			return nil, err
		}
		for _, g := range q.assumed {
			if !slices.ContainsFunc(assumed, func(old goal) bool { return old.term == g.term }) {
				assumed = append(assumed, g)
			}
		}
		for _, g := range q.goals {
			s.require(e.path, g.name, g.term)
		}
		for _, t := range e.obliged {
			s.require(x.number(1, 1), "not_nil", t)
		}
		m := e.memory.(*regionMemory)
		for _, a := range m.accesses {
			s.require(e.path, "in_bounds", m.inside(a))
		}
		if e.outcome == arrived {
			err = x.arrive(s, from, e, q)
		} else {
			err = x.finish(s, e, q)
		}
		if err != nil {
			return nil, err
		}
	}
	for i, g := range s.goals {
		title := []string{fmt.Sprintf("%s, from %s: on every path to the head of a loop or to the "+
			"end, the keys are done as by single operations.", name, where),
			"A counterexample is sat."}
		// What follows from a goal is assumed for the others only.
		given := slices.DeleteFunc(slices.Clone(assumed), func(a goal) bool {
			return a.name == g.name
		})
		c := &claim{x.pool, given, []goal{g}, func(r *rand.Rand) func(t *term) value {
			return (&samples{x, r}).values(from)
		}}
		t := Theorem{Name: name + "_" + where + "_" + g.name, Set: x.batch.Set,
			Script: c.script(title), claim: c}
		if i == 0 {
			t.Paths, t.Executed = len(ends), executed
		}
		all = append(all, t)
	}
	return all, nil
}

// arrive asks for what the next head expects.
func (x *induction) arrive(s *statement, from *point, e end, q *sequence) error {
	h := x.headAt(e.next)
	inv := x.invariant[h.address]
	words := x.vocabulary(h, q.progress)
	for r, has := range x.registers(e.state) {
		if name := inv.general[r]; name != "" {
			n := slices.IndexFunc(words, func(w named) bool { return w.name == name })
			s.require(e.path, "registers", x.equal(has, words[n].term))
		} else if t, ok := inv.fixed[r]; ok {
			s.require(e.path, "registers", x.equal(has, t))
		}
	}
	for r, t := range inv.vectors {
		s.require(e.path, "registers", x.equal(e.vectors[r], t))
	}
	for r, t := range inv.opmasks {
		s.require(e.path, "registers", x.equal(e.opmasks[r], t))
	}
	s.require(e.path, "invariant", x.holds(h, q.progress))
	if h.turn == groups {
		s.require(e.path, "group_complete", x.equal(q.done, x.number(0, 64)))
	}
	if from.inside && h.address <= from.head.address {
		s.require(e.path, "forward", x.less(x.reached(from.progress), x.reached(q.progress)))
	}
	memory := e.memory.(*regionMemory)
	for at, t := range inv.stack {
		if memory.stack[at] != t {
			return &StructureError{x.batch.String(), "it changes what the stack has to keep"}
		}
	}
	frame, err := x.frame(e)
	if err != nil {
		return err
	}
	return x.ownStack(memory, frame, none)
}

// frame returns how far below that at the start the stack pointer is.
func (x *induction) frame(e end) (int64, error) {
	pointer := x.architecture().stack
	base, rest := x.split(e.general[pointer])
	if base != x.begin.general[pointer] || int64(rest.value[0]) > 0 {
		return 0, &StructureError{x.batch.String(), "its stack pointer is lost"}
	}
	return int64(rest.value[0]), nil
}

// ownStack asks that only the function's own frame is written, and the result.
func (x *induction) ownStack(m *regionMemory, frame, result int64) error {
	for at := range m.written {
		if (at < frame || at >= 0) && (result == none || at < result || at >= result+8) {
			return &StructureError{x.batch.String(),
				fmt.Sprintf("it writes to the stack at %d", at)}
		}
	}
	return nil
}

// finish asks for what callers expect.
func (x *induction) finish(s *statement, e end, q *sequence) error {
	name, pointer := x.batch.String(), x.architecture().stack
	popped := x.number(0, 64)
	if x.architecture() == amd64 {
		popped = x.number(8, 64)
	}
	m, resultAt := e.memory.(*regionMemory), int64(none)
	if x.returns {
		resultAt = int64(8 + 8*len(x.operation.arguments))
	}
	frame := int64(0)
	for _, inv := range x.invariant {
		frame = min(frame, inv.frame)
	}
	reason := ""
	switch {
	case e.outcome != returned:
		reason = "it does not return"
	case e.general[pointer] != x.add(x.begin.general[pointer], popped):
		reason = "it does not restore the stack pointer"
	case slices.ContainsFunc(x.architecture().kept, func(n int) bool {
		return e.general[n] != x.begin.general[n]
	}):
		reason = "it does not restore a register that it has to"
	}
	if reason != "" {
		return &StructureError{name, reason}
	}
	if err := x.ownStack(m, frame, resultAt); err != nil {
		return err
	}
	s.require(e.path, "result", x.equal(x.reached(q.progress), x.argument("n")))
	if x.batch.grouped() {
		s.require(e.path, "group_complete", x.equal(q.done, x.number(0, 64)))
	}
	if !x.returns {
		return nil
	}
	parts := make([]*term, 8)
	for i := range parts {
		part, ok := m.stack[resultAt+int64(i)]
		if !ok || !m.written[resultAt+int64(i)] {
			return &StructureError{name, "it stores no result"}
		}
		parts[7-i] = part
	}
	s.require(e.path, "result", x.equal(x.concat(parts...), q.count))
	return nil
}
