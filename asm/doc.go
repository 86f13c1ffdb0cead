// Package asm is no API: it is the assembly of the block operations and of HighwayHash, generated
// by avogen, never edited by hand.
//
// A function does what the function of its name in package fallback does, for a block of the width
// in its name (or of Parquet, Split), on a CPU that has the features of the instruction set in its
// name. It validates nothing and tests for no feature: internal/dispatch does both, and package
// kernel is what to import. Those of one key of a split block, which package kernel calls itself,
// name no set, and look at Portable. Those with Highway in their names are parts of a hash, which
// internal/highway puts together.
//
// Functions cannot be preempted while they run, so a caller that has much to do cuts it into calls
// of some ten microseconds. A batch goes on over a cut as if there were none: fetch counts hashes
// that the call itself does not process.
//
//   - Names: <Operation><Width><InstructionSet>, such as QueryBatch512AVX2.
//   - Tables, blocks and masks: a pointer to the first block, lane 0 first, each lane a native
//     integer. They need the alignment of a lane and no more.
//   - Where a count is 0, its pointer may be nil.
package asm
