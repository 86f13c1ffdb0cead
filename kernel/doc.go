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
//	purego  nothing: portable Go, everywhere
//
// [Active] tells which one runs, and "bloomlane kernels" why. The environment variable
// BLOOMLANE_KERNEL forces one by name, and the program panics at start where this CPU cannot run it.
// The build tag purego leaves the assembly out. Every implementation gives the same bits and the same
// results as package fallback, the executable definition.
//
// Assembly runs a few microseconds at a time: a batch, a merge or a match of any length is cut, with
// the prefetching going on across the cuts, and a garbage collection stops it at the next one.
package kernel
