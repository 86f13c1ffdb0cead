package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/bloomlane/bloomlane/fallback"
)

// xxHash64 of values of 4 or 8 bytes exists for AVX-512 only, which multiplies lanes of 64 bits. On
// AVX2 three products of 32 bits make one: 1.49 ns for 8 bytes and 1.19 for 4, where portable Go
// takes 1.40 and 1.12 (a Xeon with AVX-512). NEON has two such lanes, and would need more
// instructions for them than portable Go.

// hashVectors is the number of registers that are hashed side by side, so that one has work for the
// multipliers while another waits for its result. With one register 8 bytes take 0.67 ns.
const hashVectors = 4

// xxhash describes the hashes of values of 4 or 8 bytes (fallback.XXHash32 and XXHash64).
func xxhash(width int) func(machine) {
	return func(on machine) {
		m := on.(*avx512)
		hashes, values := m.Arg("hashes"), m.Arg("values")
		m.Walk("a group", hashes, m.Arg("groups"), hashVectors*m.BlockBytes(), func() {
			x := m.widen(values, width)
			if width == 8 {
				x = m.times(m.rotateLeft(m.times(x, fallback.Prime2), 31), fallback.Prime1)
				x = m.rotateLeft(m.exclusiveOr(x, fallback.Prime5+8), 27)
				x = m.plus(m.times(x, fallback.Prime1), fallback.Prime4)
			} else {
				x = m.rotateLeft(m.exclusiveOr(m.times(x, fallback.Prime1), fallback.Prime5+4), 23)
				x = m.plus(m.times(x, fallback.Prime2), fallback.Prime3)
			}
			m.Comment(phaseAvalanche)
			x = m.times(m.fold(x, 33), fallback.Prime2)
			x = m.fold(m.times(m.fold(x, 29), fallback.Prime3), 32)
			m.Comment(phaseStore)
			for i, v := range m.vec(x) {
				m.c.VMOVDQU64(v, m.mem(m.At(hashes, i*m.BlockBytes())))
			}
			m.AddConst(values, hashVectors*fallback.Lanes*width)
		})
		m.ReturnNothing()
	}
}

func init() {
	asmFolder.describe("xxhash", []operation{{
		contract: contract{
			name: "HashBatch32",
			takes: parameters{{"groups", goInt}, {"hashes", goWords},
				{"values", goUint32.pointer()}},
			doc: "stores the xxHash64 of each of 32*groups values of 4 bytes.",
		},
		emit:   xxhash(4),
		shapes: []shape{values},
		phases: []string{phaseAvalanche, phaseStore},
		only:   []instructionSet{setAVX512},
		form:   hashing(goUint32),
	}, {
		contract: contract{
			name:  "HashBatch64",
			takes: parameters{{"groups", goInt}, {"hashes", goWords}, {"values", goWords}},
			doc:   "stores the xxHash64 of each of 32*groups values of 8 bytes.",
		},
		emit:   xxhash(8),
		shapes: []shape{values},
		phases: []string{phaseAvalanche, phaseStore},
		only:   []instructionSet{setAVX512},
		form:   hashing(goUint64),
	}})
}

// same returns a register that has a value in every lane, which the function begins with.
func (m *avx512) same(value uint64) reg.VecVirtual {
	if m.values[value] == nil {
		m.hoist(func() {
			data := m.k.row(fmt.Sprintf("all%x", value), m.shape, func(int) uint64 { return value })
			m.values[value] = m.load(data)
		})
	}
	return m.values[value]
}

// each makes a row of hashVectors registers: f makes one of that of x.
func (m *avx512) each(x row, f func(from, to reg.VecVirtual)) row {
	var v []reg.VecVirtual
	for _, from := range m.vec(x) {
		to := m.vector()
		f(from, to)
		v = append(v, to)
	}
	return m.row(v...)
}

func (m *avx512) widen(base word, bytes int) row {
	var v []reg.VecVirtual
	for i := range hashVectors {
		z, from := m.vector(), operand.Mem{Base: m.gp(base), Disp: i * fallback.Lanes * bytes}
		if bytes == wordBytes {
			m.c.VMOVDQU64(from, z)
		} else {
			m.c.VPMOVZXDQ(from, z)
		}
		v = append(v, z)
	}
	return m.row(v...)
}

func (m *avx512) times(x row, factor uint64) row {
	return m.each(x, func(from, to reg.VecVirtual) { m.c.VPMULLQ(m.same(factor), from, to) })
}

func (m *avx512) plus(x row, term uint64) row {
	return m.each(x, func(from, to reg.VecVirtual) { m.c.VPADDQ(m.same(term), from, to) })
}

func (m *avx512) exclusiveOr(x row, constant uint64) row {
	return m.each(x, func(from, to reg.VecVirtual) { m.c.VPXORQ(m.same(constant), from, to) })
}

func (m *avx512) rotateLeft(x row, bits int) row {
	return m.each(x,
		func(from, to reg.VecVirtual) { m.c.VPROLQ(operand.Imm(uint64(bits)), from, to) })
}

// fold returns x ^ x>>bits.
func (m *avx512) fold(x row, bits int) row {
	shifted := m.each(x,
		func(from, to reg.VecVirtual) { m.c.VPSRLQ(operand.Imm(uint64(bits)), from, to) })
	for i, v := range m.vec(x) {
		m.c.VPXORQ(v, m.vec(shifted)[i], m.vec(shifted)[i])
	}
	return shifted
}
