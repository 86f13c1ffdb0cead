package main

import "fmt"

// PMAC with AES-128 (Black and Rogaway, "A Block-Cipher Mode of Operation for Parallelizable
// Message Authentication", EUROCRYPT 2002), of which the hash is the first eight bytes of the tag.
// With L = E(0), block i of all but the last is encrypted after gray(i)*L was added, where gray(i)
// = gray(i-1) ^ 2^ntz(i); what comes of these is added to the last block, and then
//
//   - L/x, if it has 16 bytes, or
//   - a one and zeros behind its last bit, if it has fewer.
//
// The sum encrypted is the tag. Package internal/pmac has the code around this assembly.
//
// One key waits for the rounds of a block, of which a processor runs several side by side. So there
// is a loop over single blocks, which overlap since they do not depend on each other, and a wide
// one for long keys. The offsets of blocks B*g + j, of B blocks at a time, are that of block B*g
// and gray(j)*L for j < B; from one g to the next it takes gray(B-1)*L and 2^ntz(B*(g+1))*L.

// The state of a key, in bytes: what internal/pmac has in memory.
const (
	cipherBlock  = 16
	cipherRounds = 10

	// stateLast has for the n bytes of a last block, n = 0 to 16: what is added to it.
	stateLast = (cipherRounds + 1) * cipherBlock
	// stateSteps is 2^j*L for j = 0, 1, ….
	stateSteps = stateLast + (cipherBlock+1)*cipherBlock
	// stateBetween is gray(j)*L for j = 0 to 3.
	stateBetween = stateSteps + (pieceBits+1)*cipherBlock
	// stateNear is the offsets of blocks 1 to 8.
	stateNear = stateBetween + 4*cipherBlock
	// stateShifts is what Tail takes.
	stateShifts = stateNear + 8*cipherBlock
	// stateOurs is a byte that is not 0 in the state of a key of this hash.
	stateOurs = stateShifts + 2*cipherBlock

	// pieceBits is the logarithm of the blocks that a call takes: 64 KiB take some 10 µs where one
	// block takes 2.5 ns.
	pieceBits = 12
)

// Round key 0 comes first in the state, is the offset of number 0, and is in
// what stateLast and stateNear have.

// pmac describes the hash on a machine.
type pmac struct {
	cipherMachine
	state word
	keys  roundKeys
}

// absorb encrypts the whole blocks of a key, and adds what they come to to sum, which is empty. Data
// goes on to what is behind them.
func (m pmac) absorb(data, blocks word, sum block) {
	masks, ok := m.cipherMachine.(laneMachine)
	switch {
	case ok && masks.Masks():
		m.Above(blocks, singleBlocks, func() { m.masked(masks, data, blocks, sum) },
			func() { m.first(data, blocks, sum) })
	case m.Wide() > 1:
		m.Above(blocks, m.Wide(), func() {
			head := m.Zero()
			m.AddConst(head, m.Wide()-1)
			m.Sub(blocks, head)
			number, offset := m.first(data, head, sum)
			m.wide(data, m.ShiftedRight(blocks, log2(m.Wide())), number, offset, sum)
			m.Mask(blocks, m.Wide()-1)
			m.If(blocks, func() { m.singles(data, blocks, number, offset, sum) })
		}, func() { m.first(data, blocks, sum) })
	default:
		m.first(data, blocks, sum)
	}
}

// singleBlocks is the number of blocks up to which one after another is faster than all at once.
const singleBlocks = 2

// first encrypts the first blocks of a key one after another, and returns the number and the offset
// of the one behind them. It uses up blocks.
func (m pmac) first(data, blocks word, sum block) (number word, offset block) {
	number, offset = m.Zero(), m.LoadBlock(m.At(m.state, 0))
	m.AddConst(number, 1)
	m.XorAt(offset, m.At(m.state, stateSteps))
	m.singles(data, blocks, number, offset, sum)
	return number, offset
}

// singles encrypts one block after another, one at least. It uses up blocks.
func (m pmac) singles(data, blocks, number word, offset, sum block) {
	m.Comment(phaseBlock)
	m.Repeatedly(blocks, func() {
		x := m.Clone(offset)
		m.XorAt(x, m.At(data, 0))
		m.Encrypt(x, m.keys)
		m.XorBlock(sum, x)
		m.AddConst(data, cipherBlock)
		m.AddConst(number, 1)
		m.XorAt(offset, m.Sixteenth(m.state, m.TrailingZeros(number), stateSteps))
	})
}

// wide encrypts groups of as many blocks as a wide register has, of which the first has a number
// that is a multiple of these. It uses up groups.
func (m pmac) wide(data, groups, number word, offset, sum block) {
	m.Comment(phaseWide)
	keys, offsets, sums := m.InWide(m.state), m.Repeat(offset), m.NoWide()
	m.Repeatedly(groups, func() {
		x := m.Clone(offsets)
		m.XorAt(x, m.At(m.state, stateBetween))
		m.XorAt(x, m.At(data, 0))
		m.Encrypt(x, keys)
		m.XorBlock(sums, x)
		m.AddConst(data, m.Wide()*cipherBlock)
		m.next(number, offsets)
	})
	m.XorBlock(sum, m.Gathered(sums))
	m.First(offset, offsets)
	m.EndWide()
}

// next goes on to the next group.
func (m pmac) next(number word, offsets block) {
	m.AddConst(number, m.Wide())
	m.XorBlock(offsets, m.RepeatAt(m.At(m.state, stateSteps+(log2(m.Wide())-1)*cipherBlock)))
	m.XorBlock(offsets, m.RepeatAt(m.Sixteenth(m.state, m.TrailingZeros(number), stateSteps)))
}

// masked encrypts groups of blocks B*g + 1 to B*g + B of a key, of which the last group may have
// fewer. From one g to the next it takes gray(B-1)*L and 2^ntz(B*(g+1))*L, and for the last block
// of a group 2^ntz(B*(g+2))*L.
func (m pmac) masked(masks laneMachine, data, blocks word, sum block) {
	m.Comment(phaseWide)
	keys, offsets, sums := m.InWide(m.state), m.LoadWide(m.At(m.state, stateNear)), m.NoWide()
	step := func(number word) address {
		return m.Sixteenth(m.state, m.TrailingZeros(number), stateSteps)
	}
	whole := func() {
		x := m.Clone(offsets)
		m.XorAt(x, m.At(data, 0))
		m.Encrypt(x, keys)
		m.XorBlock(sums, x)
		m.AddConst(data, m.Wide()*cipherBlock)
	}
	m.Above(blocks, m.Wide(), func() {
		whole() // by itself, because so are most keys that need it
		m.Reload(offsets, m.At(m.state, stateNear+m.Wide()*cipherBlock))
		m.AddConst(blocks, -m.Wide())
		m.Above(blocks, m.Wide(), func() {
			m.AddConst(blocks, -1)
			number := m.Zero()
			m.AddConst(number, 2*m.Wide())
			last := masks.LastLane()
			m.Repeatedly(m.ShiftedRight(blocks, log2(m.Wide())), func() {
				whole()
				next := m.RepeatAt(step(number))
				m.AddConst(number, m.Wide())
				masks.RepeatLanes(next, step(number), last)
				m.XorBlock(offsets, next)
				m.XorBlock(offsets,
					m.RepeatAt(m.At(m.state, stateSteps+(log2(m.Wide())-1)*cipherBlock)))
			})
			m.Mask(blocks, m.Wide()-1)
			m.AddConst(blocks, 1)
		}, nil)
	}, nil)
	lanes := masks.LanesBelow(blocks)
	x := masks.LoadLanes(m.At(data, 0), lanes)
	m.XorBlock(x, offsets)
	m.Encrypt(x, keys)
	masks.XorLanes(sums, x, lanes)
	m.ShiftLeft(blocks, log2(cipherBlock))
	m.Add(data, blocks)
	m.XorBlock(sum, m.Gathered(sums))
	m.EndWide()
}

// hash gives done the block before its last encryption, of n bytes at data. It begins with long
// where there is more than one block.
func (m pmac) hash(data, n word, long func(), done func(x block)) {
	m.Above(n, cipherBlock, func() {
		long()
		sum, last := m.NoBlock(), m.Copy(n)
		m.AddConst(last, -1)
		m.absorb(data, m.ShiftedRight(last, log2(cipherBlock)), sum)
		m.Comment(phaseFinal)
		rest := last
		m.Mask(rest, cipherBlock-1)
		m.AddConst(rest, 1)
		shifts := m.Copy(m.state)
		m.AddConst(shifts, stateShifts)
		m.XorBlock(sum, m.Tail(data, rest, shifts))
		m.XorAt(sum, m.Sixteenth(m.state, rest, stateLast))
		done(sum)
	}, func() {
		m.Comment(phaseShort)
		x := m.Short(data, n)
		m.XorAt(x, m.Sixteenth(m.state, n, stateLast))
		done(x)
	})
}

// pmacSum describes the hash of one key.
func pmacSum(on machine) {
	c := newCipher(on)
	m := pmac{cipherMachine: c, state: c.Arg("state")}
	m.keys = m.InMemory(m.state)
	data, n := m.Arg("data"), m.Arg("n")
	m.hash(data, n, func() {
		m.Above(n, cipherBlock<<pieceBits, func() { m.Jump("PMACSumElse") }, nil)
	}, func(x block) {
		m.Encrypt(x, m.keys)
		m.Return(m.Lower(x))
	})
}

// pmacPart describes what the blocks of a long key come to.
func pmacPart(on machine) {
	c := newCipher(on)
	m := pmac{cipherMachine: c, state: c.Arg("state")}
	m.keys = m.InMemory(m.state)
	carry := m.Arg("carry")
	offset, sum := m.LoadBlock(m.At(carry, 0)), m.LoadBlock(m.At(carry, cipherBlock))
	m.singles(m.Arg("data"), m.Arg("blocks"), m.Arg("number"), offset, sum)
	m.StoreBlock(m.At(carry, 0), offset)
	m.StoreBlock(m.At(carry, cipherBlock), sum)
	m.ReturnNothing()
}

// pmacKeys describes the hashes of keys that lie anywhere.
func pmacKeys(on machine) {
	c := newCipher(on)
	m := pmac{cipherMachine: c, state: c.Arg("state")}
	m.keys = m.InRegisters(m.state)
	headers, hashes, n := m.Arg("headers"), m.Arg("hashes"), m.Arg("n")
	left := m.Copy(n)
	m.Every(left, m.Arg("budget"), func(charge func(size word)) {
		size := m.LoadHash(m.At(headers, wordBytes))
		charge(size)
		key := m.LoadHash(m.At(headers, 0))
		m.Add(key, m.Arg("data"))
		m.hash(key, size, func() {}, func(x block) {
			m.Encrypt(x, m.keys)
			m.StoreLower(m.At(hashes, 0), x)
		})
		m.Add(headers, m.Arg("stride"))
		m.AddConst(hashes, wordBytes)
	})
	m.Sub(n, left)
	m.Return(n)
}

// pmacFixed describes the hashes of keys of 8 or 16 bytes that lie one behind another.
func pmacFixed(width int) func(machine) {
	return func(on machine) {
		m := newCipher(on)
		state, data, hashes := m.Arg("state"), m.Arg("keys"), m.Arg("hashes")
		keys, last := m.InWide(state), m.RepeatAt(m.At(state, stateLast+width*cipherBlock))
		m.Comment(phaseFinal)
		// Side by side, so that one has work while another waits for its rounds.
		registers := 2
		if m.Wide() == 4 {
			registers = 4
		}
		m.Repeatedly(m.ShiftedRight(m.Arg("n"), log2(registers*m.Wide())), func() {
			x := make([]block, registers)
			for i := range x {
				a := m.At(data, i*m.Wide()*width)
				if width == cipherBlock {
					x[i] = m.Clone(last)
					m.XorAt(x[i], a)
				} else {
					x[i] = m.Widen(a)
					m.XorBlock(x[i], last)
				}
			}
			for i := range x {
				m.Encrypt(x[i], keys)
				m.StoreLower(m.At(hashes, i*m.Wide()*wordBytes), x[i])
			}
			m.AddConst(data, registers*m.Wide()*width)
			m.AddConst(hashes, registers*m.Wide()*wordBytes)
		})
		m.EndWide()
		m.ReturnNothing()
	}
}

// pmacExpand describes the round keys of a key (FIPS 197, section 5.2).
func pmacExpand(on machine) {
	m := newCipher(on)
	keys := m.Arg("keys")
	x := m.LoadBlock(m.At(m.Arg("secret"), 0))
	m.Comment(phaseExpand)
	constant := 1
	for i := range cipherRounds {
		m.StoreBlock(m.At(keys, i*cipherBlock), x)
		word := m.Assist(x, constant)
		x = m.Ripple(x)
		m.XorBlock(x, word)
		constant = constant<<1 ^ constant>>7*0x11b
	}
	m.StoreBlock(m.At(keys, cipherRounds*cipherBlock), x)
	m.ReturnNothing()
}

// chosenCipher jumps to the function of the AES instructions that are chosen. It leaves no key, and
// one of another hash, to PMACSumElse, so that its callers have one call and can be inlined.
func chosenCipher(m machine) {
	m.Comment(phaseChoice)
	jump := func(to string) func() { return func() { m.Jump("PMACSum" + to) } }
	other := func() {} // falls through to the end
	state := m.Arg("state")
	m.If(state, func() {
		m.If(newCipher(m).LoadByte(m.At(state, stateOurs)), func() {
			if _, arm := m.(*neon); arm {
				m.Unless("NoAES", jump(setAES.name), other)
				return
			}
			m.Unless("NoVAES512", jump(setVAES512.name), func() {
				m.Unless("NoVAES256", jump(setVAES256.name),
					func() { m.Unless("NoAES", jump(setAESNI.name), other) })
			})
		})
	})
	m.Jump("PMACSumElse")
}

// pmacQuery describes a query of a key of at most two blocks, in one call: a program that asks for
// one key at a time in a cache is bound by what stands around hash and table. All else it leaves to
// PMACQueryElse512.
func pmacQuery(on machine) {
	m := pmac{cipherMachine: newCipher(on)}
	m.state = m.Arg("state")
	m.keys = m.InMemory(m.state)
	elsewhere := func() {} // falls through to the end
	m.If(m.state, func() {
		m.If(m.LoadByte(m.At(m.state, stateOurs)), func() {
			m.Unless("NoPMACQuery", func() {
				data, n := m.Arg("data"), m.Arg("n")
				m.Above(n, 2*cipherBlock, elsewhere, func() {
					sum := m.NoBlock()
					m.Above(n, cipherBlock, func() {
						m.XorAt(sum, m.At(m.state, stateNear))
						m.XorAt(sum, m.At(data, 0))
						m.Encrypt(sum, m.keys)
						m.AddConst(data, cipherBlock)
						m.AddConst(n, -cipherBlock)
					}, nil)
					x := m.Short(data, n)
					m.XorAt(x, m.Sixteenth(m.state, n, stateLast))
					m.XorBlock(x, sum)
					m.Encrypt(x, m.keys)
					on.SetTable(m.Arg("table"), m.Arg("nblocks"))
					on.ReturnBit(query(on, newKey(on, m.Lower(x))))
				})
			}, elsewhere)
		})
	})
	m.Jump("PMACQueryElse512")
}

// pmacQueries is described beside other queries, which have the same constants.
var pmacQueries = operation{
	contract: contract{
		name: "PMACQuery",
		takes: parameters{{"table", goBlock}, {"nblocks", goInt}, {"state", goBytes},
			{"data", goBytes}, {"n", goInt}},
		gives: goBool,
		doc: `reports whether the hash of a key of n bytes at data is present. state may also be
that of a key of another hash, or nil.`,
	},
	emit:   pmacQuery,
	shapes: formats[:1],
	only:   []instructionSet{setVAES512},
	phases: []string{phaseAddress, phaseMask, phaseTest},
	form:   choosing,
}

func init() {
	var all []operation
	describe := func(
		c contract,
		variant string,
		emit func(machine),
		only []instructionSet,
		phases ...string,
	) {
		all = append(all, operation{contract: c, variant: variant, emit: emit, shapes: []shape{{}},
			only: only, phases: phases, form: apart})
	}
	one := contract{
		name:  "PMACSum",
		takes: parameters{{"state", goBytes}, {"data", goBytes}, {"n", goInt}},
		gives: goUint64,
		doc: fmt.Sprintf(`returns the hash of a key of n bytes at data, and leaves it to PMACSumElse
if these are more than %d. state is that of package internal/pmac.`, cipherBlock<<pieceBits),
	}
	describe(one, "", pmacSum, ciphers, phaseBlock, phaseFinal, phaseShort)
	all = append(all, operation{contract: one, variant: "Chosen", emit: chosenCipher,
		shapes: []shape{{}}, only: []instructionSet{setAESNI, setAES},
		phases: []string{phaseChoice}, form: choosing})
	describe(contract{
		name: "PMACPart",
		takes: parameters{{"state", goBytes}, {"carry", goBytes}, {"data", goBytes},
			{"number", goInt}, {"blocks", goInt}},
		doc: fmt.Sprintf(`takes 1 to %d blocks that are not the last of a key into carry: the offset
of the first of them and the sum before them, which become those behind. number is that of the first
of them modulo %[1]d. If the number behind them is 0 so, the offset becomes that of block %[1]d of a
key.`, 1<<pieceBits),
	}, "", pmacPart, []instructionSet{setAESNI, setAES}, phaseBlock)
	describe(contract{
		name: "PMACKeys",
		takes: parameters{{"state", goBytes}, {"data", goBytes}, {"headers", goBytes},
			{"stride", goInt}, {"n", goInt}, {"budget", goInt}, {"hashes", goWords}},
		gives: goInt,
		doc: `stores the hashes of n keys, for as long as these have at most budget bytes together,
and returns how many it stored. The header of key i is two words, i*stride bytes behind headers:
where the key begins, counted from data, and its length.`,
	}, "", pmacKeys, ciphers, phaseBlock, phaseFinal, phaseShort)
	for _, width := range []int{8, 16} {
		describe(contract{
			name: "PMAC",
			takes: parameters{{"state", goBytes}, {"keys", goBytes}, {"n", goInt},
				{"hashes", goWords}},
			doc: `stores the hashes of n keys that lie one behind another, of as many bytes as the
function's name says. n is a multiple of 16, and not 0.`,
		}, fmt.Sprint(width), pmacFixed(width), ciphers, phaseFinal)
	}
	describe(contract{
		name:  "PMACExpand",
		takes: parameters{{"secret", goBytes}, {"keys", goBytes}},
		doc:   `stores the 11 round keys of the 16 bytes of a secret.`,
	}, "", pmacExpand, []instructionSet{setAESNI, setAES}, phaseExpand)
	asmFolder.describe("pmac", all)
}
