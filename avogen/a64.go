package main

import (
	"fmt"
	"strings"

	"github.com/mmcloughlin/avo/gotypes"
	"github.com/mmcloughlin/avo/ir"

	"github.com/bloomlane/bloomlane/fallback"
)

// instruction is a line of a function.
type instruction struct {
	// in Go's syntax, with a %d for the number of each register
	text      string
	encode    func(numbers []int) encoded // instead of text
	registers []*register
	pure      bool // does nothing but write the last of its registers
	region    region
}

func (in instruction) String() string {
	numbers := make([]int, len(in.registers))
	operands := make([]any, len(in.registers))
	for i, r := range in.registers {
		numbers[i], operands[i] = r.number, r.number
	}
	if in.encode != nil {
		return in.encode(numbers).String()
	}
	return fmt.Sprintf(in.text, operands...)
}

// region says that an instruction is the first or the last one of a region: a part of a function
// that runs many times, or perhaps not at all.
type region int

const (
	noRegion region = iota
	loopBegin
	loopEnd
	skipBegin
	skipEnd
)

// memory is where something is: base + offset, or base + index*8.
type memory struct {
	base, index *register
	offset      int
}

// operand is the text of a place that no index is added to, with a %d for its base.
func (address memory) operand() string {
	if address.index != nil {
		panic("avogen: only words are loaded at an index")
	}
	if address.offset == 0 {
		return "(R%d)"
	}
	return fmt.Sprintf("%d(R%%d)", address.offset)
}

// plus returns the place that is offset bytes later.
func (at memory) plus(offset int) memory { return memory{at.base, at.index, at.offset + offset} }

// answer says how a bit is read: the instruction text sets the carry flag from the register r if
// the bit is set.
type answer struct {
	text string
	r    *register
}

// byZero returns the answer that is set if r is 0: then 0 - r has a carry, which means no borrow.
func byZero(r *register) answer { return answer{"CMP R%d, ZR", r} }

// a64 is the integer part of arm64, and the bookkeeping. A bit is a function that computes it at
// the place of its use, so no instruction in between can lose it.
type a64 struct {
	fn *ir.Function // its signature; the instructions are here
	shape

	prologue, body []instruction
	words          []*register
	addresses      []memory
	bits           []func() answer
	labels         int

	table, nblocks *register
	multiplier     *register // nil until it is needed
}

func (m *a64) BlockBytes() int { return fallback.Lanes * m.laneBits / 8 }

func (m *a64) Comment(line string) { m.emit("// " + line) }

// emit appends an instruction.
func (m *a64) emit(text string, registers ...*register) {
	m.body = append(m.body, instruction{text: text, registers: registers})
}

// hoist emits instructions where the function begins, ahead of what was emitted already.
func (m *a64) hoist(emit func()) {
	body := m.body
	m.body = nil
	emit()
	m.prologue = append(m.prologue, m.body...)
	m.body = body
}

// code returns the function, with its registers numbered.
func (m *a64) code() ([]instruction, error) {
	code := live(append(m.prologue, m.body...))
	return code, assign(code)
}

// word, address and bit number a value.

func (m *a64) word(r *register) word {
	m.words = append(m.words, r)
	return word(len(m.words) - 1)
}

func (m *a64) gp(w word) *register { return m.words[w] }

func (m *a64) address(a memory) address {
	m.addresses = append(m.addresses, a)
	return address(len(m.addresses) - 1)
}

func (m *a64) bit(find func() answer) bit {
	m.bits = append(m.bits, find)
	return bit(len(m.bits) - 1)
}

func (m *a64) Arg(name string) word {
	r := integer()
	m.emit("MOVD "+location(m.fn.Signature.Params().Lookup(name)).Addr.Asm()+", R%d", r)
	return m.word(r)
}

func (m *a64) HalfArg(name string) word {
	r := integer()
	m.emit("MOVWU "+location(m.fn.Signature.Params().Lookup(name)).Addr.Asm()+", R%d", r)
	return m.word(r)
}

func (m *a64) Unless(variable string, body, otherwise func()) {
	flag, other := integer(), m.label(strings.ToLower(variable))
	m.emit("MOVBU ·"+variable+"(SB), R%d", flag)
	m.emit("CBNZ R%d, "+other, flag)
	body()
	m.emit(other + ":")
	otherwise()
}

func (m *a64) Jump(function string) { m.emit("JMP ·" + function + "(SB)") }

// location returns where a parameter or a result is in the frame.
func location(c gotypes.Component) *gotypes.Basic {
	b, err := c.Resolve()
	if err != nil {
		panic(err)
	}
	return b
}

func (m *a64) Return(w word) {
	result, move := location(m.fn.Signature.Results().At(0)), "MOVD"
	if gotypes.Sizes.Sizeof(result.Type) == 1 {
		move = "MOVB"
	}
	m.emit(move+" R%d, "+result.Addr.Asm(), m.gp(w))
	m.ReturnNothing()
}

func (m *a64) ReturnBit(b bit) {
	r := integer()
	m.carry(b)
	m.emit("CSET HS, R%d", r)
	m.Return(m.word(r))
}

func (m *a64) ReturnNothing() { m.emit("RET") }

func (m *a64) Zero() word {
	r := integer()
	m.emit("MOVD ZR, R%d", r)
	return m.word(r)
}

func (m *a64) Copy(w word) word {
	r := integer()
	m.emit("MOVD R%d, R%d", m.gp(w), r)
	return m.word(r)
}

func (m *a64) Sum(x, y word, c int) word {
	r := integer()
	m.emit("ADD R%d, R%d, R%d", m.gp(y), m.gp(x), r)
	if c != 0 {
		m.AddConst(m.word(r), c)
	}
	return m.word(r)
}

func (m *a64) LoadHalves(a address) word { return m.LoadHash(a) }

func (m *a64) LoadHash(a address) word {
	r := integer()
	if at := m.addresses[a]; at.index != nil {
		m.emit("MOVD (R%d)(R%d<<3), R%d", at.base, at.index, r)
	} else {
		m.emit("MOVD "+at.operand()+", R%d", at.base, r)
	}
	return m.word(r)
}

func (m *a64) store(move string, a address, w word) {
	at := m.addresses[a]
	m.emit(move+" R%d, "+at.operand(), m.gp(w), at.base)
}

func (m *a64) StoreWord(a address, w word) { m.store("MOVD", a, w) }
func (m *a64) StoreByte(a address, w word) { m.store("MOVB", a, w) }

func (m *a64) Add(dst, w word) { m.emit("ADD R%d, R%d", m.gp(w), m.gp(dst)) }

func (m *a64) AddConst(dst word, c int) { m.emit(fmt.Sprintf("ADD $%d, R%%d", c), m.gp(dst)) }

func (m *a64) Sub(dst, w word) { m.emit("SUB R%d, R%d", m.gp(w), m.gp(dst)) }

func (m *a64) Min(x, y word) word {
	r := integer()
	m.emit("CMP R%d, R%d", m.gp(y), m.gp(x))
	m.emit("CSEL LO, R%d, R%d, R%d", m.gp(x), m.gp(y), r)
	return m.word(r)
}

func (m *a64) MinConst(x word, c int) word {
	r := integer()
	m.emit(fmt.Sprintf("MOVD $%d, R%%d", c), r)
	return m.Min(x, m.word(r))
}

// OnesCount uses a vector register, because arm64 counts bits only there.
func (m *a64) OnesCount(w word) word {
	v, r := vectors(1)[0], integer()
	m.emit("FMOVD R%d, F%d", m.gp(w), v)
	m.emit("VCNT V%d.B8, V%d.B8", v, v)
	m.emit("VUADDLV V%d.B8, V%d", v, v)
	m.emit("FMOVD F%d, R%d", v, r)
	return m.word(r)
}

func (m *a64) SetTable(table, nblocks word) { m.table, m.nblocks = m.gp(table), m.gp(nblocks) }

func (m *a64) Spread(h word) word {
	if m.multiplier == nil {
		m.multiplier = integer()
		m.hoist(func() {
			m.emit(fmt.Sprintf("MOVD $%#x, R%%d", uint64(fallback.Multiplier)),
				m.multiplier)
		})
	}
	g := integer()
	m.emit("MUL R%d, R%d, R%d", m.multiplier, m.gp(h), g)
	return m.word(g)
}

func (m *a64) Block(h word) address {
	m.Comment(phaseAddress)
	return m.block(m.gp(h))
}

func (m *a64) BlockSplit(h word) address {
	m.Comment(phaseAddress)
	upper := integer()
	m.emit("AND $0xffffffff00000000, R%d, R%d", m.gp(h), upper)
	return m.block(upper)
}

// block returns the address of the block of a hash.
func (m *a64) block(h *register) address {
	index, block := integer(), integer()
	m.emit("UMULH R%d, R%d, R%d", m.nblocks, h, index)
	m.emit(fmt.Sprintf("ADD R%%d<<%d, R%%d, R%%d", log2(m.BlockBytes())), index, m.table, block)
	return m.address(memory{base: block})
}

func (m *a64) At(base word, offset int) address {
	return m.address(memory{base: m.gp(base), offset: offset})
}

func (m *a64) Indexed(base, index word) address {
	return m.address(memory{base: m.gp(base), index: m.gp(index)})
}

func (m *a64) Prefetch(a address) {
	m.Comment(phasePrefetch)
	at := m.addresses[a]
	m.emit("PRFM "+at.operand()+", PLDL1KEEP", at.base)
}

// carry sets the carry flag where b is set.
func (m *a64) carry(b bit) {
	a := m.bits[b]()
	m.emit(a.text, a.r)
}

// Push collects the answers from the bottom up: one instruction shifts and adds the carry. Settle
// reverses their order.
func (m *a64) Push(acc word, b bit) {
	m.carry(b)
	m.emit("ADC R%[1]d, R%[1]d, R%[1]d", m.gp(acc))
}

func (m *a64) Settle(acc, n word) {
	count := integer()
	m.emit("RBIT R%[1]d, R%[1]d", m.gp(acc))
	m.emit("NEG R%d, R%d", m.gp(n), count)
	m.emit("LSR R%d, R%d", count, m.gp(acc)) // by 64-n: the processor takes the count modulo 64
}

// Select stores the number of each answer, and the next one in its place if it is not set.
func (m *a64) Select(n, first, list word, run func(n word, take func(bit))) word {
	selected := m.Zero()
	run(n, func(b bit) {
		m.carry(b)
		m.Comment(phaseStore)
		m.emit(fmt.Sprintf("MOVW R%%d, (R%%d)(R%%d<<%d)", log2(positionBytes)), m.gp(first),
			m.gp(list), m.gp(selected))
		m.emit("ADC ZR, R%[1]d, R%[1]d", m.gp(selected))
		m.AddConst(first, 1)
	})
	return selected
}

func (m *a64) If(w word, body func()) { m.skip("CBZ", m.gp(w), body) }

// skip jumps over the body if a branch on r is taken.
func (m *a64) skip(branch string, r *register, body func()) {
	skip := m.label("skip")
	m.mark(branch+" R%d, "+skip, skipBegin, r)
	body()
	m.mark(skip+":", skipEnd)
}

func (m *a64) Walk(what string, p, n word, stride int, body func()) {
	end := integer()
	loop, done := m.label("loop"), m.label("done")
	m.emit("CBZ R%d, "+done, m.gp(n))
	m.emit(fmt.Sprintf("ADD R%%d<<%d, R%%d, R%%d", log2(stride)), m.gp(n), m.gp(p), end)
	m.emit(fmt.Sprintf("PCALIGN $%d", loopAlignment))
	m.mark(loop+":", loopBegin)
	m.Comment(what)
	body()
	m.emit(fmt.Sprintf("ADD $%d, R%%d", stride), m.gp(p))
	m.emit("CMP R%d, R%d", end, m.gp(p))
	m.mark("BNE "+loop, loopEnd)
	m.emit(done + ":")
}

func (m *a64) While(w word, body func()) {
	loop, done := m.label("loop"), m.label("done")
	m.mark(loop+":", loopBegin)
	m.emit("CBZ R%d, "+done, m.gp(w))
	body()
	m.mark("B "+loop, loopEnd)
	m.emit(done + ":")
}

// mark emits an instruction that begins or ends a region.
func (m *a64) mark(text string, r region, registers ...*register) {
	m.body = append(m.body, instruction{text: text, registers: registers, region: r})
}

func (m *a64) label(kind string) string {
	m.labels++
	return fmt.Sprintf("%s%d", kind, m.labels)
}
