package proof

import (
	"fmt"
	"slices"
)

// The query inside the shipped packet program: its function filtered, which looks an address
// up in the filter of a list. The code is cut at the head of its loop over lengths of prefixes, and the theorem is about
// the way there and any one turn. The kernel's helper, which looks elements of maps up, answers
// anything, or nothing; what it is asked for has to be right.

// shipped is the packet program.
const shipped = "../xdp/program/program.o"

// lookup is about addresses of one version, and prefixes of one kind of length.
type lookup struct {
	version uint64
	prefix  bool // shorter than an address, so that the key ends with the length
}

var lookups = []lookup{{4, false}, {4, true}, {6, false}, {6, true}}

func (l lookup) String() string {
	if l.prefix {
		return fmt.Sprintf("HasIPv%dPrefix", l.version)
	}
	return fmt.Sprintf("HasIPv%d", l.version)
}

// address is the bytes of an address.
func (l lookup) address() int {
	if l.version == 4 {
		return 4
	}
	return 16
}

// key is the bytes of a key.
func (l lookup) key() int {
	if l.prefix {
		return l.address() + 1
	}
	return l.address()
}

// Sizes and names in the program.
const (
	mostLengths = 8
	lengthSize  = 24   // mask and tail
	present     = 1    // the answer if a prefix is found
	corrected   = 2    // and if only filters found one
	looksUp     = 1    // the number of the helper
	turnAt      = 3    // the register of the number of a turn
	lengthAt    = 8    // and of what points to its length
	answerAt    = -144 // where the stack has the answer so far
)

// mapCall is one of the helper that looks elements up.
type mapCall struct {
	in      *term // the map
	key     *term
	element *term // the answer
}

// mapMemory is the stack of a program for BPF, its variables, and the elements of maps.
type mapMemory struct {
	*regionMemory
	calls []mapCall
}

func (m *mapMemory) clone() memory {
	return &mapMemory{m.regionMemory.clone().(*regionMemory), slices.Clone(m.calls)}
}

// packetLookup is the proof about one kind of lookup.
type packetLookup struct {
	lookup
	*contract // of the hash
	bytecode  *bpfMachine
	start     *state
	place     *term // of the list
	lengths   *term
	count     *term // of lengths
	header    []*term
	words     [3]*term // what the hash takes: the address, if it is IPv6, and the rest
	data      []*term  // the bytes of the key
}

// answer is the name of what the helper finds, by the map.
func (x *packetLookup) answer(in, key *term) string {
	switch in {
	case x.variable("tables", 64):
		return "table"
	case x.variable("table", 64):
		if x.isZero(key) {
			return "header"
		}
		return "block"
	case x.variable("sets", 64):
		return "set"
	case x.variable("set", 64):
		return "element"
	}
	return ""
}

// find is a call of the helper. It changes the registers that a call may change.
func (x *packetLookup) find(s *state, helper int64) error {
	m, width := s.memory.(*mapMemory), 32
	if s.general[1] == x.variable("set", 64) {
		width = 8 * lengthSize
	}
	key, err := m.load(s.general[2], width)
	if err != nil {
		return err
	}
	name := x.answer(s.general[1], key)
	if helper != looksUp || name == "" {
		return &FlowError{fmt.Sprint("call ", helper), "not a look-up in a map that is known"}
	}
	s.general[0] = x.variable(name, 64)
	m.calls = append(m.calls, mapCall{s.general[1], key, s.general[0]})
	for r := 1; r <= 5; r++ {
		s.general[r] = x.variable(fmt.Sprintf("call%d_r%d", len(x.order), r), 64)
	}
	return nil
}

// has states what the function does.
func (p *Program) has(
	functions map[string]bytecode,
	l lookup,
	follow func(instruction),
) (Theorem, error) {
	x := &packetLookup{lookup: l, contract: &contract{pool: newPool(), Program: p,
		define: follow}}
	x.fine = true
	x.portable = x.variable("portable", 8)
	x.bytecode = &bpfMachine{pool: x.pool, code: functions["filtered"].decode(), call: x.find}
	if err := x.open(); err != nil {
		return Theorem{}, err
	}
	all := &statement{pool: x.pool}
	before, err := x.bytecode.explore(x.start.clone())
	if err != nil {
		return Theorem{}, err
	}
	var head *state
	for _, e := range before {
		if e.outcome == arrived {
			head = e.state
		}
		x.beginning(all, e)
	}
	if head == nil {
		return Theorem{}, &StructureError{l.String(), "no path leads to the loop"}
	}
	turn := x.anyTurn(head)
	after, err := x.bytecode.explore(turn.clone())
	if err != nil {
		return Theorem{}, err
	}
	assumed, err := x.oneTurn(all, turn, after)
	if err != nil {
		return Theorem{}, err
	}
	says := "it is found if a prefix of the address is in the list; hash, block and query are " +
		"the definitions'"
	title := []string{fmt.Sprintf("The function filtered of the packet program, for keys of %d bytes "+
		"of IPv%d: the way to its loop, and any turn.", l.key(), l.version),
		"A counterexample is sat."}
	executed := 0
	for _, e := range append(before, after...) {
		executed += len(e.followed)
	}
	c := &claim{x.pool, assumed, all.goals, likely}
	return Theorem{Name: l.String(), Set: "BPF", Says: says, Script: c.script(title),
		Paths: len(before) + len(after), Executed: executed, claim: c}, nil
}

// open makes the state at the first instruction, and finds the head of the loop: where the jump
// leads that stands before what turns go back to.
func (x *packetLookup) open() error {
	back := uint64(0)
	for n, i := range x.bytecode.code {
		target := uint64(n) + 1 + uint64(i.offset)
		if i.class() == bpfJump && i.code != bpfCall && i.offset < 0 &&
			(back == 0 || target < back) {
			back = target
		}
	}
	if back == 0 || x.bytecode.code[back-1].code != bpfJump {
		return &StructureError{"filtered", "it has no loop after a jump"}
	}
	x.bytecode.stop = back + uint64(x.bytecode.code[back-1].offset)
	x.place = x.variable("place", 32)
	x.lengths = x.variable(fmt.Sprint("lengths", x.version), 64)
	first, second := x.variable("first", 64), x.variable("second", 64)
	zero, wordSize := x.number(0, 64), 8
	add := func(name string, base *term, cell, cells int, writes bool) *region {
		return &region{name, base, cell, x.number(uint64(cells), 64), writes}
	}
	m := &regionMemory{tableMemory: &tableMemory{pool: x.pool, program: x.amd64,
		stack: map[int64]*term{}, written: map[int64]bool{}}, initial: map[string]entry{},
		regions: []*region{
			add("lengths", x.lengths, wordSize, 1+mostLengths*lengthSize/wordSize, false),
			add("exact", x.variable("exact", 64), wordSize/2, 1, false),
			add("header", x.variable("header", 64), wordSize, 8, false),
			add("block", x.variable("block", 64), 8*wordSize, 1, false),
		}}
	x.count = x.variable("count", 64)
	m.set(cell{m.regions[0], zero, 0}, x.count)
	for i, name := range []string{"blocks", "key0", "key1"} {
		x.header = append(x.header, x.variable(name, 64))
		m.set(cell{m.regions[2], zero, int64(wordSize * i)}, x.header[i])
	}
	// What Go sets of a length: the mask, and the tail, which has the size of a key above its rest.
	masks := [2]*term{x.variable("mask0", 64), x.variable("mask1", 64)}
	bits := x.number(0, 8)
	if x.prefix {
		bits = x.variable("bits", 8)
	}
	size := x.number(uint64(x.key()), 8)
	tail := x.concat(size, x.number(0, 48), bits)
	if x.version == 4 {
		masks = [2]*term{x.extend(x.variable("mask0", 32), 64), zero}
		tail = x.concat(size, x.number(0, 16), bits, x.number(0, 32))
	}
	x.words = [3]*term{x.and(first, masks[0]), x.and(second, masks[1]), tail}
	if x.version == 4 {
		x.words = [3]*term{zero, zero, x.or(tail, x.words[0])}
		x.data = lanes(x.pool, x.extract(x.words[2], 31, 0), 8)
	} else {
		x.data = append(lanes(x.pool, x.words[0], 8), lanes(x.pool, x.words[1], 8)...)
	}
	if x.prefix {
		x.data = append(x.data, bits)
	}
	number, _ := m.lookUp("lengths", x.times(x.variable("turn", 64), lengthSize))
	for i, v := range []*term{masks[0], masks[1], tail} {
		m.set(cell{number.region, number.moving, int64(8 + wordSize*i)}, v)
	}
	s := x.amd64.arbitrary(x.pool, "start_", m)
	for r := range bpfFrame + 1 {
		s.general[r] = x.variable(fmt.Sprint("start_r", r), 64)
	}
	m.pointer = s.general[bpfFrame]
	s.general[1] = x.concat(x.extract(s.general[1], 63, 32), x.place)
	s.general[2], s.general[3], s.general[4] = first, second, x.number(x.version, 64)
	s.memory, x.start = &mapMemory{regionMemory: m}, s
	return nil
}

// beginning is what holds on the way to the loop: without a table nothing is found.
func (x *packetLookup) beginning(all *statement, e end) {
	m := e.memory.(*mapMemory)
	zero, pointer := x.number(0, 32), x.number(0, 64)
	want := []mapCall{{x.variable("tables", 64), x.place, nil}, {x.variable("table", 64), zero, nil}}
	x.asks(all, e, want[:min(len(m.calls), 2)])
	missing := x.or(x.equal(x.variable("table", 64), pointer),
		x.equal(x.variable("header", 64), pointer))
	if e.outcome == arrived {
		all.require(e.path, "result", x.not(missing))
		all.require(e.path, "next", x.equal(e.general[turnAt], pointer))
		first := x.add(x.lengths, x.number(8+8, 64))
		all.require(e.path, "next", x.equal(e.general[lengthAt], first))
		all.require(e.path, "next", x.equal(x.soFar(m), zero))
	} else {
		all.require(e.path, "result", x.and(missing, x.equal(x.extract(e.general[0], 31, 0), zero)))
	}
	all.require(e.path, "stores", x.number(boolean(len(m.log) == 0), 1))
	x.reach(all, e)
}

// soFar is the answer in the stack.
func (x *packetLookup) soFar(m *mapMemory) *term {
	var bytes []*term
	for i := int64(3); i >= 0; i-- {
		if b := m.stack[answerAt+i]; b != nil {
			bytes = append(bytes, b)
		} else {
			bytes = append(bytes, x.variable("missing", 8))
		}
	}
	return x.concat(bytes...)
}

func boolean(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// asks is the goal that a path calls the helper in this order, with these keys.
func (x *packetLookup) asks(all *statement, e end, want []mapCall) {
	m := e.memory.(*mapMemory)
	all.require(e.path, "asked", x.number(boolean(len(m.calls) == len(want)), 1))
	for i, c := range m.calls[:min(len(m.calls), len(want))] {
		all.require(e.path, "asked", x.number(boolean(c.in == want[i].in), 1))
		if c.key.width == want[i].key.width {
			all.require(e.path, "asked", x.equal(c.key, want[i].key))
		} else {
			all.require(e.path, "asked", x.number(0, 1))
		}
	}
}

// reach is the goal that accesses are to what is there.
func (x *packetLookup) reach(all *statement, e end) {
	m := e.memory.(*mapMemory)
	for _, c := range m.accesses {
		there := x.not(x.equal(c.region.base, x.number(0, 64)))
		if c.region.name == "lengths" || c.region.name == "exact" {
			there = x.number(1, 1)
		}
		all.require(e.path, "in_bounds", x.and(there, m.inside(c)))
	}
}

// anyTurn is a state at the head of the loop of which nothing is known but what the way there left,
// and which turn it is.
func (x *packetLookup) anyTurn(head *state) *state {
	s := head.clone()
	m := s.memory.(*mapMemory)
	m.calls, m.accesses, s.followed = nil, nil, nil
	for r := range bpfFrame {
		s.general[r] = x.variable(fmt.Sprint("turn_r", r), 64)
	}
	number := x.variable("turn", 64)
	s.general[turnAt] = number
	s.general[lengthAt] = x.pointer(number)
	m.put(answerAt, x.variable("answer", 32))
	s.path = x.number(1, 1)
	return s
}

// pointer is what points to the lengths of a turn: behind the first half of the mask.
func (x *packetLookup) pointer(number *term) *term {
	return x.add(x.add(x.lengths, x.number(8+8, 64)), x.times(number, lengthSize))
}

// hash is that of the definition.
func (x *packetLookup) hash(all *statement) (*term, error) {
	zero := x.number(0, 64)
	secret := &region{"secret", x.variable("definition_key", 64), 8, x.number(2, 64), false}
	data := &region{"data", x.variable("definition_data", 64), 1,
		x.number(uint64(len(x.data)), 64), false}
	m := x.ownMemory(secret, data)
	for i, v := range x.header[1:3] {
		m.set(cell{secret, zero, int64(8 * i)}, v)
	}
	for i, v := range x.data {
		m.set(cell{data, zero, int64(i)}, v)
	}
	length := x.number(uint64(len(x.data)), 64)
	const name = module + "internal/siphash.Definition"
	ends, err := x.run(name, m, map[int]*term{rax: secret.base, rbx: data.base, rcx: length,
		rdi: length, rsi: x.number(1, 64), 8: x.number(3, 64)})
	if err != nil {
		return nil, err
	}
	if len(ends) != 1 {
		return nil, &FlowError{name, fmt.Sprintf("%d paths, want 1", len(ends))}
	}
	all.require(x.number(1, 1), "defined", ends[0].path)
	return ends[0].general[rax], nil
}

// oneTurn is what holds of a turn: it finds, or goes on to the next turn.
func (x *packetLookup) oneTurn(all *statement, turn *state, ends []end) ([]goal, error) {
	hash, err := x.hash(all)
	if err != nil {
		return nil, err
	}
	blocks := x.extend(x.extract(x.header[0], 31, 0), 64)
	index := x.binary(mulHigh, hash, blocks)
	before := turn.memory.(*mapMemory)
	block, err := before.load(x.variable("block", 64), 512)
	if err != nil {
		return nil, err
	}
	query := &question{pool: x.pool, Program: x.Program, kernel: Kernel{"Query", "512", "AVX2"},
		arguments: []*term{x.variable("definition_table", 64), blocks, hash}, block: block,
		portable: x.portable}
	query.address = query.blockOf(hash)
	definition, err := query.runDefinition(block)
	if err != nil {
		return nil, err
	}
	number, nothing := x.variable("turn", 64), x.number(0, 64)
	has := func(name string) *term { return x.not(x.equal(x.variable(name, 64), nothing)) }
	exact, err := before.load(x.variable("exact", 64), 32)
	if err != nil {
		return nil, err
	}
	due := x.less(number, x.count)
	found := x.and(due, x.and(has("block"), x.equal(definition.result, x.number(1, 8))))
	confirmed := x.or(x.equal(exact, x.number(0, 32)), x.and(has("set"), has("element")))
	last := x.equal(number, x.number(mostLengths-1, 64))
	answer, only := x.variable("answer", 32), x.number(corrected, 32)
	then := x.choose(found, only, answer) // unless it is confirmed
	for _, e := range ends {
		m := e.memory.(*mapMemory)
		x.reach(all, e)
		want := []mapCall{
			{in: x.variable("table", 64), key: x.add(x.number(1, 32), x.extract(index, 31, 0))},
			{in: x.variable("sets", 64), key: x.place},
			{in: x.variable("set", 64), key: x.concat(x.words[2], x.words[1], x.words[0])},
		}
		x.asks(all, e, want[:min(len(m.calls), len(want))])
		all.require(e.path, "stores", x.number(boolean(len(m.log) == 0), 1))
		if e.outcome != arrived {
			result, yes := x.extract(e.general[0], 31, 0), x.number(present, 32)
			all.require(e.path, "result", x.equal(x.equal(result, yes), x.and(found, confirmed)))
			all.require(e.path, "result", x.or(x.equal(result, yes),
				x.and(x.equal(result, then), x.or(last, x.not(due)))))
			continue
		}
		all.require(e.path, "result", x.and(due, x.and(x.not(last),
			x.not(x.and(found, confirmed)))))
		next := x.add(number, x.number(1, 64))
		all.require(e.path, "next", x.and(x.equal(e.general[turnAt], next),
			x.equal(e.general[lengthAt], x.pointer(next))))
		all.require(e.path, "next", x.equal(x.soFar(m), then))
		for at, v := range before.stack {
			kept := m.stack[at] == v || at >= answerAt && at < answerAt+4
			all.require(e.path, "next", x.number(boolean(kept), 1))
		}
	}
	half := func(t *term, low int) *term { return x.extend(x.extract(t, low+31, low), 64) }
	below := half(x.product(half(hash, 0), blocks), 32)
	parts := x.add(x.product(half(hash, 32), blocks), below)
	assumed := []goal{
		{"", "a turn is one of those that the table of lengths has",
			x.less(number, x.number(mostLengths, 64))},
		{"", "no turn before has found a prefix",
			x.or(x.equal(answer, x.number(0, 32)), x.equal(answer, only))},
		{"", "the table has a block", x.not(x.equal(blocks, nothing))},
		{"", "the lemma: the high half of a product is below a factor", x.less(index, blocks)},
		{"", "the lemma Quarters", x.equal(index, half(parts, 32))},
	}
	return append(query.assume(definition), assumed...), nil
}
