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
	keys      []*neonKey
	freed     []*register // integers that are zero where ClearFree cleared nothing
	constants map[halves]*register
	spread    *register // g, for its pairs to be picked; nil until it is needed
}

// neonKey is the mask of a key, in two forms. Instructions that make a form without a use are
// removed at the end.
type neonKey struct {
	bits   row
	picked *register // the pairs of bytes of g that hold the positions

	// What IfPresent leaves for ClearFree.
	block    row
	collided *register // lane 0 of the block, in every lane
	free     *register // an integer that is zero where no bit of the key is free
}

// halves is a q register's value, the lower half first.
type halves [2]uint64

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

// vector emits an instruction with the sources given, whose result is in a new vector register, the
// last of its text.
func (m *neon) vector(text string, sources ...*register) *register {
	return m.result(instruction{text: text, registers: sources})
}

// missing emits an instruction of two sources that Go's assembler lacks.
func (m *neon) missing(
	encode func(a arrangement, d, n, m int) encoded,
	a arrangement,
	x, y *register,
) *register {
	return m.result(instruction{
		encode:    func(r []int) encoded { return encode(a, r[2], r[0], r[1]) },
		registers: []*register{x, y},
	})
}

// narrowed emits a shift to the right by 8 bits at most of which the lower half of each lane is
// kept.
func (m *neon) narrowed(a arrangement, x *register, shift int) *register {
	return m.result(instruction{
		encode:    func(r []int) encoded { return shrn(a, r[1], r[0], shift) },
		registers: []*register{x},
	})
}

func (m *neon) result(in instruction) *register {
	z := vectors(1)[0]
	in.registers, in.pure = append(slices.Clone(in.registers), z), true
	m.body = append(m.body, in)
	return z
}

func (m *neon) or(x, y *register) *register {
	return m.vector("VORR V%d.B16, V%d.B16, V%d.B16", y,
		x)
}

// constant returns the register that has a value, which the function begins with.
func (m *neon) constant(value halves) *register {
	r, ok := m.constants[value]
	if !ok {
		m.hoist(func() { r = m.vector(fmt.Sprintf("VMOVQ $%#x, $%#x, V%%d", value[0], value[1])) })
		m.constants[value] = r
	}
	return r
}

func (m *neon) Load(a address) row {
	at, v := m.addresses[a], vectors(m.registers())
	for i := 0; i < len(v); i += 2 {
		m.emit("FLDPQ "+at.plus(i*qBytes).operand()+", (F%d, F%d)", at.base, v[i], v[i+1])
	}
	return m.row(v)
}

func (m *neon) Store(a address, x row) {
	m.Comment(phaseStore)
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

func (m *neon) Or(x, y row) row {
	return m.each(func(i int) *register {
		if m.vec(y)[i] == nil {
			return m.vec(x)[i]
		}
		return m.or(m.vec(x)[i], m.vec(y)[i])
	})
}

func (m *neon) Or3(x, y, z row) row { return m.Or(m.Or(x, y), z) }

// pair returns where a lane's position is in a register of eight pairs of bytes: those of the lanes
// of a row's first register are at the bottom of its lanes, and, moved down by a pair each time,
// those of the next register.
func (m *neon) pair(lane int) int {
	return lane%m.perRegister()*m.registers() + lane/m.perRegister()
}

// pairs returns the constant that has a value for each lane's pair.
func (m *neon) pairs(value func(lane int) uint16) *register {
	var c halves
	for lane := range fallback.Lanes {
		c[m.pair(lane)/4] |= uint64(value(lane)) << (16 * (m.pair(lane) % 4))
	}
	return m.constant(c)
}

// firstOfPair returns the lower one of the two bytes of g that hold a lane's position.
func (m *neon) firstOfPair(lane int) int { return min(m.shift(lane)/8, 64/8-2) }

// shifted returns the key's pairs of bytes with each position moved to where it begins at a bit.
func (m *neon) shifted(picked *register, bit int) *register {
	return m.missing(ushl, h8, picked, m.pairs(func(lane int) uint16 {
		if lane < m.collisionLanes {
			return 0
		}
		return uint16(bit + 8*m.firstOfPair(lane) - m.shift(lane)) // to the left
	}))
}

// Mask makes all positions in one register, in two bytes each: a shift takes its count from the
// lowest byte of a lane.
//
// G has a register of its own all the time, so that the next key's has no value to wait for: see
// replace.
func (m *neon) Mask(g word) mask {
	m.Comment(phaseMask)
	if m.spread == nil {
		m.hoist(func() { m.spread = m.vector("VMOVI $0, V%d.B16") })
	}
	m.emit("FMOVD R%d, F%d", m.gp(g), m.spread)
	picked := m.vector("VTBL V%d.B16, [V%d.B16], V%d.B16",
		m.pairs(func(lane int) uint16 {
			if lane < m.collisionLanes {
				return 0xffff // has no position: no byte
			}
			first := m.firstOfPair(lane)
			return uint16(first | (first+1)<<8)
		}),
		m.spread)
	low := uint16(m.laneBits - 1)
	positions := m.vector("VAND V%d.B16, V%d.B16, V%d.B16",
		m.pairs(func(int) uint16 { return low }), m.shifted(picked, 0))
	lanes := d2
	if m.laneBits == 32 {
		lanes = s4
	}
	bits := m.each(func(i int) *register {
		counts := positions
		if i > 0 {
			counts = m.vector(fmt.Sprintf("VEXT $%d, V%%[1]d.B16, V%%[1]d.B16, V%%[2]d.B16", 2*i),
				positions)
		}
		return m.missing(ushl, lanes, m.ones(i), counts)
	})
	m.keys = append(m.keys, &neonKey{bits: bits, picked: picked})
	return mask(len(m.keys) - 1)
}

func (m *neon) MaskSplit(h word) mask {
	m.Comment(phaseMask)
	key := m.vector("VDUP R%d, V%d.S4", m.gp(h))
	bits := m.each(func(i int) *register {
		var salts halves
		for slot := range m.perRegister() {
			salts[slot/2] |= uint64(fallback.Salts[i*m.perRegister()+slot]) << (32 * (slot % 2))
		}
		position := m.vector(fmt.Sprintf("VUSHR $%d, V%%d.S4, V%%d.S4", fallback.SaltShift),
			m.missing(mul, s4, key, m.constant(salts)))
		return m.missing(ushl, s4, m.ones(i), position)
	})
	m.keys = append(m.keys, &neonKey{bits: bits})
	return mask(len(m.keys) - 1)
}

func (m *neon) Bits(key mask) row { return m.keys[key].bits }

// ones has a one in each data lane of register i, and nothing in lane 0.
func (m *neon) ones(i int) *register {
	var c halves
	for slot := range m.perRegister() {
		if i*m.perRegister()+slot >= m.collisionLanes {
			bit := slot * m.laneBits
			c[bit/64] |= 1 << (bit % 64)
		}
	}
	return m.constant(c)
}

// union returns the OR of the registers of a row.
func (m *neon) union(x row) *register {
	v := m.vec(x)
	for len(v) > 1 {
		v = m.halve(v, m.or)
	}
	return v[0]
}

// halve joins each two neighbours.
func (m *neon) halve(v []*register, join func(x, y *register) *register) (half []*register) {
	for i := 0; i < len(v); i += 2 {
		half = append(half, join(v[i], v[i+1]))
	}
	return half
}

func (m *neon) Fold(x row) row {
	m.requireCollisionLane()
	m.Comment(phaseFold)
	all := m.union(x)
	upper := m.vector("VEXT $8, V%[1]d.B16, V%[1]d.B16, V%[2]d.B16", all)
	// An instruction on half of a register, or on one lane, empties the rest.
	first := m.vector("VORR V%d.B8, V%d.B8, V%d.B8", upper, all)
	if m.laneBits == 32 {
		odd := m.vector("VREV64 V%d.S4, V%d.S4", first)
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

// lowHalf returns the lower half of a vector register as an integer.
func (m *neon) lowHalf(x *register) *register {
	r := integer()
	m.emit("FMOVD F%d, R%d", x, r)
	return r
}

// any returns an integer that is zero where x is empty.
func (m *neon) any(x *register) *register { return m.lowHalf(m.missing(umaxp, s4, x, x)) }

// lacks returns the union of the bits of x that block has not.
func (m *neon) lacks(block, x row) *register {
	return m.union(
		m.each(func(i int) *register { return m.missing(bic, b16, m.vec(x)[i], m.vec(block)[i]) }))
}

func (m *neon) Covers(block, x row) bit {
	return m.bit(func() answer {
		m.Comment(phaseTest)
		return byZero(m.any(m.lacks(block, x)))
	})
}

// Present makes no mask if a row has four registers: see gather. With two registers that takes 3.4
// cycles instead of 3.0 on a Neoverse V1, by LLVM's model; only on Cyclone it is faster, by the
// same difference.
func (m *neon) Present(block row, key mask) bit {
	if m.registers() == 2 {
		return m.Covers(block, m.Bits(key))
	}
	return m.bit(func() answer {
		m.Comment(phaseTest)
		return byZero(m.lowHalf(m.gather(m.vec(block), m.keys[key].picked)))
	})
}

// Share finds the answer in the common bits, of which there is at most one in each data lane and
// none in another: the lanes are narrowed to bytes, and if all have their bit, the sum with the
// byte of the collision lane has a carry.
func (m *neon) Share(block row, key mask) (row, bit) {
	common := m.And(block, m.Bits(key))
	return common, m.bit(func() answer {
		m.Comment(phaseTest)
		return answer{fmt.Sprintf("CMN $%d, R%%d", 1<<(8*m.collisionLanes)),
			m.lowHalf(m.narrow(m.vec(common)))}
	})
}

// IfPresent branches on an integer whose lower half is zero where all bits of the key are set in
// the block; then its upper half, and so the whole, is zero if all of them are set in lane 0's
// column too. A delete needs both answers, and moves one vector register to an integer.
func (m *neon) IfPresent(block row, key mask, body func()) {
	m.requireCollisionLane()
	m.Comment(phaseTest)
	k := m.keys[key]
	missing := m.lacks(block, k.bits)
	lane0 := "VDUP V%d.D[0], V%d.D2"
	if m.laneBits == 32 {
		lane0 = "VDUP V%d.S[0], V%d.S4"
	}
	bits := m.union(k.bits)
	k.block, k.collided = block, m.vector(lane0, m.vec(block)[0])
	free := m.missing(bic, b16, bits, k.collided)
	both := m.missing(umaxp, s4, missing, free)
	k.free = m.lowHalf(m.missing(umaxp, s4, both, both))
	m.skip("CBNZW", k.free, body)
	k.free = nil
}

// ClearFree is one instruction per register. All bits of the key are set, so they become the bits
// of lane 0.
func (m *neon) ClearFree(block row, key mask) (row, freed) {
	k := m.keys[key]
	if k.free == nil || k.block != block {
		panic("avogen: ClearFree outside of IfPresent for its block and key")
	}
	m.Comment(phaseFree)
	for i, r := range m.vec(block) {
		m.emit("VBIT V%d.B16, V%d.B16, V%d.B16", m.vec(k.bits)[i], k.collided, r)
	}
	m.freed = append(m.freed, k.free)
	return block, freed(len(m.freed) - 1)
}

// narrow returns eight bytes, one for each lane of a row that has at most one bit in each: all ones
// where the lane has its bit, else 0.
func (m *neon) narrow(v []*register) *register {
	if m.laneBits == 64 {
		v = m.halve(v, func(x, y *register) *register { return m.missing(umaxp, s4, x, y) })
	}
	lanes := m.missing(umaxp, h8, v[0], v[1])
	lanes = m.missing(umaxp, b16, lanes, lanes)
	return m.vector("VCMTST V%[1]d.B8, V%[1]d.B8, V%[2]d.B8", lanes)
}

// gather returns eight bytes, one for each lane: 0 where the bit of a key is set in its block. A
// table lookup finds the byte, with the block in registers as a table of bytes. The number of the
// byte is the lane and the position without its last three bits. These three bits are the number of
// the bit in the byte.
func (m *neon) gather(block []*register, picked *register) *register {
	// The lower byte of a pair has those three bits at its top, the upper one the number of the
	// byte.
	const top = 8 - 3
	end := top + log2(m.laneBits) // of the position
	number := m.shifted(picked, top)
	m.emit("VBIT V%d.B16, V%d.B16, V%d.B16",
		m.pairs(func(int) uint16 { return ^uint16(0) << end }),
		m.pairs(func(lane int) uint16 { return uint16(lane) << end }), number)
	bytes := m.narrowed(b8, number, 8)
	bits := m.vector(fmt.Sprintf("VUSHR $%d, V%%d.B8, V%%d.B8", top), m.narrowed(b8, number, 0))
	var ones halves // a byte in the order of the pairs, of the data lanes
	for lane := m.collisionLanes; lane < fallback.Lanes; lane++ {
		ones[0] |= 1 << (8 * m.pair(lane))
	}
	own := m.missing(ushl, b8, m.constant(ones), bits)
	table := "[V%d.B16"
	for range block[1:] {
		table += ", V%d.B16"
	}
	found := m.vector("VTBL V%d.B8, "+table+"], V%d.B8", append([]*register{bytes}, block...)...)
	return m.missing(bic, b8, own, found)
}

func (m *neon) AddFreed(cleared freed, words ...word) {
	m.emit("CMP $1, R%d", m.freed[cleared]) // r - 1 has a carry where r is not 0
	for _, w := range words {
		m.emit("ADC ZR, R%[1]d, R%[1]d", m.gp(w))
	}
}
