package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A sample is AVX-512's, as xxHash64 is: it multiplies lanes of 64 bits. It uses ymm, although in a
// loop zmm take 0.10 ns per hash and ymm 0.15. Between batches of inserts into a table of 1 GiB zmm
// cost 0.6 ns per key and ymm 0.2 or less, also with hashes in the cache: the wide multiplications
// slow down the code after them. docs/decisions/shadow-audit.md has the machine and the tables.

// sample describes which hashes are in a keyed sample (fallback.Sample).
func sample(on machine) {
	m := on.(*avx512)
	hashes, present, groups := m.Arg("hashes"), m.Arg("present"), m.Arg("groups")
	odd, limit := m.c.YMM(), m.c.YMM()
	m.c.VPBROADCASTQ(m.gp(m.Arg("odd")), odd)
	m.c.VPBROADCASTQ(m.gp(m.Arg("limit")), limit)
	m.Walk("a group", hashes, groups, wordBits*wordBytes, func() {
		m.Comment(phaseTest)
		for i := range wordBytes {
			var below [2]reg.OpmaskVirtual // of the four hashes in a ymm
			for j := range below {
				product := m.c.YMM()
				below[j] = m.c.K()
				m.c.VPMULLQ(m.mem(m.At(hashes, (2*i+j)*ymmBytes)), odd, product)
				m.c.VPCMPUQ(operand.Imm(lessThan), limit, product, below[j])
			}
			m.c.KSHIFTLB(operand.Imm(4), below[1], below[1])
			m.c.KORB(below[0], below[1], below[1])
			m.c.KMOVB(below[1], m.mem(m.At(present, i)))
		}
		m.AddConst(present, wordBytes)
	})
	m.ReturnNothing()
}

// lessThan is the immediate of VPCMPUQ that asks whether its third operand here is below the
// second.
const lessThan = 1

func init() {
	asmFolder.describe("sample", []operation{{
		contract: contract{
			name: "Sample",
			takes: parameters{{"groups", goInt}, {"present", goWords}, {"hashes", goWords},
				{"odd", goUint64}, {"limit", goUint64}},
			doc: `finds which of 64*groups hashes are in a keyed sample: bit i of present[i/64] says
whether the product of hashes[i] and odd is below limit.`,
		},
		emit:   sample,
		shapes: []shape{values},
		phases: []string{phaseTest},
		only:   []instructionSet{setAVX512},
		form:   sampling,
	}})
}
