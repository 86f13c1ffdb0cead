package proof

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// claim is what a theorem says: if all that is assumed holds, all goals do.
type claim struct {
	*pool
	assumed, goals []goal
	sample         func(r *rand.Rand) func(t *term) value // of a variable
}

func (c *claim) script(title []string) string {
	return script(c.pool, title, c.assumed, c.goals)
}

// mostSamples are tried before a solver is asked.
const mostSamples = 600

// Refute looks for a counterexample as Prove does, but tries random values first. They find most
// mistakes, and those in rounds of a hash, where solvers do not end.
func (t Theorem) Refute(solver Solver, folder string) (Verdict, error) {
	if broken := t.claim.broken(); broken != nil {
		return Verdict{Counterexample: strings.Join(broken, " ")}, nil
	}
	return t.Prove(solver, folder)
}

// broken returns the goals that random values break, as solvers print them, or none.
func (c *claim) broken() (all []string) {
	assumed, goals := termsOf(c.assumed), termsOf(c.goals)
	first, second := newEvaluation(c.pool, assumed), newEvaluation(c.pool, goals)
	inputs, many := first.variables(assumed), second.variables(goals)
	random := rand.New(rand.NewPCG(36, 2))
	for range mostSamples {
		sample := c.sample(random)
		for _, t := range inputs {
			first.values[t.number] = sample(t)
		}
		first.run()
		if slices.ContainsFunc(assumed, func(t *term) bool { return first.lookup(t)[0] == 0 }) {
			continue
		}
		for _, t := range many {
			second.values[t.number] = sample(t)
		}
		for _, t := range inputs {
			second.values[t.number] = first.values[t.number]
		}
		second.run()
		for _, g := range c.goals {
			if second.lookup(g.term)[0] == 0 {
				all = append(all, fmt.Sprintf("(%s false)", g.name))
			}
		}
		if all != nil {
			return all
		}
	}
	return nil
}

func termsOf(goals []goal) (all []*term) {
	for _, g := range goals {
		all = append(all, g.term)
	}
	return all
}

// likely are values with which what is assumed of a definition often holds: a stack, and the
// assembly. Blocks are dense often enough for keys to be found.
func likely(r *rand.Rand) func(t *term) value {
	limit := r.Uint64() >> 20
	some := map[string]uint64{"portable": 0, "definition_stack_limit": limit,
		"definition_rsp": limit + 1<<16, "nblocks": 1 + r.Uint64()>>16}
	return func(t *term) value {
		if v, ok := some[t.name]; ok {
			return value{v}
		}
		if strings.HasPrefix(t.name, "ones") { // any number that is small enough
			return value{}
		}
		var v value
		dense := r.IntN(3)
		for i := range v {
			v[i] = r.Uint64()
			for range dense {
				v[i] |= r.Uint64()
			}
		}
		return v.cut(t.width)
	}
}
