// Package a2 is the A² filter for sliding windows: it tells whether a stream had a key among its
// latest keys. Use it to find duplicates in a stream if none of a window may be missed.
//
// Two buffers share the memory, a plain Bloom filter each, and a key is present if either has it.
// An insert goes to the first buffer. If that shows the key already, the insert is not counted; so
// a key that only the second buffer shows is inserted into the first again, and stays. When the
// first buffer has n_a keys and another one comes, the second is cleared, and the two change
// places: a turn.
//
// # The contract
//
//   - A key is present while at most n_a other keys were inserted after its last insert, however
//     often these were inserted. That holds without exception.
//   - After 2 n_a other keys it is gone, unless it is a false positive. Other keys that are false
//     positives of the first buffer when they come do not count. In the mean it is there for 1.5
//     n_a others.
//   - A query changes nothing. To keep a key because it was queried, insert it.
//   - A window is a number of keys and not a time. It is a time only for a steady stream.
//   - Nothing is deleted, and filters do not merge: two streams have no common order of keys.
//
// [Config.Members] is n_a, and a member is a key of the window. Errors are a *[filter.SizingError]
// for a plan that no filter can keep, a *[file.Error] for a bad file, and an error that wraps
// [filter.ErrClosed] after Close. Inserts and queries allocate nothing. A turn clears half of the
// memory within one insert.
//
// # Size
//
// For a window of one million keys, when both buffers are full, which is the worst case:
//
//	rate                   5 %    1 %  0.1 %  0.01 %  0.001 %
//	bits per key         15.40  22.08  31.64   41.23    50.82
//
//	bits per key             8     10     12     16     20     24     32
//	false positives, %    30.0   18.6   11.3   4.34   1.64  0.629  0.0918
//
// docs/theory/a2.md has the equations, and a comparison with double buffering, which needs 1.74
// times the memory for the same window at 1 %. bench/studies/results/streams has its times and
// those of a plain filter.
//
// # When to use another kind
//
//   - Package plain and its Reset, if nothing has to stay over the end of an interval.
//   - Package rolling with Expire, if it must be fast. A query reads one cache line per generation,
//     and a query of this kind several.
//   - Packages deletable, cuckoo and counting, if keys leave one by one when their owner says so.
//
// Source: Yoon, "Aging Bloom Filter with Two Active Buffers for Dynamic Sets", IEEE Transactions on
// Knowledge and Data Engineering 22(1), 2010.
package a2
