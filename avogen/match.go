package main

// match: every bit of an element's mask, whatever its pattern, is set in a header's block.
func match(m machine) {
	block, masks := m.Load(m.At(m.Arg("block"), 0)), m.Arg("masks")
	bitmap(m, m.Arg("n"), func(n, found word) {
		m.Walk("an element", masks, n, m.BlockBytes(), func() {
			m.Push(found, m.Covers(block, m.Load(m.At(masks, 0))))
		})
	})
}

func init() {
	asmFolder.describe("match", []operation{{
		contract: contract{
			name: "MatchBatch",
			takes: parameters{{"block", goBlock}, {"masks", goBlock}, {"n", goInt},
				{"present", goWords}},
			gives: goInt,
			doc: `matches one block against n masks of any pattern. Bit i of present[i/64] says
whether every bit of masks[i], its lane 0 included, is set in the block. It returns the number that
match.`,
		},
		emit:   match,
		shapes: formats,
		method: `queries the block b, such as a packet header, for many masks, such as one per
port. Bit i%64 of present[i/64] says whether every bit of masks[i] is set in b. It returns how many
masks match. present may be nil; otherwise it has at least one word per 64 masks. It panics if b is
nil.`,
		phases: []string{phaseTest},
		form:   masks,
	}})
}
