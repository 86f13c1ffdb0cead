// Package counting is a Bloom filter of small counters, from which members are deleted. Use it for
// members that come and go without limit, where no insert may be refused, or where filters that
// delete have to merge.
//
// A table has m cells, which are small counters. A key has k of them, chosen by its hash. An insert
// adds one to each, a delete subtracts one, and a key is present if none of its cells is 0. So the
// false positives are those of a Bloom filter of m bits with the members that are in now. Members
// that were deleted leave no trace, unless a cell saturates.
//
// # The contract of deletion
//
//   - Insert every member, also one that is present already: it may be a false positive. Delete
//     only members, and each at most as often as it was inserted. Under this contract every member
//     is found. A key may be a member several times.
//   - A delete returns Deleted if a cell went to 0: the key is no longer present. It returns
//     Retained if no cell did: the key is still present, because other keys have its cells, because
//     the cells are saturated, or because the key is still a member. It returns Absent if the key
//     was not present; then nothing changes.
//   - A cell that has reached its highest value is saturated and stays there, because it may count
//     more keys than it shows. With the default width of 4 bits and the best k, and keys that are
//     inserted once, a cell saturates with a probability of 1.4e-15 (Fan et al.). A key that is
//     inserted 15 times saturates its cells and then stays present, deleted or not.
//   - [Filter.Merge] is exact: cell by cell, the result is the filter of all inserts of both.
//
// Errors are a *[filter.SizingError] for a plan that no filter can keep, a *[file.Error] for a bad
// file, and an error that wraps [filter.ErrClosed] after Close. Inserts, queries and deletes
// allocate nothing.
//
// # Size
//
// With one million planned members in, the k of the lowest rate and cells of 4 bits:
//
//	bits per key               16     24     32     40     48      64
//	false positives, %       14.7   5.61   2.15  0.819  0.314  0.0458
//
//	rate                      1 %  0.1 %  0.01 %  0.001 %
//	bits per key             38.4   57.5    76.7     95.9
//
// The bits per key are in proportion to the width of a cell, if that divides 64: see [Config].
//
// # When to use another kind
//
//   - Package cuckoo needs less than a third of the bits, and a delete always clears something. It
//     refuses inserts when it is full, and a key can be in it eight times at most.
//   - Package deletable needs little more memory than a Bloom filter and is several times faster.
//     Its rate grows with every insert ever made.
//
// Source: Fan, Cao, Almeida and Broder, "Summary Cache: A Scalable Wide-Area Web Cache Sharing
// Protocol", IEEE/ACM Transactions on Networking, 2000, section V-C.
package counting
