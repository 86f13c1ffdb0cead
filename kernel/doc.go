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
//   - No delete clears a collision bit. The false-positive rate grows with all the inserts, not
//     only with the members, until blocks are refreshed: at 16 bits per key it is 0.2 % when fresh
//     and about ten times that after one turnover of the members.
//
// At 1M random keys a Block512 table has, fresh:
//
//	bits per key           8     10     12     16     20      24
//	false positives, %  4.48   1.81   0.81   0.21  0.068   0.027
//	deletable, %        34.1   58.7   76.0   92.2   97.3    98.9
//
// # Batches
//
// A batch is the same operations one after another, in order, duplicates included. Its output may
// be nil where only the count is wanted. Otherwise hits needs a word for every 64 keys, begun or
// whole, and status an element for each key; the unused bits of the last word are written zero,
// later words are left alone, and an empty batch writes nothing. The table, the input and the
// output must not overlap: results are then undefined, though nothing outside of them is touched.
//
// No operation allocates. Lengths that do not fit panic, with the numbers, before anything is
// written. Nothing here is synchronized: any number of goroutines may query a table that nobody
// writes, but for Replace: see Refresh.
//
// # Refresh
//
// Deletes leave collided regions and bits without a member. A refresh clears these, some blocks at
// a time. The block of a hash grows with the hash, so the members of consecutive blocks are those
// whose hashes lie in an interval. An owner who can list these members replaces the blocks by fresh
// ones:
//
//	part := NewTable512(end - first)
//	low, high := t.Interval(first, end)
//	part.InsertPart(first, len(t), members(low, high)) // in any order, in batches
//	t.Replace(first, part)
//
// Other goroutines may query during a refresh, and find every member. The bits of a member are set
// in the old blocks, where no delete of another member clears them, and in the new ones, where it
// was inserted. Replace only stores lanes of the new blocks over the same lanes of the old ones. So
// a query loads each bit of a member from an old lane or from a new one, and it is set in both. It
// does not matter which stores a query sees, or in which order. It does not matter either whether
// lanes of 64 bits are loaded and stored whole, in halves (as on CPUs of 32 bits) or several at
// once. Queries do not read lane 0, which may be older or newer than the data lanes.
//
// The owner has to see to two things:
//
//   - The list has exactly the members of the interval. A member that was inserted twice, and not
//     deleted since, is in it twice.
//   - Nothing is inserted or deleted from when the listing begins until Replace has returned. An
//     insert would be lost with the old block, and a delete would leave its bits in the new one. So
//     one goroutine does both, or both hold a lock.
//
// [SplitBlockTable.Replace] is the same for Parquet's blocks, whose lists are those of its own
// index.
//
// Under the race detector queries in portable Go use atomic loads, so it finds no race with
// Replace. It does not see assembly.
//
// In steps of 64 to 1024 blocks at 16 bits per key, a refresh takes 2.2 to 2.7 ns per hash:
// Interval, InsertPart and Replace. The order of the hashes and the size of the table did not
// matter. InsertBatch takes 1.9 ns in a table of 40 KB, 3.7 in one of 400 KB and 8.8 in one of 10
// MB (avx512, a Xeon with 2 MiB of L2, shared; minima of one run, commit e86417b).
//
// # Parquet's filters
//
// [SplitBlockTable] is the bitset of a split block Bloom filter, as Parquet files have them, bit
// for bit: blocks of 256 bits, in each of whose eight lanes a key owns one bit (k = 8). There is no
// collision lane, so nothing is deleted. Its keys are xxHash64 hashes, which package filter/parquet
// makes of a column's values, in batches. A block of 256 bits of the two kinds is a type of its
// own, and neither converts to the other by itself.
//
//	bits per key           6.0   10.5   16.9
//	false positives, %      10      1    0.1
//
// # Implementations
//
// The implementation is chosen once, at start, by what the CPU has and the operating system
// supports:
//
//	avx512  AVX-512 F, DQ, BW and VL, and all of avx2
//	avx2    AVX, AVX2, BMI2 and POPCNT
//	neon    Advanced SIMD, which every arm64 has
//	purego  nothing: portable Go, everywhere
//
// [Active] tells which one runs, and "bloomlane kernels" why. The environment variable
// BLOOMLANE_KERNEL forces one by name. Where this CPU cannot run that one, the program runs the
// best that it can, and [VariableError] has the error; the command bloomlane prints it and exits
// with code 2. Where nobody forces avx512, avx2 runs the operations on blocks of 256 bits that it
// is faster at. The build tag purego leaves the assembly out. Every implementation gives the same
// bits and the same results as package fallback, the executable definition.
//
// # Speed
//
// Batches on Block512 by "go run ./bench", in ns per key and as a ratio to the fastest loop over
// the same lines in the same run: for a query one that loads each line, for an insert or a delete
// one that rewrites it, for a merge dst |= src (ns per block). One core of an EPYC (Zen 5, 48 KiB
// of L1, 1 MiB of L2, 32 MiB of L3), huge pages, minima over slices; bench/results has all of it.
//
//	                  16 KiB       512 KiB        16 MiB       512 MiB         2 GiB
//	avx512
//	  query      0.70  1.69x   0.81  1.47x   1.29  1.23x   3.77  1.03x   5.59  1.05x
//	  insert     1.16  1.80x   1.20  1.70x   1.82  1.15x   3.71  1.06x   4.43  1.06x
//	  delete     1.42  2.22x   1.51  2.13x   1.89  1.42x   3.81  1.07x   6.22  1.13x
//	  merge      0.67  2.30x   1.11  1.01x   2.96  1.03x   3.34  1.03x
//	avx2
//	  query      0.85  2.04x   0.94  1.71x   1.38  1.31x   3.77  1.03x   5.66  1.06x
//	  insert     1.74  2.69x   1.76  2.49x   2.09  1.32x   3.63  1.04x   4.45  1.06x
//	  delete     1.60  2.50x   1.63  2.31x   2.13  1.60x   3.85  1.08x   6.37  1.16x
//	  merge      0.88   3.0x   1.13  1.03x   3.03  1.06x   3.42  1.06x
//	purego
//	  query      3.07   7.4x   3.77   6.8x   5.02   4.8x     13   3.6x     14  2.67x
//	  insert     6.43  10.0x   8.60    12x     11   7.0x     16   4.6x     16   3.9x
//	  delete     8.98    14x   9.85    14x     11   8.5x     19   5.3x     20   3.6x
//	  merge      3.04    10x   3.15  2.87x   3.68  1.28x   3.90  1.20x
//
// A match takes assembly 0.3 to 0.5 ns per mask, 12 to 33 times as fast as purego.
//
// Single keys on 16 KiB, where a loop in Go that touches one word of each line takes 0.5 ns, by a
// call of assembly and by portable Go: query 2.9 and 2.9, insert 3.1 and 7.4, delete 3.5 and 9.4.
// So a query runs portable Go, and an insert and a delete run assembly. The same is so on arm64,
// where nothing was measured: neon is tested under emulation, and never ran on a CPU.
//
// Code that meets its keys one at a time announces them by Prefetch, which takes 2.2 ns: of a table
// of 1 GiB a query takes 45 ns, 25 where it was announced 8 keys ahead, 18 with 16 or more, and 14
// in a batch (Xeon with 48 KiB of L1 and 2 MiB of L2; BenchmarkAnnounced, medians).
//
// A new table of some MiB asks Linux for huge pages: where the system gives them only to those who
// ask, which is the default of most, a batch of queries of 2 GiB takes 15.5 ns per key on them, and
// 24 on pages of 4 KiB (the same Xeon). Memory is taken by the huge page then: a few keys in a
// large table make 2 MiB each resident. Linux keeps the request for as long as the process lives,
// also where a table was dropped and the Go heap has given its memory back: where small objects are
// spread over it later, khugepaged makes huge pages of them, which no runtime.MemStats and no
// GOMEMLIMIT counts. At the worst these are as many as the tables had.
//
// Assembly runs a few microseconds at a time: a batch, a merge or a match of any length is cut,
// with the prefetching going on across the cuts, and a garbage collection stops it at the next one.
package kernel
