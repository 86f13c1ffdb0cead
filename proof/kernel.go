package proof

import (
	"fmt"
	"slices"
)

// Kernel names a single-key operation in assembly.
type Kernel struct {
	Operation string // Query, Insert or Delete
	Bits      int    // of a block: 512 or 256
	Set       string // AVX2 or AVX512
}

// Kernels are those that are proved.
var Kernels = func() (all []Kernel) {
	for _, operation := range []string{"Query", "Insert", "Delete"} {
		for _, bits := range []int{512, 256} {
			for _, set := range []string{"AVX2", "AVX512"} {
				all = append(all, Kernel{operation, bits, set})
			}
		}
	}
	return all
}()

func (k Kernel) String() string { return fmt.Sprintf("%s%d%s", k.Operation, k.Bits, k.Set) }

// symbol returns the name of the kernel in the program: with arguments on the stack.
func (k Kernel) symbol() string { return module + "asm." + k.String() + ".abi0" }

// definition returns the name of the definition: with arguments in registers.
func (k Kernel) definition() string {
	return fmt.Sprintf("%sfallback.%s[uint%d]", module, k.Operation, k.Bits/8)
}

// question is about one kernel: its code and that of its definition, the arguments of both, and the
// block of the table that the hash leads to.
type question struct {
	*pool
	program *program
	kernel  Kernel
	change  change // plants mistakes, if it is not nil

	table, nblocks, hash, block *term
	index, address              *term // of the block
}

// ask begins a question with arguments of which nothing is known.
func (p *Program) ask(k Kernel, change change) *question {
	q := &question{pool: newPool(), program: p.linked, kernel: k, change: change}
	q.table, q.nblocks = q.variable("table", 64), q.variable("nblocks", 64)
	q.hash, q.block = q.variable("hash", 64), q.variable("block", k.Bits)
	q.index = q.binary(mulHigh, q.hash, q.nblocks)
	q.address = q.add(q.table, q.shiftLeft(q.index, q.number(log2(k.Bits/8), 64)))
	return q
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
	pointer, limit *term // of the stack at the start, for the definition
	paths          int
	followed       []instruction // along the paths that return
}

// place of the arguments and the result on the stack, in Go's ABI0; the return address is at 0.
const (
	tableAt   = 8
	nblocksAt = 16
	hashAt    = 24
	resultAt  = 32
)

// StructureError is what a kernel does that no caller expects, whatever the arguments are.
type StructureError struct{ Function, Reason string }

func (e *StructureError) Error() string { return e.Function + ": " + e.Reason }

// start returns a state at the first instruction of a function, and what runs it.
func (q *question) start(prefix string, block *term) (*state, *tableMemory, *machine) {
	m := &tableMemory{pool: q.pool, program: q.program, stack: map[int64]*term{},
		written: map[int64]bool{}, block: block}
	s := arbitrary(q.pool, prefix, m)
	m.pointer = s.general[rsp]
	back := q.variable(prefix+"return", 64)
	m.put(0, back)
	return s, m, &machine{pool: q.pool, program: q.program, code: map[uint64]instruction{},
		change: q.change, back: back}
}

// put gives a word of the stack its value.
func (m *tableMemory) put(offset int64, word *term) {
	for i := range int64(8) {
		m.stack[offset+i] = m.pool.extract(word, int(8*i+7), int(8*i))
	}
}

// runKernel executes the assembly, which has no frame of its own.
func (q *question) runKernel() (effect, error) {
	s, m, runner := q.start("kernel_", q.block)
	m.put(tableAt, q.table)
	m.put(nblocksAt, q.nblocks)
	m.put(hashAt, q.hash)
	before := *s
	ends, err := runner.run(q.kernel.symbol(), s)
	if err != nil {
		return effect{}, err
	}
	for _, e := range ends {
		left, reason := e.memory.(*tableMemory), ""
		switch {
		case e.outcome != returned:
			reason = "it calls the runtime"
		case e.general[rsp] != q.add(before.general[rsp], q.number(8, 64)):
			reason = "it does not restore the stack pointer"
		case e.general[rbp] != before.general[rbp]:
			reason = "it does not restore the frame pointer"
		case len(left.written) != 1 || !left.written[resultAt]:
			reason = "it writes to the stack more or less than its result"
		case repeated(left.stores):
			reason = "it stores a part of a block twice"
		}
		if reason != "" {
			return effect{}, &StructureError{q.kernel.String(), reason}
		}
	}
	return q.combine(ends, func(e end) *term {
		return e.memory.(*tableMemory).stack[resultAt]
	})
}

// repeated says whether a byte is stored twice.
func repeated(stores []stored) bool {
	for i, x := range stores {
		if slices.ContainsFunc(stores[:i], func(y stored) bool {
			return x.offset < y.offset+y.width && y.offset < x.offset+x.width
		}) {
			return true
		}
	}
	return false
}

// runDefinition executes the portable operation on a block: table, length, capacity and hash are in
// registers, and so is the result.
func (q *question) runDefinition(block *term) (effect, error) {
	s, m, runner := q.start("definition_", block)
	m.goroutine, m.limit = s.general[r14], q.variable("definition_stack_limit", 64)
	s.general[rax], s.general[rbx], s.general[rdi] = q.table, q.nblocks, q.hash
	ends, err := runner.run(q.kernel.definition(), s)
	if err != nil {
		return effect{}, err
	}
	all, err := q.combine(ends, func(e end) *term {
		return q.extract(e.general[rax], 7, 0)
	})
	all.pointer, all.limit = m.pointer, m.limit
	return all, err
}

// combine puts paths together.
func (q *question) combine(ends []end, result func(end) *term) (effect, error) {
	all := effect{addresses: q.number(1, 1), panics: q.number(0, 1), grows: q.number(0, 1),
		paths: len(ends)}
	for _, e := range ends {
		switch e.outcome {
		case panicked:
			all.panics = q.or(all.panics, e.path)
			continue
		case grown:
			all.grows = q.or(all.grows, e.path)
			continue
		}
		all.followed = append(all.followed, e.followed...)
		left := e.memory.(*tableMemory)
		for _, address := range left.accesses {
			all.addresses = q.and(all.addresses,
				q.or(q.not(e.path), q.equal(address, q.address)))
		}
		if all.result == nil {
			all.result, all.block = result(e), left.block
			continue
		}
		all.result = q.choose(e.path, result(e), all.result)
		all.block = q.choose(e.path, left.block, all.block)
	}
	if all.result == nil {
		return all, &FlowError{"ret", "no path returns"}
	}
	return all, nil
}
