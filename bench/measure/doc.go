// Package measure is no API: it takes the times of a run of the benchmark.
//
// # Subjects and groups
//
// A table holds 16 bits for each of its random members, which lie evenly in its blocks. A stream of
// up to a million keys asks for it in random order: a query batch members, non-members or half of
// each; a delete batch members; an insert batch the same members again, which brings the table back
// to the very bits that it had, so that every round meets a table that was filled just once. Where
// the table is larger than the stream, each pass takes other members, so that no cache holds them
// from before. Between a delete and an insert the cache is made to lose tables of more than 512
// KiB, or the insert would find what the delete brought in.
//
// Everything runs in one process, a slice of 4,096 keys at a time: neighbouring slices go to
// different subjects of a group, until each has had every slice, and every other round in the
// reverse order. Of each slice the least time counts that any round took, and the result is the sum
// over the slices. A neighbour on the machine spoils slices, not subjects, and a slice is spoiled
// in some rounds only. The mean of each round is kept as a sample, for comparisons. The keys of a
// slice are in the cache when its time begins, and so is a table that is not larger than the
// second-level cache usually is (512 KiB).
//
// # Floors
//
// The floor of a query is a loop that loads the line of each key, that of an insert and a delete
// one that reads and writes it, with and without prefetching, whichever is faster; that of a merge
// is dst |= src, beside which a copy is shown (package floor). They exist on amd64 and arm64. The
// floor of a loop over single keys, and of a header match, is a loop in Go that touches one word of
// each block.
//
// # Several cores
//
// One core and all of them use one table at once, and update blocks of their own, which lie all
// over it, so that none writes what is another's. The time is of each core: on memory that is fast
// enough for all the same as of one.
//
// # Peers
//
// Ours and every peer hold the same members, in memory that the Go runtime gave, and get slices of
// the same keys by turns. Their tables share the caches, so before each slice a filter of up to 16
// MiB is asked for other keys, which brings it back into the cache that would hold it. Filters that
// delete lose a slice and get it again; others are given members that they have.
//
// # Keys of bytes
//
// Hashes alone are of keys that lie one behind another in the second-level cache. Ours take them so
// where all have one length, and mixed lengths as slices, in batches; other libraries take one key
// at a time.
//
// Filters hold keys of 16 bytes beside the same peers, and each hashes them. Those of more than 64
// MiB are built once, of hashes, with the keys of bytes that are asked for behind them.
//
// A stack is what a query of keys that are no members is made of: their hashes; the whole of it on
// a table of 16 KiB; ready hashes on the largest table; and keys on that. Keys of 8 bytes are
// uint64s, others slices.
//
// # Latency
//
// Each call is timed on its own, less what taking a time costs, in a process that is otherwise
// quiet and in one where goroutines allocate all the time; there the calls go on for ten garbage
// collections or more.
package measure
