package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	avo "github.com/mmcloughlin/avo/x86"
)

// x86Lanes has a lane of each of four keys in a ymm, or of eight in a zmm.
type x86Lanes struct {
	*x86Pairs
	bytes2 reg.VecVirtual // the shuffle that rotates by two bytes, nil until it is needed
	parts  map[pair]loading
}

func newX86Lanes(m *x86Pairs) *x86Lanes {
	return &x86Lanes{x86Pairs: m, parts: map[pair]loading{}}
}

func (m *x86Lanes) Keys() int { return m.vectors * m.registerLanes() }

// registerLanes is the number of lanes of a register.
func (m *x86Lanes) registerLanes() int { return m.bytes / wordBytes }

func (m *x86Lanes) Lengthen(base word) pair {
	return m.pair(m.fresh(func(i int, z reg.VecVirtual) {
		m.c.VPMOVZXDQ(m.memory(base, i*m.bytes/2), z)
	}))
}

// LoadTwo of AVX-512 takes lanes from anywhere in two registers. On AVX2 an instruction takes lanes
// from the same half of both, so the halves of one are keys at even places.
func (m *x86Lanes) LoadTwo(base word) (first, second pair) {
	if m.evex {
		lower := m.fresh(func(i int, z reg.VecVirtual) { m.move(m.memory(base, 2*i*m.bytes), z) })
		take := func(places ...uint64) pair {
			return m.pair(m.fresh(func(i int, z reg.VecVirtual) {
				m.move(m.k.words(places), z)
				m.c.VPERMI2Q(m.memory(base, (2*i+1)*m.bytes), lower[i], z)
			}))
		}
		return take(0, 2, 4, 6, 8, 10, 12, 14), take(1, 3, 5, 7, 9, 11, 13, 15)
	}
	even, odd := m.Gather(base, 0, 2*pairBytes), m.Gather(base, pairBytes, 2*pairBytes)
	first = m.pair(m.fresh(func(i int, z reg.VecVirtual) {
		m.c.VPUNPCKLQDQ(m.pairs[odd][i], m.pairs[even][i], z)
	}))
	second = m.pair(m.fresh(func(i int, z reg.VecVirtual) {
		m.c.VPUNPCKHQDQ(m.pairs[odd][i], m.pairs[even][i], z)
	}))
	return first, second
}

// LoadLane builds parts of 128 bits from memory, and joins them.
func (m *x86Lanes) LoadLane(x pair, key int, a address) {
	from, v, lane := m.mem(a), m.pairs[x][key/m.registerLanes()], key%m.registerLanes()
	switch p := m.parts[x]; {
	case lane == 0:
		m.whole(avo.VMOVQ, from, v)
	case lane == 1:
		m.c.VPINSRQ(operand.Imm(1), from, v.AsX(), v.AsX())
	case lane%4 == 0:
		p.half = m.c.YMM()
		m.whole(avo.VMOVQ, from, p.half)
		m.parts[x] = p
	case lane%4 == 1:
		m.c.VPINSRQ(operand.Imm(1), from, p.half.AsX(), p.half.AsX())
	case lane%4 == 2:
		p.quarter = m.c.XMM()
		m.c.VMOVQ(from, p.quarter)
		m.parts[x] = p
	default:
		m.c.VPINSRQ(operand.Imm(1), from, p.quarter, p.quarter)
		if lane == 3 {
			m.c.VINSERTI128(operand.Imm(1), p.quarter, v.AsY(), v.AsY())
			return
		}
		m.c.VINSERTI128(operand.Imm(1), p.quarter, p.half, p.half)
		m.c.VINSERTI64X4(operand.Imm(1), p.half, v, v)
	}
}

// loading is what of a register is loaded and not in it yet.
type loading struct{ quarter, half reg.VecVirtual }

// RotateXor of AVX2 shuffles bytes if it can, because a rotation by shifts is three instructions.
func (m *x86Lanes) RotateXor(dst pair, bits int, x pair) {
	for _, v := range m.pairs[dst] {
		switch {
		case m.evex:
			m.c.VPROLQ(operand.Imm(uint64(bits)), v, v)
		case bits == 16:
			if m.bytes2 == nil {
				m.hoist(func() {
					places := m.Literal([2]uint64{0x05040302_01000706, 0x0d0c0b0a_09080f0e})
					m.bytes2 = m.pairs[places][0]
				})
			}
			m.c.VPSHUFB(m.bytes2, v, v)
		default:
			upper := m.vector()
			m.c.VPSLLQ(operand.Imm(uint64(bits)), v, upper)
			m.c.VPSRLQ(operand.Imm(uint64(64-bits)), v, v)
			m.c.VPOR(upper, v, v)
		}
	}
	m.XorLanes(dst, x)
}

func (m *x86Lanes) SwapHalves(x pair) {
	for _, v := range m.pairs[x] {
		m.c.VPSHUFD(operand.Imm(swapDoubles), v, v)
	}
}

// Last shifts the bytes before the end by 8 to 64 bits, and the last of these leave nothing.
func (m *x86Lanes) Last(ends, sizes pair) pair {
	return m.pair(m.fresh(func(i int, z reg.VecVirtual) {
		size, top := m.pairs[sizes][i], m.vector()
		m.c.VPSLLQ(operand.Imm(3), size, z)
		m.andNot(z, m.k.words([]uint64{56, 56, 56, 56, 56, 56, 56, 56}), z)
		m.c.VPADDQ(m.k.words([]uint64{8, 8, 8, 8, 8, 8, 8, 8}), z, z)
		m.c.VPSRLVQ(z, m.pairs[ends][i], z)
		m.c.VPSLLQ(operand.Imm(56), size, top)
		m.or(top, z, z)
	}))
}

// andNot and or are z = y &^ x and z = x | y.
func (m *x86Lanes) andNot(x, y, z operand.Op) {
	if m.evex {
		m.c.VPANDNQ(y, x, z)
	} else {
		m.c.VPANDN(y, x, z)
	}
}

func (m *x86Lanes) or(x, y, z operand.Op) {
	if m.evex {
		m.c.VPORQ(x, y, z)
	} else {
		m.c.VPOR(x, y, z)
	}
}
