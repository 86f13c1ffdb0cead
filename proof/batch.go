package proof

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Batch names a function of the assembly that loops over its arguments.
type Batch struct {
	Operation string
	Format    string // of a block, or the size of a key that is hashed; empty where there is none
	Set       string
}

func (b Batch) String() string { return b.Operation + b.Format + b.Set }

func (b Batch) symbol() string { return module + "asm." + b.String() + ".abi0" }

// output is what an operation leaves beside what is in its blocks.
type output uint8

const (
	nothing   output = iota
	answers          // a bit for each key, in words, and how many are set
	statuses         // a byte for each key, and how many are deleted
	positions        // the numbers of the keys that are present, and how many these are
)

// operation is what the functions of one name have in common.
type operation struct {
	arguments []string
	each      string // the operation on one key or block; empty for a prefetch
	output    output
	fetches   bool // the first loop prefetches, for some of the keys
	returns   bool // a count
}

var keys = []string{"table", "nblocks", "hashes", "n", "fetch", "distance"}

// operations are those of batches, by the names of their functions.
var operations = map[string]operation{
	"QueryBatch":  {append(keys[:6:6], "present"), "Query", answers, true, true},
	"InsertBatch": {append(keys[:6:6], "present"), "Insert", answers, true, true},
	"AddBatch":    {keys, "Add", nothing, true, false},
	"InsertPart": {[]string{"table", "skipped", "nblocks", "hashes", "n", "fetch", "distance"},
		"Insert", nothing, true, false},
	"DeleteBatch": {append(keys[:6:6], "status"), "Delete", statuses, true, true},
	"SelectBatch": {append(keys[:6:6], "first", "positions"), "Query", positions, true, true},
	"Merge":       {[]string{"dst", "src", "n", "fetch"}, "Merge", nothing, true, false},
	"MatchBatch":  {[]string{"block", "masks", "n", "present"}, "Match", answers, false, true},
	"Fetch":       {[]string{"table", "nblocks", "hashes", "n"}, "", nothing, false, false},
	"Sample": {[]string{"n", "present", "hashes", "odd", "limit"}, "Sample", nothing, false,
		false},
	"HashBatch": {[]string{"groups", "hashes", "keys"}, "XXHash", nothing, false, false},
}

// Batches are the functions with loops that are proved.
var Batches = func() (all []Batch) {
	for _, set := range []string{"AVX512", "AVX2", "NEON"} {
		for _, format := range []string{"512", "256", "Split"} {
			for _, name := range []string{"QueryBatch", "InsertBatch", "DeleteBatch", "AddBatch",
				"InsertPart", "SelectBatch", "Merge", "MatchBatch", "Fetch"} {
				split := format == "Split"
				if split && slices.Contains([]string{"DeleteBatch", "InsertPart", "MatchBatch"},
					name) || !split && name == "AddBatch" {
					continue
				}
				all = append(all, Batch{name, format, set})
			}
		}
	}
	return append(all, Batch{"Sample", "", "AVX512"}, Batch{"HashBatch", "32", "AVX512"},
		Batch{"HashBatch", "64", "AVX512"})
}()

// bits returns the size of a block.
func (b Batch) bits() int { return Kernel{Format: b.Format}.bits() }

// grouped says whether the keys are taken in groups of 64, of which each makes a word.
func (b Batch) grouped() bool {
	out := operations[b.Operation].output
	return out == answers || out == positions && b.Set == "AVX512"
}

// induction is the proof about one batch: that each part of its loops does what single operations
// do one after another.
type induction struct {
	*pool
	*Program
	batch Batch
	operation
	silent bool   // the output is nil
	change change // plants mistakes, if it is not nil

	arguments map[string]*term
	regions   []*region
	assumed   []goal
	begin     *state // at the first instruction
	runner    *machine
	heads     []head
	invariant map[uint64]*invariant
	portable  *term
	define    func(i instruction) // is told what definitions execute, if it is not nil
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

// progress is how far a batch is: what the sequence of single operations has come to. Terms.
type progress struct {
	start *term // of the group; in a batch without groups zero
	done  *term // of the group
	found *term // the answers of the group, as they are pushed into a register
	count *term // of the answers before the group, or of what was deleted or selected
}

// reached is the number of keys that are done.
func (x *induction) reached(g progress) *term { return x.add(g.start, g.done) }

// symbol returns an argument, and a zero where the operation has none of the name.
func (x *induction) argument(name string) *term {
	if t, ok := x.arguments[name]; ok {
		return t
	}
	return x.number(0, 64)
}

// size is the number of keys of the group, and last whether none is behind it.
func (x *induction) size(g progress) *term {
	n := x.argument("n")
	if !x.batch.grouped() {
		return n
	}
	left := x.subtract(n, g.start)
	return x.smaller(left, x.number(64, 64))
}

func (p *pool) smaller(x, y *term) *term { return p.choose(p.less(x, y), x, y) }

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

// induct begins the proof of a batch: nothing is known of its arguments but the contract.
func (p *Program) induct(b Batch, silent bool, change change) (*induction, error) {
	x := &induction{pool: newPool(), Program: p, batch: b, operation: operations[b.Operation],
		silent: silent, change: change, arguments: map[string]*term{},
		invariant: map[uint64]*invariant{}}
	x.fine = b.hashes()
	x.portable = x.variable("portable", 8)
	for _, name := range x.operation.arguments {
		x.arguments[name] = x.variable(name, 64)
	}
	block := b.bits() / 8
	n, count := x.argument("n"), x.argument("nblocks")
	add := func(name string, cell int, cells *term, writes bool) {
		if base, ok := x.arguments[name]; ok {
			x.regions = append(x.regions, &region{name, base, cell, cells, writes})
		}
	}
	assume := func(says string, t *term) { x.assumed = append(x.assumed, goal{"", says, t}) }
	const most = 1 << 57
	if b.Operation == "Sample" {
		assume("a sample is of at most 2^57 hashes", x.not(x.less(x.number(most/64, 64), n)))
	} else {
		assume("there are at most 2^57 keys or blocks", x.not(x.less(x.number(most, 64), n)))
	}
	assume("the assembly is used", x.equal(x.portable, x.number(0, 8)))
	hashes := n
	if x.fetches && b.Operation != "Merge" {
		fetch, distance := x.argument("fetch"), x.argument("distance")
		assume("a prefetch is at most 2^57 keys ahead", x.not(x.less(x.number(most, 64), distance)))
		ahead := x.add(fetch, distance)
		hashes = x.choose(x.less(n, ahead), ahead, n)
	}
	if x.fetches {
		assume("at most as many keys prefetch as there are",
			x.not(x.less(n, x.argument("fetch"))))
	}
	switch b.Operation {
	case "InsertPart":
		// A multiple of the size of a block, less than none.
		back := x.shiftLeft(x.variable("back", 64), x.number(log2(block), 64))
		x.arguments["skipped"] = x.negate(back)
		add("table", block, x.variable("part", 64), true)
	case "Sample":
		hashes = x.shiftLeft(n, x.number(6, 64))
		add("present", 8, n, true)
	case "HashBatch":
		x.hashed()
	default:
		add("table", block, count, strings.HasPrefix(x.each, "Insert") || x.each == "Add" ||
			x.each == "Delete")
		add("present", 8, x.words(n), true)
	}
	if _, ok := x.arguments["table"]; ok {
		assume("the table has a block", x.not(x.equal(count, x.number(0, 64))))
		bound := uint64(most)
		if b.Format == "Split" {
			bound = 1<<32 - 1
		}
		assume(fmt.Sprintf("the table has at most %d blocks", bound),
			x.not(x.less(x.number(bound, 64), count)))
	}
	if !b.hashes() {
		add("hashes", 8, hashes, false)
	}
	add("status", 1, n, true)
	add("positions", 4, n, true)
	add("dst", block, n, true)
	add("src", block, n, false)
	add("block", block, x.number(1, 64), false)
	add("masks", block, n, false)
	for _, name := range []string{"present", "status"} {
		if out, ok := x.arguments[name]; ok && b.Operation != "Sample" {
			if silent {
				x.arguments[name] = x.number(0, 64)
				x.regions = slices.DeleteFunc(x.regions, func(r *region) bool {
					return r.name == name
				})
				continue
			}
			assume("the output is not nil, and no address has its highest bit set",
				x.and(x.not(x.equal(out, x.number(0, 64))), x.less(out, x.number(1<<63, 64))))
		}
	}
	return x, x.enter()
}

// words is how many words the answers of n keys have.
func (x *induction) words(n *term) *term {
	return x.shiftRight(x.add(n, x.number(63, 64)), x.number(6, 64))
}

// enter makes the state at the first instruction, and finds the loops.
func (x *induction) enter() error {
	program := x.assembly(x.batch)
	memory := x.memory("start_")
	x.begin = program.arbitrary(x.pool, "start_", memory)
	memory.pointer = x.begin.general[program.stack]
	x.runner = &machine{pool: x.pool, program: program, code: map[uint64]instruction{},
		change: x.change, stops: map[uint64]bool{}, never: x.isNil}
	if program.architecture == arm64 {
		x.runner.back = x.begin.general[linkRegister]
	} else {
		x.runner.back = x.variable("start_return", 64)
		memory.put(0, x.runner.back)
	}
	for i, name := range x.operation.arguments {
		memory.put(int64(8+8*i), x.arguments[name])
	}
	var err error
	if x.begin.next, err = x.runner.enter(x.batch.symbol()); err != nil {
		return err
	}
	code, err := program.function(x.batch.symbol())
	if err != nil {
		return err
	}
	known := map[uint64]bool{}
	for _, i := range code {
		known[i.address] = true
		if target, ok := i.branch(); ok && target <= i.address && known[target] {
			x.runner.stops[target] = true
		}
	}
	turns := []turn{plain}
	if x.fetches {
		turns = []turn{prefetching, plain}
	}
	if x.batch.grouped() {
		turns = append([]turn{groups}, turns...)
	}
	if len(turns) != len(x.runner.stops) {
		return &StructureError{x.batch.String(), fmt.Sprintf("it has %d loops, want %d",
			len(x.runner.stops), len(turns))}
	}
	for i, address := range slices.Sorted(maps.Keys(x.runner.stops)) {
		x.heads = append(x.heads, head{fmt.Sprint("loop", i+1), address, turns[i]})
	}
	return nil
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

func (x *induction) memory(prefix string) *regionMemory {
	program := x.assembly(x.batch)
	return &regionMemory{tableMemory: &tableMemory{pool: x.pool, program: program,
		stack: map[int64]*term{}, written: map[int64]bool{}, portable: x.portable},
		prefix: prefix, regions: x.regions, initial: map[string]*term{}}
}

// assembly returns the program that has a batch.
func (p *Program) assembly(b Batch) *program {
	return p.program(Kernel{Set: b.Set})
}

func (x *induction) architecture() *architecture {
	return x.assembly(x.batch).architecture
}

// progressAt returns the progress at a head, in variables.
func (x *induction) progressAt(h head) progress {
	name := func(s string) *term { return x.variable(h.name+"_"+s, 64) }
	g := progress{x.number(0, 64), x.number(0, 64), x.number(0, 64), name("count")}
	if x.batch.grouped() {
		g.start = name("start")
	}
	if h.turn != groups {
		g.done = name("done")
		if x.batch.grouped() {
			g.found = name("found")
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
	}
	end := x.size(g)
	if h.turn == prefetching {
		end = x.fetching(g)
	} else {
		known = x.and(known, x.not(x.less(g.done, x.fetching(g))))
	}
	// A turn does keys of which the rest is a multiple.
	rest := x.and(x.subtract(end, g.done), x.number(x.together()-1, 64))
	known = x.and(known, x.equal(rest, zero))
	return x.and(known, x.less(g.done, end))
}

// lists says whether the positions of a group are listed at once, from a vector of numbers.
func (x *induction) lists() bool { return x.output == positions && x.batch.grouped() }

// listedAtOnce is how many.
const listedAtOnce = 16

// numbers are those of some keys of a group. Behind the last group they go on as if it were whole.
func (x *induction) numbers(start *term, from int) []*term {
	whole := x.and(x.add(start, x.number(63, 64)), x.not(x.number(63, 64)))
	first := x.add(x.extract(x.argument("first"), 31, 0), x.extract(whole, 31, 0))
	all := make([]*term, listedAtOnce)
	for i := range all {
		all[i] = x.add(first, x.number(uint64(from+i), 32))
	}
	return all
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
		add("found", g.found)
	}
	add("count", g.count)
	if first, ok := x.arguments["first"]; ok {
		add("number", x.add(first, x.reached(g)))
	}
	if x.lists() {
		add("numbers", join(x.pool, x.numbers(g.start, 0)))
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

// push is the register with the answers of a group after another one. Those of amd64 are pushed in
// at the top, those of arm64 at the bottom.
func (x *induction) push(found, answer *term) *term {
	if x.architecture() == amd64 {
		return x.concat(answer, x.extract(found, 63, 1))
	}
	return x.add(x.add(found, found), x.extend(answer, 64))
}

// word is that of the answers of a group, the first in the lowest bit. The lemmas Pushed say that
// it is, after any number of pushes.
func (x *induction) word(g progress) *term {
	free := x.subtract(x.number(64, 64), x.size(g))
	if x.architecture() == amd64 {
		return x.shiftRight(g.found, free)
	}
	return x.shiftRight(x.reversed(g.found), free)
}

// invariant is what registers and the stack have at a head, whatever way leads there.
type invariant struct {
	general  map[int]string // a name of the vocabulary, of a vector too (induction.registers)
	fixed    map[int]*term  // what general registers keep from the start
	vectors  map[int]*term
	opmasks  map[int]*term
	stack    map[int64]*term
	frame    int64 // offset of the stack pointer from that at the start
	executed bool
}

// state returns one at a head in which everything else is a variable.
func (x *induction) state(h head, g progress) *state {
	program, inv := x.assembly(x.batch), x.invariant[h.address]
	memory := x.memory(h.name + "_")
	s := program.arbitrary(x.pool, h.name+"_", memory)
	memory.pointer = x.begin.general[program.stack]
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
	s.next = h.address
	return s
}
