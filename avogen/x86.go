package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/bloomlane/bloomlane/fallback"
)

// loopAlignment is the alignment of the start of an inner loop, in bytes. Go aligns a function to
// 32 and does not align loops. A bad start of a loop costs up to a tenth: a query of a table in L1
// takes 1.57 ns on Zen 3 without this and 1.43 with it. An alignment of 64 is no better. On arm64
// it was not measured.
//
// On Zen 5 alignment alone is not enough: there a query's loop takes 0.65 ns at 16, 32 and 48 bytes
// into a line of 64, and 0.95 at its start. With two keys per turn it takes 0.64 ns at any start,
// and all loops gain: see Walk.
const loopAlignment = 32

// x86 is what the instruction sets of amd64 share: the integer part and the bookkeeping.
type x86 struct {
	shape
	set instructionSet
	c   *build.Context
	k   *constants

	prologue  int // the instructions that the function begins with: constants
	words     []reg.GPVirtual
	inMemory  map[word]operand.Mem // those that LoadHash left there
	addresses []operand.Mem
	rows      [][]reg.VecVirtual

	table      reg.Register // base of the table; the count of its blocks is in DX
	multiplier reg.Register // nil until it is needed
	labels     int
	looping    bool         // inside Walk
	slot       *operand.Mem // of throughMemory, nil until it is needed

	bits int // given out so far
	held bit // the bit that is in the carry flag, 0 if none
}

func (m *x86) BlockBytes() int { return fallback.Lanes * m.laneBits / 8 }

func (m *x86) Comment(line string) { m.c.Comment(line) }

// word, address and row number a value.

func (m *x86) word(r reg.GPVirtual) word {
	m.words = append(m.words, r)
	return word(len(m.words) - 1)
}

func (m *x86) gp(w word) reg.GPVirtual { return m.words[w] }

func (m *x86) address(a operand.Mem) address {
	m.addresses = append(m.addresses, a)
	return address(len(m.addresses) - 1)
}

func (m *x86) mem(a address) operand.Mem { return m.addresses[a] }

func (m *x86) row(v ...reg.VecVirtual) row {
	m.rows = append(m.rows, v)
	return row(len(m.rows) - 1)
}

func (m *x86) vec(x row) []reg.VecVirtual { return m.rows[x] }

// carry returns the bit that is now in the carry flag. clobber forgets it, because the flags will
// change. take checks that it is still there.
func (m *x86) carry() bit {
	m.bits++
	m.held = bit(m.bits)
	return m.held
}

func (m *x86) clobber() { m.held = 0 }

func (m *x86) take(b bit) {
	if m.held != b {
		panic("avogen: the flag that holds this bit was overwritten")
	}
	m.held = 0
}

// function returns what is being built.
func (m *x86) function() *ir.Function {
	f, err := m.c.Result()
	if err != nil {
		panic(err)
	}
	functions := f.Functions()
	return functions[len(functions)-1]
}

// hoist emits instructions where the function begins, ahead of what was emitted already.
func (m *x86) hoist(emit func()) {
	fn := m.function()
	n := len(fn.Nodes)
	emit()
	added := slices.Clone(fn.Nodes[n:])
	fn.Nodes = slices.Insert(fn.Nodes[:n], m.prologue, added...)
	m.prologue += len(added)
}

func (m *x86) Arg(name string) word {
	w := m.c.GP64()
	m.c.Load(m.c.Param(name), w)
	return m.word(w)
}

// HalfArg leaves the argument where it is.
func (m *x86) HalfArg(name string) word {
	resolved, err := m.c.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	w := m.word(nil)
	m.inMemory[w] = resolved.Addr
	return w
}

func (m *x86) Unless(variable string, body, otherwise func()) {
	other := m.label(strings.ToLower(variable))
	m.c.CMPB(symbol(variable), operand.Imm(0))
	m.c.JNE(operand.LabelRef(other))
	m.prologue = len(m.function().Nodes) // constants are loaded behind these
	body()
	m.c.Label(other)
	otherwise()
}

func (m *x86) Jump(function string) {
	m.c.Instruction(&ir.Instruction{Opcode: "JMP", Operands: []operand.Op{symbol(function)},
		IsTerminal: true})
}

// symbol returns a variable or a function of the package.
func symbol(name string) operand.Mem {
	return operand.Mem{Symbol: operand.Symbol{Name: "·" + name}, Base: reg.StaticBase}
}

func (m *x86) Return(w word) {
	result := m.c.ReturnIndex(0)
	b, err := result.Resolve()
	if err != nil {
		panic(err)
	}
	r := reg.Register(m.gp(w))
	if gotypes.Sizes.Sizeof(b.Type) == 1 {
		r = m.gp(w).As8()
	}
	m.c.Store(r, result)
	m.ReturnNothing()
}

func (m *x86) ReturnBit(b bit) {
	m.take(b)
	r := m.c.GP8()
	m.c.SETCS(r)
	m.c.Store(r, m.c.ReturnIndex(0))
	m.ReturnNothing()
}

func (m *x86) ReturnNothing() {
	m.c.VZEROUPPER()
	m.c.RET()
}

func (m *x86) Zero() word {
	m.clobber()
	w := m.c.GP64()
	m.c.XORL(w.As32(), w.As32())
	return m.word(w)
}

func (m *x86) Copy(w word) word {
	r := m.c.GP64()
	m.c.MOVQ(m.gp(w), r)
	return m.word(r)
}

func (m *x86) Sum(x, y word, c int) word {
	r := m.c.GP64()
	m.c.LEAQ(operand.Mem{Base: m.gp(x), Index: m.gp(y), Scale: 1, Disp: c}, r)
	return m.word(r)
}

// LoadHalves leaves the hash where it is: its halves are loaded apart.
func (m *x86) LoadHalves(a address) word {
	w := m.word(nil)
	m.inMemory[w] = m.mem(a)
	return w
}

func (m *x86) LoadHash(a address) word {
	r := m.c.GP64()
	m.c.MOVQ(m.mem(a), r)
	return m.word(r)
}

// throughMemory stores w on the stack, for an instruction to load it from there. This moves an
// integer to a vector register without the units that shuffle and shift, of which there are about
// two, and which the operations keep busy. Its latency is longer, which does not matter in a loop.
func (m *x86) throughMemory(w word) operand.Mem {
	if m.slot == nil {
		slot := m.c.AllocLocal(wordBytes)
		m.slot = &slot
	}
	m.c.MOVQ(m.gp(w), *m.slot)
	return *m.slot
}

func (m *x86) StoreWord(a address, w word) { m.c.MOVQ(m.gp(w), m.mem(a)) }

func (m *x86) StoreByte(a address, w word) { m.c.MOVB(m.gp(w).As8(), m.mem(a)) }

func (m *x86) Add(dst, w word) {
	m.clobber()
	m.c.ADDQ(m.gp(w), m.gp(dst))
}

func (m *x86) AddConst(dst word, c int) {
	m.clobber()
	if c < 0 {
		m.c.SUBQ(immediate(-c), m.gp(dst))
	} else {
		m.c.ADDQ(immediate(c), m.gp(dst))
	}
}

// immediate returns c in the shortest form.
func immediate(c int) operand.Op {
	if c < 1<<8 {
		return operand.Imm(uint64(c))
	}
	return operand.U32(c)
}

func (m *x86) Sub(dst, w word) {
	m.clobber()
	m.c.SUBQ(m.gp(w), m.gp(dst))
}

func (m *x86) Min(x, y word) word {
	z := m.Copy(x)
	m.clobber()
	m.c.CMPQ(m.gp(y), m.gp(z))
	m.c.CMOVQCS(m.gp(y), m.gp(z))
	return z
}

func (m *x86) MinConst(x word, c int) word {
	m.clobber()
	z := m.c.GP64()
	m.c.MOVL(operand.U32(c), z.As32())
	m.c.CMPQ(m.gp(x), z)
	m.c.CMOVQCS(m.gp(x), z)
	return m.word(z)
}

func (m *x86) OnesCount(w word) word {
	m.clobber()
	z := m.c.GP64()
	m.c.POPCNTQ(m.gp(w), z)
	return m.word(z)
}

func (m *x86) SetTable(table, nblocks word) {
	m.table = m.gp(table)
	m.c.MOVQ(m.gp(nblocks), reg.RDX) // where MULX takes its other factor from
}

func (m *x86) Spread(h word) word {
	m.clobber()
	if m.multiplier == nil {
		r := m.c.GP64()
		m.hoist(func() { m.c.MOVQ(operand.U64(fallback.Multiplier), r) })
		m.multiplier = r
	}
	g := m.c.GP64()
	m.c.MOVQ(m.gp(h), g)
	m.c.IMULQ(m.multiplier, g)
	return m.word(g)
}

func (m *x86) Block(h word) address {
	return m.block(func(index reg.GPVirtual) { m.c.MULXQ(m.gp(h), index, index) })
}

func (m *x86) BlockSplit(h word) address {
	return m.block(func(index reg.GPVirtual) {
		m.c.MOVL(m.inMemory[h].Offset(4), index.As32())
		m.c.IMULQ(reg.RDX, index)
		m.c.SHRQ(operand.Imm(32), index)
	})
}

// block returns the address of the block whose index find computes.
func (m *x86) block(find func(index reg.GPVirtual)) address {
	m.clobber()
	m.Comment(phaseAddress)
	offset := m.c.GP64()
	find(offset)
	m.c.SHLQ(operand.Imm(uint64(log2(m.BlockBytes()))), offset)
	return m.address(operand.Mem{Base: m.table, Index: offset, Scale: 1})
}

func (m *x86) At(base word, offset int) address {
	return m.address(operand.Mem{Base: m.gp(base), Disp: offset})
}

func (m *x86) Indexed(base, index word) address {
	return m.address(operand.Mem{Base: m.gp(base), Index: m.gp(index), Scale: 8})
}

func (m *x86) Prefetch(a address) {
	m.Comment(phasePrefetch)
	m.c.PREFETCHT0(m.mem(a))
}

func (m *x86) Push(acc word, b bit) {
	m.take(b)
	m.c.RCRQ(operand.Imm(1), m.gp(acc))
}

// Select stores the number of each answer, and the next one in its place if it is not set. With
// AVX2 that takes as long for any share of answers that are set. docs/measurements/avogen.md has
// the times, and those of a table of the numbers of each byte of answers.
func (m *x86) Select(n, first, list word, run func(n word, take func(bit))) word {
	selected := m.Zero()
	run(n, func(b bit) {
		m.take(b)
		m.Comment(phaseStore)
		m.c.MOVL(m.gp(first).As32(),
			operand.Mem{Base: m.gp(list), Index: m.gp(selected), Scale: positionBytes})
		m.c.ADCQ(operand.Imm(0), m.gp(selected))
		m.AddConst(first, 1)
	})
	return selected
}

// ifSet runs body if b holds.
func (m *x86) ifSet(b bit, body func()) {
	m.take(b)
	skip := m.label("skip")
	m.c.JCC(operand.LabelRef(skip))
	body()
	m.clobber()
	m.c.Label(skip)
}

func (m *x86) Settle(acc, n word) {
	m.clobber()
	m.c.MOVQ(m.gp(n), reg.RCX)
	m.c.NEGQ(reg.RCX)
	m.c.SHRQ(reg.CL, m.gp(acc)) // by 64-n: the processor takes the count modulo 64
}

// The bodies of a walk: one where the count is odd, and two in a turn of the loop.
const (
	oddBody    = "the odd one"
	firstBody  = "the first of two"
	secondBody = "the second of two"
)

// Walk has two bodies in a turn of its loop, and one before it for an odd n: see loopAlignment.
func (m *x86) Walk(what string, p, n word, stride int, body func()) {
	one := func(which string) {
		m.Comment(what + ": " + which)
		m.looping = true
		body()
		m.looping = false
		m.clobber()
		m.c.ADDQ(immediate(stride), m.gp(p))
	}
	loop, even, done := m.label("loop"), m.label("even"), m.label("done")
	m.clobber()
	m.c.TESTQ(operand.U32(1), m.gp(n))
	m.c.JZ(operand.LabelRef(even))
	one(oddBody)
	m.c.Label(even)
	end := m.c.GP64()
	m.c.MOVQ(m.gp(n), end)
	m.c.SHRQ(operand.Imm(1), end) // and are there two?
	m.c.JZ(operand.LabelRef(done))
	m.c.SHLQ(operand.Imm(uint64(log2(stride)+1)), end)
	m.c.ADDQ(m.gp(p), end)
	// avo has no method for this directive of Go's assembler.
	m.c.Instruction(&ir.Instruction{Opcode: "PCALIGN",
		Operands: []operand.Op{operand.U32(loopAlignment)}})
	m.c.Label(loop)
	one(firstBody)
	one(secondBody)
	m.c.CMPQ(m.gp(p), end)
	m.c.JNE(operand.LabelRef(loop))
	m.c.Label(done)
}

func (m *x86) While(w word, body func()) {
	loop, done := m.label("loop"), m.label("done")
	m.clobber()
	m.c.Label(loop)
	m.c.TESTQ(m.gp(w), m.gp(w))
	m.c.JZ(operand.LabelRef(done))
	body()
	m.clobber()
	m.c.JMP(operand.LabelRef(loop))
	m.c.Label(done)
}

func (m *x86) If(w word, body func()) {
	skip := m.label("skip")
	m.clobber()
	m.c.TESTQ(m.gp(w), m.gp(w))
	m.c.JZ(operand.LabelRef(skip))
	body()
	m.clobber()
	m.c.Label(skip)
}

func (m *x86) label(kind string) string {
	m.labels++
	return fmt.Sprintf("%s%d", kind, m.labels)
}

func log2(n int) (b int) {
	for 1<<b < n {
		b++
	}
	if 1<<b != n {
		panic(fmt.Sprintf("avogen: %d is not a power of two", n))
	}
	return b
}
