package main

// This file is the interface between SipHash (siphash.go) and instruction sets: lanes_x86.go and
// lanes_neon.go implement it. They add to the pairs of pairs.go, and take a pair for a lane of 64
// bits of each of two keys.
type laneMachine interface {
	grouped

	// Literal and Constant return a lane that is the same for every key, of two equal ones: see
	// pairMachine. The result of Constant is a variable.
	Literal(lanes [2]uint64) pair
	Constant(base word, i int) pair

	// Load and Store move the lanes of the keys, which lie one behind another, and Lengthen loads
	// lanes whose upper halves are zero and not in memory.
	Load(base word) pair
	Store(base word, offset int, x pair)
	Lengthen(base word) pair

	// LoadTwo loads two lanes of each key, one behind another, and returns the first ones and the
	// second ones.
	LoadTwo(base word) (first, second pair)

	// New returns a pair whose lanes LoadLane loads for one key after another, the first one first.
	New() pair
	LoadLane(x pair, key int, a address)

	AddLanes(dst, x pair) // dst += x
	XorLanes(dst, x pair) // dst ^= x

	// RotateXor rotates each lane of dst to the left, and adds x by exclusive or. SwapHalves
	// rotates by 32.
	RotateXor(dst pair, bits int, x pair)
	SwapHalves(x pair)

	// Last returns the last word of each key, of the 8 bytes before its end and its size: the bytes
	// behind the last multiple of 8, and in the highest byte the size.
	Last(ends, sizes pair) pair
}

// newLanes returns the machine of an instruction set for as many keys as it loads best from
// anywhere, and newLinedLanes for as many as it hashes best together that lie one behind another.
// Both append to the function of m.
func newLanes(m machine) laneMachine {
	if m, ok := m.(*avx512); ok {
		return newX86Lanes(&x86Pairs{x86: &m.x86, vectors: 1, bytes: zmmBytes, evex: true})
	}
	return newLinedLanes(m)
}

// newLinedLanes has two zmm, because one waits for its results: 1.68 ns for 8 bytes, and with two
// 1.48 (Zen 4).
func newLinedLanes(m machine) laneMachine {
	switch m := m.(type) {
	case *avx2:
		return newX86Lanes(&x86Pairs{x86: &m.x86, vectors: 1, bytes: ymmBytes})
	case *avx512:
		return newX86Lanes(&x86Pairs{x86: &m.x86, vectors: 2, bytes: zmmBytes, evex: true})
	case *neon:
		return &neonLanes{&neonPairs{neon: m, vectors: 2}}
	}
	panic("avogen: a machine without lanes")
}

// twice is a lane that is the same for each of two keys.
func twice(lane uint64) [2]uint64 { return [2]uint64{lane, lane} }
