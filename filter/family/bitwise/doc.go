// Package bitwise is the bitwise Bloom filter, which counts how often each key is in, in few bits
// per key. Use it for keys that come very different numbers of times, up to 2^57 in all, and for
// counts that are never too low.
//
// A filter has levels of cells. Cells of the first level hold the lowest bits of counts, cells of
// the next one the bits above these, and so on; cells of the last level have 64 bits. A key has k
// cells in the first level, chosen by its hash. An insert adds one to each. What a cell cannot hold
// it carries to one cell of the next level, and is marked. The value of a cell is its bits and, if
// it is marked, above them the value of that other cell. A delete subtracts one from each cell, and
// borrows from the next level where there is nothing. The count of a key is the least value of its
// cells, and a key is present if its count is above 0.
//
// # The contract
//
//   - Insert every member, also one that is present already: it may be a false positive. Delete
//     only members, and each at most as often as it was inserted. Under this contract no count is
//     too low, so every member is found.
//   - A count may be too high, by any amount. [Shape.Over] says how often. A key that is no member
//     and has a count is a false positive. [Shape.Rate] says how often; it depends on the number of
//     different members, and not on how often they come.
//   - A delete returns Deleted if the key is no longer present, and Retained if it still is. It
//     returns Absent if the key was not present; then nothing changes.
//   - Deletes leave marks, which raise the rate if members come more often than planned.
//     [Config.Turnovers] plans for that.
//   - [Filter.Merge] is exact as long as nothing was deleted: the result is the filter of all
//     inserts of both, bit for bit. After deletes the counts still add up.
//
// Errors are a *[filter.SizingError] for a plan that no filter can keep, a *[FullError] for more
// than [MaxCount] members, a *[file.Error] for a bad file, and an error that wraps
// [filter.ErrClosed] after Close. Inserts, queries, counts and deletes allocate nothing.
//
// # Size
//
// For one million members that come by Zipf's law with a skew of 1, which [Config] assumes if it
// has no Tail:
//
//	bits per key              27.8   55.5   83.3  111.1
//	false positives, %          10      1    0.1   0.01
//
// docs/theory/bitwise.md has more sizes, the equations, and how this filter differs from the
// paper's. bench/studies/results/streams has times.
//
// # When to use another kind
//
// Package counting is simpler and up to twice as fast, for members that come a few times at most
// and are not counted: its cells of 4 bits need 38.4 bits per key at a rate of 1 %, and are stuck
// at 15. Package spectral makes fewer errors in equal memory; with its counters of variable length
// it is several times slower.
//
// Source: Lall and Ogihara, "The Bitwise Bloom Filter", University of Rochester, Technical Report
// 927, 2007.
package bitwise
