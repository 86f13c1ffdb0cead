// Package kernel has Bloom filters with deletion as tables of 64-bit hashes, and their operations
// (query, insert, delete, merge and header match) in assembly for amd64 and arm64 and in portable
// Go. Use it if you have uniform hashes and keep the counters and the files yourself. Package
// filter/deletable adds keys of bytes, plans for the size, and files.
//
//	table := kernel.NewTable512(nblocks) // 64 bytes per block
//	table.QueryInsertBatch(hashes, nil)
//	present := make([]uint64, (len(queries)+63)/64)
//	// bit i%64 of present[i/64] is the answer for queries[i]
//	count := table.QueryBatch(queries, present)
//	positions := make([]uint32, len(queries))
//	positions = positions[:table.SelectBatch(queries, positions)]
//	// the same answers, as the ascending indexes of the queries that are present
//	status := table.Delete(hashes[0]) // Absent, Retained or Deleted
//
// A table is a slice of blocks, and the hash of a key selects one block. A block has eight lanes of
// W bits. Lanes 1 to 7 hold data, and a key sets one bit in each (k = 7). Lane 0 is the collision
// lane: its bit j says that some data bit of column j, called region j, was set more than once.
// [Block512] (W = 64) is one cache line, and [Block256] (W = 32) also fits a packet header.
// DESIGN.md, "The format, version 1", defines every bit. [SplitBlockTable] has the blocks of
// Parquet files, which have no collision lane and no deletes.
//
// Hashes must be uniform. If other people choose the keys, hash them under a secret, as package
// filter/key does: someone who can choose hashes can fill one block.
//
// # The contract of deletion
//
// A delete leaves the bits of a key in collided regions, which may belong to other keys too. So:
//
//   - Insert every member, even one that is present before: it may be a false positive. The insert
//     marks the collisions; without it, a later delete of another key may hide this one.
//   - Delete only members, and once per insert. If you delete a key that is a false positive and no
//     member, bits of members may be cleared, and those members are no longer found.
//   - Under these two rules every member is found.
//   - If all bits of a key lie in collided regions, its delete returns [Retained]. The key is no
//     member any more, but it stays present, as a false positive. Do not delete it again.
//   - No delete clears a collision bit, so the false-positive rate grows with every insert. At 16
//     bits per key it is 0.21 % in a fresh table, and about 2 % when every member has been replaced
//     once. Refresh blocks to lower it again: see [Table512.Replace]. docs/theory.md has the
//     rates of other sizes.
//
// # Batches, panics, goroutines, memory
//
// A batch has the results of its operations one after another, in order, duplicates included. Its
// output may be nil if you need only the count, except in SelectBatch. Otherwise present has at
// least one word per 64 keys, and status and positions at least one element per key. Unused bits of
// the last word become 0, and later words stay as they are. A selection may write anything to the
// positions between the selected ones and the number of keys. The table, the input and the output
// must not overlap: if they do, results are undefined, but nothing outside of them is written.
// Lengths that do not fit panic before anything is written, and so does an InsertPart whose hashes
// lie in the part.
//
// Operations do not allocate. Nothing is synchronized: goroutines may query a table at the same
// time if no goroutine writes it. Replace is the one exception, and may run during queries.
//
// A new table of 2 MiB or more asks Linux for huge pages: see docs/decisions/huge-pages.md. See
// [Implementation] for the assembly that runs, and docs/measurements/kernel.md for times.
//
// Built with GOEXPERIMENT=simd, an experiment of the Go project that is off by default, and with
// GOAMD64=v4, single queries of tables are inlined, and no variable chooses them.
package kernel
