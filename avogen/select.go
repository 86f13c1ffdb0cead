package main

// SelectBatch is query with another output: the positions of what is present.
func init() {
	asmFolder.describe("select", []operation{{
		contract: contract{
			name: "SelectBatch",
			takes: takesBatch.append(parameter{"first", goInt},
				parameter{"positions", goUint32.pointer()}),
			gives: goInt,
			doc: `queries the hashes, and stores first + i for each hashes[i] that is present, one
behind another. It returns the number present. Positions has n elements: those behind the ones that
are present may be written too.`,
		},
		emit:   func(m machine) { selection(m, query) },
		shapes: blocks,
		method: `queries the hashes and returns how many are present. positions[:selected]
becomes the i for which hashes[i] is, ascending. positions has at least one element per hash, and
those from selected to len(hashes)-1 have any value afterwards. There are at most 1<<32 hashes.`,
		phases: []string{phaseAddress, phasePrefetch, phaseMask, phaseTest, phaseStore},
		form:   selecting,
	}})
}
