// Package kernel has the operations of blocked, deletable Bloom filters on hashes: query, insert,
// delete, merge and header match, for one key and for batches, each in the fastest implementation
// that the running CPU has.
//
// # The filter
//
// A block is eight lanes of W bits. Lane 0 is the collision bitmap, lanes 1 to 7 hold data, and a
// key owns exactly one bit in each data lane (k = 7). Bit j of lane 0 says that some bit in region
// j, the column of bit j over the data lanes, was set more than once. This is the Deletable Bloom
// Filter of Rothenberg, Macapuna, Verdi and Magalhães (IEEE Communications Letters, 2010), with one
// block to a cache line ([Block512], W = 64) or to a 256-bit packet header ([Block256], W = 32).
// A table is a slice of blocks, and a key touches one of them.
//
// Keys come as 64-bit hashes, which must be uniform: package filter/deletable makes them from
// bytes with a keyed hash. Whoever can choose hashes can fill one block.
//
// # The contract of deletion
//
// A delete clears those bits of a key that lie in collision-free regions, and leaves the others,
// since they may be another key's. So:
//
//   - Delete only what you inserted, and once. Deleting a key that is not a member, where it
//     happens to be a false positive, may clear bits of members, which are then no longer found.
//   - Under that contract there are no false negatives: a member is always found, whatever other
//     members were inserted or deleted before.
//   - Insert every member, also one that is visible already. The insert marks the collisions, and
//     an insert that is skipped lets a later delete of another key hide this one.
//   - A key all of whose bits lie in collided regions is [Retained]: it is no member any more, but
//     it stays visible, as a false positive.
//   - Collision bits never clear. The false-positive rate grows with all the inserts ever made, not
//     only with the members: at 16 bits a key it is 0.2 % when fresh and about ten times that after
//     one turnover of the members.
//
// At 1M random keys a Block512 table has, fresh:
//
//	bits a key             8     10     12     16     20      24
//	false positives, %  4.48   1.81   0.81   0.21  0.068   0.027
//	deletable, %        34.1   58.7   76.0   92.2   97.3    98.9
//
// # Batches
//
// A batch is the same operations one after another, in order, duplicates included. Its output may
// be nil where only the count is wanted. Otherwise hits needs a word for every 64 keys, begun or
// whole, and status an element a key; the unused bits of the last word are written zero, later
// words are left alone, and an empty batch writes nothing. The table, the input and the output
// must not overlap: results are then undefined, though nothing outside of them is touched.
//
// No operation allocates. Lengths that do not fit panic, with the numbers, before anything is
// written. Nothing here is synchronized: any number of goroutines may query a table that nobody
// writes.
//
// # Implementations
//
// The implementation is chosen once, at start, by what the CPU has and the operating system supports:
//
//	avx512  AVX-512 F, DQ and VL, and all of avx2
//	avx2    AVX, AVX2, BMI2 and POPCNT
//	neon    Advanced SIMD, which every arm64 has
//	purego  nothing: portable Go, everywhere
//
// [Active] tells which one runs, and "bloomlane kernels" why. The environment variable
// BLOOMLANE_KERNEL forces one by name, and the program panics at start where this CPU cannot run it.
// The build tag purego leaves the assembly out. Every implementation gives the same bits and the same
// results as package fallback, the executable definition.
//
// # Speed
//
// Batches on Block512 by "go run ./bench", in ns a key and as a ratio to the fastest loop over the same
// lines in the same run: for a query one that loads each line, for an insert or a delete one that
// rewrites it, for a merge dst |= src (ns a block). One core of a shared EPYC (Zen 3, 512 KiB of L2,
// 32 MiB of L3), huge pages, minima over slices; no CPU with AVX-512 was at hand.
//
//	                16 KiB       512 KiB        16 MiB       512 MiB         2 GiB
//	avx2
//	  query    1.48   2.6x    2.5   2.1x     9.4   1.2x    15   1.25x    28   1.05x
//	  insert   2.71   3.0x    3.2   2.2x     9.9   1.1x    18   1.4x     34   1.3x
//	  delete   2.59   2.8x    3.4   2.3x     9.9   1.15x   22   1.6x     34   1.35x
//	  merge    1.32   1.8x    1.6   1.0x     6.3   1.06x    6.4 1.05x
//	purego
//	  query     5.4   9.5x    9.7   8.1x      20   2.5x    29   2.4x     40   1.5x
//	  insert   10.1    11x     15    10x      27   3.0x    34   2.7x     45   1.7x
//	  delete   14.3    16x     18    12x      31   3.6x    40   3.0x     48   1.9x
//	  merge     5.3   7.3x    5.6   3.5x     7.7   1.3x     8.4 1.4x
//
// A match takes avx2 0.7 to 1.4 ns a mask, 10 to 16 times as fast as purego.
//
// Single keys on 16 KiB, where a loop in Go that touches one word of each line takes 0.9 ns, by a
// call of assembly and by portable Go: query 5.9 and 4.9, insert 6.4 and 10.2, delete 6.8 and 12.7.
// So a query runs portable Go, and an insert and a delete run assembly. The same is so on arm64, where
// nothing was measured: neon is tested under emulation, and never ran on a CPU.
//
// Assembly runs a few microseconds at a time: a batch, a merge or a match of any length is cut, with
// the prefetching going on across the cuts, and a garbage collection stops it at the next one.
package kernel
