package main

import "fmt"

// setAES is the AES instructions of Armv8.0-A, which a CPU need not have.
var setAES = instructionSet{name: "AES", cipher: true, features: []string{"AESARM"}}

// neonCipher has blocks of one q register, and no wider ones. Round key 0 is zero here, because
// what it would be added to has it already.
type neonCipher struct {
	*neon
	blocks []*register
	keys   [][cipherRounds + 1]*register
}

func (m *neonCipher) Wide() int { return 1 }

func (m *neonCipher) block(r *register) block {
	m.blocks = append(m.blocks, r)
	return block(len(m.blocks) - 1)
}

func (m *neonCipher) InMemory(keys word) roundKeys { return m.InRegisters(keys) }
func (m *neonCipher) InWide(keys word) roundKeys   { return m.InRegisters(keys) }

func (m *neonCipher) InRegisters(keys word) roundKeys {
	registers := [cipherRounds + 1]*register{m.constant(halves{})}
	for i := 1; i <= cipherRounds; i++ {
		registers[i] = m.loaded(memory{base: m.gp(keys), offset: i * cipherBlock})
	}
	m.keys = append(m.keys, registers)
	return roundKeys(len(m.keys) - 1)
}

func (m *neonCipher) loaded(from memory) *register {
	return m.vector("FMOVQ "+from.operand()+", F%d", from.base)
}

func (m *neonCipher) Encrypt(x block, keys roundKeys) {
	v, k := m.blocks[x], m.keys[keys]
	for i := range cipherRounds {
		m.emit("AESE V%d.B16, V%d.B16", k[i], v)
		if i < cipherRounds-1 {
			m.emit("AESMC V%[1]d.B16, V%[1]d.B16", v)
		}
	}
	m.emit("VEOR V%[1]d.B16, V%[2]d.B16, V%[2]d.B16", k[cipherRounds], v)
}

func (m *neonCipher) LoadBlock(a address) block { return m.block(m.loaded(m.addresses[a])) }
func (m *neonCipher) LoadWide(a address) block  { return m.LoadBlock(a) }
func (m *neonCipher) RepeatAt(a address) block  { return m.LoadBlock(a) }
func (m *neonCipher) Repeat(x block) block      { return m.Clone(x) }
func (m *neonCipher) Gathered(x block) block    { return m.Clone(x) }
func (m *neonCipher) First(dst, x block) {
	m.emit("VMOV V%d.B16, V%d.B16", m.blocks[x], m.blocks[dst])
}
func (m *neonCipher) EndWide() {}

func (m *neonCipher) Reload(x block, a address) {
	at := m.addresses[a]
	m.emit("FMOVQ "+at.operand()+", F%d", at.base, m.blocks[x])
}

func (m *neonCipher) NoBlock() block { return m.block(m.vector("VMOVI $0, V%d.B16")) }
func (m *neonCipher) NoWide() block  { return m.NoBlock() }

func (m *neonCipher) Clone(x block) block {
	return m.block(m.vector("VMOV V%d.B16, V%d.B16", m.blocks[x]))
}

func (m *neonCipher) xor(dst, x *register) {
	m.emit("VEOR V%[1]d.B16, V%[2]d.B16, V%[2]d.B16", x, dst)
}

func (m *neonCipher) XorBlock(dst, x block)      { m.xor(m.blocks[dst], m.blocks[x]) }
func (m *neonCipher) XorAt(dst block, a address) { m.xor(m.blocks[dst], m.loaded(m.addresses[a])) }

// Short loads one or two words that overlap.
func (m *neonCipher) Short(data, n word) block {
	x, lower := m.NoBlock(), m.Zero()
	v, d, size, r := m.blocks[x], m.gp(data), m.gp(n), m.gp(lower)
	// or adds to lower what move loads at data+at, and what belongs at bytes up.
	or := func(move string, at, up *register) {
		from, upper, bits := integer(), integer(), integer()
		m.emit("ADD R%d, R%d, R%d", at, d, from)
		m.emit(move+" (R%d), R%d", from, upper)
		m.emit("LSL $3, R%d, R%d", up, bits)
		m.emit("LSL R%[1]d, R%[2]d, R%[2]d", bits, upper)
		m.emit("ORR R%[1]d, R%[2]d, R%[2]d", upper, r)
	}
	less := func(bytes int) *register {
		z := integer()
		m.emit(fmt.Sprintf("SUB $%d, R%%d, R%%d", bytes), size, z)
		return z
	}
	m.Above(n, cipherBlock-1, func() { m.emit("FMOVQ (R%d), F%d", d, v) }, func() {
		m.Above(n, wordBytes-1, func() {
			upper, bits := integer(), integer()
			m.emit("MOVD (R%d), R%d", d, r)
			m.emit("ADD R%d, R%d, R%d", size, d, upper)
			m.emit("MOVD -8(R%[1]d), R%[1]d", upper)
			// by 128 - 8n, which is 64 where nothing is left
			m.emit("LSL $3, R%d, R%d", size, bits)
			m.emit("MVN R%[1]d, R%[1]d", bits)
			m.emit("LSR $1, R%[1]d, R%[1]d", upper)
			m.emit("LSR R%[1]d, R%[2]d, R%[2]d", bits, upper)
			m.emit("VMOV R%d, V%d.D[1]", upper, v)
		}, func() {
			m.Above(n, wordBytes/2-1, func() {
				m.emit("MOVWU (R%d), R%d", d, r)
				at := less(wordBytes / 2)
				or("MOVWU", at, at)
			}, func() {
				m.If(n, func() {
					m.emit("MOVBU (R%d), R%d", d, r)
					half, last := integer(), less(1)
					m.emit("LSR $1, R%d, R%d", size, half)
					or("MOVBU", half, half)
					or("MOVBU", last, last)
				})
			})
		})
		m.emit("VMOV R%d, V%d.D[0]", r, v)
	})
	return x
}

func (m *neonCipher) Tail(data, n, shifts word) block {
	end, row := integer(), integer()
	m.emit("ADD R%d, R%d, R%d", m.gp(n), m.gp(data), end)
	m.emit("SUB R%d, R%d, R%d", m.gp(n), m.gp(shifts), row)
	bytes := m.loaded(memory{base: end, offset: -cipherBlock})
	places := m.loaded(memory{base: row, offset: cipherBlock})
	return m.block(m.vector("VTBL V%d.B16, [V%d.B16], V%d.B16", places, bytes))
}

func (m *neonCipher) Widen(a address) block {
	at := m.addresses[a]
	return m.block(m.vector("FMOVD "+at.operand()+", F%d", at.base))
}

func (m *neonCipher) Lower(x block) word {
	r := integer()
	m.emit("VMOV V%d.D[0], R%d", m.blocks[x], r)
	return m.word(r)
}

func (m *neonCipher) StoreLower(a address, x block) {
	at := m.addresses[a]
	m.emit("FMOVD F%d, "+at.operand(), m.blocks[x], at.base)
}

func (m *neonCipher) StoreBlock(a address, x block) {
	at := m.addresses[a]
	m.emit("FMOVQ F%d, "+at.operand(), m.blocks[x], at.base)
}

// Assist has the last word in all four places, where the exchange of rows changes nothing.
func (m *neonCipher) Assist(x block, constant int) block {
	v := m.vector("VDUP V%d.S[3], V%d.S4", m.blocks[x])
	m.emit("AESE V%d.B16, V%d.B16", m.constant(halves{}), v)
	rotated := m.vector("VUSHR $8, V%d.S4, V%d.S4", v)
	m.emit("VSLI $24, V%d.S4, V%d.S4", v, rotated)
	c := uint64(constant)<<32 | uint64(constant)
	m.xor(rotated, m.constant(halves{c, c}))
	return m.block(rotated)
}

func (m *neonCipher) Ripple(x block) block {
	v, none := m.blocks[x], m.constant(halves{})
	for _, bytes := range []int{4, 8} {
		shifted := m.vector(fmt.Sprintf("VEXT $%d, V%%d.B16, V%%d.B16, V%%d.B16",
			cipherBlock-bytes), v, none)
		v = m.vector("VEOR V%d.B16, V%d.B16, V%d.B16", shifted, v)
	}
	return m.block(v)
}

func (m *neonCipher) LoadByte(a address) word {
	at, r := m.addresses[a], integer()
	m.emit("MOVBU "+at.operand()+", R%d", at.base, r)
	return m.word(r)
}

func (m *neonCipher) Sixteenth(base, index word, offset int) address {
	r := integer()
	m.emit(fmt.Sprintf("ADD R%%d<<%d, R%%d, R%%d", log2(cipherBlock)), m.gp(index), m.gp(base), r)
	return m.address(memory{base: r, offset: offset})
}

func (m *neonCipher) TrailingZeros(w word) word {
	r := integer()
	m.emit("RBIT R%d, R%d", m.gp(w), r)
	m.emit("CLZ R%[1]d, R%[1]d", r)
	return m.word(r)
}

func (m *neonCipher) Mask(w word, c int) {
	m.emit(fmt.Sprintf("AND $%d, R%%[1]d, R%%[1]d", c), m.gp(w))
}

func (m *neonCipher) ShiftLeft(w word, bits int) {
	m.emit(fmt.Sprintf("LSL $%d, R%%[1]d, R%%[1]d", bits), m.gp(w))
}

func (m *neonCipher) ShiftedRight(w word, bits int) word {
	r := integer()
	m.emit(fmt.Sprintf("LSR $%d, R%%d, R%%d", bits), m.gp(w), r)
	return m.word(r)
}

func (m *neonCipher) Above(w word, c int, above, otherwise func()) {
	high, end := m.label("above"), m.label("end")
	m.emit(fmt.Sprintf("CMP $%d, R%%d", c), m.gp(w))
	if otherwise == nil {
		m.mark("BLS "+end, skipBegin)
		above()
		m.mark(end+":", skipEnd)
		return
	}
	m.mark("BHI "+high, skipBegin)
	otherwise()
	returned := m.body[len(m.body)-1].text == "RET"
	if !returned {
		m.emit("B " + end)
	}
	m.mark(high+":", skipEnd)
	above()
	if !returned {
		m.emit(end + ":")
	}
}

func (m *neonCipher) Repeatedly(w word, body func()) {
	loop := m.label("loop")
	m.mark(loop+":", loopBegin)
	body()
	m.emit("SUBS $1, R%[1]d, R%[1]d", m.gp(w))
	m.mark("BNE "+loop, loopEnd)
}

func (m *neonCipher) Every(n, budget word, body func(charge func(size word))) {
	done := m.label("done")
	m.emit("CBZ R%d, "+done, m.gp(n))
	m.Repeatedly(n, func() {
		body(func(size word) {
			m.emit("SUBS R%[1]d, R%[2]d, R%[2]d", m.gp(size), m.gp(budget))
			m.emit("BLO " + done)
		})
	})
	m.emit(done + ":")
}
