package main

// This file is the interface between hashing and instruction sets, as machine.go is for the
// operations on blocks: HighwayHash (highway.go) is described against the interface pairMachine and
// nothing else, and pairs_x86.go and pairs_neon.go implement it.

type (
	// pair is two lanes of 64 bits, 0 and 1 or 2 and 3, of each key of a group: 128 bits a key, and
	// as many keys in a register as it has parts of 128 bits. It is a variable.
	pair int

	// factor is one half of each lane of a pair, as it is multiplied. It is assigned once, and lost
	// if its pair changes.
	factor int
)

// pairMachine is one instruction set and a number of keys. Its methods append to the function that
// is being built.
type pairMachine interface {
	grouped

	// Literal returns two lanes that are the same for every key. They must not change. They need a
	// register from the call on.
	Literal(lanes [2]uint64) pair

	// Constant returns the i-th two lanes at base, for every key.
	Constant(base word, i int) pair

	// Load and Store move the lanes of the keys, which lie one behind another.
	Load(base word) pair
	Store(base word, offset int, x pair)

	// New returns a pair whose lanes LoadKey loads for one key after another, the first one first.
	New() pair
	LoadKey(x pair, key int, base word, offset int)

	// Gather loads the 16 bytes at base+offset for the first key, and for each other those that are
	// stride bytes behind. Widen loads keys of 4 or 8 bytes, one behind another, each as the first
	// lane of a pair whose other bytes are zero. Words makes the lanes of the only key.
	Gather(base word, offset, stride int) pair
	Widen(base word, bytes int) pair
	Words(lane0, lane1 word) pair

	AddLanes(dst, x pair) // dst += x
	XorLanes(dst, x pair) // dst ^= x

	// Shuffle returns bytes of x, for each key: byte i of mask is the number of the one that byte i
	// is, or 255 for a zero.
	Shuffle(x, mask pair) pair

	// Low and High return a half of each lane, and Mul the products of 64 bits.
	Low(x pair) factor
	High(x pair) factor
	Mul(x, y factor) pair

	// Swap returns x with the halves of each lane swapped, and High(x), which costs nothing more.
	Swap(x pair) (pair, factor)

	// RotateHalves rotates each half of each lane of x to the left, by the count in that half,
	// which is less than 32.
	RotateHalves(x, counts pair)

	// StoreFirst stores the first lane of each key, one behind another. It uses up x.
	StoreFirst(base word, x pair)

	// First returns the first lane of the first key.
	First(x pair) word
}

// newPairs returns the machine of an instruction set for as many keys as it hashes best together,
// and newTwoKeys and newOneKey those for two and for one. All append to the function of m.
func newPairs(m machine) pairMachine {
	if m, ok := m.(*avx512); ok {
		return &x86Pairs{x86: &m.x86, vectors: 2, bytes: zmmBytes, evex: true}
	}
	return newTwoKeys(m)
}

func newTwoKeys(m machine) pairMachine {
	switch m := m.(type) {
	case *avx2:
		return &x86Pairs{x86: &m.x86, vectors: 1, bytes: ymmBytes}
	case *avx512:
		return &x86Pairs{x86: &m.x86, vectors: 1, bytes: ymmBytes, evex: true}
	case *neon:
		return &neonPairs{neon: m, vectors: 2}
	}
	panic("avogen: a machine without pairs")
}

func newOneKey(m machine) pairMachine {
	switch m := m.(type) {
	case *avx2:
		return &x86Pairs{x86: &m.x86, vectors: 1, bytes: pairBytes}
	case *avx512:
		return &x86Pairs{x86: &m.x86, vectors: 1, bytes: pairBytes, evex: true}
	case *neon:
		return &neonPairs{neon: m, vectors: 1}
	}
	panic("avogen: a machine without pairs")
}
