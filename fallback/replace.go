package fallback

import (
	"sync/atomic"
	"unsafe"
)

// replacedBlocks is the number of blocks that one copy replaces: Go cannot preempt a goroutine
// inside one.
const replacedBlocks = 1024

// Replace replaces the first blocks of table by others, beside readers. docs/theory/kernel.md says
// why a plain copy and plain loads are enough. The race detector needs atomic ones.
func Replace[T Lane](table, others [][Lanes]T) {
	for len(others) > 0 {
		n := min(len(others), replacedBlocks)
		if Race {
			for i := range n {
				StoreBlock(&table[i], &others[i])
			}
		} else {
			copy(table[:n], others)
		}
		table, others = table[n:], others[n:]
	}
}

// LoadBlock returns a block that may be written at the same time. Readers use it if Race is set.
// Otherwise they use plain loads: with atomic loads a query in the L1 takes 1.2 to 1.4 times as
// long (a Xeon with AVX-512).
func LoadBlock[T Lane](from *[Lanes]T) (block [Lanes]T) {
	for lane := range block {
		block[lane] = loadLane(&from[lane])
	}
	return block
}

// StoreBlock stores a block beside readers, lane by lane. Writers use it if Race is set.
func StoreBlock[T Lane](to, block *[Lanes]T) {
	for lane := range block {
		storeLane(&to[lane], block[lane])
	}
}

func loadLane[T Lane](lane *T) T {
	if unsafe.Sizeof(*lane) == 8 {
		return T(atomic.LoadUint64((*uint64)(unsafe.Pointer(lane))))
	}
	return T(atomic.LoadUint32((*uint32)(unsafe.Pointer(lane))))
}

func storeLane[T Lane](lane *T, x T) {
	if unsafe.Sizeof(x) == 8 {
		atomic.StoreUint64((*uint64)(unsafe.Pointer(lane)), uint64(x))
	} else {
		atomic.StoreUint32((*uint32)(unsafe.Pointer(lane)), uint32(x))
	}
}
