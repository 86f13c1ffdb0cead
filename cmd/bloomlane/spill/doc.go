// Package spill is no API: it leaves repeats out of any number of hashes, exactly, in little
// memory.
//
// Hashes are kept by intervals of their values, as the blocks of a table keep them. Each interval
// has a buffer, and what has no room there is written to a temporary file. At the end one interval
// after another is read and sorted, so that memory holds the buffers and the hashes of one of 256
// intervals. If few of the hashes are different, or all fit into the buffers, no file is made.
package spill
