package main

// The floors are bare loops, the least that an operation could do. The times of kernels are ratios
// to them. They are built of the same parts, so that a ratio compares the operation and not the
// style of its loop.

// load: bring the block of each hash into registers and do nothing with it.
func load(m machine) {
	b := newBatch(m)
	b.walk(b.n, func(h word) { m.Load(m.hashed().block(m, h)) })
	m.ReturnNothing()
}

// rewrite: read, modify and write the block of each hash.
func rewrite(m machine) {
	b := newBatch(m)
	pattern := m.Load(m.At(m.Arg("pattern"), 0))
	b.walk(b.n, func(h word) {
		a := m.hashed().block(m, h)
		m.Store(a, m.Or(m.Load(a), pattern))
	})
	m.ReturnNothing()
}

// or: dst |= src.
func or(m machine) {
	dst, src := m.Arg("dst"), m.Arg("src")
	m.Walk("a block", dst, m.Arg("n"), m.BlockBytes(), func() {
		a := m.At(dst, 0)
		m.Store(a, m.Or(m.Load(a), m.Load(m.At(src, 0))))
		m.AddConst(src, m.BlockBytes())
	})
	m.ReturnNothing()
}

func init() {
	benchFloor.describe("floor", []operation{{
		contract: contract{
			name:  "Load",
			takes: takesBatch,
			doc:   "loads the block of each hash: the floor of a query.",
		},
		emit:   load,
		shapes: formats,
		phases: []string{phaseAddress, phasePrefetch},
	}, {
		contract: contract{
			name:  "Rewrite",
			takes: takesBatch.append(parameter{"pattern", goBlock}),
			doc: `loads the block of each hash, ORs the pattern into it and stores it: the floor
of an insert and a delete.`,
		},
		emit:   rewrite,
		shapes: formats,
		phases: []string{phaseAddress, phasePrefetch, phaseStore},
	}, {
		contract: contract{
			name:  "Or",
			takes: parameters{{"dst", goBlock}, {"src", goBlock}, {"n", goInt}},
			doc:   "ORs the n blocks at src into the n blocks at dst: the floor of a merge.",
		},
		emit:   or,
		shapes: formats,
		phases: []string{phaseStore},
	}})
}
