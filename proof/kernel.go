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

// arguments are those of an operation, and the block of the table that the hash leads to.
type arguments struct{ table, nblocks, hash, block, address *term }

// takeArguments makes arguments of which nothing is known.
func takeArguments(p *pool, size int) arguments {
	a := arguments{table: p.variable("table", 64), nblocks: p.variable("nblocks", 64),
		hash: p.variable("hash", 64), block: p.variable("block", size)}
	index := p.binary(mulHigh, a.hash, a.nblocks)
	a.address = p.add(a.table, p.shiftLeft(index, p.number(log2(size/8), 64)))
	return a
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
	result, block   *term
	addresses       *term // every access to the table is to the block
	panics, grows   *term
	paths, executed int
	followed        []instruction // of the functions, in any order
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

// start returns a state at the first instruction of a function, and the address it returns to.
func start(p *pool, program *program, prefix string, block *term) (*state, *tableMemory, *term) {
	m := &tableMemory{pool: p, program: program, stack: map[int64]*term{},
		written: map[int64]bool{}, block: block}
	s := arbitrary(p, prefix, m)
	m.pointer = s.general[rsp]
	back := p.variable(prefix+"return", 64)
	m.put(0, back)
	return s, m, back
}

// put gives a word of the stack its value.
func (m *tableMemory) put(offset int64, word *term) {
	for i := range int64(8) {
		m.stack[offset+i] = m.pool.extract(word, int(8*i+7), int(8*i))
	}
}

// runKernel executes the assembly, which has no frame of its own. change, if it is not nil, plants a
// mistake.
func runKernel(p *pool, program *program, k Kernel, a arguments, change change) (effect, error) {
	s, m, back := start(p, program, "kernel_", a.block)
	m.put(tableAt, a.table)
	m.put(nblocksAt, a.nblocks)
	m.put(hashAt, a.hash)
	before := *s
	runner := &machine{pool: p, program: program, code: map[uint64]instruction{}, change: change,
		back: back}
	ends, err := runner.run(k.symbol(), s)
	if err != nil {
		return effect{}, err
	}
	for _, e := range ends {
		left := e.memory.(*tableMemory)
		switch {
		case e.outcome != returned:
			err = &StructureError{k.String(), "it calls the runtime"}
		case e.general[rsp] != p.add(before.general[rsp], p.number(8, 64)):
			err = &StructureError{k.String(), "it does not restore the stack pointer"}
		case e.general[rbp] != before.general[rbp]:
			err = &StructureError{k.String(), "it does not restore the frame pointer"}
		case len(left.written) != 1 || !left.written[resultAt]:
			err = &StructureError{k.String(), "it writes to the stack more than its result"}
		case repeated(left.stores):
			err = &StructureError{k.String(), "it stores a part of a block twice"}
		}
		if err != nil {
			return effect{}, err
		}
	}
	all := combine(p, ends, a, func(e end) *term { return e.memory.(*tableMemory).stack[resultAt] })
	all.followed = runner.followed
	return all, nil
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

// runDefinition executes the portable operation: table, length, capacity and hash are in registers,
// and so is the result.
func runDefinition(p *pool, program *program, k Kernel, a arguments) (effect, error) {
	s, m, back := start(p, program, "definition_", a.block)
	m.goroutine, m.limit = s.general[r14], p.variable("definition_stack_limit", 64)
	s.general[rax], s.general[rbx], s.general[rdi] = a.table, a.nblocks, a.hash
	runner := &machine{pool: p, program: program, code: map[uint64]instruction{}, back: back}
	ends, err := runner.run(k.definition(), s)
	if err != nil {
		return effect{}, err
	}
	all := combine(p, ends, a, func(e end) *term { return p.extract(e.general[rax], 7, 0) })
	all.followed = runner.followed
	return all, nil
}

// combine puts paths together.
func combine(p *pool, ends []end, a arguments, result func(end) *term) effect {
	all := effect{addresses: p.number(1, 1), panics: p.number(0, 1), grows: p.number(0, 1),
		paths: len(ends)}
	for _, e := range ends {
		all.executed += e.steps
		switch e.outcome {
		case panicked:
			all.panics = p.or(all.panics, e.path)
			continue
		case grown:
			all.grows = p.or(all.grows, e.path)
			continue
		}
		left := e.memory.(*tableMemory)
		for _, address := range left.accesses {
			all.addresses = p.and(all.addresses,
				p.or(p.not(e.path), p.equal(address, a.address)))
		}
		if all.result == nil {
			all.result, all.block = result(e), left.block
			continue
		}
		all.result = p.choose(e.path, result(e), all.result)
		all.block = p.choose(e.path, left.block, all.block)
	}
	return all
}
