package proof

import (
	"fmt"
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

func (b Batch) symbol() string {
	if b == foreign {
		return foreignSymbol
	}
	return module + "asm." + b.String() + ".abi0"
}

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
	// Not of this module: see foreign.go.
	"BroadcastRange": {[]string{"dst", "n", "capacity", "base"}, "Broadcast", nothing, false, false},
	"HashBatch":      {[]string{"groups", "hashes", "keys"}, "XXHash", nothing, false, false},
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
func (b Batch) bits() int {
	if b == foreign {
		return 32
	}
	return Kernel{Format: b.Format}.bits()
}

// grouped says whether the keys are taken in groups of 64, of which each makes a word.
func (b Batch) grouped() bool {
	out := operations[b.Operation].output
	return out == answers || out == positions && b.Set == "AVX512"
}

// contract is what is known of a call of a batch.
type contract struct {
	*pool
	*Program
	batch Batch
	operation
	silent    bool // the output is nil
	arguments map[string]*term
	regions   []*region
	assumed   []goal
	portable  *term
	define    func(i instruction) // is told what definitions execute, if it is not nil
}

// symbol returns an argument, and a zero where the operation has none of the name.
func (x *contract) argument(name string) *term {
	if t, ok := x.arguments[name]; ok {
		return t
	}
	return x.number(0, 64)
}

func (p *pool) smaller(x, y *term) *term { return p.choose(p.less(x, y), x, y) }

// contract returns one of which nothing is known but the contract.
func (p *Program) contract(b Batch, silent bool) *contract {
	x := &contract{pool: newPool(), Program: p, batch: b, operation: operations[b.Operation],
		silent: silent, arguments: map[string]*term{}}
	x.fine = b.hashes()
	// On arm64 the ones of bytes are added up.
	x.counted = x.architecture() == amd64
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
	return x
}

// words is how many words the answers of n keys have.
func (x *contract) words(n *term) *term {
	return x.shiftRight(x.add(n, x.number(63, 64)), x.number(6, 64))
}

func (x *contract) memory(prefix string) *regionMemory {
	program := x.assembly(x.batch)
	return &regionMemory{tableMemory: &tableMemory{pool: x.pool, program: program,
		stack: map[int64]*term{}, written: map[int64]bool{}, portable: x.portable},
		prefix: prefix, regions: x.regions, initial: map[string]entry{}}
}

// assembly returns the program that has a batch.
func (p *Program) assembly(b Batch) *program {
	if b == foreign {
		return p.foreign
	}
	return p.program(Kernel{Set: b.Set})
}

func (x *contract) architecture() *architecture {
	return x.assembly(x.batch).architecture
}

// enter returns the state at the first instruction, and where the code returns to: arguments and the
// result are on the stack.
func (x *contract) enter() (s *state, back *term) {
	program := x.assembly(x.batch)
	memory := x.memory("start_")
	s = program.arbitrary(x.pool, "start_", memory)
	memory.pointer = s.general[program.stack]
	if program.architecture == arm64 {
		back = s.general[linkRegister]
	} else {
		back = x.variable("start_return", 64)
		memory.put(0, back)
	}
	for i, name := range x.operation.arguments {
		memory.put(int64(8+8*i), x.arguments[name])
	}
	return s, back
}

// lists says whether the positions of a group are listed at once, from a vector of numbers.
func (x *contract) lists() bool { return x.output == positions && x.batch.grouped() }

// listedAtOnce is how many.
const listedAtOnce = 16
