// Command bench measures the kernels of this CPU against what its memory allows.
//
//	go run ./bench              # minutes
//	go run ./bench --quick      # under a minute
//	go run ./bench sweep        # by prefetch distance, see package avogen
//
// # What is measured
//
// A table of Block512 holds 32 random members a block, 16 bits for each. A stream of 2 Mi hashes
// asks for it in random order: a query batch half of members and half of strangers; a delete batch
// of members; an insert batch of the same members again, which brings the table back to the very
// bits that it had, so that every round meets a table that was filled just once. Where the table is
// larger than the stream, each pass takes other members, so that no cache holds them from before.
//
// Everything runs in one process, a slice of 4,096 keys at a time: neighbouring slices go to
// different contenders, until each has had every slice, and every other round in the reverse order. Of
// each slice the least time counts that any round took, and the result is the sum over the slices. A
// neighbour on the machine spoils slices, not contenders, and a slice is spoiled in some rounds only.
// The hashes of a slice are in the cache when its time begins, and so is a table that is not
// larger than the second-level cache usually is (512 KiB).
//
// # Floors
//
// The floor of a query is a loop that loads the line of each hash, that of an insert and a delete
// one that reads and writes it, with and without prefetching, whichever is faster; that of a merge
// is dst |= src (package floor). A ratio is to the floor of the same table, pages and phase. Floors
// exist on amd64 and arm64; elsewhere times have no ratios. The floor of a loop over single keys is a loop in
// Go that touches one word of the line.
//
// Results go to stdout, messages and progress to stderr. The exit code is 0, or 2 where the usage is
// bad or the results cannot be written.
package main

import "os"

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}
