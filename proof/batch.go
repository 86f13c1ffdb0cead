package proof

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// induction is the proof about one batch: that each part of its loops does what single operations
// do one after another.
type induction struct {
	*contract
	start     *state // at the first instruction
	runner    *machine
	heads     []head
	invariant map[uint64]*invariant
	without   string // a lemma that is left out, for a test
}

// turn is which part of the keys a loop takes.
type turn uint8

const (
	groups      turn = iota // the loop over words of answers
	prefetching             // the keys of a group that prefetch
	plain                   // the rest of it
)

// head is the first instruction of a loop.
type head struct {
	name    string
	address uint64
	turn    turn
}

// unfetched is how many keys still have to prefetch when a group starts.
func (x *induction) unfetched(start *term) *term {
	fetch := x.argument("fetch")
	return x.choose(x.less(start, fetch), x.subtract(fetch, start), x.number(0, 64))
}

// fetching is how many keys of the group prefetch.
func (x *induction) fetching(g progress) *term {
	if !x.fetches {
		return x.number(0, 64)
	}
	return x.smaller(x.unfetched(g.start), x.size(g))
}

// induct begins the proof of a batch, and finds its loops.
func (p *Program) induct(b Batch, silent bool) (*induction, error) {
	x := &induction{contract: p.contract(b, silent), invariant: map[uint64]*invariant{}}
	x.runner = &machine{pool: x.pool, program: x.assembly(b), code: map[uint64]instruction{},
		stops: map[uint64]bool{}, never: x.isNil}
	x.start, x.runner.back = x.enter()
	var err error
	if x.start.next, err = x.runner.enter(x.batch.symbol()); err != nil {
		return nil, err
	}
	code, err := x.runner.program.function(x.batch.symbol())
	if err != nil {
		return nil, err
	}
	known := map[uint64]bool{}
	for _, i := range code {
		known[i.address] = true
		if target, ok := i.branch(); ok && target <= i.address && known[target] {
			x.runner.stops[target] = true
		}
	}
	turns := []turn{plain}
	if b == foreign {
		turns = append(turns, plain)
	}
	if x.fetches {
		turns = []turn{prefetching, plain}
	}
	if x.batch.grouped() {
		turns = append([]turn{groups}, turns...)
	}
	if len(turns) != len(x.runner.stops) {
		return nil, &StructureError{x.batch.String(), fmt.Sprintf("it has %d loops, want %d",
			len(x.runner.stops), len(turns))}
	}
	for i, address := range slices.Sorted(maps.Keys(x.runner.stops)) {
		x.heads = append(x.heads, head{fmt.Sprint("loop", i+1), address, turns[i]})
	}
	return x, nil
}

// isNil says whether a condition is that an address in a region is zero.
func (x *induction) isNil(condition *term) bool {
	return condition.operator == equal && slices.ContainsFunc(condition.arguments, x.isZero) &&
		slices.ContainsFunc(x.regions, func(r *region) bool {
			return slices.ContainsFunc(condition.arguments, func(t *term) bool {
				return slices.Contains(leaves(t), r.base)
			})
		})
}

// branch returns where a branch leads.
func (i instruction) branch() (uint64, bool) {
	switch {
	case i.words != nil && (strings.HasPrefix(i.mnemonic, "b.") || i.mnemonic == "b" ||
		strings.HasPrefix(i.mnemonic, "cb")):
		target, err := parseNumber(i.words[len(i.words)-1])
		return target, err == nil
	case strings.HasPrefix(i.mnemonic, "j") && i.operands[0].kind == immediate:
		return i.operands[0].immediate, true
	}
	return 0, false
}

// progressAt returns the progress at a head, in variables.
func (x *induction) progressAt(h head) progress {
	name := func(s string) *term { return x.variable(h.name+"_"+s, 64) }
	zero := x.number(0, 64)
	g := progress{zero, zero, zero, name("count")}
	if x.batch.grouped() {
		g.start = name("start")
	}
	if h.turn != groups {
		g.done = name("done")
		if x.batch.grouped() {
			g.word = name("word")
		}
	}
	return g
}

// holds is what is known of the progress at a head.
func (x *induction) holds(h head, g progress) *term {
	n, zero := x.argument("n"), x.number(0, 64)
	whole := x.equal(x.and(g.start, x.number(63, 64)), zero)
	known := x.number(1, 1)
	if x.output == positions { // in groups, those of the group are not yet listed
		listed := x.reached(g)
		if x.batch.grouped() {
			listed = g.start
		}
		known = x.not(x.less(listed, g.count))
	}
	if h.turn == groups {
		return x.and(known, x.and(x.not(x.less(n, g.start)), x.or(x.equal(g.start, n), whole)))
	}
	if x.batch.grouped() {
		known = x.and(known, x.and(whole, x.less(g.start, n)))
		known = x.and(known, x.equal(x.shiftRight(g.word, g.done), zero))
	}
	end, together := x.size(g), x.together()
	if x.batch == foreign {
		end, together = x.ends(h)
	}
	if h.turn == prefetching {
		end = x.fetching(g)
	} else {
		known = x.and(known, x.not(x.less(g.done, x.fetching(g))))
	}
	// A turn does keys of which the rest is a multiple.
	rest := x.and(x.subtract(end, g.done), x.number(together-1, 64))
	known = x.and(known, x.equal(rest, zero))
	return x.and(known, x.less(g.done, end))
}

// together is how many keys a turn does.
func (x *induction) together() uint64 {
	switch {
	case x.batch.hashes():
		return hashedTogether
	case x.architecture() == amd64:
		return 2
	}
	return 1
}

// named is a term that a register may have at a head.
type named struct {
	name string
	term *term
}

// walks are the arguments that are pointers to one cell or more a key, with the bytes for one.
func (x *induction) walks() (all []named, sizes []int) {
	add := func(name string, size int) {
		if t, ok := x.arguments[name]; ok && t.operator == variable {
			all, sizes = append(all, named{name, t}), append(sizes, size)
		}
	}
	if x.batch == foreign {
		return []named{{"index", x.number(0, 64)}}, []int{1}
	}
	if x.batch.Operation == "Sample" {
		add("hashes", 512)
		add("present", 8)
		return all, sizes
	}
	if x.batch.hashes() {
		add("keys", x.batch.keySize())
		add("hashes", 8)
		return all, sizes
	}
	block := x.batch.bits() / 8
	add("hashes", 8)
	add("masks", block)
	add("dst", block)
	add("src", block)
	add("status", 1)
	return all, sizes
}

// vocabulary is what registers have at a head that depends on the progress.
func (x *induction) vocabulary(h head, g progress) (all []named) {
	add := func(name string, t *term) { all = append(all, named{name, t}) }
	n, size, fetching := x.argument("n"), x.size(g), x.fetching(g)
	walks, sizes := x.walks()
	to := func(i int, key *term) *term {
		return x.add(walks[i].term, x.times(key, sizes[i]))
	}
	for i, w := range walks {
		add(w.name, to(i, x.reached(g)))
	}
	if x.batch.grouped() && h.turn != groups {
		add("found", x.pushed(g))
	}
	add("count", g.count)
	if first, ok := x.arguments["first"]; ok {
		add("number", x.add(first, x.reached(g)))
	}
	if x.lists() {
		at := x.ghost(g, x.start.memory.(*regionMemory))
		at.hints.number = x.listedFrom(g)
		add("numbers", join(x.pool, at.numbers(0)))
	}
	if x.batch == foreign {
		add("values", x.values(g))
	}
	if present, ok := x.arguments["present"]; ok && x.output == answers && !x.silent {
		words := x.words(g.start)
		if h.turn != groups {
			words = x.shiftRight(g.start, x.number(6, 64))
		}
		add("present", x.add(present, x.shiftLeft(words, x.number(3, 64))))
	}
	if h.turn == groups {
		add("left", x.subtract(n, g.start))
		add("unfetched", x.unfetched(g.start))
		return all
	}
	for i, w := range walks {
		add("last fetching "+w.name, to(i, x.add(g.start, fetching)))
		add("last "+w.name, to(i, x.add(g.start, size)))
	}
	add("size", size)
	add("rest", x.subtract(size, fetching))
	add("remaining", x.subtract(size, g.done))
	add("left", x.subtract(x.subtract(n, g.start), size))
	add("unfetched", x.subtract(x.unfetched(g.start), fetching))
	return all
}

// listedFrom is the first position of a group. Behind the last one it is that of another.
func (x *induction) listedFrom(g progress) *term {
	whole := x.and(x.add(g.start, x.number(63, 64)), x.not(x.number(63, 64)))
	return x.add(x.extract(x.argument("first"), 31, 0), x.extract(whole, 31, 0))
}

// pushed is the register with the answers of a group, one pushed in after another: those of amd64 at
// the top, those of arm64 at the bottom.
func (x *induction) pushed(g progress) *term {
	free := x.subtract(x.number(64, 64), g.done)
	if x.architecture() == amd64 {
		return x.shiftLeft(g.word, free)
	}
	return x.shiftRight(x.reversed(g.word), free)
}

// invariant is what registers and the stack have at a head, whatever way leads there.
type invariant struct {
	general  map[int]string // a name of the vocabulary, of a vector too (induction.registers)
	fixed    map[int]*term  // what general registers keep from the start
	vectors  map[int]*term
	opmasks  map[int]*term
	stack    map[int64]*term
	executed bool
}

// state returns one at a head in which everything else is a variable.
func (x *induction) state(h head, g progress) *state {
	program, inv := x.assembly(x.batch), x.invariant[h.address]
	memory := x.memory(h.name + "_")
	s := program.arbitrary(x.pool, h.name+"_", memory)
	memory.pointer = x.start.general[program.stack]
	s.next = h.address
	if !x.uses("registers") {
		return s
	}
	memory.stack = maps.Clone(inv.stack)
	words := map[string]*term{}
	for _, w := range x.vocabulary(h, g) {
		words[w.name] = w.term
	}
	for r, t := range inv.vectors {
		s.vectors[r] = t
	}
	count := len(x.architecture().general)
	for r, name := range inv.general {
		if r < count {
			s.general[r] = words[name]
		} else {
			s.vectors[r-count] = words[name]
		}
	}
	for r, t := range inv.fixed {
		s.general[r] = t
	}
	for r, t := range inv.opmasks {
		s.opmasks[r] = t
	}
	return s
}
