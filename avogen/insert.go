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
	block, key := m.Load(k.block), k.mask(m)
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
		m.Store(k.block, m.Or(m.Load(k.block), m.Bits(k.mask(m))))
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
		block, bits := m.Load(k.block), m.Bits(k.mask(m))
		m.Store(k.block, m.Or3(block, bits, m.Fold(m.And(block, bits))))
	})
	m.ReturnNothing()
}

func init() {
	asmFolder.describe("insert", []operation{{
		contract: contract{
			name:  "InsertBatch",
			takes: takesBatch.append(parameter{"present", goWords}),
			gives: goInt,
			doc: `inserts the hashes one after another. Bit i of present[i/64] says whether
hashes[i] was present just before its own insert. It returns the number that were present.`,
		},
		emit:   func(m machine) { answers(m, insert) },
		shapes: blocks,
		public: "QueryInsertBatch",
		method: `queries each hash and then inserts it, and returns how many were present. Bit
i%64 of present[i/64] says whether hashes[i] was present just before its own insert. present may be
nil; otherwise it has at least one word per 64 hashes.`,
		phases: []string{phaseAddress, phasePrefetch, phaseMask, phaseTest, phaseFold, phaseStore},
		form:   keys(outPresent),
	}, {
		contract: contract{
			name:  "Insert",
			takes: takesOne,
			gives: goBool,
			doc:   "inserts the hash h and reports whether it was present before.",
		},
		emit:   func(m machine) { m.ReturnBit(insert(m, single(m))) },
		shapes: formats,
		method: `inserts the hash h and reports whether it was present before. A hash that is
inserted twice is a member twice: a delete removes it once, and returns Retained.`,
		phases: []string{phaseAddress, phaseMask, phaseTest, phaseFold, phaseStore},
		form:   oneKey(goBool),
	}, {
		contract: contract{
			name:  "AddBatch",
			takes: takesBatch,
			doc:   "inserts the hashes, and does not find out which were present.",
		},
		emit:   add,
		shapes: []shape{splitBlock},
		phases: []string{phaseAddress, phasePrefetch, phaseMask, phaseStore},
		form:   adds,
	}, {
		contract: contract{
			name: "InsertPart",
			takes: parameters{{"table", goBlock}, {"skipped", goInt}, {"nblocks", goInt},
				{"hashes", goWords}, {"n", goInt}, {"fetch", goInt}, {"distance", goInt}},
			doc: `inserts the hashes into a part of a table of nblocks blocks: table is the first
of the part, and skipped is the bytes of the blocks before it. It does not find out which hashes
were present. The blocks of all n hashes are in the part.`,
		},
		emit:   insertPart,
		shapes: formats,
		method: `inserts the hashes into t, which stands for the len(t) blocks from block first
on in a table of nblocks blocks. Each hash must belong to one of these blocks: [{table}.Interval]
returns which do. If one does not, or if hashes and t share memory, InsertPart panics before it
inserts any. No other goroutine may change the hashes during the call.`,
		phases: []string{phaseAddress, phasePrefetch, phaseMask, phaseFold, phaseStore},
		form:   parts,
	}})
}
