package main

// query: every bit of the key's mask is set in its block.
func query(m machine, k key) bit {
	return m.Present(m.Load(k.block), m.Mask(k.g))
}

var queryFile = file{
	name: "query",
	operations: []operation{{
		name:      "QueryBatch",
		signature: hitsSignature,
		doc: `{name} queries the hashes one after another. Bit i of hits[i/64] says whether
hashes[i] is present; the unused bits of the last word are zero, and no later word is touched. It
returns the number present.`,
		contract: batchContract + hitsContract,
		emit:     func(m machine) { hits(m, query) },
		shapes:   blocks,
		form:     keys,
	}, {
		name:      "Query",
		signature: "func(table {block}, nblocks int, h uint64) bool",
		doc:       "{name} reports whether the hash h is present.",
		contract:  tableContract,
		emit:      func(m machine) { m.ReturnBit(query(m, single(m))) },
		shapes:    formats,
		form:      oneKey,
		inlined:   true,
	}},
}
