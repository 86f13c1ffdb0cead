package main

// This file is the interface between the hash of AES (pmac.go) and instruction sets: cipher_x86.go
// and cipher_neon.go implement it.

// block is a register with one block of AES, or with as many as a wide register has. It is a
// variable.
type block int

// roundKeys are those of AES, where the rounds find them.
type roundKeys int

// cipherMachine is one set of AES instructions. Its methods append to the function that is being
// built.
type cipherMachine interface {
	integers
	Comment(line string)

	// Wide is the number of blocks of a wide register, a power of two, and 1 where there is none.
	Wide() int

	// InMemory, InRegisters and InWide return the round keys that lie one behind another.
	InMemory(keys word) roundKeys
	InRegisters(keys word) roundKeys
	InWide(keys word) roundKeys

	// Encrypt runs the rounds of AES: of x, to which round key 0 was added before.
	Encrypt(x block, keys roundKeys)

	// LoadBlock loads a block, LoadWide a wide register, Reload one that there is, and Repeat
	// fills a wide register with a block.
	LoadBlock(a address) block
	LoadWide(a address) block
	Reload(x block, a address)
	Repeat(x block) block
	RepeatAt(a address) block

	// NoBlock and NoWide are empty. Clone is a new variable.
	NoBlock() block
	NoWide() block
	Clone(x block) block

	// XorBlock and XorAt add by exclusive or: XorAt what is in memory, of the size of dst.
	XorBlock(dst, x block)
	XorAt(dst block, a address)

	// Gathered returns the sum of the blocks of a wide register, and First sets dst to the first
	// one. EndWide stands behind the last use of wide registers.
	Gathered(x block) block
	First(dst, x block)
	EndWide()

	// Short loads n <= 16 bytes, and empties the rest of the block. It reads nothing else. Tail
	// does so where the 16 bytes before the last one's end can be read, 1 <= n: shifts has the
	// numbers 0 to 15 and then 16 bytes of 255.
	Short(data, n word) block
	Tail(data, n, shifts word) block

	// Widen loads words that lie one behind another, each as the lower half of a block.
	Widen(a address) block

	// Lower returns the lower half of a block, and StoreLower stores those of one or of many.
	Lower(x block) word
	StoreLower(a address, x block)

	// Assist returns what AESKEYGENASSIST or its like makes of the last word of a round key, in
	// every word of the block: SubWord(RotWord(w)) ^ constant. Ripple returns the words x0, x0^x1,
	// x0^x1^x2 and x0^x1^x2^x3.
	Assist(x block, constant int) block
	Ripple(x block) block
	StoreBlock(a address, x block)

	// LoadByte returns a byte.
	LoadByte(a address) word

	// Sixteenth returns the address base + offset + 16*index. The index is used up.
	Sixteenth(base, index word, offset int) address

	// ShiftLeft shifts w. TrailingZeros returns the number of zeros below the lowest one of w,
	// which is not 0, and ShiftedRight w >> bits. Mask keeps the bits of c.
	ShiftLeft(w word, bits int)
	TrailingZeros(w word) word
	ShiftedRight(w word, bits int) word
	Mask(w word, c int)

	// Above runs the first body where w > c, unsigned, and else the other, if there is one. Both
	// return, or none.
	Above(w word, c int, above, otherwise func())

	// Repeatedly runs body w times, 1 at least, and uses up w.
	Repeatedly(w word, body func())

	// Every runs body n times, and uses up n. The body subtracts sizes from the budget by charge,
	// which ends all where there is too little.
	Every(n, budget word, body func(charge func(size word)))
}

// laneMachine is a set that can load and add some blocks of a wide register, if it has masks. Lanes
// are blocks, as a mask.
type laneMachine interface {
	Masks() bool

	// LanesBelow returns the first n lanes, and uses up n. LastLane is the last one.
	LanesBelow(n word) someLanes
	LastLane() someLanes

	// RepeatLanes sets some blocks of dst to one that is in memory.
	RepeatLanes(dst block, a address, lanes someLanes)

	// LoadLanes loads some blocks and reads no others, and XorLanes adds them.
	LoadLanes(a address, lanes someLanes) block
	XorLanes(dst, x block, lanes someLanes)
}

// someLanes is a mask in a register of its own kind.
type someLanes int

// newCipher returns the machine of an instruction set, which appends to the function of m.
func newCipher(m machine) cipherMachine {
	switch m := m.(type) {
	case *avx2:
		return &x86Cipher{x86: &m.x86, wide: wideBytes[m.set.name]}
	case *neon:
		return &neonCipher{neon: m}
	}
	panic("avogen: a machine without AES")
}
