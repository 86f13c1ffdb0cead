// Package measure is no API: it measures the times of a run of the benchmark.
//
// # Subjects and groups
//
// A table holds 16 bits per member. Its random members lie evenly in its blocks. A stream of up to
// a million keys queries it in random order. A query batch has members, non-members, or half of
// each. A selection has a tenth of members, half or all. A delete batch has members. An insert
// batch has the members that were deleted, which brings the table back to exactly the bits that it
// had, so that every round meets a table that was filled once. If the table is larger than the
// stream, each pass takes other members, so that no cache holds them from before. Between a delete
// and an insert, a table of more than 512 KiB is evicted from the cache; otherwise the insert would
// find what the delete had loaded.
//
// Everything runs in one process, a slice of 4,096 keys at a time. Neighbouring slices go to
// different subjects of a group, until each has had every slice; every other round takes them in
// reverse order. A slice counts with the least time of all rounds, and the result is the sum over
// the slices. So other programs on the machine disturb slices and not subjects, and a slice is
// disturbed in some rounds only. The mean of each round is kept as a sample, for comparisons. The
// keys of a slice are in the cache when its time begins, and so is a table of up to 512 KiB, the
// usual size of a second-level cache.
//
// # Floors
//
// A floor is a bare loop over the same memory (package floor). For a query it loads the line of
// each key. For an insert and a delete it reads and writes the line. Each has a form with and one
// without prefetching, and the faster one counts. For a merge it is dst |= src, and a copy is shown
// beside it. These floors exist on amd64 and arm64. The floor of a loop over single keys, and of a
// header match, is a loop in Go that touches one word of each block.
//
// # Several cores
//
// One core and all cores use one table at once. Each updates blocks of its own, which lie all over
// the table, so that no core writes the blocks of another. The time is that of each core. On memory
// that is fast enough for all cores it equals that of one.
//
// # Peers
//
// The filters of this project and of other libraries hold the same members, in memory from the Go
// runtime, and take turns at slices of the same keys. Their tables share the caches, so before each
// slice a filter of up to 16 MiB is queried for other keys, which brings it back into its cache.
// Filters that delete lose a slice and get it again. Others are given members that they have
// already.
//
// # Keys of bytes
//
// Hashes alone are measured on keys that lie one behind another in the second-level cache. The
// batches of this project take keys in that form if all have one length, and as slices if lengths
// are mixed. Else a loop calls a hash for one key at a time. In a chain, the hash says which of two
// keys is next, so that each call waits for the one before.
//
// Filters hold keys of 8, 16 or 32 bytes next to the same peers, and each hashes them. Kinds of
// this project are asked in batches and one key at a time, other libraries by the calls that they
// have, in plain loops that count in a variable of their own; some are asked for the same keys in
// strings, too. Filters of more than 64 MiB are built once for all these measurements: they hold
// hashes, and of each length the keys that are queried.
//
// A stack splits a query of non-members into its costs: the hashes; the whole query on a table of
// 16 KiB; ready hashes on the largest table; and keys on the largest table. Keys of 8 bytes are
// uint64s, others are slices.
//
// # Latency
//
// Each call is timed on its own, less the cost of reading the clock. It is timed in a process that
// is otherwise quiet, and in one whose other goroutines allocate all the time. In the second one
// the calls go on for at least ten garbage collections.
package measure
