package main

import "fmt"

// SipHash (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012), of many keys at once:
// a register has one of the four words of the state of each key. Package internal/siphash has the
// definition, and the code around this assembly.

// rounds are the numbers of rounds of a SipHash: for each word, and at the end.
type rounds struct{ compression, finalization int }

// shipped are those of the hash that is shipped. A test generates the functions with others.
var shipped = rounds{1, 3}

// sip is the state of a group of keys, on a machine. It is always half a round ahead: of each round
// the half that changes v0 and v1 alone is done before the word is known. So the state that a hash
// begins with has that half done once, for all keys.
type sip struct {
	laneMachine
	rounds
	v0, v1, v2, v3, end pair
}

// sipState is the number of pairs that the constants of a hash begin with: the state.
const sipState = 4

func newSip(m laneMachine, r rounds) *sip {
	return &sip{laneMachine: m, rounds: r, end: m.Literal(twice(0xff))}
}

// begin loads the state before the first word.
func (m *sip) begin(constants word) {
	m.v0, m.v1 = m.Constant(constants, 0), m.Constant(constants, 1)
	m.v2, m.v3 = m.Constant(constants, 2), m.Constant(constants, 3)
}

// firstHalf and secondHalf are those of a round.
func (m *sip) firstHalf() {
	m.AddLanes(m.v0, m.v1)
	m.RotateXor(m.v1, 13, m.v0)
	m.SwapHalves(m.v0)
}

func (m *sip) secondHalf() {
	m.AddLanes(m.v2, m.v3)
	m.RotateXor(m.v3, 16, m.v2)
	m.AddLanes(m.v0, m.v3)
	m.RotateXor(m.v3, 21, m.v0)
	m.AddLanes(m.v2, m.v1)
	m.RotateXor(m.v1, 17, m.v2)
	m.SwapHalves(m.v2)
}

// word takes the next word of each key.
func (m *sip) word(word pair) {
	m.XorLanes(m.v3, word)
	for range m.compression - 1 {
		m.secondHalf()
		m.firstHalf()
	}
	m.secondHalf()
	m.XorLanes(m.v0, word)
	m.firstHalf()
}

// last takes the last word, and stores the hashes. Of the last round it leaves out what the hash,
// v0 ^ v1 ^ v2 ^ v3, does not need: v0 is added to v3 by exclusive or, and so meets itself.
func (m *sip) last(word pair, hashes word) {
	m.Comment(phaseLastWord)
	m.word(word)
	m.XorLanes(m.v2, m.end)
	for range m.finalization - 2 {
		m.Comment(phaseEnd)
		m.secondHalf()
		m.firstHalf()
	}
	m.Comment(phaseEnd)
	m.secondHalf()
	m.Comment(phaseSum)
	m.AddLanes(m.v0, m.v1)
	m.RotateXor(m.v1, 13, m.v0)
	m.AddLanes(m.v2, m.v3)
	m.RotateXor(m.v3, 16, m.v2)
	m.AddLanes(m.v2, m.v1)
	m.RotateXor(m.v3, 21, m.v2)
	m.RotateXor(m.v1, 17, m.v3)
	m.SwapHalves(m.v2)
	m.XorLanes(m.v1, m.v2)
	m.Store(hashes, 0, m.v1)
}

// sipFixed describes the hashes of keys of one width, of which words loads the whole words and the
// rest, if it is not empty.
func sipFixed(width int, words func(m *sip, keys word) (whole []pair, rest pair)) emitter {
	return func(on machine, r rounds) {
		m := newSip(newLinedLanes(on), r)
		size := m.Literal(twice(uint64(width) << 56))
		constants, keys, n, hashes := m.Arg("constants"), m.Arg("keys"), m.Arg("n"), m.Arg("hashes")
		groups(m, n, hashes, func() {
			m.begin(constants)
			whole, rest := words(m, keys)
			for _, word := range whole {
				m.Comment(phaseWord)
				m.word(word)
			}
			last := size
			if len(whole) == 0 {
				m.XorLanes(rest, size)
				last = rest
			}
			m.last(last, hashes)
			m.AddConst(keys, width*m.Keys())
		})
	}
}

// emitter describes a function with rounds.
type emitter func(on machine, r rounds)

func words4(m *sip, keys word) (whole []pair, rest pair) { return nil, m.Lengthen(keys) }

func words8(m *sip, keys word) (whole []pair, rest pair) { return []pair{m.Load(keys)}, 0 }

func words16(m *sip, keys word) (whole []pair, rest pair) {
	first, second := m.LoadTwo(keys)
	return []pair{first, second}, 0
}

// anywhere takes the whole words of keys that lie anywhere.
func (m *sip) anywhere(keys []word) {
	number, left := m.Zero(), m.Arg("full")
	m.While(left, func() {
		m.Comment(phaseWord)
		word := m.New()
		for i, key := range keys {
			m.LoadLane(word, i, m.Indexed(key, number))
		}
		m.word(word)
		m.AddConst(number, 1)
		m.AddConst(left, -1)
	})
}

// sipWidth describes the hashes of keys of one width, whichever that is.
func sipWidth(on machine, r rounds) {
	m := newSip(newLanes(on), r)
	first, n, hashes := m.Arg("keys"), m.Arg("n"), m.Arg("hashes")
	groups(m, n, hashes, func() {
		m.Comment(phaseEnds)
		width, ends := m.Arg("width"), m.New()
		keys := []word{first}
		for i := range m.Keys() {
			next := m.Sum(keys[i], width, 0)
			m.LoadLane(ends, i, m.At(next, -wordBytes))
			keys = append(keys, next)
		}
		constants := m.Arg("constants")
		last := m.Last(ends, m.Constant(constants, sipState))
		m.begin(constants)
		m.anywhere(keys[:m.Keys()])
		m.last(last, hashes)
		all := m.Arg("width")
		m.ShiftLeft(all, log2(m.Keys()))
		m.Add(first, all)
	})
}

// sipMixed describes the hashes of keys that lie anywhere.
func sipMixed(on machine, r rounds) {
	m := newSip(newLanes(on), r)
	list, n, hashes := m.Arg("list"), m.Arg("n"), m.Arg("hashes")
	groups(m, n, hashes, func() {
		m.Comment(phaseEnds)
		ends, sizes := m.New(), m.New()
		var keys []word
		for i := range m.Keys() {
			key, header := listed(m, list, i, m.Arg("stride"), m.Arg("headers"), m.Arg("data"))
			size := m.At(header, wordBytes)
			m.LoadLane(sizes, i, size)
			m.LoadLane(ends, i, m.At(m.Sum(key, m.LoadHash(size), -wordBytes), 0))
			keys = append(keys, key)
		}
		last := m.Last(ends, sizes)
		m.begin(m.Arg("constants"))
		m.anywhere(keys)
		m.last(last, hashes)
		m.AddConst(list, wordBytes*m.Keys())
	})
}

// siphash lists the functions of a hash with rounds.
func siphash(r rounds) (all []operation) {
	describe := func(c contract, variant string, emit emitter, phases ...string) {
		all = append(all, operation{
			contract: c,
			variant:  variant,
			emit:     func(m machine) { emit(m, r) },
			shapes:   []shape{{}},
			phases:   append(phases, phaseLastWord, phaseEnd, phaseSum),
			form:     apart,
		})
	}
	fixed := contract{
		name: "Sip",
		takes: parameters{{"constants", goWords}, {"keys", goBytes}, {"n", goInt},
			{"hashes", goWords}},
		doc: `stores the hashes of n keys that lie one behind another, of as many bytes as the
function's name says: their SipHash-1-3 under the key that constants are of.

n is a multiple of 16. constants has the state of package internal/siphash before the first word,
each word of it twice.`,
	}
	for _, f := range []struct {
		width  int
		words  func(m *sip, keys word) ([]pair, pair)
		phases []string
	}{{4, words4, nil}, {8, words8, []string{phaseWord}}, {16, words16, []string{phaseWord}}} {
		describe(fixed, fmt.Sprint(f.width), sipFixed(f.width, f.words), f.phases...)
	}
	describe(contract{
		name: "SipWidth",
		takes: parameters{{"constants", goWords}, {"keys", goBytes}, {"width", goInt},
			{"n", goInt}, {"full", goInt}, {"hashes", goWords}},
		doc: `stores the hashes of n keys of width bytes that lie one behind another, which have
full whole words, 1 at least.

n is a multiple of 8. constants has the width twice behind what [Sip] says.`,
	}, "", sipWidth, phaseEnds, phaseWord)
	describe(contract{
		name: "SipMixed",
		takes: parameters{{"constants", goWords}, {"headers", goBytes}, {"stride", goInt},
			{"data", goBytes}, {"list", goInt.pointer()}, {"n", goInt}, {"full", goInt},
			{"hashes", goWords}},
		doc: `stores the hashes of n keys of full whole words. The i-th of them is the one of the
list's i-th number. The header of number j is two words, j*stride bytes behind headers: where the
key begins, counted from data, and its length, which is 8 at least or has 8 bytes that can be read
before its end.

n is a multiple of 8, and constants has what [Sip] says.`,
	}, "", sipMixed, phaseEnds, phaseWord)
	return all
}

func init() { asmFolder.describe("siphash", siphash(shipped)) }
