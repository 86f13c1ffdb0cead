package main

import (
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The sets of AES instructions. VAES has the rounds of several blocks in a register.
var (
	setAESNI   = instructionSet{name: "AESNI", cipher: true, features: []string{"AESNI", "AVX"}}
	setVAES256 = instructionSet{name: "VAES256", cipher: true,
		features: []string{"AESNI", "AVX", "AVX2", "BMI1", "VAES"}}
	setVAES512 = instructionSet{name: "VAES512", cipher: true,
		features: []string{"AESNI", "AVX", "AVX512F", "AVX512BW", "AVX512DQ", "AVX512VL",
			"BMI1", "BMI2", "VAES"}}
)

const zmmBytes = 64

// wideBytes is the size of a wide register.
var wideBytes = map[string]int{setAESNI.name: cipherBlock, setVAES256.name: ymmBytes,
	setVAES512.name: zmmBytes}

// x86Cipher has blocks of one xmm, and wide ones of an xmm, a ymm or a zmm.
type x86Cipher struct {
	*x86
	wide   int // bytes of a wide register
	blocks []reg.VecVirtual
	keys   []func(i int) operand.Op
	lanes  []reg.OpmaskVirtual
	firsts reg.OpmaskVirtual // the first word of each block; nil until it is needed
}

func (m *x86Cipher) Wide() int { return m.wide / cipherBlock }

// evex reports whether the set has AVX-512.
func (m *x86Cipher) evex() bool { return m.wide == zmmBytes }

func (m *x86Cipher) block(v reg.VecVirtual) block {
	m.blocks = append(m.blocks, v)
	return block(len(m.blocks) - 1)
}

// wideRegister returns a new wide register.
func (m *x86Cipher) wideRegister() reg.VecVirtual {
	switch m.wide {
	case ymmBytes:
		return m.c.YMM()
	case zmmBytes:
		return m.c.ZMM()
	}
	return m.c.XMM()
}

// like returns a new register of the size of v.
func (m *x86Cipher) like(v reg.VecVirtual) reg.VecVirtual {
	if v.Size() == cipherBlock {
		return m.c.XMM()
	}
	return m.wideRegister()
}

func (m *x86Cipher) roundKeys(key func(i int) operand.Op) roundKeys {
	m.keys = append(m.keys, key)
	return roundKeys(len(m.keys) - 1)
}

func (m *x86Cipher) InMemory(keys word) roundKeys {
	return m.roundKeys(func(i int) operand.Op {
		return operand.Mem{Base: m.gp(keys), Disp: i * cipherBlock}
	})
}

// loaded returns round keys that load has put into registers. Round key 0 is not among them.
func (m *x86Cipher) loaded(keys word, load func(a address) block) roundKeys {
	var registers [cipherRounds + 1]reg.VecVirtual
	for i := 1; i <= cipherRounds; i++ {
		registers[i] = m.blocks[load(m.At(keys, i*cipherBlock))]
	}
	return m.roundKeys(func(i int) operand.Op { return registers[i] })
}

// InRegisters leaves the keys in memory where wide ones take the registers.
func (m *x86Cipher) InRegisters(keys word) roundKeys {
	if m.wide == ymmBytes {
		return m.InMemory(keys)
	}
	return m.loaded(keys, m.LoadBlock)
}

func (m *x86Cipher) InWide(keys word) roundKeys { return m.loaded(keys, m.RepeatAt) }

func (m *x86Cipher) Encrypt(x block, keys roundKeys) {
	v := m.blocks[x]
	for i := 1; i <= cipherRounds; i++ {
		m.round(i == cipherRounds, m.keys[keys](i), v)
	}
}

// round is a round of AES. Avo has that of one block only.
func (m *x86Cipher) round(last bool, key operand.Op, v reg.VecVirtual) {
	name := "VAESENC"
	if last {
		name = "VAESENCLAST"
	}
	isa := []string{"AES", "AVX"}
	switch v.Size() {
	case ymmBytes:
		isa = []string{"AVX2", "VAES"}
	case zmmBytes:
		isa = []string{"AVX512F", "VAES"}
	}
	m.c.Instruction(&ir.Instruction{Opcode: name, Operands: []operand.Op{key, v, v},
		Inputs: []operand.Op{key, v}, Outputs: []operand.Op{v}, ISA: isa})
}

func (m *x86Cipher) load(a address, v reg.VecVirtual) block {
	m.move(m.mem(a), v)
	return m.block(v)
}

func (m *x86Cipher) LoadBlock(a address) block { return m.load(a, m.c.XMM()) }

func (m *x86Cipher) LoadWide(a address) block { return m.load(a, m.wideRegister()) }

func (m *x86Cipher) Reload(x block, a address) { m.move(m.mem(a), m.blocks[x]) }

func (m *x86Cipher) RepeatAt(a address) block {
	v := m.wideRegister()
	switch m.wide {
	case ymmBytes:
		m.c.VBROADCASTI128(m.mem(a), v)
	case zmmBytes:
		m.c.VBROADCASTI64X2(m.mem(a), v)
	default:
		return m.load(a, v)
	}
	return m.block(v)
}

func (m *x86Cipher) Repeat(x block) block {
	v := m.wideRegister()
	if m.evex() {
		whole := m.whole(x)
		m.c.VSHUFI64X2(operand.Imm(0), whole, whole, v)
	} else {
		m.c.VINSERTI128(operand.Imm(1), m.blocks[x], m.whole(x), v)
	}
	return m.block(v)
}

// whole returns the wide register that a block is the first part of.
func (m *x86Cipher) whole(x block) reg.Register {
	if m.evex() {
		return m.blocks[x].AsZ()
	}
	return m.blocks[x].AsY()
}

func (m *x86Cipher) empty(v reg.VecVirtual) block {
	m.c.VPXOR(v.AsX(), v.AsX(), v.AsX())
	return m.block(v)
}

func (m *x86Cipher) NoBlock() block { return m.empty(m.c.XMM()) }

func (m *x86Cipher) NoWide() block {
	v := m.wideRegister()
	m.xor(v, v, v)
	return m.block(v)
}

func (m *x86Cipher) Clone(x block) block {
	v := m.like(m.blocks[x])
	m.move(m.blocks[x], v)
	return m.block(v)
}

func (m *x86Cipher) move(from, to operand.Op) {
	if m.evex() {
		m.c.VMOVDQU64(from, to)
	} else {
		m.c.VMOVDQU(from, to)
	}
}

// xor is z = x ^ y.
func (m *x86Cipher) xor(x, y, z operand.Op) {
	if m.evex() {
		m.c.VPXORQ(x, y, z)
	} else {
		m.c.VPXOR(x, y, z)
	}
}

func (m *x86Cipher) XorBlock(dst, x block) {
	m.xor(m.blocks[x], m.blocks[dst], m.blocks[dst])
}

func (m *x86Cipher) XorAt(dst block, a address) {
	m.xor(m.mem(a), m.blocks[dst], m.blocks[dst])
}

func (m *x86Cipher) Gathered(x block) block {
	v, sum := m.blocks[x], m.c.XMM()
	if m.evex() {
		upper := m.c.YMM()
		m.c.VEXTRACTI64X4(operand.Imm(1), v, upper)
		m.c.VPXORQ(upper, v.AsY(), upper)
		m.c.VEXTRACTI64X2(operand.Imm(1), upper, sum)
		m.c.VPXORQ(upper.AsX(), sum, sum)
	} else {
		m.c.VEXTRACTI128(operand.Imm(1), v, sum)
		m.c.VPXOR(v.AsX(), sum, sum)
	}
	return m.block(sum)
}

func (m *x86Cipher) First(dst, x block) { m.move(m.blocks[x].AsX(), m.blocks[dst]) }

func (m *x86Cipher) EndWide() {
	if m.Wide() > 1 {
		m.c.VZEROUPPER()
	}
}

// Short loads bytes that a mask lets through, and without AVX-512 one or two overlapping words.
func (m *x86Cipher) Short(data, n word) block {
	v, from := m.c.XMM(), operand.Mem{Base: m.gp(data)}
	if m.evex() {
		mask, k := m.c.GP32(), m.c.K()
		m.clobber()
		m.c.MOVL(operand.U32(1<<32-1), mask)
		m.c.BZHIL(m.gp(n).As32(), mask, mask)
		m.c.KMOVD(mask, k)
		m.c.VMOVDQU8_Z(from, k, v)
		return m.block(v)
	}
	m.Above(n, cipherBlock-1, func() { m.c.VMOVDQU(from, v) }, func() {
		lower, upper := m.c.GP64(), m.c.GP64()
		m.Above(n, wordBytes-1, func() {
			m.c.MOVQ(from, lower)
			m.c.MOVQ(m.before(data, n, wordBytes), upper)
			m.c.VMOVQ(lower, v)
			// by 128 - 8n, which is 64 where nothing is left
			m.c.MOVQ(m.gp(n), reg.RCX)
			m.c.SHLQ(operand.Imm(3), reg.RCX)
			m.c.NOTQ(reg.RCX)
			m.c.SHRQ(operand.Imm(1), upper)
			m.c.SHRQ(reg.CL, upper)
			m.c.VPINSRQ(operand.Imm(1), upper, v, v)
		}, func() {
			m.Above(n, wordBytes/2-1, func() {
				m.c.MOVL(from, lower.As32())
				m.c.MOVL(m.before(data, n, wordBytes/2), upper.As32())
				m.c.LEAQ(operand.Mem{Base: m.gp(n), Disp: -wordBytes / 2}, reg.RCX)
				m.or(upper, lower)
			}, func() {
				m.c.XORL(lower.As32(), lower.As32())
				m.If(n, func() {
					m.c.MOVBQZX(from, lower)
					m.c.MOVQ(m.gp(n), reg.RCX)
					m.c.SHRQ(operand.Imm(1), reg.RCX)
					m.c.MOVBQZX(operand.Mem{Base: m.gp(data), Index: reg.RCX, Scale: 1}, upper)
					m.or(upper, lower)
					m.c.LEAQ(operand.Mem{Base: m.gp(n), Disp: -1}, reg.RCX)
					m.c.MOVBQZX(operand.Mem{Base: m.gp(data), Index: reg.RCX, Scale: 1}, upper)
					m.or(upper, lower)
				})
			})
			m.c.VMOVQ(lower, v)
		})
	})
	return m.block(v)
}

// before returns the bytes before the end of n bytes.
func (m *x86Cipher) before(data, n word, bytes int) operand.Mem {
	return operand.Mem{Base: m.gp(data), Index: m.gp(n), Scale: 1, Disp: -bytes}
}

// or adds to lower what belongs as many bytes up as RCX says. Bytes that both have are the same.
func (m *x86Cipher) or(upper, lower reg.GPVirtual) {
	m.c.SHLQ(operand.Imm(3), reg.RCX)
	m.c.SHLQ(reg.CL, upper)
	m.c.ORQ(upper, lower)
}

func (m *x86Cipher) Tail(data, n, shifts word) block {
	v := m.c.XMM()
	if m.evex() {
		return m.Short(data, n)
	}
	m.c.VMOVDQU(m.before(data, n, cipherBlock), v)
	m.clobber()
	m.c.SUBQ(m.gp(n), m.gp(shifts))
	m.c.VPSHUFB(operand.Mem{Base: m.gp(shifts), Disp: cipherBlock}, v, v)
	return m.block(v)
}

// Widen loads words that a shuffle within a block takes, or a permutation.
func (m *x86Cipher) Widen(a address) block {
	v, from := m.wideRegister(), m.mem(a)
	switch m.wide {
	case cipherBlock:
		m.c.VMOVQ(from, v)
	case ymmBytes:
		none := ^uint64(0) // each byte is a zero
		m.c.VBROADCASTI128(from, v)
		m.c.VPSHUFB(m.k.words([]uint64{0x0706050403020100, none, 0x0f0e0d0c0b0a0908, none}), v, v)
	case zmmBytes:
		places := m.c.ZMM()
		m.c.VBROADCASTI64X4(from, v)
		m.c.VMOVDQU64(m.k.words([]uint64{0, 0, 1, 1, 2, 2, 3, 3}), places)
		m.c.VPERMQ_Z(v, places, m.firstWords(), v)
	}
	return m.block(v)
}

// firstWords returns the opmask of the first word of each block.
func (m *x86Cipher) firstWords() reg.OpmaskVirtual {
	if m.firsts == nil {
		m.firsts = m.c.K()
		m.hoist(func() {
			r := m.c.GP32()
			m.c.MOVL(operand.U32(0b01010101), r)
			m.c.KMOVB(r, m.firsts)
		})
	}
	return m.firsts
}

func (m *x86Cipher) Lower(x block) word {
	r := m.c.GP64()
	m.c.VMOVQ(m.blocks[x], r)
	return m.word(r)
}

func (m *x86Cipher) StoreLower(a address, x block) {
	v, to := m.blocks[x], m.mem(a)
	switch v.Size() {
	case cipherBlock:
		m.c.VMOVQ(v, to)
	case ymmBytes:
		m.c.VPERMQ(operand.Imm(0b10_00), v, v)
		m.c.VMOVDQU(v.AsX(), to)
	case zmmBytes:
		places := m.c.ZMM()
		m.c.VMOVDQU64(m.k.words([]uint64{0, 2, 4, 6, 0, 2, 4, 6}), places)
		m.c.VPERMQ(v, places, v)
		m.c.VMOVDQU64(v.AsY(), to)
	}
}

func (m *x86Cipher) StoreBlock(a address, x block) {
	m.move(m.blocks[x], m.mem(a))
}

// Assist repeats the last of the words that the instruction makes.
func (m *x86Cipher) Assist(x block, constant int) block {
	v := m.c.XMM()
	m.c.VAESKEYGENASSIST(operand.Imm(uint64(constant)), m.blocks[x], v)
	m.c.VPSHUFD(operand.Imm(0xff), v, v)
	return m.block(v)
}

func (m *x86Cipher) Ripple(x block) block {
	v, shifted := m.c.XMM(), m.c.XMM()
	m.c.VPSLLDQ(operand.Imm(4), m.blocks[x], shifted)
	m.c.VPXOR(m.blocks[x], shifted, v)
	m.c.VPSLLDQ(operand.Imm(8), v, shifted)
	m.c.VPXOR(shifted, v, v)
	return m.block(v)
}

func (m *x86Cipher) LoadByte(a address) word {
	r := m.c.GP64()
	m.c.MOVBQZX(m.mem(a), r)
	return m.word(r)
}

func (m *x86Cipher) Sixteenth(base, index word, offset int) address {
	m.clobber()
	m.c.SHLQ(operand.Imm(uint64(log2(cipherBlock))), m.gp(index))
	return m.address(operand.Mem{Base: m.gp(base), Index: m.gp(index), Scale: 1, Disp: offset})
}

// TrailingZeros without BMI1 is slower on some AMD, and the same.
func (m *x86Cipher) TrailingZeros(w word) word {
	m.clobber()
	r := m.c.GP64()
	if m.Wide() > 1 {
		m.c.TZCNTQ(m.gp(w), r)
	} else {
		m.c.BSFQ(m.gp(w), r)
	}
	return m.word(r)
}

func (m *x86Cipher) Mask(w word, c int) {
	m.clobber()
	m.c.ANDQ(operand.Imm(uint64(c)), m.gp(w))
}

func (m *x86Cipher) ShiftLeft(w word, bits int) {
	m.clobber()
	m.c.SHLQ(operand.Imm(uint64(bits)), m.gp(w))
}

func (m *x86Cipher) ShiftedRight(w word, bits int) word {
	r := m.Copy(w)
	m.clobber()
	m.c.SHRQ(operand.Imm(uint64(bits)), m.gp(r))
	return r
}

func (m *x86Cipher) Above(w word, c int, above, otherwise func()) {
	high, end := m.label("above"), m.label("end")
	m.clobber()
	m.c.CMPQ(m.gp(w), immediate(c))
	if otherwise == nil {
		m.c.JLS(operand.LabelRef(end))
	} else {
		m.c.JHI(operand.LabelRef(high))
		otherwise()
		if !m.returned() {
			m.c.JMP(operand.LabelRef(end))
		}
		m.c.Label(high)
	}
	above()
	m.clobber()
	if otherwise == nil || !m.returned() {
		m.c.Label(end)
	}
}

// returned reports whether the last instruction is the end of a path.
func (m *x86Cipher) returned() bool {
	nodes := m.function().Nodes
	last, ok := nodes[len(nodes)-1].(*ir.Instruction)
	return ok && last.IsTerminal
}

// Return leaves out what Return of x86 needs for wide registers.
func (m *x86Cipher) Return(w word) {
	m.c.Store(m.gp(w), m.c.ReturnIndex(0))
	m.ReturnNothing()
}

func (m *x86Cipher) ReturnNothing() { m.c.RET() }

func (m *x86Cipher) Repeatedly(w word, body func()) {
	loop := m.label("loop")
	m.c.Label(loop)
	body()
	m.clobber()
	m.c.DECQ(m.gp(w))
	m.c.JNE(operand.LabelRef(loop))
}

func (m *x86Cipher) Every(n, budget word, body func(charge func(size word))) {
	loop, done := m.label("loop"), m.label("done")
	m.clobber()
	m.c.TESTQ(m.gp(n), m.gp(n))
	m.c.JZ(operand.LabelRef(done))
	m.c.Label(loop)
	body(func(size word) {
		m.c.SUBQ(m.gp(size), m.gp(budget))
		m.c.JCS(operand.LabelRef(done))
	})
	m.c.DECQ(m.gp(n))
	m.c.JNE(operand.LabelRef(loop))
	m.c.Label(done)
}

func (m *x86Cipher) Masks() bool { return m.evex() }

// A block is two lanes of 64 bits, of which each has a bit of a mask.

func (m *x86Cipher) some(k reg.OpmaskVirtual) someLanes {
	m.lanes = append(m.lanes, k)
	return someLanes(len(m.lanes) - 1)
}

func (m *x86Cipher) LanesBelow(n word) someLanes {
	all, k := m.c.GP32(), m.c.K()
	m.c.MOVL(operand.U32(0xff), all)
	lanes := m.Copy(n)
	m.Add(lanes, lanes)
	m.c.BZHIL(m.gp(lanes).As32(), all, all)
	m.c.KMOVB(all, k)
	return m.some(k)
}

func (m *x86Cipher) LastLane() someLanes {
	r, k := m.c.GP32(), m.c.K()
	m.c.MOVL(operand.U32(0b11000000), r)
	m.c.KMOVB(r, k)
	return m.some(k)
}

func (m *x86Cipher) RepeatLanes(dst block, a address, lanes someLanes) {
	m.c.VBROADCASTI64X2(m.mem(a), m.lanes[lanes], m.blocks[dst])
}

func (m *x86Cipher) LoadLanes(a address, lanes someLanes) block {
	v := m.c.ZMM()
	m.c.VMOVDQU64_Z(m.mem(a), m.lanes[lanes], v)
	return m.block(v)
}

func (m *x86Cipher) XorLanes(dst, x block, lanes someLanes) {
	m.c.VPXORQ(m.blocks[x], m.blocks[dst], m.lanes[lanes], m.blocks[dst])
}
