package main

// insert: the mask is OR-ed into the block, and every bit that both had marks its region, the bit's
// column, in lane 0. A key that is present already is inserted all the same: it may be a false
// positive, whose bits are other keys'.
//
// Lane 0 of a key's mask is empty, so lane 0 contributes nothing to the collisions. The answer is
// as of before the insert.
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

// add is an insert that nobody asks for an answer.
func add(m machine) {
	b := newBatch(m)
	b.walk(b.n, func(h word) {
		k := newKey(m, h)
		m.Store(k.block, m.Or(m.Load(k.block), m.Bits(m.Mask(k.g))))
	})
	m.ReturnNothing()
}

var insertFile = file{
	name: "insert",
	operations: []operation{{
		name:      "InsertBatch",
		signature: hitsSignature,
		doc: `{name} inserts the hashes one after another. Bit i of hits[i/64] says whether hashes[i] was
present just before its own insert; the unused bits of the last word are zero, and no later word
is touched. It returns the number that were present.`,
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
	}},
}
