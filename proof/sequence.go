package proof

import (
	"fmt"
	"slices"
)

// sequence is what single operations, one after another, make of the keys that a path does, beside
// what the path made of them.
type sequence struct {
	progress
	keys    int
	goals   []goal // of the path
	assumed []goal // about the definitions and the keys
}

func (q *sequence) require(name string, t *term) { q.goals = append(q.goals, goal{name, "", t}) }

// stores hands out the stores of a path into one region, in their order.
type stores struct {
	memory *regionMemory
	region *region
	next   int // in the log
}

// first is the next one, or nil.
func (s *stores) first() *entry {
	for ; s.next < len(s.memory.log); s.next++ {
		if s.memory.log[s.next].region == s.region {
			return &s.memory.log[s.next]
		}
	}
	return nil
}

// cell returns the one of a region, with a distance from its beginning.
func (m *regionMemory) cell(name string, distance *term) (cell, error) {
	n := slices.IndexFunc(m.regions, func(r *region) bool { return r.name == name })
	if n < 0 {
		return cell{}, &MemoryError{"look-up", 0, 0, "no region " + name}
	}
	c, low, found := m.locate(m.tableMemory.pool.add(m.regions[n].base, distance))
	if !found || low != 0 {
		return cell{}, &MemoryError{"look-up", c.constant, 0, "no cell of " + name}
	}
	return c, nil
}

func (m *regionMemory) stores(name string) *stores {
	n := slices.IndexFunc(m.regions, func(r *region) bool { return r.name == name })
	if n < 0 {
		return &stores{memory: m, region: nil}
	}
	return &stores{memory: m, region: m.regions[n]}
}

// sequence follows a path to its end. Each key finds the memory as the stores of the keys before it
// left it.
func (x *induction) sequence(from *point, e end) (*sequence, error) {
	done, err := x.turns(from, e)
	if err != nil {
		return nil, err
	}
	m := e.memory.(*regionMemory)
	q := &sequence{progress: from.progress, keys: done}
	blocks := "table"
	if x.each == "Merge" {
		blocks = "dst"
	}
	changed, noted := m.stores(blocks), m.stores("status")
	listed, words := m.stores("positions"), m.stores("present")
	sums := m.stores("sums")
	for range done {
		element := x.reached(q.progress)
		switch x.each {
		case "":
		case "Sample":
			err = x.sampleOnce(q, m, words, element)
		case "Merge":
			err = x.mergeOnce(q, m, changed, element)
		case "Match":
			err = x.matchOnce(q, m, element)
		case "XXHash":
			err = x.hashOnce(q, m, sums, element)
		default:
			err = x.keyOnce(q, m, changed, noted, listed, element)
		}
		if err != nil {
			return nil, err
		}
		q.done = x.add(q.done, x.number(1, 64))
	}
	if from.inside && e.outcome == arrived && x.headAt(e.next).turn == groups {
		x.closeGroup(q, e, words, listed)
	}
	for _, s := range []*stores{changed, noted, listed, words, sums} {
		if s.region != nil && s.first() != nil {
			q.require("stores", x.number(0, 1))
		}
	}
	return q, nil
}

// question is one about the definition of an operation on one key, of the same terms.
func (x *induction) question(operation string, arguments []*term, block *term) *question {
	set := x.batch.Set
	if x.batch.Format == "Split" && set == "AVX512" {
		set = "AVX2"
	}
	return &question{pool: x.pool, Program: x.Program, arguments: arguments, block: block,
		kernel: Kernel{operation, x.batch.Format, set}, address: x.number(0, 64),
		portable: x.portable}
}

// once is the operation on one key: the kernel for that, which is proved to be the definition, or
// for split blocks and AVX-512, for which there is none, the definition.
func (x *induction) once(q *question) (effect, []goal, error) {
	if x.batch.Format == "Split" && x.batch.Set == "AVX512" {
		run, err := q.runDefinition(q.block)
		return run, q.assume(run), err
	}
	run, err := q.runKernel()
	return run, nil, err
}

// keyOnce is the operation on one key.
func (x *induction) keyOnce(
	q *sequence,
	m *regionMemory,
	changed, noted, listed *stores,
	element *term,
) error {
	c, err := m.cell("hashes", x.scaled(element, 8))
	if err != nil {
		return err
	}
	hash := m.cellAfter(c, 63, 0, 0)
	distance, arguments := x.place(q, hash)
	if c, err = m.cell("table", distance); err != nil {
		return err
	}
	before := m.cellAfter(c, 8*c.region.cell-1, 0, changed.next)
	run, assumed, err := x.once(x.question(x.each, arguments, before))
	if err != nil {
		return err
	}
	q.assumed = append(q.assumed, assumed...)
	if e := changed.first(); e != nil && (x.each != "Delete" || e.cell == c) {
		now := m.overlay(before, e)
		q.require("same_block", x.and(x.equal(m.distance(e.cell), m.distance(c)),
			x.equal(now, run.block)))
		changed.next++
	} else {
		q.require("same_block", x.equal(before, run.block))
	}
	present := x.not(x.equal(run.result, x.number(0, 8)))
	switch x.output {
	case answers:
		q.found = x.push(q.found, present)
	case statuses:
		deleted := x.equal(run.result, x.number(2, 8))
		q.count = x.add(q.count, x.extend(deleted, 64))
		if x.silent {
			break
		}
		x.expect(q, m, noted, element, run.result)
	case positions:
		if x.batch.grouped() {
			q.found = x.push(q.found, present)
			break
		}
		number := x.extract(x.add(x.argument("first"), element), 31, 0)
		x.expect(q, m, listed, x.shiftLeft(q.count, x.number(2, 64)), number)
		q.count = x.add(q.count, x.extend(present, 64))
	}
	return nil
}

// expect asks that the next store into the output is of this value, at this distance.
func (x *induction) expect(q *sequence, m *regionMemory, out *stores, distance, v *term) {
	e := out.first()
	if e == nil || e.low != 0 || e.value.width != v.width || e.mask != nil {
		q.require("stores", x.number(0, 1))
		return
	}
	out.next++
	q.require("same_answer", x.and(x.equal(m.distance(e.cell), distance), x.equal(e.value, v)))
}

// overlay is a cell after one store.
func (m *regionMemory) overlay(before *term, e *entry) *term {
	p := m.tableMemory.pool
	if e.mask != nil {
		const element = 32
		all := lanes(p, before, element)
		for i, v := range lanes(p, e.value, element) {
			all[i] = p.choose(p.extract(e.mask, i, i), v, all[i])
		}
		return join(p, all)
	}
	var parts []*term
	if high := e.low + e.value.width; high < before.width {
		parts = append(parts, p.extract(before, before.width-1, high))
	}
	parts = append(parts, e.value)
	if e.low > 0 {
		parts = append(parts, p.extract(before, e.low-1, 0))
	}
	return p.concat(parts...)
}

// place returns the distance of a hash's block from the beginning of the table, and the arguments
// of the definition.
func (x *induction) place(q *sequence, hash *term) (distance *term, arguments []*term) {
	nblocks, block := x.argument("nblocks"), log2(x.batch.bits()/8)
	if x.batch.Format == "Split" {
		key := x.extract(hash, 31, 0)
		high := x.extend(x.extract(hash, 63, 32), 64)
		index := x.shiftRight(x.product(high, nblocks), x.number(32, 64))
		if x.architecture() == arm64 { // the same, by the lemma Halves
			index = x.binary(mulHigh, x.and(hash, x.number(0xffffffff<<32, 64)), nblocks)
		}
		q.assumed = append(q.assumed, goal{"", "the lemma: the high half of a product of two " +
			"halves is below a factor", x.less(index, nblocks)})
		distance = x.shiftLeft(index, x.number(block, 64))
		return distance, []*term{x.add(x.argument("table"), distance), key}
	}
	index := x.binary(mulHigh, hash, nblocks)
	q.assumed = append(q.assumed, goal{"",
		"the lemma: the high half of a product is below a factor", x.less(index, nblocks)})
	distance = x.shiftLeft(index, x.number(block, 64))
	arguments = []*term{x.argument("table"), nblocks, hash}
	if x.batch.Operation == "InsertPart" {
		distance = x.add(x.subtract(x.number(0, 64), x.argument("skipped")), distance)
		q.assumed = append(q.assumed, goal{"", "the block is in the part",
			x.less(x.shiftRight(distance, x.number(block, 64)), x.variable("part", 64))})
	}
	return distance, arguments
}

// closeGroup ends a group: its answers are output, and the next one begins.
func (x *induction) closeGroup(q *sequence, e end, words, listed *stores) {
	m := e.memory.(*regionMemory)
	q.require("group_complete", x.equal(q.done, x.size(q.progress)))
	word := x.word(q.progress)
	// The register in which the answers were has the word. What is made of it then is the same
	// term here.
	for _, h := range x.heads {
		inv := x.invariant[h.address]
		if inv == nil || h.turn != plain || x.output != answers {
			continue
		}
		for r, name := range inv.general {
			if name == "found" {
				q.require("same_answer", x.equal(e.general[r], word))
				word = e.general[r]
			}
		}
	}
	if x.output == answers && !x.silent {
		distance := x.shiftLeft(x.shiftRight(q.start, x.number(6, 64)), x.number(3, 64))
		x.expect(q, m, words, distance, word)
	}
	if x.output == positions {
		x.listGroup(q, e, listed, word)
	} else {
		q.count = x.add(q.count, x.onesCount(word))
	}
	q.start = x.add(q.start, x.size(q.progress))
	q.done, q.found = x.number(0, 64), x.number(0, 64)
}

// listGroup asks for the numbers of the keys that are present, 16 at a time.
func (x *induction) listGroup(q *sequence, last end, listed *stores, word *term) {
	m, size, most := last.memory.(*regionMemory), x.size(q.progress), q.count
	const group = listedAtOnce
	for part := range 64 / group {
		elements := x.numbers(q.start, group*part)
		e := listed.first()
		if e == nil || e.mask == nil || e.value.width != 32*group {
			q.require("stores", x.number(0, 1))
			return
		}
		listed.next++
		// The bits by which the assembly chose: what is made of them is the same term here.
		chosen := x.extract(word, group*part+group-1, group*part)
		if by := x.chosenBy[e.value]; by != nil {
			by = x.extract(by, group-1, 0)
			q.require("same_answer", x.equal(by, chosen))
			chosen = by
		}
		count := x.extend(x.onesCount(x.extend(chosen, 32)), 64)
		// No bit is set behind the group. So there are no more ones than keys.
		before := x.number(uint64(group*part), 64)
		keys := x.smaller(x.subtract(size, before), x.number(group, 64))
		keys = x.choose(x.less(size, before), x.number(0, 64), keys)
		q.require("same_answer", x.equal(x.shiftRight(chosen, x.extract(keys, group-1, 0)),
			x.number(0, group)))
		q.assumed = append(q.assumed, goal{"same_answer", "the lemma Ones, of what that says",
			x.or(x.not(last.path), x.not(x.less(keys, count)))})
		q.require("same_answer", x.equal(m.distance(e.cell), x.shiftLeft(q.count,
			x.number(2, 64))))
		want := x.compressed(elements, chosen)
		for i, got := range lanes(x.pool, e.value, 32) {
			stored := x.extract(e.mask, i, i)
			q.require("same_answer", x.equal(stored, x.less(x.number(uint64(i), 64), count)))
			q.require("same_answer", x.or(x.not(stored), x.equal(got, want[i])))
		}
		q.count = x.add(q.count, count)
		// So whatever their number is, what is listed lies in the output.
		ones := x.variable(fmt.Sprint("ones", part), 64)
		q.assumed = append(q.assumed, goal{"", "the lemma Ones", x.not(x.less(keys, ones))})
		most = x.add(most, ones)
		q.require("in_bounds", x.not(x.less(x.argument("n"), most)))
	}
}

// run executes a function of the definition with a memory of its own, on arguments in registers.
func (x *induction) run(name string, m *regionMemory, arguments map[int]*term) ([]end, error) {
	program := x.amd64
	if _, ok := program.symbols[name]; !ok {
		program = x.tables
	}
	s := program.arbitrary(x.pool, "definition_", m)
	m.pointer, m.program = s.general[rsp], program
	m.goroutine, m.limit = s.general[r14], x.variable("definition_stack_limit", 64)
	runner := &machine{pool: x.pool, program: program, code: map[uint64]instruction{},
		back: x.variable("definition_return", 64), change: x.change}
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
func (x *induction) room() []goal {
	definition := x.question("", nil, nil)
	return definition.assume(effect{limit: x.variable("definition_stack_limit", 64),
		pointer: x.variable("definition_rsp", 64)})
}

// mergeOnce is the definition of a merge of tables of one block.
func (x *induction) mergeOnce(q *sequence, m *regionMemory, changed *stores, element *term) error {
	to, err := m.cell("dst", x.scaled(element, x.batch.bits()/8))
	if err != nil {
		return err
	}
	source, err := m.cell("src", x.scaled(element, x.batch.bits()/8))
	if err != nil {
		return err
	}
	width := x.batch.bits()
	before, other := m.cellAfter(to, width-1, 0, changed.next), m.cellAfter(source, width-1, 0, 0)
	one := x.number(1, 64)
	into := &region{"merged", x.variable("definition_table", 64), width / 8, one, true}
	from := &region{"other", x.variable("definition_other", 64), width / 8, one, false}
	d := x.ownMemory(into, from)
	zero := x.number(0, 64)
	mine, its := cell{into, zero, 0}, cell{from, zero, 0}
	d.set(mine, before)
	d.set(its, other)
	name := fmt.Sprintf("%sfallback.Merge[uint%d]", module, x.batch.bits()/8)
	if x.batch.Format == "Split" {
		name = module + "fallback.MergeSplit"
	}
	ends, err := x.run(name, d, map[int]*term{rax: into.base, rbx: one, rcx: one, rdi: from.base,
		rsi: one, r8: one})
	if err != nil {
		return err
	}
	if len(ends) != 1 {
		return &FlowError{name, fmt.Sprintf("%d paths, want 1", len(ends))}
	}
	after := ends[0].memory.(*regionMemory)
	q.assumed = append(q.assumed, x.room()...)
	e := changed.first()
	if e == nil {
		q.require("stores", x.number(0, 1))
		return nil
	}
	changed.next++
	q.require("same_block", x.and(x.equal(m.distance(e.cell), m.distance(to)),
		x.equal(m.overlay(before, e), after.cellAfter(mine, width-1, 0, len(after.log)))))
	return nil
}

// set gives a cell what it has at the start.
func (m *regionMemory) set(c cell, v *term) {
	m.initial[fmt.Sprint(c.region.name, " ", c.moving.number, " ", c.constant)] = v
}

// matchOnce is the definition of a match of one mask.
func (x *induction) matchOnce(q *sequence, m *regionMemory, at *term) error {
	width, one, zero := x.batch.bits(), x.number(1, 64), x.number(0, 64)
	c, err := m.cell("masks", x.scaled(at, width/8))
	if err != nil {
		return err
	}
	header, err := m.cell("block", zero)
	if err != nil {
		return err
	}
	block := &region{"matched", x.variable("definition_block", 64), width / 8, one, false}
	masks := &region{"pattern", x.variable("definition_masks", 64), width / 8, one, false}
	d := x.ownMemory(block, masks)
	d.set(cell{block, zero, 0}, m.cellAfter(header, width-1, 0, 0))
	d.set(cell{masks, zero, 0}, m.cellAfter(c, width-1, 0, 0))
	name := fmt.Sprintf("%sfallback.MatchBatch[uint%d]", module, width/8)
	ends, err := x.run(name, d, map[int]*term{rax: block.base, rbx: masks.base, rcx: one,
		rdi: one, rsi: zero, r8: zero, 9: zero})
	if err != nil {
		return err
	}
	q.assumed = append(q.assumed, x.room()...)
	result := zero
	for _, e := range ends {
		result = x.choose(e.path, e.general[rax], result)
	}
	present := x.not(x.equal(result, zero))
	q.found = x.push(q.found, present)
	return nil
}

// sampleOnce is a word of a sample.
func (x *induction) sampleOnce(q *sequence, m *regionMemory, words *stores, element *term) error {
	bits := make([]*term, 64)
	for i := range bits {
		c, err := m.cell("hashes", x.add(x.scaled(element, 512), x.number(uint64(8*i), 64)))
		if err != nil {
			return err
		}
		hash := m.cellAfter(c, 63, 0, 0)
		bits[i] = x.less(x.product(hash, x.argument("odd")), x.argument("limit"))
	}
	x.expect(q, m, words, x.scaled(element, 8), join(x.pool, bits))
	return nil
}

// scaled is the distance of a key, with the constant part of the key's number last.
func (x *induction) scaled(at *term, size int) *term {
	base, rest := x.split(at)
	return x.add(x.times(base, size), x.times(rest, size))
}

// times is the product of a word and a constant.
func (x *induction) times(t *term, factor int) *term {
	product := x.number(0, 64)
	for bit := range uint64(64) {
		if factor>>bit&1 == 1 {
			product = x.add(product, x.shiftLeft(t, x.number(bit, 64)))
		}
	}
	return product
}
