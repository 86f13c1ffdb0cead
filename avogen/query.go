package main

// query: every bit of the key's mask is set in its block.
func query(m machine, k key) bit {
	return m.Present(m.Load(k.block), k.mask(m))
}

func init() {
	asmFolder.describe("query", []operation{{
		contract: contract{
			name:  "QueryBatch",
			takes: takesBatch.with(parameter{"present", goWords}),
			gives: goInt,
			doc: `queries the hashes one after another. Bit i of present[i/64] says whether
hashes[i] is present. It returns the number present.`,
		},
		emit:   func(m machine) { answers(m, query) },
		shapes: blocks,
		method: `queries the hashes and returns how many are present. Bit i%64 of present[i/64] says
whether hashes[i] is. present may be nil; otherwise it has at least one word per 64 hashes.`,
		phases: []string{phaseAddress, phasePrefetch, phaseMask, phaseTest},
		form:   keys(outPresent),
	}, {
		contract: contract{
			name:  "Query",
			takes: parameters{{"table", goBlock}, {"nblocks", goInt}, {"h", goUint64}},
			gives: goBool,
			doc:   "reports whether the hash h is present.",
		},
		emit:   func(m machine) { m.ReturnBit(query(m, single(m))) },
		shapes: formats,
		method: `reports whether the hash h is present. It is true for every member, and for a
false positive. It is portable Go on every CPU, because a call of assembly costs as much as it
saves: docs/measurements/kernel.md has the times.`,
		phases:  []string{phaseAddress, phaseMask, phaseTest},
		form:    oneKey(goBool),
		inlined: true,
	}})
}
