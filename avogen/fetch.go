package main

// fetch: the blocks of the first hashes of a batch, which no earlier key of the batch prefetches.
func fetch(m machine) {
	m.SetTable(m.Arg("table"), m.Arg("nblocks"))
	hashes := m.Arg("hashes")
	m.Walk("a key", hashes, m.Arg("n"), wordBytes, func() {
		m.Prefetch(m.hashed().block(m, hash(m, m.At(hashes, 0))))
	})
	m.ReturnNothing()
}

func init() {
	asmFolder.describe("fetch", []operation{{
		contract: contract{
			name: "Fetch",
			takes: parameters{{"table", goBlock}, {"nblocks", goInt}, {"hashes", goWords},
				{"n", goInt}},
			doc: `prefetches the blocks of n hashes: the start of a batch that itself prefetches
at a distance of n.`,
		},
		emit:   fetch,
		shapes: blocks,
		phases: []string{phaseAddress, phasePrefetch},
		form:   fetching,
	}})
}
