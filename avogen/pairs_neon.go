package main

import "fmt"

// neonPairs has pairs of one or two q registers, one for each key.
type neonPairs struct {
	*neon
	vectors int
	pairs   [][]*register
	// the halves of two lanes in 64 bits, so that a register has those of two keys
	factors [][]*register
}

func (m *neonPairs) Keys() int { return m.vectors }

// fresh makes a pair: f returns the register of each key.
func (m *neonPairs) fresh(f func(i int) *register) pair {
	v := make([]*register, m.vectors)
	for i := range v {
		v[i] = f(i)
	}
	m.pairs = append(m.pairs, v)
	return pair(len(m.pairs) - 1)
}

func (m *neonPairs) Literal(lanes [2]uint64) pair {
	return m.fresh(func(int) *register { return m.constant(lanes) })
}

// load emits a load of 4, 8 or 16 bytes, which empties the rest of the register.
func (m *neonPairs) load(bytes int, base word, offset int, z *register) {
	move := map[int]string{4: "FMOVS", 8: "FMOVD", 16: "FMOVQ"}[bytes]
	m.body = append(m.body, instruction{
		text:      move + " " + memory{offset: offset}.operand() + ", F%d",
		registers: []*register{m.gp(base), z},
		pure:      true,
	})
}

func (m *neonPairs) New() pair {
	return m.fresh(func(int) *register { return vectors(1)[0] })
}

func (m *neonPairs) LoadKey(x pair, key int, base word, offset int) {
	m.load(qBytes, base, offset, m.pairs[x][key])
}

func (m *neonPairs) Constant(base word, i int) pair { return m.Gather(base, qBytes*i, 0) }

func (m *neonPairs) Load(base word) pair { return m.Gather(base, 0, qBytes) }

func (m *neonPairs) Store(base word, offset int, x pair) {
	for i, v := range m.pairs[x] {
		m.emit("FMOVQ F%d, "+memory{offset: offset + i*qBytes}.operand(), v, m.gp(base))
	}
}

func (m *neonPairs) Gather(base word, offset, stride int) pair {
	x := m.New()
	for key := range m.Keys() {
		m.LoadKey(x, key, base, offset+key*stride)
	}
	return x
}

func (m *neonPairs) Words(lane0, lane1 word) pair {
	return m.fresh(func(int) *register {
		z := m.vector("FMOVD R%d, F%d", m.gp(lane0))
		m.emit("VMOV R%d, V%d.D[1]", m.gp(lane1), z)
		return z
	})
}

func (m *neonPairs) Widen(base word, bytes int) pair {
	x := m.New()
	for key, z := range m.pairs[x] {
		m.load(bytes, base, key*bytes, z)
	}
	return x
}

func (m *neonPairs) AddLanes(dst, x pair) {
	for i, v := range m.pairs[dst] {
		m.emit("VADD V%[1]d.D2, V%[2]d.D2, V%[2]d.D2", m.pairs[x][i], v)
	}
}

func (m *neonPairs) XorLanes(dst, x pair) {
	for i, v := range m.pairs[dst] {
		m.emit("VEOR V%[1]d.B16, V%[2]d.B16, V%[2]d.B16", m.pairs[x][i], v)
	}
}

func (m *neonPairs) Shuffle(x, mask pair) pair {
	return m.fresh(func(i int) *register {
		return m.vector("VTBL V%d.B16, [V%d.B16], V%d.B16", m.pairs[mask][i], m.pairs[x][i])
	})
}

// halves packs a half of each lane: those of two keys with one instruction.
func (m *neonPairs) halves(unzip string, x pair) factor {
	var packed []*register
	for i := 0; i < m.vectors; i += 2 {
		v := m.pairs[x][i:min(i+2, m.vectors)]
		packed = append(packed, m.vector(unzip+" V%d.S4, V%d.S4, V%d.S4", v[len(v)-1], v[0]))
	}
	m.factors = append(m.factors, packed)
	return factor(len(m.factors) - 1)
}

func (m *neonPairs) Low(x pair) factor  { return m.halves("VUZP1", x) }
func (m *neonPairs) High(x pair) factor { return m.halves("VUZP2", x) }

func (m *neonPairs) Mul(x, y factor) pair {
	return m.fresh(func(i int) *register {
		return m.missing(umull, []arrangement{s2, s4}[i%2], m.factors[x][i/2], m.factors[y][i/2])
	})
}

func (m *neonPairs) Swap(x pair) (pair, factor) {
	swapped := m.fresh(func(i int) *register {
		return m.vector("VREV64 V%d.S4, V%d.S4",
			m.pairs[x][i])
	})
	return swapped, m.High(x)
}

func (m *neonPairs) RotateHalves(x, counts pair) {
	width := m.constant(halves{32<<32 | 32, 32<<32 | 32})
	for i, v := range m.pairs[x] {
		left := m.pairs[counts][i]
		upper := m.missing(ushl, s4, v, left)
		// less than none: to the right
		right := m.vector("VSUB V%d.S4, V%d.S4, V%d.S4", width, left)
		lower := m.missing(ushl, s4, v, right) // by 32 leaves nothing
		m.emit("VORR V%d.B16, V%d.B16, V%d.B16", upper, lower, v)
	}
}

func (m *neonPairs) StoreFirst(base word, x pair) {
	for i, v := range m.pairs[x] {
		m.emit("FMOVD F%d, "+memory{offset: i * wordBytes}.operand(), v, m.gp(base))
	}
}

func (m *neonPairs) First(x pair) word { return m.word(m.lowHalf(m.pairs[x][0])) }

func (m *neonPairs) Times(x, y word) word {
	r := integer()
	m.emit("MUL R%d, R%d, R%d", m.gp(y), m.gp(x), r)
	return m.word(r)
}

func (m *neonPairs) ShiftLeft(w word, bits int) {
	m.emit(fmt.Sprintf("LSL $%d, R%%[1]d, R%%[1]d", bits), m.gp(w))
}
