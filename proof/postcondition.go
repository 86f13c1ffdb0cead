package proof

import "fmt"

// The theorem about a batch: what callers may expect when it returns, whole. Nothing here knows how
// it is proved.
//
// A ghost goes beside the code, with a memory of its own. It takes the keys one after another, and
// does with each what the machine code of the definition does. When the code returns, the ghost has
// taken all keys, the result is its count, and any cell of an argument that may be written is the
// ghost's: a block of the table, or answers. Stack and registers are as the ABI says. Up to there
// every access is to a cell of an argument, so all other memory is what it was.

// ghost is what single operations, one after another, make of the keys up to one.
type ghost struct {
	*contract
	progress
	memory  *regionMemory
	hints   hints
	claims  []goal // that what hints say is true, and that the definition returns
	assumed []goal // about the definition
}

// progress is how far a ghost is. Keys are taken in groups of 64 where their answers make words.
type progress struct {
	start *term // the keys of the groups before; in a batch without groups zero
	done  *term // the keys of the group, or of the batch
	word  *term // the answers of the group, the first in the lowest bit
	count *term // of the answers before the group, or of what was deleted or selected
}

func (g *ghost) claim(name string, t *term) { g.claims = append(g.claims, goal{name, "", t}) }

// reached is the number of keys that are done.
func (c *contract) reached(at progress) *term { return c.add(at.start, at.done) }

// size is the number of keys of the group.
func (c *contract) size(at progress) *term {
	n := c.argument("n")
	if !c.batch.grouped() {
		return n
	}
	return c.smaller(c.subtract(n, at.start), c.number(64, 64))
}

// key takes the next key. A prefetch changes nothing.
func (g *ghost) key() (err error) {
	element := g.reached(g.progress)
	at := g.scaled(element, g.batch.bits()/8)
	var v *term
	switch g.each {
	case "":
	case "Sample":
		err = g.sample(element)
	case "XXHash":
		if v, err = g.hash(g.scaled(element, g.batch.keySize())); err == nil {
			err = g.put("sums", g.scaled(element, 8), v)
		}
	case "Merge":
		if v, err = g.both("dst", at, "src", at, g.merge); err == nil {
			err = g.put("dst", at, v)
		}
	case "Broadcast":
		v = g.add(g.extract(g.argument("base"), 31, 0), g.extract(element, 31, 0))
		err = g.put("dst", g.scaled(element, 4), v)
	case "Match":
		if v, err = g.both("block", g.number(0, 64), "masks", at, g.match); err == nil {
			g.answer(v)
		}
	default:
		err = g.operate(element)
	}
	g.done = g.add(g.done, g.number(1, 64))
	return err
}

// operate is an operation with a hash, on its block as the keys before it left that.
func (g *ghost) operate(element *term) error {
	hash, err := g.load("hashes", g.scaled(element, 8))
	if err != nil {
		return err
	}
	distance, arguments := g.place(hash)
	block, err := g.load("table", distance)
	if err != nil {
		return err
	}
	did, err := g.definition(arguments, block)
	if err != nil {
		return err
	}
	if err := g.put("table", distance, did.block); err != nil {
		return err
	}
	present := g.not(g.equal(did.result, g.number(0, 8)))
	switch {
	case g.output == statuses:
		deleted := g.equal(did.result, g.number(2, 8))
		g.count = g.add(g.count, g.extend(deleted, 64))
		if !g.silent {
			return g.put("status", element, did.result)
		}
	case g.batch.grouped():
		g.answer(present)
	case g.output == positions:
		// One behind what is listed may be anything.
		number := g.extract(g.add(g.argument("first"), element), 31, 0)
		at := g.shiftLeft(g.count, g.number(2, 64))
		g.count = g.add(g.count, g.extend(present, 64))
		return g.put("positions", at, number)
	}
	return nil
}

// answer is the next bit of the word of a group.
func (g *ghost) answer(present *term) {
	g.word = g.or(g.word, g.shiftLeft(g.extend(present, 64), g.done))
}

// sample is the word of 64 hashes, of which each is below a limit when it is multiplied or not.
func (g *ghost) sample(element *term) error {
	bits := make([]*term, 64)
	for i := range bits {
		at := g.add(g.scaled(element, 512), g.number(uint64(8*i), 64))
		hash, err := g.load("hashes", at)
		if err != nil {
			return err
		}
		bits[i] = g.less(g.product(hash, g.argument("odd")), g.argument("limit"))
	}
	return g.put("present", g.scaled(element, 8), join(g.pool, bits))
}

// flush ends a group: its answers are output, and the next one begins.
func (g *ghost) flush() error {
	g.claim("group_complete", g.equal(g.done, g.size(g.progress)))
	word := g.word
	if g.hints.word != nil {
		g.claim("same_answer", g.equal(word, g.hints.word))
		word = g.hints.word
	}
	switch {
	case g.output == positions:
		if err := g.list(word); err != nil {
			return err
		}
	case !g.silent:
		at := g.shiftLeft(g.shiftRight(g.start, g.number(6, 64)), g.number(3, 64))
		if err := g.put("present", at, word); err != nil {
			return err
		}
		fallthrough
	default:
		g.count = g.add(g.count, g.onesCount(word))
	}
	g.start = g.add(g.start, g.size(g.progress))
	g.done, g.word = g.number(0, 64), g.number(0, 64)
	return nil
}

// list puts the numbers of the keys of a group that are present behind those that are listed,
// sixteen keys at a time: what is left of their numbers without the others.
func (g *ghost) list(word *term) error {
	for from := 0; from < 64; from += listedAtOnce {
		c, err := g.memory.lookUp("positions", g.shiftLeft(g.count, g.number(2, 64)))
		if err != nil {
			return err
		}
		chosen, code := g.extract(word, from+listedAtOnce-1, from), g.hint(c)
		if by := g.hints.chosen(code); by != nil {
			g.claim("same_answer", g.equal(by, chosen))
			chosen = by
		}
		count := g.extend(g.onesCount(g.extend(chosen, 32)), 64)
		g.hints.list(from, chosen, count)
		mask := make([]*term, listedAtOnce)
		for i := range mask {
			mask[i] = g.less(g.number(uint64(i), 64), count)
		}
		left := join(g.pool, g.compressed(g.numbers(from), chosen))
		g.store(entry{c, 0, left, join(g.pool, mask)}, code)
		g.count = g.add(g.count, count)
	}
	return nil
}

// numbers are those of sixteen keys of the group.
func (g *ghost) numbers(from int) []*term {
	first := g.extract(g.add(g.argument("first"), g.start), 31, 0)
	if g.hints.number != nil {
		g.claim("same_answer", g.equal(first, g.hints.number))
		first = g.hints.number
	}
	all := make([]*term, listedAtOnce)
	for i := range all {
		all[i] = g.add(first, g.number(uint64(from+i), 32))
	}
	return all
}

// agrees says that the memory of the code is the ghost's, in an arbitrary cell of each region that
// may be written. Behind what is listed there may be anything.
func (g *ghost) agrees(m *regionMemory) *term {
	all := g.number(1, 1)
	for _, r := range g.regions {
		if !r.writes {
			continue
		}
		at, cells := g.variable("any_"+r.name, 64), r.cells
		if r.name == "positions" {
			cells = g.count
		}
		c := cell{r, g.shiftLeft(at, g.number(log2(r.cell), 64)), 0}
		g.assumed = append(g.assumed, g.memory.named(c)...)
		code := m.cellAfter(c, 8*r.cell-1, 0, len(m.log))
		ours := g.memory.cellAfter(c, 8*r.cell-1, 0, len(g.memory.log))
		all = g.and(all, g.or(g.not(g.less(at, cells)), g.equal(code, ours)))
	}
	return all
}

// safe says that every access is to a whole cell of an argument, for each region.
func (c *contract) safe(m *regionMemory) (all []goal) {
	for _, r := range c.regions {
		holds := c.number(1, 1)
		for _, a := range m.accesses {
			if a.region == r {
				holds = c.and(holds, m.inside(a))
			}
		}
		for _, e := range m.log {
			if e.region != r || e.mask == nil {
				continue
			}
			for _, part := range m.elements(e) {
				holds = c.and(holds, c.or(c.not(part.mask), m.inside(part.cell)))
			}
		}
		all = append(all, goal{"in_bounds_of_" + r.name, "", holds})
	}
	return all
}

// frame is how many bytes of the stack may be written below the stack pointer at the start.
const frame = 16

// returned is the postcondition.
func (g *ghost) returned(e end, initial *state) (all []goal, err error) {
	a, m := g.architecture(), e.memory.(*regionMemory)
	popped, resultAt := uint64(0), int64(8+8*len(g.operation.arguments))
	if a == amd64 {
		popped = 8 // the address that it returns to
	}
	reason := ""
	switch {
	case e.outcome != returned:
		reason = "it does not return"
	case e.general[a.stack] != g.add(initial.general[a.stack], g.number(popped, 64)):
		reason = "it does not restore the stack pointer"
	}
	for _, n := range a.kept {
		if e.general[n] != initial.general[n] {
			reason = "it does not restore a register that it has to"
		}
	}
	result := make([]*term, 8)
	for at := range m.written {
		if n := at - resultAt; g.returns && n >= 0 && n < 8 {
			result[7-n] = m.stack[at]
		} else if at < -frame || at >= 0 {
			reason = fmt.Sprintf("it writes to the stack at %d", at)
		}
	}
	took := g.equal(g.reached(g.progress), g.argument("n"))
	if g.batch.grouped() {
		took = g.and(took, g.equal(g.done, g.number(0, 64)))
	}
	if g.returns {
		for _, part := range result {
			if part == nil {
				return nil, &StructureError{g.batch.String(), "it stores no result"}
			}
		}
		took = g.and(took, g.equal(g.concat(result...), g.count))
	}
	if reason != "" {
		return nil, &StructureError{g.batch.String(), reason}
	}
	return []goal{{"result", "", took}, {"memory", "", g.agrees(m)}}, nil
}
