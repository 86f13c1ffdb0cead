package main

import "fmt"

// neonLanes has a lane of each of two keys in a q register.
type neonLanes struct{ *neonPairs }

func (m *neonLanes) Keys() int { return 2 * m.vectors }

func (m *neonLanes) Lengthen(base word) pair {
	x := m.New()
	for i, v := range m.pairs[x] {
		m.load(wordBytes, base, i*wordBytes, v)
		m.emit("VUXTL V%[1]d.S2, V%[1]d.D2", v)
	}
	return x
}

func (m *neonLanes) LoadTwo(base word) (first, second pair) {
	even, odd := m.Gather(base, 0, 2*pairBytes), m.Gather(base, pairBytes, 2*pairBytes)
	zip := func(instruction string) pair {
		return m.fresh(func(i int) *register {
			return m.vector(instruction+" V%d.D2, V%d.D2, V%d.D2", m.pairs[odd][i],
				m.pairs[even][i])
		})
	}
	return zip("VZIP1"), zip("VZIP2")
}

func (m *neonLanes) LoadLane(x pair, key int, a address) {
	v := m.pairs[x][key/2]
	if key%2 == 0 {
		m.loadLane(a, v)
		return
	}
	odd := vectors(1)[0]
	m.loadLane(a, odd)
	m.emit("VZIP1 V%[1]d.D2, V%[2]d.D2, V%[2]d.D2", odd, v)
}

// loadLane loads the first lane of a register, and empties the other.
func (m *neonLanes) loadLane(a address, v *register) {
	if at := m.addresses[a]; at.index != nil {
		m.emit("FMOVD (R%d)(R%d<<3), F%d", at.base, at.index, v)
	} else {
		m.emit("FMOVD "+at.operand()+", F%d", at.base, v)
	}
}

func (m *neonLanes) RotateXor(dst pair, bits int, x pair) {
	for i, v := range m.pairs[dst] {
		upper := m.vector(fmt.Sprintf("VSHL $%d, V%%d.D2, V%%d.D2", bits), v)
		m.emit(fmt.Sprintf("VSRI $%d, V%%d.D2, V%%d.D2", 64-bits), v, upper)
		m.emit("VEOR V%d.B16, V%d.B16, V%d.B16", m.pairs[x][i], upper, v)
	}
}

func (m *neonLanes) SwapHalves(x pair) {
	for _, v := range m.pairs[x] {
		m.emit("VREV64 V%[1]d.S4, V%[1]d.S4", v)
	}
}

// Last shifts the bytes before the end to the left by -64 to -8, and the first of these leave
// nothing.
func (m *neonLanes) Last(ends, sizes pair) pair {
	return m.fresh(func(i int) *register {
		size := m.pairs[sizes][i]
		odd := m.vector("VAND V%d.B16, V%d.B16, V%d.B16", m.constant(halves(twice(56))),
			m.vector("VSHL $3, V%d.D2, V%d.D2", size))
		shift := m.vector("VSUB V%d.D2, V%d.D2, V%d.D2", m.constant(halves(twice(64))), odd)
		return m.or(m.missing(ushl, d2, m.pairs[ends][i], shift),
			m.vector("VSHL $56, V%d.D2, V%d.D2", size))
	})
}
