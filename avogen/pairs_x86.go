package main

import (
	"fmt"
	"slices"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	avo "github.com/mmcloughlin/avo/x86"
)

// x86Pairs has pairs of some xmm, ymm or zmm.
type x86Pairs struct {
	*x86
	vectors int  // registers of a pair
	bytes   int  // of a register
	evex    bool // has AVX-512
	pairs   [][]reg.VecVirtual
	factors [][]reg.VecVirtual
	firsts  reg.OpmaskVirtual // the first lane of each key; nil until it is needed
}

const zmmBytes = 64

// pairBytes is the size of the two lanes of a key.
const pairBytes = 16

func (m *x86Pairs) Keys() int { return m.vectors * m.registerKeys() }

// registerKeys is the number of keys of a register.
func (m *x86Pairs) registerKeys() int { return m.bytes / pairBytes }

func (m *x86Pairs) vector() reg.VecVirtual {
	switch m.bytes {
	case pairBytes:
		return m.c.XMM()
	case ymmBytes:
		return m.c.YMM()
	}
	return m.c.ZMM()
}

// fresh returns new registers, one for each of a pair, after f wrote them.
func (m *x86Pairs) fresh(f func(i int, z reg.VecVirtual)) []reg.VecVirtual {
	v := make([]reg.VecVirtual, m.vectors)
	for i := range v {
		v[i] = m.vector()
		f(i, v[i])
	}
	return v
}

func (m *x86Pairs) pair(v []reg.VecVirtual) pair {
	m.pairs = append(m.pairs, v)
	return pair(len(m.pairs) - 1)
}

func (m *x86Pairs) factor(v []reg.VecVirtual) factor {
	m.factors = append(m.factors, v)
	return factor(len(m.factors) - 1)
}

func (m *x86Pairs) memory(base word, offset int) operand.Mem {
	return operand.Mem{Base: m.gp(base), Disp: offset}
}

// move loads or stores a register.
func (m *x86Pairs) move(from, to operand.Op) {
	if m.evex {
		m.c.VMOVDQU64(from, to)
	} else {
		m.c.VMOVDQU(from, to)
	}
}

// broadcast loads two lanes for each key of a register.
func (m *x86Pairs) broadcast(from operand.Mem, to reg.VecVirtual) {
	switch {
	case m.bytes == pairBytes:
		m.move(from, to)
	case m.evex:
		m.c.VBROADCASTI64X2(from, to)
	default:
		m.c.VBROADCASTI128(from, to)
	}
}

// words are read-only words.
func (k *constants) words(words []uint64) operand.Mem {
	name := fmt.Sprintf("words%x", words)
	if data, ok := k.made[name]; ok {
		return data
	}
	data := k.c.StaticGlobal(fmt.Sprintf("words%d", len(k.made)))
	k.c.DataAttributes(build.RODATA | build.NOPTR)
	for i, w := range words {
		k.c.AddDatum(wordBytes*i, operand.U64(w))
	}
	k.made[name] = data
	return data
}

func (m *x86Pairs) Literal(lanes [2]uint64) pair {
	r := m.vector()
	m.broadcast(m.k.words(lanes[:]), r)
	return m.pair(slices.Repeat([]reg.VecVirtual{r}, m.vectors))
}

func (m *x86Pairs) Constant(base word, i int) pair {
	return m.pair(
		m.fresh(func(_ int, z reg.VecVirtual) { m.broadcast(m.memory(base, pairBytes*i), z) }))
}

func (m *x86Pairs) Load(base word) pair {
	return m.pair(m.fresh(func(i int, z reg.VecVirtual) { m.move(m.memory(base, i*m.bytes), z) }))
}

func (m *x86Pairs) Store(base word, offset int, x pair) {
	for i, v := range m.pairs[x] {
		m.move(v, m.memory(base, offset+i*m.bytes))
	}
}

func (m *x86Pairs) New() pair { return m.pair(m.fresh(func(int, reg.VecVirtual) {})) }

// LoadKey inserts from memory, which needs no shuffle. The first key of a register empties the rest
// of it.
func (m *x86Pairs) LoadKey(x pair, key int, base word, offset int) {
	from, v := m.memory(base, offset), m.pairs[x][key/m.registerKeys()]
	part := operand.Imm(uint64(key % m.registerKeys()))
	switch {
	case key%m.registerKeys() == 0:
		m.loadFirst(from, v)
	case m.evex:
		m.c.VINSERTI64X2(part, from, v, v)
	default:
		m.c.VINSERTI128(part, from, v, v)
	}
}

// loadFirst loads 16 bytes.
func (m *x86Pairs) loadFirst(from operand.Mem, v reg.VecVirtual) {
	load := avo.VMOVDQU
	if m.evex {
		load = func(from, to operand.Op) (*ir.Instruction, error) { return avo.VMOVDQU64(from, to) }
	}
	m.whole(load, from, v)
}

// whole loads 16 bytes or less, and says that this writes all of v, as avo does not know.
func (m *x86Pairs) whole(
	load func(from, to operand.Op) (*ir.Instruction, error),
	from operand.Mem,
	v reg.VecVirtual,
) {
	in, err := load(from, v.AsX())
	if err != nil {
		panic(err)
	}
	in.Outputs = []operand.Op{v}
	m.c.Instruction(in)
}

func (m *x86Pairs) Gather(base word, offset, stride int) pair {
	x := m.New()
	for key := range m.Keys() {
		m.LoadKey(x, key, base, offset+key*stride)
	}
	return x
}

func (m *x86Pairs) Words(lane0, lane1 word) pair {
	return m.pair(m.fresh(func(_ int, z reg.VecVirtual) {
		m.c.VMOVQ(m.gp(lane0), z)
		m.c.VPINSRQ(operand.Imm(1), m.gp(lane1), z, z)
	}))
}

// Widen loads the keys of a register so often that each is in its part of 128 bits, and shuffles
// there. Eight keys of 8 bytes do not fit into one part, so they are permuted.
func (m *x86Pairs) Widen(base word, bytes int) pair {
	return m.pair(m.fresh(func(i int, z reg.VecVirtual) {
		from := m.memory(base, i*m.registerKeys()*bytes)
		switch m.registerKeys() * bytes {
		case 8:
			m.c.VPBROADCASTQ(from, z)
		case 16:
			m.broadcast(from, z)
		case 32:
			m.c.VBROADCASTI64X4(from, z)
			places := m.vector()
			m.move(m.k.words([]uint64{0, 0, 1, 1, 2, 2, 3, 3}), places)
			m.c.VPERMQ_Z(z, places, m.firstLanes(), z)
			return
		}
		var mask []uint64
		for k := range m.registerKeys() {
			lane := ^uint64(0) // each byte is a zero
			for b := bytes - 1; b >= 0; b-- {
				lane = lane<<8 | uint64(k*bytes+b)
			}
			mask = append(mask, lane, ^uint64(0))
		}
		m.c.VPSHUFB(m.k.words(mask), z, z)
	}))
}

// firstLanes returns the opmask of the first lane of each key.
func (m *x86Pairs) firstLanes() reg.OpmaskVirtual {
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

func (m *x86Pairs) AddLanes(dst, x pair) {
	for i, v := range m.pairs[dst] {
		m.c.VPADDQ(m.pairs[x][i], v, v)
	}
}

func (m *x86Pairs) XorLanes(dst, x pair) {
	for i, v := range m.pairs[dst] {
		if m.evex {
			m.c.VPXORQ(m.pairs[x][i], v, v)
		} else {
			m.c.VPXOR(m.pairs[x][i], v, v)
		}
	}
}

func (m *x86Pairs) Shuffle(x, mask pair) pair {
	return m.pair(
		m.fresh(func(i int, z reg.VecVirtual) { m.c.VPSHUFB(m.pairs[mask][i], m.pairs[x][i], z) }))
}

// Low needs no instruction: VPMULUDQ reads the lower half of each lane.
func (m *x86Pairs) Low(x pair) factor { return m.factor(m.pairs[x]) }

func (m *x86Pairs) High(x pair) factor {
	return m.factor(
		m.fresh(func(i int, z reg.VecVirtual) { m.c.VPSRLQ(operand.Imm(32), m.pairs[x][i], z) }))
}

func (m *x86Pairs) Mul(x, y factor) pair {
	return m.pair(
		m.fresh(func(i int, z reg.VecVirtual) {
			m.c.VPMULUDQ(m.factors[y][i],
				m.factors[x][i], z)
		}))
}

func (m *x86Pairs) Swap(x pair) (pair, factor) {
	v := m.fresh(func(i int, z reg.VecVirtual) {
		m.c.VPSHUFD(operand.Imm(swapDoubles),
			m.pairs[x][i], z)
	})
	return m.pair(v), m.factor(v)
}

func (m *x86Pairs) RotateHalves(x, counts pair) {
	for i, v := range m.pairs[x] {
		left := m.pairs[counts][i]
		if m.evex {
			m.c.VPROLVD(left, v, v)
			continue
		}
		upper, right := m.vector(), m.vector()
		m.c.VPSLLVD(left, v, upper)
		m.broadcast(m.k.words([]uint64{32<<32 | 32, 32<<32 | 32}), right)
		m.c.VPSUBD(left, right, right)
		m.c.VPSRLVD(right, v, v) // by 32 leaves nothing
		m.c.VPOR(upper, v, v)
	}
}

func (m *x86Pairs) StoreFirst(base word, x pair) {
	for i, v := range m.pairs[x] {
		to := m.memory(base, i*m.registerKeys()*wordBytes)
		switch m.bytes {
		case pairBytes:
			m.c.VMOVQ(v, to)
		case ymmBytes:
			m.c.VPERMQ(operand.Imm(0b10_00), v, v)
			m.move(v.AsX(), to)
		case zmmBytes:
			places := m.vector()
			m.move(m.k.words([]uint64{0, 2, 4, 6, 0, 2, 4, 6}), places)
			m.c.VPERMQ(v, places, v)
			m.move(v.AsY(), to)
		}
	}
}

func (m *x86Pairs) First(x pair) word {
	r := m.c.GP64()
	m.c.VMOVQ(m.pairs[x][0].AsX(), r)
	return m.word(r)
}

func (m *x86Pairs) Times(x, y word) word {
	z := m.Copy(x)
	m.clobber()
	m.c.IMULQ(m.gp(y), m.gp(z))
	return z
}

func (m *x86Pairs) ShiftLeft(w word, bits int) {
	m.clobber()
	m.c.SHLQ(operand.Imm(uint64(bits)), m.gp(w))
}
