package main

// One key of a split block. The caller finds its block, so that the method that users call is
// inlined and makes one call with two arguments. With a function of package dispatch in between,
// called with the table and the hash, a query takes 1.25 times as long, in the cache and in memory
// (a Xeon with AVX-512).

func queryOne(m machine, block address, key mask) {
	m.ReturnBit(m.Present(m.Load(block), key))
}

func insertOne(m machine, at address, key mask) {
	block := m.Load(at)
	present := m.Present(block, key)
	m.Store(at, m.Or(block, m.Bits(key)))
	m.ReturnBit(present)
}

func addOne(m machine, at address, key mask) {
	m.Store(at, m.Or(m.Load(at), m.Bits(key)))
	m.ReturnNothing()
}

// one describes an operation, and jumps to a function in Go if no assembly is to run.
func one(operate func(m machine, block address, key mask), portable string) func(machine) {
	return func(m machine) {
		m.Unless("Portable", func() {
			operate(m, m.At(m.Arg("block"), 0), m.MaskSplit(m.HalfArg("key")))
		}, func() { m.Jump(portable) })
	}
}

func init() {
	asmFolder.describe("key", []operation{{
		contract: contract{
			name:  "QueryKey",
			takes: parameters{{"block", goBlock}, {"key", goUint32}},
			gives: goBool,
			doc:   "reports whether a hash is present.",
		},
		emit:   one(queryOne, "QueryKeyPortable"),
		shapes: []shape{splitBlock},
		phases: []string{phaseMask, phaseTest},
		only:   []instructionSet{setAVX2, setNEON},
		form:   direct,
	}, {
		contract: contract{
			name:  "InsertKey",
			takes: parameters{{"block", goBlock}, {"key", goUint32}},
			gives: goBool,
			doc:   "inserts a hash and reports whether it was present before.",
		},
		emit:   one(insertOne, "InsertKeyPortable"),
		shapes: []shape{splitBlock},
		phases: []string{phaseMask, phaseTest, phaseStore},
		only:   []instructionSet{setAVX2, setNEON},
		form:   direct,
	}, {
		contract: contract{
			name:  "AddKey",
			takes: parameters{{"block", goBlock}, {"key", goUint32}},
			doc:   "inserts a hash.",
		},
		emit:   one(addOne, "AddKeyPortable"),
		shapes: []shape{splitBlock},
		phases: []string{phaseMask, phaseStore},
		only:   []instructionSet{setAVX2, setNEON},
		form:   direct,
	}})
}
