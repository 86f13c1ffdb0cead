package proof

import (
	"fmt"
	"slices"
)

// The machine code of the definition, on what a batch has.

// question is one about the definition of an operation on one key, of the same terms.
func (x *contract) question(operation string, arguments []*term, block *term) *question {
	set := x.batch.Set
	if x.batch.Format == "Split" && set == "AVX512" {
		set = "AVX2"
	}
	return &question{pool: x.pool, Program: x.Program, arguments: arguments, block: block,
		kernel: Kernel{operation, x.batch.Format, set}, address: x.number(0, 64),
		portable: x.portable}
}

// definition is the operation on one key.
func (g *ghost) definition(arguments []*term, block *term) (effect, error) {
	q := g.question(g.each, arguments, block)
	q.address = q.arguments[0]
	if g.batch.Format != "Split" {
		q.address = q.blockOf(q.arguments[2])
	}
	did, err := q.runDefinition(block)
	if err != nil {
		return did, err
	}
	g.assumed = append(g.assumed, q.assume(did)...)
	g.claim("defined", g.and(g.not(g.or(did.panics, did.grows)), did.addresses))
	return did, nil
}

// place returns the distance of a hash's block from the beginning of the table, and the arguments
// of the definition.
func (g *ghost) place(hash *term) (distance *term, arguments []*term) {
	nblocks, block := g.argument("nblocks"), log2(g.batch.bits()/8)
	if g.batch.Format == "Split" {
		key := g.extract(hash, 31, 0)
		high := g.extend(g.extract(hash, 63, 32), 64)
		index := g.shiftRight(g.product(high, nblocks), g.number(32, 64))
		if g.architecture() == arm64 { // the same, by the lemma Halves
			index = g.binary(mulHigh, g.and(hash, g.number(0xffffffff<<32, 64)), nblocks)
		}
		g.assumed = append(g.assumed, goal{"", "the lemma: the high half of a product of two " +
			"halves is below a factor", g.less(index, nblocks)})
		distance = g.shiftLeft(index, g.number(block, 64))
		return distance, []*term{g.add(g.argument("table"), distance), key}
	}
	index := g.binary(mulHigh, hash, nblocks)
	g.assumed = append(g.assumed, goal{"",
		"the lemma: the high half of a product is below a factor", g.less(index, nblocks)})
	distance = g.shiftLeft(index, g.number(block, 64))
	arguments = []*term{g.argument("table"), nblocks, hash}
	if g.batch.Operation == "InsertPart" {
		distance = g.add(g.subtract(g.number(0, 64), g.argument("skipped")), distance)
		g.assumed = append(g.assumed, goal{"", "the block is in the part",
			g.less(g.shiftRight(distance, g.number(block, 64)), g.variable("part", 64))})
	}
	return distance, arguments
}

// run executes a function of the definition with a memory of its own, on arguments in registers.
// Every path returns: the theorem asks for that.
func (g *ghost) run(name string, m *regionMemory, arguments map[int]*term) ([]end, error) {
	ends, err := g.contract.run(name, m, arguments)
	if err != nil {
		return nil, err
	}
	g.assumed = append(g.assumed, g.room()...)
	returns := g.number(0, 1)
	for _, e := range ends {
		returns = g.or(returns, e.path)
	}
	g.claim("defined", returns)
	return ends, nil
}

// run returns the paths that return.
func (x *contract) run(name string, m *regionMemory, arguments map[int]*term) ([]end, error) {
	program := x.amd64
	if _, ok := program.symbols[name]; !ok {
		program = x.tables
	}
	s := program.arbitrary(x.pool, "definition_", m)
	m.pointer, m.program = s.general[rsp], program
	m.goroutine, m.limit = s.general[r14], x.variable("definition_stack_limit", 64)
	runner := &machine{pool: x.pool, program: program, code: map[uint64]instruction{},
		back: x.variable("definition_return", 64)}
	m.put(0, runner.back)
	// In Go's ABIInternal the lower half of this register is zero.
	const zeros = 15
	s.vectors[zeros] = x.concat(x.extract(s.vectors[zeros], 511, 128), x.number(0, 128))
	for r, t := range arguments {
		s.general[r] = t
	}
	ends, err := runner.run(name, s)
	if err != nil {
		return nil, err
	}
	for _, e := range ends {
		for _, i := range e.followed {
			if x.define != nil {
				x.define(i)
			}
		}
	}
	return slices.DeleteFunc(ends, func(e end) bool { return e.outcome != returned }), nil
}

// room is what the definition is promised of its stack.
func (x *contract) room() []goal {
	definition := x.question("", nil, nil)
	return definition.assume(effect{limit: x.variable("definition_stack_limit", 64),
		pointer: x.variable("definition_rsp", 64)})
}

// ownMemory is that of a definition that has no table.
func (x *contract) ownMemory(regions ...*region) *regionMemory {
	return &regionMemory{tableMemory: &tableMemory{pool: x.pool, stack: map[int64]*term{},
		written: map[int64]bool{}, portable: x.portable}, prefix: "definition_",
		regions: regions, initial: map[string]entry{}}
}

// scaled is the distance of a key, with the constant part of the key's number last.
func (x *contract) scaled(at *term, size int) *term {
	base, rest := x.split(at)
	return x.add(x.times(base, size), x.times(rest, size))
}

// times is the product of a word and a constant.
func (x *contract) times(t *term, factor int) *term {
	product := x.number(0, 64)
	for bit := range uint64(64) {
		if factor>>bit&1 == 1 {
			product = x.add(product, x.shiftLeft(t, x.number(bit, 64)))
		}
	}
	return product
}

// both gives a function of the definition a block of each of two regions.
func (g *ghost) both(
	first string, at *term,
	second string, other *term,
	do func(x, y *term) (*term, error),
) (*term, error) {
	x, err := g.load(first, at)
	if err != nil {
		return nil, err
	}
	y, err := g.load(second, other)
	if err != nil {
		return nil, err
	}
	return do(x, y)
}

// one is a region of one cell of the definition's memory, and the cell.
func (g *ghost) one(name string, bytes int, writes bool) (*region, cell) {
	r := &region{name, g.variable("definition_"+name, 64), bytes, g.number(1, 64), writes}
	g.assumed = append(g.assumed, goal{"", "a pointer that the definition gets is not nil",
		g.not(g.equal(r.base, g.number(0, 64)))})
	return r, cell{r, g.number(0, 64), 0}
}

// merge merges a block of one table into that of another.
func (g *ghost) merge(x, y *term) (*term, error) {
	into, mine := g.one("merged", x.width/8, true)
	from, its := g.one("other", x.width/8, false)
	m, one := g.ownMemory(into, from), g.number(1, 64)
	m.set(mine, x)
	m.set(its, y)
	name := fmt.Sprintf("%sfallback.Merge[uint%d]", module, g.batch.bits()/8)
	if g.batch.Format == "Split" {
		name = module + "fallback.MergeSplit"
	}
	ends, err := g.run(name, m, map[int]*term{rax: into.base, rbx: one, rcx: one, rdi: from.base,
		rsi: one, r8: one})
	if err != nil {
		return nil, err
	}
	if len(ends) != 1 {
		return nil, &FlowError{name, fmt.Sprintf("%d paths, want 1", len(ends))}
	}
	after := ends[0].memory.(*regionMemory)
	return after.cellAfter(mine, x.width-1, 0, len(after.log)), nil
}

// match says whether a block has what a mask has: the answer to a batch of one.
func (g *ghost) match(block, mask *term) (*term, error) {
	header, mine := g.one("matched", block.width/8, false)
	masks, its := g.one("pattern", block.width/8, false)
	present, answer := g.one("answer", 8, true)
	m, one := g.ownMemory(header, masks, present), g.number(1, 64)
	m.set(mine, block)
	m.set(its, mask)
	name := fmt.Sprintf("%sfallback.MatchBatch[uint%d]", module, block.width/8)
	ends, err := g.run(name, m, map[int]*term{rax: header.base, rbx: masks.base, rcx: one,
		rdi: one, rsi: present.base, r8: one, 9: one})
	if err != nil {
		return nil, err
	}
	found := g.number(0, 1)
	for _, e := range ends {
		after := e.memory.(*regionMemory)
		found = g.choose(e.path, after.cellAfter(answer, 0, 0, len(after.log)), found)
	}
	return found, nil
}

// hash is that of the key at a distance.
func (g *ghost) hash(distance *term) (*term, error) {
	key, err := g.load("keys", distance)
	if err != nil {
		return nil, err
	}
	name := module + "fallback.XXHash" + g.batch.Format
	ends, err := g.run(name, g.ownMemory(), map[int]*term{rax: g.extend(key, 64)})
	if err != nil {
		return nil, err
	}
	if len(ends) != 1 {
		return nil, &FlowError{name, fmt.Sprintf("%d paths, want 1", len(ends))}
	}
	return ends[0].general[rax], nil
}
