package main

import (
	"fmt"
	"slices"

	"github.com/bloomlane/bloomlane/fallback"
)

// neon has rows of two q registers (lanes of 32 bits) or four (lanes of 64 bits). A nil register in
// a row is an empty one.
type neon struct {
	a64
	rows      [][]*register
	constants map[[2]uint64]*register // by their two halves
	positions *register               // W-1 in each byte; nil until it is needed
}

const qBytes = 16

// row numbers a value.
func (m *neon) row(v []*register) row {
	m.rows = append(m.rows, v)
	return row(len(m.rows) - 1)
}

func (m *neon) vec(x row) []*register { return m.rows[x] }

// registers is the number of q registers of a row, and perRegister of lanes in each.
func (m *neon) registers() int   { return m.BlockBytes() / qBytes }
func (m *neon) perRegister() int { return fallback.Lanes / m.registers() }

// each makes a row: f makes register i of it.
func (m *neon) each(f func(i int) *register) row {
	v := make([]*register, m.registers())
	for i := range v {
		v[i] = f(i)
	}
	return m.row(v)
}

// lanes is the arrangement of a row's lanes.
func (m *neon) lanes() arrangement {
	if m.laneBits == 32 {
		return s4
	}
	return d2
}

// vector emits an instruction with the sources given, whose result is in a new vector register, the
// last of its text.
func (m *neon) vector(text string, sources ...*register) *register {
	z := &register{vector: true}
	m.emit(text, append(slices.Clone(sources), z)...)
	return z
}

// missing emits an instruction of two sources that Go's assembler lacks.
func (m *neon) missing(encode func(a arrangement, d, n, m int) encoded, a arrangement, x, y *register) *register {
	z := &register{vector: true}
	m.body = append(m.body, instruction{
		encode:    func(r []int) encoded { return encode(a, r[2], r[0], r[1]) },
		registers: []*register{x, y, z},
	})
	return z
}

func (m *neon) or(x, y *register) *register { return m.vector("VORR V%d.B16, V%d.B16, V%d.B16", y, x) }

// constant returns a register of two halves, the lower first.
func (m *neon) constant(halves [2]uint64) *register {
	r, ok := m.constants[halves]
	if !ok {
		m.hoist(func() { r = m.vector(fmt.Sprintf("VMOVQ $%#x, $%#x, V%%d", halves[0], halves[1])) })
		m.constants[halves] = r
	}
	return r
}

func (m *neon) Load(a address) row {
	at, v := m.addresses[a], make([]*register, m.registers())
	for i := range v {
		v[i] = &register{vector: true}
	}
	for i := 0; i < len(v); i += 2 {
		m.emit("FLDPQ "+at.plus(i*qBytes).operand()+", (F%d, F%d)", at.base, v[i], v[i+1])
	}
	return m.row(v)
}

func (m *neon) Store(a address, x row) {
	at, v := m.addresses[a], m.vec(x)
	for i := 0; i < len(v); i += 2 {
		m.emit("FSTPQ (F%d, F%d), "+at.plus(i*qBytes).operand(), v[i], v[i+1], at.base)
	}
}

func (m *neon) And(x, y row) row {
	return m.each(func(i int) *register {
		return m.vector("VAND V%d.B16, V%d.B16, V%d.B16", m.vec(y)[i], m.vec(x)[i])
	})
}

func (m *neon) AndNot(x, y row) row {
	return m.each(func(i int) *register { return m.missing(bic, b16, m.vec(x)[i], m.vec(y)[i]) })
}

func (m *neon) Or(x, y row) row {
	return m.each(func(i int) *register {
		if m.vec(y)[i] == nil {
			return m.vec(x)[i]
		}
		return m.or(m.vec(x)[i], m.vec(y)[i])
	})
}

// Mask makes all eight positions in one register, because a shift takes its count from the lowest
// byte of a lane: each position gets the two bytes of g that hold it, in an order in which the
// register has those of the first register's lanes in their lowest bytes and, moved down by two bytes
// each time, those of the next.
func (m *neon) Mask(g word) row {
	if m.positions == nil {
		m.hoist(func() { m.positions = m.vector(fmt.Sprintf("VMOVI $%d, V%%d.B16", m.laneBits-1)) })
	}
	picks, shifts := m.pairs()
	all := m.vector("FMOVD R%d, F%d", m.gp(g))
	picked := m.vector("VTBL V%d.B16, [V%d.B16], V%d.B16", m.constant(picks), all)
	positions := m.vector("VAND V%d.B16, V%d.B16, V%d.B16", m.positions, m.missing(ushl, h8, picked, m.constant(shifts)))
	return m.each(func(i int) *register {
		counts := positions
		if i > 0 {
			counts = m.vector(fmt.Sprintf("VEXT $%d, V%%[1]d.B16, V%%[1]d.B16, V%%[2]d.B16", 2*i), positions)
		}
		return m.missing(ushl, m.lanes(), m.constant(m.ones(i)), counts)
	})
}

// ones has a one in each data lane of register i, and nothing in lane 0.
func (m *neon) ones(i int) (halves [2]uint64) {
	for slot := range m.perRegister() {
		if i*m.perRegister()+slot >= fallback.CollisionLanes {
			bit := slot * m.laneBits
			halves[bit/64] |= 1 << (bit % 64)
		}
	}
	return halves
}

// pairs returns, for each pair of bytes of Mask, which bytes of g it takes, for TBL, and by how much
// it is shifted, to the left, to have the position at its bottom.
func (m *neon) pairs() (picks, shifts [2]uint64) {
	for lane := range fallback.Lanes {
		first, count := 0xff, 0 // of lane 0, which has no position: none, and anything
		if lane >= fallback.CollisionLanes {
			first = min(shift(m.laneBits, lane)/8, 64/8-2)
			count = 8*first - shift(m.laneBits, lane)
		}
		pair := lane%m.perRegister()*m.registers() + lane/m.perRegister()
		at := 16 * (pair % 4)
		picks[pair/4] |= uint64(uint8(first))<<at | uint64(uint8(first+1))<<(at+8)
		shifts[pair/4] |= uint64(uint16(count)) << at
	}
	return picks, shifts
}

// union returns the OR of the registers of a row.
func (m *neon) union(x row) *register {
	v := m.vec(x)
	for len(v) > 1 {
		var half []*register
		for i := 0; i < len(v); i += 2 {
			half = append(half, m.or(v[i], v[i+1]))
		}
		v = half
	}
	return v[0]
}

func (m *neon) Fold(x row) row {
	all := m.union(x)
	upper := m.vector("VEXT $8, V%[1]d.B16, V%[1]d.B16, V%[2]d.B16", all)
	// An instruction on half of a register, or on a scalar, empties the rest.
	first := m.vector("VORR V%d.B8, V%d.B8, V%d.B8", upper, all)
	if m.laneBits == 32 {
		odd := m.vector("VREV64 V%d.S2, V%d.S2", first)
		both := m.vector("VORR V%d.B8, V%d.B8, V%d.B8", odd, first)
		first = m.vector("FMOVS F%d, F%d", both)
	}
	return m.each(func(i int) *register {
		if i > 0 {
			return nil
		}
		return first
	})
}

func (m *neon) Lane0(x row) row {
	lane := "S4"
	if m.laneBits == 64 {
		lane = "D2"
	}
	all := m.vector(fmt.Sprintf("VDUP V%%d.%c[0], V%%d.%s", lane[0], lane), m.vec(x)[0])
	return m.each(func(int) *register { return all })
}

// any returns an integer that is zero where x is empty.
func (m *neon) any(x *register) *register {
	half, r := m.missing(umaxp, s4, x, x), &register{}
	m.emit("FMOVD F%d, R%d", half, r)
	return r
}

func (m *neon) AllSet(block, mask row) bit {
	return m.bit(m.any(m.union(m.AndNot(mask, block))))
}

func (m *neon) AnySet(x row) word {
	r := &register{}
	m.emit("CMP $0, R%d", m.any(m.union(x)))
	m.emit("CSET NE, R%d", r)
	return m.word(r)
}
