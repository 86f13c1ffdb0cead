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
		m.UnlessPortable(portable, func() {
			operate(m, m.At(m.Arg("block"), 0), m.Mask(m.HalfArg("key")))
		})
	}
}

const keyContract = `

block is the block of the hash and key the lower half of it. Where Portable is set it is portable
Go, and else asks for what follows.`

var keyFile = file{
	name: "key",
	operations: []operation{{
		name:      "QueryKey",
		signature: "func(block {block}, key uint32) bool",
		doc:       "{name} reports whether a hash is present.",
		contract:  keyContract,
		emit:      one(queryOne, "QueryKeyPortable"),
		shapes:    []shape{splitBlock},
		only:      []instructionSet{setAVX2, setNEON},
		form:      direct,
	}, {
		name:      "InsertKey",
		signature: "func(block {block}, key uint32) bool",
		doc:       "{name} inserts a hash and reports whether it was present before.",
		contract:  keyContract,
		emit:      one(insertOne, "InsertKeyPortable"),
		shapes:    []shape{splitBlock},
		only:      []instructionSet{setAVX2, setNEON},
		form:      direct,
	}, {
		name:      "AddKey",
		signature: "func(block {block}, key uint32)",
		doc:       "{name} inserts a hash.",
		contract:  keyContract,
		emit:      one(addOne, "AddKeyPortable"),
		shapes:    []shape{splitBlock},
		only:      []instructionSet{setAVX2, setNEON},
		form:      direct,
	}},
}
