package proof

import (
	"fmt"
	"slices"
	"strings"
)

// Kernel names an operation of one key in assembly.
type Kernel struct {
	Operation string // Query, Insert, Delete or Add
	Format    string // of a block: 512, 256, or Split with the address of the block and 32 bits
	Set       string // AVX2, AVX512, NEON, or Chosen by variables of the program
}

// Kernels are those that are proved.
var Kernels = func() (all []Kernel) {
	for _, operation := range []string{"Query", "Insert", "Delete"} {
		for _, format := range []string{"512", "256"} {
			for _, set := range []string{"AVX2", "AVX512", "NEON"} {
				all = append(all, Kernel{operation, format, set})
			}
		}
	}
	for _, operation := range []string{"Query", "Insert", "Add"} {
		all = append(all, Kernel{operation, "Split", "AVX2"}, Kernel{operation, "Split", "NEON"})
	}
	return append(all, Kernel{"Query", "512", chosen}, Kernel{"Query", "256", chosen})
}()

// chosen is the set of the functions that jump to a kernel of the set that asm.Narrow and asm.Portable
// name.
const chosen = "Chosen"

func (k Kernel) split() bool { return k.Format == "Split" }

func (k Kernel) String() string {
	if k.split() {
		return k.Operation + "KeySplit" + k.Set
	}
	if k.Set == chosen {
		return k.Operation + "Hash" + k.Format
	}
	return k.Operation + k.Format + k.Set
}

// bits returns the size of a block.
func (k Kernel) bits() int {
	if k.Format == "512" {
		return 512
	}
	return 256
}

// symbol returns the name of the kernel in the program: with arguments on the stack.
func (k Kernel) symbol() string {
	name := k.String()
	if k.split() {
		name = strings.TrimSuffix(name, k.Set)
	}
	return module + "asm." + name + ".abi0"
}

// program returns the one that has the kernel.
func (p *Program) program(k Kernel) *program {
	if k.Set == "NEON" {
		return p.arm64
	}
	return p.amd64
}

// definition returns the name of the definition: with arguments in registers. Those of split blocks
// have that of fallback within them.
func (k Kernel) definition() string {
	if k.split() {
		return fmt.Sprintf("%sasm.%sKeyPortable", module, k.Operation)
	}
	return fmt.Sprintf("%sfallback.%s[uint%d]", module, k.Operation, k.bits()/8)
}

// question is about one kernel: its code and that of its definition, the arguments of both, and the
// block that they are about.
type question struct {
	*pool
	*Program
	kernel Kernel
	change change // plants mistakes, if it is not nil

	arguments []*term // of the call
	address   *term   // of the block
	block     *term
	portable  *term // the byte that says that assembly is not to be used
	assumed   []goal
}

// ask begins a question with arguments of which nothing is known: table, number of blocks and hash,
// or of a split block its address and half a hash.
func (p *Program) ask(k Kernel, change change) *question {
	q := &question{pool: newPool(), Program: p, kernel: k, change: change}
	q.block, q.portable = q.variable("block", k.bits()), q.variable("portable", 8)
	if k.split() {
		q.address = q.variable("address", 64)
		q.arguments = []*term{q.address, q.variable("key", 32)}
		q.assumed = []goal{{"", "the assembly is used", q.equal(q.portable, q.number(0, 8))}}
		return q
	}
	table, nblocks := q.variable("table", 64), q.variable("nblocks", 64)
	hash := q.variable("hash", 64)
	q.arguments = []*term{table, nblocks, hash}
	index := q.binary(mulHigh, hash, nblocks)
	q.address = q.blockOf(hash)
	q.assumed = []goal{
		{"", "the table has a block", q.not(q.equal(nblocks, q.number(0, 64)))},
		{"", "the lemma: the high half of a product is below a factor", q.less(index, nblocks)},
	}
	if k.Set == chosen {
		q.assumed = append(q.assumed, goal{"", "the assembly is used, of one set or the other",
			q.equal(q.portable, q.number(0, 8))})
	}
	return q
}

// blockOf returns the address of the block of a hash.
func (q *question) blockOf(hash *term) *term {
	index := q.binary(mulHigh, hash, q.arguments[1])
	return q.add(q.arguments[0], q.shiftLeft(index, q.number(log2(q.kernel.bits()/8), 64)))
}

// log2 returns the logarithm of a power of two.
func log2(n int) (log uint64) {
	for ; n > 1; n /= 2 {
		log++
	}
	return log
}

// effect is what a function did, over all its paths.
type effect struct {
	result, block  *term
	addresses      *term // every access to the table is to the block
	panics, grows  *term
	leaves         *term // to portable Go
	pointer, limit *term // of the stack at the start, for the definition
	paths          int
	followed       []instruction // along the paths that return
}

// StructureError is what a kernel does that no caller expects, whatever the arguments are.
type StructureError struct{ Function, Reason string }

func (e *StructureError) Error() string { return e.Function + ": " + e.Reason }

// start returns a state at the first instruction of a function, and what runs it. The address to
// return to is in the link register or on the stack.
func (q *question) start(program *program, prefix string, block *term) (*state, *machine) {
	m := &tableMemory{pool: q.pool, program: program, stack: map[int64]*term{},
		written: map[int64]bool{}, block: block, portable: q.portable}
	s := program.arbitrary(q.pool, prefix, m)
	m.pointer = s.general[program.stack]
	runner := &machine{pool: q.pool, program: program, code: map[uint64]instruction{},
		change: q.change}
	if program.architecture == arm64 {
		runner.back = s.general[linkRegister]
	} else {
		runner.back = q.variable(prefix+"return", 64)
		m.put(0, runner.back)
	}
	return s, runner
}

// put gives a part of the stack its value.
func (m *tableMemory) put(offset int64, v *term) {
	for i := range v.width / 8 {
		m.stack[offset+int64(i)] = m.pool.extract(v, 8*i+7, 8*i)
	}
}

// runKernel executes the assembly, which has no frame of its own. In ABI0 the return address is
// at the stack pointer, and arguments and result follow, here each in a word of its own.
func (q *question) runKernel() (effect, error) {
	program := q.program(q.kernel)
	s, runner := q.start(program, "kernel_", q.block)
	m := s.memory.(*tableMemory)
	resultAt := int64(8)
	for _, argument := range q.arguments {
		m.put(resultAt, argument)
		resultAt += 8
	}
	results := 1
	if q.kernel.Operation == "Add" {
		results = 0
	}
	popped := q.number(0, 64)
	if program.architecture == amd64 {
		popped = q.number(8, 64) // the address that it returns to
	}
	before := *s
	ends, err := runner.run(q.kernel.symbol(), s)
	if err != nil {
		return effect{}, err
	}
	for _, e := range ends {
		after, reason := e.memory.(*tableMemory), ""
		switch {
		case e.outcome == left:
			continue
		case e.outcome != returned:
			reason = "it calls the runtime"
		case q.disturbs(program.architecture, e.state, &before, popped) != "":
			reason = q.disturbs(program.architecture, e.state, &before, popped)
		case len(after.written) != results || results == 1 && !after.written[resultAt]:
			reason = "it writes to the stack more or less than its result"
		case q.kernel.Operation == "Query" && len(after.stores) > 0:
			reason = "it stores to a block, which it may only read"
		case repeated(after.stores):
			reason = storesTwice
		case q.kernel.Operation == "Query" && repeated(after.loads):
			reason = loadsTwice
		}
		if reason != "" {
			return effect{}, &StructureError{q.kernel.String(), reason}
		}
	}
	return q.combine(ends, func(e end) *term {
		if results == 0 {
			return q.number(0, 8)
		}
		return e.memory.(*tableMemory).stack[resultAt]
	})
}

// disturbs says what registers a function leaves other than its ABI says, or nothing.
func (p *pool) disturbs(a *architecture, after, before *state, popped *term) string {
	switch {
	case after.general[a.stack] != p.add(before.general[a.stack], popped):
		return "it does not restore the stack pointer"
	case slices.ContainsFunc(a.kept, func(n int) bool {
		return after.general[n] != before.general[n]
	}):
		return "it does not restore a register that it has to"
	}
	return ""
}

// A query beside a writer sees of each byte what was there before an operation or after it.
const (
	storesTwice = "it stores a part of a block twice"
	loadsTwice  = "it loads a part of a block twice"
)

// repeated says whether a byte is stored or loaded twice.
func repeated(accesses []stored) bool {
	for i, x := range accesses {
		if slices.ContainsFunc(accesses[:i], func(y stored) bool {
			return x.offset < y.offset+y.width && y.offset < x.offset+x.width
		}) {
			return true
		}
	}
	return false
}

// runDefinition executes the portable operation on a block. In Go's ABIInternal table, length,
// capacity and hash are in registers, and so is the result.
func (q *question) runDefinition(block *term) (effect, error) {
	s, runner := q.start(q.amd64, "definition_", block)
	m := s.memory.(*tableMemory)
	m.goroutine, m.limit = s.general[r14], q.variable("definition_stack_limit", 64)
	registers := []int{rax, rbx, rdi} // rcx has the capacity, which is any
	for n, argument := range q.arguments {
		if argument.width < 64 { // what is above is any
			above := q.extract(s.general[registers[n]], 63, argument.width)
			argument = q.concat(above, argument)
		}
		s.general[registers[n]] = argument
	}
	ends, err := runner.run(q.kernel.definition(), s)
	if err != nil {
		return effect{}, err
	}
	for _, e := range ends {
		switch after := e.memory.(*tableMemory); {
		case repeated(after.stores):
			return effect{}, &StructureError{q.kernel.definition(), storesTwice}
		case q.kernel.Operation == "Query" && repeated(after.loads):
			return effect{}, &StructureError{q.kernel.definition(), loadsTwice}
		}
	}
	all, err := q.combine(ends, func(e end) *term {
		if q.kernel.Operation == "Add" {
			return q.number(0, 8)
		}
		return q.extract(e.general[rax], 7, 0)
	})
	all.pointer, all.limit = m.pointer, m.limit
	return all, err
}

// combine puts paths together.
func (q *question) combine(ends []end, result func(end) *term) (effect, error) {
	all := effect{addresses: q.number(1, 1), panics: q.number(0, 1), grows: q.number(0, 1),
		leaves: q.number(0, 1), paths: len(ends)}
	for _, e := range ends {
		switch e.outcome {
		case panicked:
			all.panics = q.or(all.panics, e.path)
			continue
		case grown:
			all.grows = q.or(all.grows, e.path)
			continue
		case left:
			all.leaves = q.or(all.leaves, e.path)
			continue
		}
		all.followed = append(all.followed, e.followed...)
		after := e.memory.(tabled).table()
		for _, address := range after.accesses {
			all.addresses = q.and(all.addresses,
				q.or(q.not(e.path), q.equal(address, q.address)))
		}
		if all.result == nil {
			all.result, all.block = result(e), after.block
			continue
		}
		all.result = q.choose(e.path, result(e), all.result)
		all.block = q.choose(e.path, after.block, all.block)
	}
	if all.result == nil {
		return all, &FlowError{"ret", "no path returns"}
	}
	return all, nil
}
