package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/bloomlane/bloomlane/fallback"
)

// avx512 has rows of one register: a zmm (lanes of 64 bits) or, with AVX512VL, a ymm (lanes of 32).
type avx512 struct {
	x86
	shifts, ones, picks reg.VecVirtual    // constants, nil until they are needed
	collision           reg.OpmaskVirtual // has the bits of the collision lanes; the same
	groups, zero        reg.VecVirtual    // constants of several collision lanes; the same
	masks               map[row]bool      // the rows that Mask made
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

func (m *avx512) Store(a address, x row) { m.c.VMOVDQU64(m.reg(x), m.mem(a)) }

// reg returns the register of a row.
func (m *avx512) reg(x row) reg.VecVirtual { return m.vec(x)[0] }

func (m *avx512) And(x, y row) row {
	z := m.vector()
	m.c.VPANDQ(m.reg(y), m.reg(x), z)
	return m.row(z)
}

func (m *avx512) AndNot(x, y row) row {
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

// Mask has one step less than on AVX2: a rotation takes its count modulo W by itself.
func (m *avx512) Mask(g word) row {
	if m.shifts == nil {
		m.masks = map[row]bool{}
		m.hoist(func() {
			m.shifts = m.load(m.k.shifts(m.shape))
			m.ones = m.load(m.k.ones(m.shape))
			if m.laneBits == 32 {
				m.picks = m.load(m.k.picks(m.shape))
			}
		})
	}
	all, position, mask := m.vector(), m.vector(), m.vector()
	if m.looping {
		m.c.VPBROADCASTQ(m.throughMemory(g), all)
	} else {
		m.c.VPBROADCASTQ(m.gp(g), all)
	}
	if m.laneBits == 32 {
		m.c.VPSHUFB(m.picks, all, all)
		m.c.VPSRLVD(m.shifts, all, position)
		m.c.VPROLVD(position, m.ones, mask)
	} else {
		m.c.VPSRLVQ(m.shifts, all, position)
		m.c.VPROLVQ(position, m.ones, mask)
	}
	x := m.row(mask)
	m.masks[x] = true
	return x
}

func (m *avx512) Fold(x row) row {
	if m.collisionLanes > 1 {
		return m.foldToMore(x)
	}
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

// foldToMore is Fold to several collision lanes of 64 bits.
func (m *avx512) foldToMore(x row) row {
	if m.zero == nil {
		m.zero = m.c.ZMM()
		m.hoist(func() { m.c.VPXORQ(m.zero, m.zero, m.zero) })
	}
	all := m.reg(x)
	for from := m.collisionLanes; from < fallback.Lanes; from += m.collisionLanes {
		down, joined := m.c.ZMM(), m.c.ZMM()
		m.c.VALIGNQ(operand.Imm(uint64(from)), m.reg(x), m.zero, down)
		if from+m.collisionLanes < fallback.Lanes {
			m.c.VPORQ(down, all, joined)
		} else {
			m.c.VPORQ_Z(down, all, m.dataless(), joined)
		}
		all = joined
	}
	return m.row(all)
}

// dataless returns the opmask of the collision lanes.
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

func (m *avx512) Collided(x row) row {
	if m.collisionLanes > 1 { // of 64 bits
		if m.groups == nil {
			m.hoist(func() { m.groups = m.load(m.k.groups(m.shape)) })
		}
		z := m.c.ZMM()
		m.c.VPERMQ(m.reg(x), m.groups, z)
		return m.row(z)
	}
	first, all := m.reg(x).AsX(), m.vector()
	if m.laneBits == 32 {
		m.c.VPBROADCASTD(first, all)
	} else {
		m.c.VPBROADCASTQ(first, all)
	}
	return m.row(all)
}

// AllSet ends with KORTESTB, which sets the carry flag if the union of two opmasks has all of its
// eight bits, one for each lane.
func (m *avx512) AllSet(block, mask row) bit {
	found := m.c.K()
	if m.masks[mask] {
		// One bit in each data lane, so a lane is complete if it has any, and none in the others.
		dataless := m.dataless()
		if m.laneBits == 32 {
			m.c.VPTESTMD(m.reg(mask), m.reg(block), found)
		} else {
			m.c.VPTESTMQ(m.reg(mask), m.reg(block), found)
		}
		m.c.KORTESTB(dataless, found)
		return m.carry()
	}
	common := m.reg(m.And(block, mask))
	if m.laneBits == 32 {
		m.c.VPCMPEQD(common, m.reg(mask), found)
	} else {
		m.c.VPCMPEQQ(common, m.reg(mask), found)
	}
	m.c.KORTESTB(found, found)
	return m.carry()
}

func (m *avx512) AddAnySet(x row, words ...word) {
	w, found := m.Zero(), m.c.K()
	if m.laneBits == 32 {
		m.c.VPTESTMD(m.reg(x), m.reg(x), found)
	} else {
		m.c.VPTESTMQ(m.reg(x), m.reg(x), found)
	}
	m.c.KORTESTB(found, found)
	m.c.SETNE(m.gp(w).As8())
	for _, sum := range words {
		m.Add(sum, w)
	}
}
