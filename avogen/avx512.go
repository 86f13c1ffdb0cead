package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/bloomlane/bloomlane/fallback"
)

// avx512 has rows of one register: a zmm (lanes of 64 bits) or, with AVX512VL, a ymm (lanes of 32).
type avx512 struct {
	x86
	values                     map[uint64]reg.VecVirtual // constants of xxHash64
	shifts, ones, picks, salts reg.VecVirtual            // constants, nil until they are needed
	// has the bit of the collision lane; the same
	collision reg.OpmaskVirtual
}

// vector returns a new register as wide as a row.
func (m *avx512) vector() reg.VecVirtual {
	if m.laneBits == 32 {
		return m.c.YMM()
	}
	return m.c.ZMM()
}

func (m *avx512) load(a operand.Mem) reg.VecVirtual {
	z := m.vector()
	m.c.VMOVDQU64(a, z)
	return z
}

func (m *avx512) Load(a address) row { return m.row(m.load(m.mem(a))) }

func (m *avx512) Store(a address, x row) {
	m.Comment(phaseStore)
	m.c.VMOVDQU64(m.reg(x), m.mem(a))
}

// reg returns the register of a row.
func (m *avx512) reg(x row) reg.VecVirtual { return m.vec(x)[0] }

func (m *avx512) And(x, y row) row {
	z := m.vector()
	m.c.VPANDQ(m.reg(y), m.reg(x), z)
	return m.row(z)
}

// andNot returns x &^ y.
func (m *avx512) andNot(x, y row) row {
	z := m.vector()
	m.c.VPANDNQ(m.reg(x), m.reg(y), z) // inverts the second of these
	return m.row(z)
}

func (m *avx512) Or(x, y row) row {
	z := m.vector()
	m.c.VPORQ(m.reg(y), m.reg(x), z)
	return m.row(z)
}

// Or3 is one instruction, whose table of results is 1 wherever an input is.
func (m *avx512) Or3(x, y, z row) row {
	const any3 = 0b1111_1110
	m.c.VPTERNLOGQ(operand.Imm(any3), m.reg(y), m.reg(x), m.reg(z))
	or := m.row(m.reg(z))
	m.rows[z] = nil
	return or
}

// Mask has one step less than on AVX2: a rotation takes its count modulo W.
func (m *avx512) Mask(g word) mask {
	m.Comment(phaseMask)
	if m.shifts == nil {
		m.hoist(func() {
			m.shifts = m.load(m.k.shifts(m.shape))
			m.ones = m.load(m.k.ones(m.shape))
			if m.laneBits == 32 {
				m.picks = m.load(m.k.picks(m.shape))
			}
		})
	}
	all, position, bits := m.vector(), m.vector(), m.vector()
	if m.looping {
		m.c.VPBROADCASTQ(m.throughMemory(g), all)
	} else {
		m.c.VPBROADCASTQ(m.gp(g), all)
	}
	if m.laneBits == 32 {
		m.c.VPSHUFB(m.picks, all, all)
		m.c.VPSRLVD(m.shifts, all, position)
		m.c.VPROLVD(position, m.ones, bits)
	} else {
		m.c.VPSRLVQ(m.shifts, all, position)
		m.c.VPROLVQ(position, m.ones, bits)
	}
	return mask(m.row(bits))
}

func (m *avx512) MaskSplit(h word) mask {
	m.Comment(phaseMask)
	if m.salts == nil {
		m.hoist(func() {
			m.salts = m.load(m.k.salts(m.shape))
			m.ones = m.load(m.k.ones(m.shape))
		})
	}
	position, bits := m.vector(), m.vector()
	// VPBROADCASTD, but go vet takes its argument for 8 bytes
	m.c.VBROADCASTSS(m.inMemory[h], position)
	m.c.VPMULLD(m.salts, position, position)
	m.c.VPSRLD(operand.Imm(fallback.SaltShift), position, position)
	m.c.VPSLLVD(position, m.ones, bits)
	return mask(m.row(bits))
}

func (m *avx512) Bits(key mask) row { return row(key) }

func (m *avx512) Fold(x row) row {
	m.requireCollisionLane()
	m.Comment(phaseFold)
	v := m.reg(x)
	if m.laneBits == 64 {
		upper := m.c.YMM()
		m.c.VEXTRACTI64X4(operand.Imm(1), v, upper)
		m.c.VPOR(v.AsY(), upper, upper)
		v = upper
	}
	half, fold := m.c.XMM(), m.c.XMM()
	m.c.VEXTRACTI128(operand.Imm(1), v, half)
	m.c.VPOR(v.AsX(), half, half)
	m.c.VPSHUFD(operand.Imm(swapQuads), half, fold)
	first := m.vector()
	// The last instruction of each branch, being on an xmm, empties the rest of the register; that
	// of lanes of 32 bits also every lane that its opmask leaves out.
	if m.laneBits == 32 {
		odd := m.c.XMM()
		m.c.VPOR(half, fold, fold)
		m.c.VPSHUFD(operand.Imm(swapDoubles), fold, odd)
		m.c.VPORD_Z(odd, fold, m.dataless(), first.AsX())
	} else {
		m.c.VPORQ_Z(half, fold, m.dataless(), first.AsX())
	}
	return m.row(first)
}

// dataless returns the opmask of the lanes in which a key has no bit.
func (m *avx512) dataless() reg.OpmaskVirtual {
	if m.collision == nil {
		m.collision = m.c.K()
		m.hoist(func() {
			r := m.c.GP32()
			m.c.MOVL(operand.U32(1<<m.collisionLanes-1), r)
			m.c.KMOVB(r, m.collision)
		})
	}
	return m.collision
}

// Covers and Present end with KORTESTB, which sets the carry flag if the union of two opmasks has
// all of its eight bits, one for each lane.
func (m *avx512) Covers(block, x row) bit {
	m.Comment(phaseTest)
	found := m.c.K()
	common := m.reg(m.And(block, x))
	if m.laneBits == 32 {
		m.c.VPCMPEQD(common, m.reg(x), found)
	} else {
		m.c.VPCMPEQQ(common, m.reg(x), found)
	}
	m.c.KORTESTB(found, found)
	return m.carry()
}

// Present needs less than Covers: a key has one bit in each data lane, so a data lane is complete
// if it has any bit of the key.
func (m *avx512) Present(block row, key mask) bit {
	m.Comment(phaseTest)
	found := m.c.K()
	m.test(m.Bits(key), block, found)
	all := found
	if m.collides() {
		all = m.dataless()
	}
	m.c.KORTESTB(all, found)
	return m.carry()
}

// test sets in an opmask the lanes in which x and y have a bit in common.
func (m *avx512) test(x, y row, found reg.OpmaskVirtual) {
	if m.laneBits == 32 {
		m.c.VPTESTMD(m.reg(x), m.reg(y), found)
	} else {
		m.c.VPTESTMQ(m.reg(x), m.reg(y), found)
	}
}

func (m *avx512) Share(block row, key mask) (row, bit) {
	present := m.Present(block, key)
	return m.And(block, m.Bits(key)), present
}

func (m *avx512) IfPresent(block row, key mask, body func()) {
	m.ifSet(m.Present(block, key), body)
}

func (m *avx512) ClearFree(block row, key mask) (row, freed) {
	m.Comment(phaseFree)
	free := m.andNot(m.Bits(key), m.collided(block))
	return m.andNot(block, free), freed(free)
}

// collided returns the row whose every lane is the collision lane of x.
func (m *avx512) collided(x row) row {
	m.requireCollisionLane()
	first, all := m.reg(x).AsX(), m.vector()
	if m.laneBits == 32 {
		m.c.VPBROADCASTD(first, all)
	} else {
		m.c.VPBROADCASTQ(first, all)
	}
	return m.row(all)
}

func (m *avx512) AddFreed(free freed, words ...word) {
	w, found := m.Zero(), m.c.K()
	m.test(row(free), row(free), found)
	m.c.KORTESTB(found, found)
	m.c.SETNE(m.gp(w).As8())
	for _, sum := range words {
		m.Add(sum, w)
	}
}

// Select compresses the numbers of 16 answers at a time, and stores them from a register with an
// opmask of as many as there are. On Zen 4 a compression into memory more than doubles the time of
// the whole batch: docs/measurements/avogen.md has the times.
func (m *avx512) Select(n, first, list word, run func(n word, take func(bit))) word {
	const each = 16 // numbers in a zmm
	selected := m.Zero()
	numbers, step := m.c.ZMM(), m.c.ZMM()
	m.c.VPBROADCASTD(m.gp(first).As32(), numbers)
	m.c.VPADDD(m.k.numbers(), numbers, numbers)
	one := m.c.GP32()
	m.c.MOVL(operand.U32(each), one)
	m.c.VPBROADCASTD(one, step)
	words(m, n, func(n, found word) {
		run(n, func(b bit) { m.Push(found, b) })
	}, func(found word) {
		m.clobber()
		for i := range wordBits / each {
			set, stored, compressed := m.c.K(), m.c.K(), m.c.ZMM()
			count, ones := m.c.GP64(), m.c.GP64()
			m.Comment(phaseStore)
			m.c.KMOVW(m.gp(found).As32(), set)
			m.c.VPCOMPRESSD_Z(numbers, set, compressed)
			m.c.MOVWLZX(m.gp(found).As16(), count.As32())
			m.c.POPCNTL(count.As32(), count.As32())
			m.c.MOVL(operand.U32(1<<32-1), ones.As32())
			m.c.BZHIL(count.As32(), ones.As32(), ones.As32())
			m.c.KMOVW(ones.As32(), stored)
			m.c.VMOVDQU32(compressed, stored,
				operand.Mem{Base: m.gp(list), Index: m.gp(selected), Scale: positionBytes})
			m.c.ADDQ(count, m.gp(selected))
			m.c.VPADDD(step, numbers, numbers)
			if i+1 < wordBits/each {
				m.c.SHRQ(operand.Imm(each), m.gp(found))
			}
		}
	})
	return selected
}
