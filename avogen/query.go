package main

// query: every bit of the key's mask is set in its block.
func query(m machine, k key) bit {
	return m.Present(m.Load(k.block), k.mask(m))
}

// takesOne is what an operation on one key of a table takes.
var takesOne = parameters{{"table", goBlock}, {"nblocks", goInt}, {"h", goUint64}}

// chosen jumps to an operation's function of the set that is chosen. A method that users call is
// small enough to be inlined if it makes one call, and this is that call. With a function of Go
// that chooses, a query of 512 MiB takes 1.2 times as long (a Zen 4).
func chosen(m machine, operation string) {
	m.Comment(phaseChoice)
	jump := func(by string) func() { return func() { m.Jump(operation + m.String() + by) } }
	m.Unless("Narrow", jump(setAVX512.name), func() {
		m.Unless("Portable", jump(setAVX2.name), jump("Portable"))
	})
}

func init() {
	asmFolder.describe("query", []operation{{
		contract: contract{
			name:  "QueryBatch",
			takes: takesBatch.append(parameter{"present", goWords}),
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
			takes: takesOne,
			gives: goBool,
			doc:   "reports whether the hash h is present.",
		},
		emit:   func(m machine) { m.ReturnBit(query(m, single(m))) },
		shapes: formats,
		method: `reports whether the hash h is present. It is true for every member, and for a
false positive.`,
		phases: []string{phaseAddress, phaseMask, phaseTest},
		form:   oneKey(goBool),
		byHand: true,
	}, pmacQueries})
	asmFolder.describe("choice", []operation{{
		contract: contract{
			name:  "QueryHash",
			takes: takesOne,
			gives: goBool,
			doc:   "reports whether the hash h is present, as [Query] does.",
		},
		emit:   func(m machine) { chosen(m, "Query") },
		shapes: formats,
		phases: []string{phaseChoice},
		only:   []instructionSet{setAVX2},
		form:   choosing,
	}})
}
