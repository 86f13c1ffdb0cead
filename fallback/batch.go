package fallback

import "unsafe"

const (
	// wordBits is the number of keys whose answers share one word of answers, and the number of
	// blocks that are fetched together.
	wordBits = 64

	// fetchBytes is the size of a table from which fetching ahead is faster. On a Zen 3 (512 KiB of
	// L2, 32 MiB of L3) a query without and with it takes, in ns: 16 KiB 10/11, 512 KiB 12/12, 4
	// MiB 24/19, 16 MiB 74/33, 128 MiB 103/33, 1 GiB 153/71. Groups of 8, 16 and 32 blocks instead
	// of 64 gave 67, 61 and 60 at 1 GiB, and 48, 44 and 34 at 128 MiB.
	fetchBytes = 1 << 20
)

// fetch brings the blocks of the hashes into the cache: a prefetch in portable Go. Its loads do not
// depend on each other, so a processor that executes out of order runs many of them at once. In an
// operation the work between two loads would fill the reorder buffer first.
func fetch[T Lane](table [][Lanes]T, hashes []uint64) {
	if uintptr(len(table))*unsafe.Sizeof([Lanes]T{}) >= fetchBytes {
		load(table, hashes)
	}
}

// load loads one lane of each hash's block. It is not inlined: the compiler would remove the loads,
// because no caller uses the result.
//
//go:noinline
func load[T Lane](table [][Lanes]T, hashes []uint64) (sum T) {
	for _, h := range hashes {
		lane := &table[Index(h, uint64(len(table)))][0]
		if Race {
			sum |= loadLane(lane)
		} else {
			sum |= *lane
		}
	}
	return sum
}
