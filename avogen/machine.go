package main

// This file is the seam between operations and instruction sets: an operation (query.go, insert.go,
// …) is described against the interface machine and nothing else, and an instruction set (avx2.go,
// avx512.go, neon.go) is an implementation of it.

// Values are numbers that only the machine that gave them out can resolve to registers. A word is a
// variable, all others are assigned once.
type (
	row int // a block's worth of vector registers: 1 zmm, 1 or 2 ymm, 2 or 4 q
	// the bits of a key, one in each data lane, in whatever form the machine tests them best
	mask    int
	word    int // a 64-bit integer register
	address int // where a block, a hash or a result is in memory
	bit     int // a yes or no that is taken up soon, see Present
	freed   int // whether ClearFree cleared a bit
)

// machine is one instruction set at one width of a lane. Its methods append to the function that is
// being built.
type machine interface {
	rows
	integers

	// BlockBytes is the size of a block, hashed says which of the methods make a key of a hash, and
	// collides whether there is a collision lane. String is the shape, as in names of functions.
	BlockBytes() int
	String() string
	hashed() *keying
	collides() bool

	// Comment is a line for the reader of the generated file. A machine writes one where each of
	// these phases begins: the block's address, the key's mask, the test, the fold, the store.
	Comment(line string)
}

// rows is the vector part.
type rows interface {
	// Load and Store move one block. No alignment is assumed.
	Load(a address) row
	Store(a address, x row)

	And(x, y row) row
	Or(x, y row) row
	Or3(x, y, z row) row // x | y | z; z is used up

	// Fold returns the row whose lane 0 is the OR of all lanes of x, and whose other lanes are
	// empty.
	Fold(x row) row

	// Covers finds out whether every bit of x, whatever its pattern, is set in block. The answer
	// may be held in a processor flag: Push or ReturnBit takes it up before any other method that
	// is not one of Load, Store, And, Or, Or3, Fold and Bits, which leave flags alone. The machine
	// panics if an operation breaks this rule.
	Covers(block, x row) bit

	// Mask returns the mask of the key whose spread hash is g (fallback.Mask): shift each lane of a
	// broadcast g by its own count, keep the position's bits, shift a one by that. MaskSplit
	// returns that of the hash h in a split block (fallback.MaskSplit): multiply each lane of the
	// hash's lower half by its salt, keep the upper bits, shift a one by that. The constants that
	// these and other methods need are loaded where the function begins, ahead of any loop.
	Mask(g word) mask
	MaskSplit(h word) mask

	// Bits returns the mask of a key as a row.
	Bits(key mask) row

	// Present is Covers for the mask of a key. Share also returns the bits that block and key have
	// in common, which an insert needs too. IfPresent runs body if the key is present.
	Present(block row, key mask) bit
	Share(block row, key mask) (common row, present bit)
	IfPresent(block row, key mask, body func())

	// ClearFree, in the body of IfPresent for the same block and key, returns block without the
	// free bits of the key: those in whose column lane 0 has no bit. AddFreed adds 1 to each of the
	// words if there were any. The row block is used up.
	ClearFree(block row, key mask) (left row, cleared freed)
	AddFreed(cleared freed, words ...word)
}

// integers is the part of the integer registers.
type integers interface {
	Arg(name string) word
	HalfArg(name string) word // a hash of which only the lower half is given
	Return(w word)            // store the result of the type that the signature gives and return
	ReturnBit(b bit)
	ReturnNothing()

	Zero() word
	Copy(w word) word
	Sum(x, y word, c int) word // x + y + c
	LoadHash(a address) word
	LoadHalves(a address) word // a hash whose halves are used apart, by BlockSplit and MaskSplit
	StoreWord(a address, w word)
	StoreByte(a address, w word)
	Add(dst, w word)          // dst += w
	AddConst(dst word, c int) // dst += c
	Sub(dst, w word)          // dst -= w
	Min(x, y word) word       // the smaller, unsigned
	MinConst(x word, c int) word
	OnesCount(w word) word

	// Spread returns what Mask makes a mask of: h * fallback.Multiplier.
	Spread(h word) word

	// Block and BlockSplit return the address of the block of the hash h (fallback.Index,
	// IndexSplit) in the table that SetTable named before.
	SetTable(table, nblocks word)
	Block(h word) address
	BlockSplit(h word) address

	// At returns the address base + offset, and Indexed base + index*8.
	At(base word, offset int) address
	Indexed(base, index word) address

	// Prefetch brings the cache line at a into every level of the cache.
	Prefetch(a address)

	// Push shifts the answers in acc right by one and puts b on top of them.
	Push(acc word, b bit)

	// Settle shifts the n answers that were pushed into acc, 1 <= n <= 64, down to bit 0.
	Settle(acc, n word)

	// Select stores the number of each answer that is set as 32 bits, one behind another from list
	// on, and returns how many these are. The answers are those that run gives to take: n in all,
	// with the numbers first and up. Those numbers and n are used up.
	Select(n, first, list word, run func(n word, take func(bit))) (selected word)

	// Walk runs body n times, n >= 0; after each run p is advanced by stride bytes. A comment at
	// each copy of the body says what it is for, and which copy this is.
	Walk(what string, p, n word, stride int, body func())

	// Unless is the rest of a function: body, or otherwise where a variable of package asm is set.
	// Jump goes on in another function, which has the same arguments.
	Unless(variable string, body, otherwise func())
	Jump(function string)

	// While runs body for as long as w is not zero, and If at most once.
	While(w word, body func())
	If(w word, body func())
}
