package main

// This file is the seam between operations and instruction sets: an operation (query.go, insert.go,
// …) is described against the interface machine and nothing else, and an instruction set (avx2.go,
// avx512.go, neon.go) is an implementation of it.

// Values are numbers that only the machine that gave them out can resolve to registers. A row and a
// bit are assigned once; a word is a variable.
type (
	row     int // a block's worth of vector registers: 1 zmm, 1 or 2 ymm, 2 or 4 q
	word    int // a 64-bit integer register
	address int // where a block, a hash or a result is in memory
	bit     int // a yes or no that AllSet found, see there
)

// machine is one instruction set at one width of a lane. Its methods append to the function that is
// being built.
type machine interface {
	rows
	integers

	// BlockBytes is the size of a block.
	BlockBytes() int

	// Comment is a line for the reader of the generated file.
	Comment(line string)
}

// rows is the vector part.
type rows interface {
	// Load and Store move one block. No alignment is assumed.
	Load(a address) row
	Store(a address, x row)

	And(x, y row) row
	AndNot(x, y row) row // x &^ y
	Or(x, y row) row
	Or3(x, y, z row) row // x | y | z; z is used up

	// Mask returns the mask of the key whose spread hash is g (fallback.Mask): shift each lane of a
	// broadcast g by its own count, keep the position's bits, shift a one by that. The constants
	// that this and other methods need are loaded where the function begins, ahead of any loop.
	Mask(g word) row

	// Fold returns the row whose collision lanes are the OR of the lanes of x that they stand for,
	// themselves included, and whose other lanes are empty.
	Fold(x row) row

	// Collided returns the row whose every lane is the collision lane of x that stands for it.
	Collided(x row) row

	// AllSet finds out whether every bit of mask is set in block. The answer may be held in a
	// processor flag: Push, IfSet or ReturnBit takes it up before any other method that is not one
	// of Load, Store, And, AndNot, Or, Or3 and Fold, which leave flags alone. The machine panics where that
	// is broken.
	AllSet(block, mask row) bit

	// AddAnySet adds 1 to each of the words if a bit of x is set.
	AddAnySet(x row, words ...word)
}

// integers is the scalar part.
type integers interface {
	Arg(name string) word
	Return(w word) // store the result of the type that the signature gives and return
	ReturnBit(b bit)
	ReturnNothing()

	Zero() word
	Copy(w word) word
	Sum(x, y word, c int) word // x + y + c
	LoadWord(a address) word
	StoreWord(a address, w word)
	StoreByte(a address, w word)
	Add(dst, w word)          // dst += w
	AddConst(dst word, c int) // dst += c
	Sub(dst, w word)          // dst -= w
	Min(x, y word) word       // the smaller, unsigned
	MinConst(x word, c int) word
	OnesCount(w word) word

	// Spread returns h * fallback.Multiplier.
	Spread(h word) word

	// Block returns the address of the block of the hash h (fallback.Index) in the table that
	// SetTable named before.
	SetTable(table, nblocks word)
	Block(h word) address

	// At returns the address base + offset, and Indexed base + index*8.
	At(base word, offset int) address
	Indexed(base, index word) address

	// Prefetch brings the cache line at a into every level of the cache.
	Prefetch(a address)

	// Push shifts the answers in acc right by one and puts b on top of them. IfSet runs body if b
	// holds.
	Push(acc word, b bit)
	IfSet(b bit, body func())

	// Settle shifts the n answers that were pushed into acc, 1 <= n <= 64, down to bit 0.
	Settle(acc, n word)

	// Walk runs body n times, n >= 0; after each run p is advanced by stride bytes.
	Walk(p, n word, stride int, body func())

	// While runs body for as long as w is not zero, and If at most once.
	While(w word, body func())
	If(w word, body func())
}
