package dispatch

import (
	"fmt"
	"unsafe"

	"github.com/bloomlane/bloomlane/fallback"
)

// The messages name package kernel, whose users see them.

// presentFor returns the part of answers that a batch of n keys writes, nil where present is nil.
// It panics where present is too short, or where there is no block for the keys.
func presentFor(op string, nblocks, n int, present []uint64) []uint64 {
	requireBlocks(op, nblocks, n)
	if present == nil {
		return nil
	}
	words := n/64 + (n%64+63)/64
	if len(present) < words {
		panic(fmt.Sprintf("kernel: %s: present has %d words, %d keys need %d", op,
			len(present), n, words))
	}
	return present[:words]
}

// hashesFor returns the part of hashes that n values have. It panics where there are fewer.
func hashesFor(op string, n int, hashes []uint64) []uint64 {
	if len(hashes) < n {
		panic(fmt.Sprintf("kernel: %s: hashes has %d elements, %d values need %d", op,
			len(hashes), n, n))
	}
	return hashes[:n]
}

// statusFor is presentFor for the output of a delete.
func statusFor(op string, nblocks, n int, status []uint8) []uint8 {
	requireBlocks(op, nblocks, n)
	if status == nil {
		return nil
	}
	if len(status) < n {
		panic(fmt.Sprintf("kernel: %s: status has %d elements, %d keys need %d", op,
			len(status), n, n))
	}
	return status[:n]
}

// maxPositions is the number of keys whose positions fit 32 bits.
const maxPositions uint64 = 1 << 32

// positionsFor is presentFor for the output of a selection, which is never nil.
func positionsFor(op string, nblocks, n int, positions []uint32) []uint32 {
	requireBlocks(op, nblocks, n)
	if uint64(n) > maxPositions {
		panic(fmt.Sprintf("kernel: %s: %d keys, at most %d have a position of 32 bits", op, n,
			maxPositions))
	}
	if len(positions) < n {
		panic(fmt.Sprintf("kernel: %s: positions has %d elements, %d keys need %d", op,
			len(positions), n, n))
	}
	return positions[:n]
}

func requireBlocks(op string, nblocks, n int) {
	if nblocks == 0 && n > 0 {
		panic(fmt.Sprintf("kernel: %s: a table of 0 blocks cannot take %d keys", op, n))
	}
}

// requirePart panics where there is no such part of a table.
func requirePart(op string, blocks, first, nblocks int) {
	if first < 0 || nblocks < first || blocks > nblocks-first {
		panic(fmt.Sprintf("kernel: %s: %d blocks from block %d on of a table of %d", op, blocks,
			first, nblocks))
	}
}

// requireInterval panics if the block of a key is not in a part of a table: assembly would write
// outside of it.
func requireInterval(op string, blocks, first, nblocks int, hashes []uint64) {
	if len(hashes) == 0 {
		return
	}
	requireBlocks(op, blocks, len(hashes))
	low, high := fallback.Interval(uint64(first), uint64(first+blocks), uint64(nblocks))
	for i, h := range hashes {
		if h-low > high-low {
			panic(fmt.Sprintf("kernel: %s: hash %d is %#x, blocks %d to %d of a table of %d have "+
				"%#x to %#x",
				op, i, h, first, first+blocks-1, nblocks, low, high))
		}
	}
}

// Overlap reports whether two slices share memory. An operation that checks its input whole, and
// then writes while it reads on, asks this first.
func Overlap[A, B any](a []A, b []B) bool {
	from, other := uintptr(unsafe.Pointer(unsafe.SliceData(a))),
		uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return len(a) > 0 && len(b) > 0 && from < other+uintptr(len(b))*unsafe.Sizeof(*new(B)) &&
		other < from+uintptr(len(a))*unsafe.Sizeof(*new(A))
}

// requireApart panics if hashes share memory with the part that they are inserted into: an insert
// would change hashes that were checked, and assembly would write outside of the part.
func requireApart[T fallback.Lane](op string, part [][fallback.Lanes]T, hashes []uint64) {
	if Overlap(part, hashes) {
		panic(fmt.Sprintf("kernel: %s: %d hashes in the memory of the %d blocks", op, len(hashes),
			len(part)))
	}
}

// RequireBlock panics if an operation got no block: assembly would fault inside a call.
func RequireBlock(op string, has bool) {
	if !has {
		panic("kernel: " + op + ": a block is nil")
	}
}

// requireMergeable panics if an operation cannot take two tables block by block.
func requireMergeable(op string, nblocks, other int, same bool) {
	if nblocks != other {
		panic(fmt.Sprintf("kernel: %s: a table of %d blocks and one of %d", op, nblocks, other))
	}
	if same {
		panic(fmt.Sprintf("kernel: %s: a table of %d blocks with itself", op, nblocks))
	}
}
