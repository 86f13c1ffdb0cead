// Package asm is no API: it is the assembly of the block operations and of HighwayHash, generated
// by avogen, never edited by hand.
//
// A function does what the function of its name in package fallback does, for a block of the width
// in its name (or of Parquet, Split), on a CPU that has the features of the instruction set in its
// name: [Sets] lists them. It validates nothing and tests for no feature: internal/dispatch does
// both, and package kernel is what to import. Those with Highway in their names are parts of a
// hash, which internal/highway puts together.
//
// The type that a function's comment names has its contract. What all have in common:
//
//   - Names: <Operation><Width><InstructionSet>, such as QueryBatch512AVX2.
//   - Tables, blocks and masks: a pointer to the first block, lane 0 first, each lane a native
//     integer. They need the alignment of a lane and no more. A table has nblocks >= 1 blocks.
//   - Counts are not negative. Where one is 0, its pointer may be nil.
//   - Batches: hashes has n hashes. Beside each of the first fetch of them, 0 <= fetch <= n, the
//     block of the hash that is distance later is prefetched, so that
//     hashes[distance:distance+fetch] is read as well. Table, hashes and output do not overlap.
//   - Answers: bit i of present[i/64] is bit i%64. The answers of a batch or a match have
//     ceil(n/64) words, or are nil if only the count is wanted. The unused bits of the last word
//     become zero, and no later word is touched.
//   - One key of a split block: block is the block of a hash, and key the lower half of the hash.
//     Package kernel calls these functions itself, so they name no set. Where [Portable] is set
//     they are portable Go, and else those of AVX2 or NEON.
//
// Functions cannot be preempted while they run, so a caller that has much to do cuts it into calls
// of some ten microseconds. A batch goes on over a cut as if there were none: fetch counts hashes
// that the call itself does not process.
package asm
