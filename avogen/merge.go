package main

// merge: each block of src into the block of dst that has its place.
func merge(m machine) {
	dst, src := m.Arg("dst"), m.Arg("src")
	m.Walk(dst, m.Arg("n"), m.BlockBytes(), func() {
		a := m.At(dst, 0)
		m.Store(a, union(m, m.Load(a), m.Load(m.At(src, 0))))
		m.AddConst(src, m.BlockBytes())
	})
	m.ReturnNothing()
}

var mergeFile = file{
	name: "merge",
	operations: []operation{{
		name:      "Merge",
		signature: "func(dst, src {block}, n int)",
		doc:       "{name} merges the n blocks at src into the n blocks at dst, block by block.",
		contract: `

dst and src have {align}-byte alignment at least and do not overlap; n >= 0.`,
		emit: merge,
	}},
}
