package main

// insert: the mask is OR-ed into the block, and every bit that both had marks its region, the bit's
// column, in lane 0. A key that is present already is inserted too: it may be a false positive,
// whose bits belong to other keys.
//
// Lane 0 of a key's mask is empty, so lane 0 contributes nothing to the collisions. The answer is
// that of a query before the insert.
//
// Without a collision lane it is block |= mask.
func insert(m machine, k key) bit {
	block, key := m.Load(k.block), m.Mask(k.g)
	if !m.collides() {
		present := m.Present(block, key)
		m.Store(k.block, m.Or(block, m.Bits(key)))
		return present
	}
	common, present := m.Share(block, key)
	m.Store(k.block, m.Or3(block, m.Bits(key), m.Fold(common)))
	return present
}

// add is an insert without an answer.
func add(m machine) {
	b := newBatch(m)
	b.walk(b.n, func(h word) {
		k := newKey(m, h)
		m.Store(k.block, m.Or(m.Load(k.block), m.Bits(m.Mask(k.g))))
	})
	m.ReturnNothing()
}

// insertPart is an insert without an answer, into the blocks of a part of a table. Go must not have
// a pointer to where the whole table would begin, so that address is computed here.
func insertPart(m machine) {
	table := m.Arg("table")
	m.Sub(table, m.Arg("skipped"))
	b := newBatchOn(m, table)
	b.walk(b.n, func(h word) {
		k := newKey(m, h)
		block, bits := m.Load(k.block), m.Bits(m.Mask(k.g))
		m.Store(k.block, m.Or3(block, bits, m.Fold(m.And(block, bits))))
	})
	m.ReturnNothing()
}

var insertFile = file{
	name: "insert",
	operations: []operation{{
		name:      "InsertBatch",
		signature: hitsSignature,
		doc: `{name} inserts the hashes one after another. Bit i of hits[i/64] says whether
hashes[i] was present just before its own insert; the unused bits of the last word are zero, and no
later word is touched. It returns the number that were present.`,
		contract: batchContract + hitsContract,
		emit:     func(m machine) { hits(m, insert) },
		shapes:   blocks,
		form:     keys,
	}, {
		name:      "Insert",
		signature: "func(table {block}, nblocks int, h uint64) bool",
		doc:       "{name} inserts the hash h and reports whether it was present before.",
		contract:  tableContract,
		emit:      func(m machine) { m.ReturnBit(insert(m, single(m))) },
		shapes:    formats,
		form:      oneKey,
	}, {
		name:      "AddBatch",
		signature: "func(table {block}, nblocks int, hashes *uint64, n, fetch, distance int)",
		doc:       "{name} inserts the hashes, and does not find out which were present.",
		contract:  batchContract,
		emit:      add,
		shapes:    []shape{splitBlock},
		form:      adds,
	}, {
		name: "InsertPart",
		signature: "func(table {block}, skipped, nblocks int, hashes *uint64, n, fetch, " +
			"distance int)",
		doc: `{name} inserts the hashes into a part of a table of nblocks blocks: table is the first
of the part, and skipped is the bytes of the blocks before it. It does not find out which hashes
were present.`,
		contract: `

The blocks of all n hashes are in the part, which has {align}-byte alignment at least.` +
			prefetchContract,
		emit:   insertPart,
		shapes: formats,
		form:   parts,
	}},
}
