package main

// query: every bit of the key's mask is set in its block.
func query(m machine, k key) bit {
	return m.Present(m.Load(k.block), k.mask(m))
}

func init() {
	asmFolder.describe("query", []operation{{
		contract: contract{
			name:  "QueryBatch",
			takes: takesBatch.with(parameter{"hits", goWords}),
			gives: goInt,
			doc: `queries the hashes one after another. Bit i of hits[i/64] says whether
hashes[i] is present. It returns the number present.`,
		},
		emit:   func(m machine) { hits(m, query) },
		shapes: blocks,
		phases: []string{phaseAddress, phasePrefetch, phaseMask, phaseTest},
		form:   keys(outHits),
	}, {
		contract: contract{
			name:  "Query",
			takes: parameters{{"table", goBlock}, {"nblocks", goInt}, {"h", goUint64}},
			gives: goBool,
			doc:   "reports whether the hash h is present.",
		},
		emit:    func(m machine) { m.ReturnBit(query(m, single(m))) },
		shapes:  formats,
		phases:  []string{phaseAddress, phaseMask, phaseTest},
		form:    oneKey(goBool),
		inlined: true,
	}})
}
