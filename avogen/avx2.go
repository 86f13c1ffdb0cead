package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/bloomlane/bloomlane/fallback"
)

// avx2 has rows of one ymm (lanes of 32 bits) or two (lanes of 64 bits). A nil register in a row is
// an empty one.
type avx2 struct {
	x86
	shifts, ones, positions, picks []reg.VecVirtual // constants, nil until they are needed
	salts                          []reg.VecVirtual // the same
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
	m.Comment(phaseStore)
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

// andNot returns x &^ y.
func (m *avx2) andNot(x, y row) row {
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

func (m *avx2) Mask(g word) mask {
	m.Comment(phaseMask)
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
	return mask(m.each(func(i int) reg.VecVirtual {
		position, bits := m.c.YMM(), m.c.YMM()
		if m.laneBits == 32 {
			m.c.VPSRLVD(m.shifts[i], all, position)
			m.c.VPAND(m.positions[0], position, position)
			m.c.VPSLLVD(position, m.ones[i], bits)
		} else {
			m.c.VPSRLVQ(m.shifts[i], all, position)
			m.c.VPAND(m.positions[0], position, position)
			m.c.VPSLLVQ(position, m.ones[i], bits)
		}
		return bits
	}))
}

func (m *avx2) MaskSplit(h word) mask {
	m.Comment(phaseMask)
	if m.salts == nil {
		m.hoist(func() {
			m.salts = m.vec(m.load(m.k.salts(m.shape)))
			m.ones = m.vec(m.load(m.k.ones(m.shape)))
		})
	}
	position, bits := m.c.YMM(), m.c.YMM()
	// VPBROADCASTD, but go vet takes its argument for 8 bytes
	m.c.VBROADCASTSS(m.inMemory[h], position)
	m.c.VPMULLD(m.salts[0], position, position)
	m.c.VPSRLD(operand.Imm(fallback.SaltShift), position, position)
	m.c.VPSLLVD(position, m.ones[0], bits)
	return mask(m.row(bits))
}

func (m *avx2) Bits(key mask) row { return row(key) }

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

func (m *avx2) Fold(x row) row {
	m.requireCollisionLane()
	m.Comment(phaseFold)
	all := m.union(x)
	half, fold, first := m.c.XMM(), m.c.XMM(), m.c.YMM()
	m.c.VEXTRACTI128(operand.Imm(1), all, half)
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
	return m.each(func(i int) reg.VecVirtual {
		if i > 0 {
			return nil
		}
		return first
	})
}

func (m *avx2) Covers(block, x row) bit {
	m.Comment(phaseTest)
	// VPTEST sets the carry flag if each bit of its first operand here is set in the second.
	if v := m.vec(block); len(v) == 1 {
		m.c.VPTEST(m.vec(x)[0], v[0])
	} else {
		m.c.VPTEST(m.union(m.andNot(x, block)), m.zeros())
	}
	return m.carry()
}

func (m *avx2) Present(block row, key mask) bit { return m.Covers(block, m.Bits(key)) }

func (m *avx2) Share(block row, key mask) (row, bit) {
	present := m.Present(block, key)
	return m.And(block, m.Bits(key)), present
}

func (m *avx2) IfPresent(block row, key mask, body func()) { m.ifSet(m.Present(block, key), body) }

func (m *avx2) ClearFree(block row, key mask) (row, freed) {
	m.Comment(phaseFree)
	free := m.andNot(m.Bits(key), m.collided(block))
	return m.andNot(block, free), freed(free)
}

// collided returns the row whose every lane is the collision lane of x.
func (m *avx2) collided(x row) row {
	m.requireCollisionLane()
	first, all := m.vec(x)[0].AsX(), m.c.YMM()
	if m.laneBits == 32 {
		m.c.VPBROADCASTD(first, all)
	} else {
		m.c.VPBROADCASTQ(first, all)
	}
	return m.each(func(int) reg.VecVirtual { return all })
}

func (m *avx2) AddFreed(free freed, words ...word) {
	w := m.Zero()
	all := m.union(row(free))
	m.c.VPTEST(all, all)
	m.c.SETNE(m.gp(w).As8())
	for _, sum := range words {
		m.Add(sum, w)
	}
}
