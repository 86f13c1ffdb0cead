package kernel

import "fmt"

// hitWords returns the part of hits that a batch of n keys writes, nil where hits is nil. It panics
// where hits is too short, or where there is no block for the keys.
func hitWords(op string, nblocks, n int, hits []uint64) []uint64 {
	requireBlocks(op, nblocks, n)
	if hits == nil {
		return nil
	}
	words := n/64 + (n%64+63)/64
	if len(hits) < words {
		panic(fmt.Sprintf("kernel: %s: hits has %d words, %d keys need %d", op, len(hits), n, words))
	}
	return hits[:words]
}

// statuses is hitWords for the output of a delete.
func statuses(op string, nblocks, n int, status []Status) []Status {
	requireBlocks(op, nblocks, n)
	if status == nil {
		return nil
	}
	if len(status) < n {
		panic(fmt.Sprintf("kernel: %s: status has %d elements, %d keys need %d", op, len(status), n, n))
	}
	return status[:n]
}

func requireBlocks(op string, nblocks, n int) {
	if nblocks == 0 && n > 0 {
		panic(fmt.Sprintf("kernel: %s: a table of 0 blocks cannot take %d keys", op, n))
	}
}

// requireBlock panics where an operation got no block. Assembly would fault in the middle of a call.
func requireBlock(op string, has bool) {
	if !has {
		panic("kernel: " + op + ": a block is nil")
	}
}

func requireMergeable(nblocks, other int, same bool) {
	if nblocks != other {
		panic(fmt.Sprintf("kernel: Merge: a table of %d blocks and one of %d", nblocks, other))
	}
	if same {
		panic(fmt.Sprintf("kernel: Merge: a table of %d blocks with itself", nblocks))
	}
}

func requireSize(nblocks, blockBytes int) {
	if limit := (1<<(intBits-1) - 1) / blockBytes / 2; nblocks < 1 || nblocks > limit {
		panic(fmt.Sprintf("kernel: a new table of %d blocks: the number must be in 1..%d", nblocks, limit))
	}
}

// intBits is the width of an int.
const intBits = 32 << (^uint(0) >> 63)
