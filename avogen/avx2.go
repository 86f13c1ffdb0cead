package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// avx2 has rows of one ymm (lanes of 32 bits) or two (lanes of 64 bits). A nil register in a row is
// an empty one.
type avx2 struct {
	x86
	shifts, ones, positions, picks []reg.VecVirtual // constants, nil until they are needed
	zero                           reg.VecVirtual   // the same
}

const ymmBytes = 32

// Immediates of VPSHUFD, which has two bits for each doubleword of the result, the lowest first.
const (
	swapQuads   = 0b01_00_11_10 // the two quadwords change places
	swapDoubles = 0b10_11_00_01 // the two doublewords of each quadword change places
)

// each makes a row: f makes register i of it.
func (m *avx2) each(f func(i int) reg.VecVirtual) row {
	v := make([]reg.VecVirtual, m.BlockBytes()/ymmBytes)
	for i := range v {
		v[i] = f(i)
	}
	return m.row(v...)
}

func (m *avx2) load(a operand.Mem) row {
	return m.each(func(i int) reg.VecVirtual {
		z := m.c.YMM()
		m.c.VMOVDQU(a.Offset(i*ymmBytes), z)
		return z
	})
}

func (m *avx2) Load(a address) row { return m.load(m.mem(a)) }

func (m *avx2) Store(a address, x row) {
	for i, v := range m.vec(x) {
		m.c.VMOVDQU(v, m.mem(a).Offset(i*ymmBytes))
	}
}

func (m *avx2) And(x, y row) row {
	return m.each(func(i int) reg.VecVirtual {
		z := m.c.YMM()
		m.c.VPAND(m.vec(y)[i], m.vec(x)[i], z)
		return z
	})
}

func (m *avx2) AndNot(x, y row) row {
	return m.each(func(i int) reg.VecVirtual {
		z := m.c.YMM()
		m.c.VPANDN(m.vec(x)[i], m.vec(y)[i], z) // inverts the second of these
		return z
	})
}

func (m *avx2) Or(x, y row) row {
	return m.each(func(i int) reg.VecVirtual {
		if m.vec(y)[i] == nil {
			return m.vec(x)[i]
		}
		z := m.c.YMM()
		m.c.VPOR(m.vec(y)[i], m.vec(x)[i], z)
		return z
	})
}

func (m *avx2) Or3(x, y, z row) row { return m.Or(m.Or(x, y), z) }

func (m *avx2) Mask(g word) row {
	if m.shifts == nil {
		m.hoist(func() {
			m.shifts = m.vec(m.load(m.k.shifts(m.shape)))
			m.ones = m.vec(m.load(m.k.ones(m.shape)))
			m.positions = []reg.VecVirtual{m.c.YMM()}
			m.c.VMOVDQU(m.k.positions(m.shape), m.positions[0])
			if m.laneBits == 32 {
				m.picks = m.vec(m.load(m.k.picks(m.shape)))
			}
		})
	}
	all := m.broadcast(g)
	if m.laneBits == 32 {
		picked := m.c.YMM()
		m.c.VPSHUFB(m.picks[0], all, picked)
		all = picked
	}
	return m.each(func(i int) reg.VecVirtual {
		position, mask := m.c.YMM(), m.c.YMM()
		if m.laneBits == 32 {
			m.c.VPSRLVD(m.shifts[i], all, position)
			m.c.VPAND(m.positions[0], position, position)
			m.c.VPSLLVD(position, m.ones[i], mask)
		} else {
			m.c.VPSRLVQ(m.shifts[i], all, position)
			m.c.VPAND(m.positions[0], position, position)
			m.c.VPSLLVQ(position, m.ones[i], mask)
		}
		return mask
	})
}

// broadcast returns the ymm each of whose quadwords is w.
func (m *avx2) broadcast(w word) reg.VecVirtual {
	x, y := m.c.XMM(), m.c.YMM()
	if m.looping {
		m.c.VPBROADCASTQ(m.throughMemory(w), y)
		return y
	}
	m.c.VMOVQ(m.gp(w), x)
	m.c.VPBROADCASTQ(x, y)
	return y
}

// zeros returns the ymm that is empty.
func (m *avx2) zeros() reg.VecVirtual {
	if m.zero == nil {
		m.zero = m.c.YMM()
		m.hoist(func() { m.c.VPXOR(m.zero, m.zero, m.zero) })
	}
	return m.zero
}

// union returns the OR of the registers of a row.
func (m *avx2) union(x row) reg.VecVirtual {
	v := m.vec(x)
	if len(v) == 1 {
		return v[0]
	}
	z := m.c.YMM()
	m.c.VPOR(v[1], v[0], z)
	return z
}

// Immediates of VPERMQ, which has two bits for each quadword of the result, the lowest first.
const (
	lanes0101 = 0b01_00_01_00
	lanes0120 = 0b00_10_01_00
	lanes1201 = 0b01_00_10_01
	lanes2011 = 0b01_01_00_10
)

func (m *avx2) Fold(x row) row {
	if m.collisionLanes == 3 {
		return m.foldTo3(x)
	}
	all := m.union(x)
	half, fold, first := m.c.XMM(), m.c.XMM(), m.c.YMM()
	m.c.VEXTRACTI128(operand.Imm(1), all, half)
	if m.collisionLanes == 2 { // each half of the registers has an even and an odd lane
		m.c.VPOR(all.AsX(), half, first.AsX())
		return m.first(first)
	}
	m.c.VPOR(all.AsX(), half, half)
	m.c.VPSHUFD(operand.Imm(swapQuads), half, fold)
	m.c.VPOR(half, fold, fold)
	// The last instruction of each branch, being on an xmm, empties the rest of the ymm.
	if m.laneBits == 32 {
		odd := m.c.XMM()
		m.c.VPSHUFD(operand.Imm(swapDoubles), fold, odd)
		m.c.VPOR(odd, fold, fold)
		m.c.VPBLENDD(operand.Imm(1), fold, m.zeros().AsX(), first.AsX())
	} else {
		m.c.VMOVQ(fold, first.AsX())
	}
	return m.first(first)
}

// first returns the row whose first register is v, and whose others are empty.
func (m *avx2) first(v reg.VecVirtual) row {
	return m.each(func(i int) reg.VecVirtual {
		if i > 0 {
			return nil
		}
		return v
	})
}

// foldTo3 is Fold to three collision lanes of 64 bits: of lanes 0, 3 and 6; 1, 4 and 7; 2 and 5.
func (m *avx2) foldTo3(x row) row {
	low, high := m.vec(x)[0], m.vec(x)[1]
	turned, odd, fold := m.c.YMM(), m.c.YMM(), m.c.YMM()
	m.c.VPERMQ(operand.Imm(lanes2011), high, turned) // lanes 6, 4, 5 and 5
	m.c.VPOR(low, turned, turned)
	m.c.VPBLENDD(operand.Imm(0b11_00_00_00), m.zeros(), turned, fold) // without the fourth
	m.c.VPUNPCKHQDQ(high, low, odd)                                   // lanes 1, 5, 3 and 7
	m.c.VEXTRACTI128(operand.Imm(1), odd, odd.AsX())                  // lanes 3 and 7
	m.c.VPOR(odd, fold, fold)
	return m.first(fold)
}

func (m *avx2) Collided(x row) row {
	switch m.collisionLanes { // those that are not one are of 64 bits
	case 2:
		all := m.lanes(x, lanes0101)
		return m.each(func(int) reg.VecVirtual { return all })
	case 3:
		return m.row(m.lanes(x, lanes0120), m.lanes(x, lanes1201))
	}
	first, all := m.vec(x)[0].AsX(), m.c.YMM()
	if m.laneBits == 32 {
		m.c.VPBROADCASTD(first, all)
	} else {
		m.c.VPBROADCASTQ(first, all)
	}
	return m.each(func(int) reg.VecVirtual { return all })
}

// lanes returns the ymm that has the lanes of 64 bits chosen of a row's first register.
func (m *avx2) lanes(x row, chosen uint64) reg.VecVirtual {
	z := m.c.YMM()
	m.c.VPERMQ(operand.Imm(chosen), m.vec(x)[0], z)
	return z
}

func (m *avx2) AllSet(block, mask row) bit {
	// VPTEST sets the carry flag if its first operand here has no bit that its second lacks.
	if v := m.vec(block); len(v) == 1 {
		m.c.VPTEST(m.vec(mask)[0], v[0])
	} else {
		m.c.VPTEST(m.union(m.AndNot(mask, block)), m.zeros())
	}
	return m.carry()
}

func (m *avx2) AddAnySet(x row, words ...word) {
	w := m.Zero()
	all := m.union(x)
	m.c.VPTEST(all, all)
	m.c.SETNE(m.gp(w).As8())
	for _, sum := range words {
		m.Add(sum, w)
	}
}
