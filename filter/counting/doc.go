// Package counting is the Bloom filter of counters (Fan, Cao, Almeida and Broder, "Summary Cache: A
// Scalable Wide-Area Web Cache Sharing Protocol", IEEE/ACM Transactions on Networking, 2000,
// section V-C), which members are deleted from.
//
// A table has m cells, small counters, and a key k of them, at random. An insert adds one to each,
// a delete takes one away, and a key is present where none is 0. So false positives are those of a
// Bloom filter of m bits with the members that are in, whoever came and went before.
//
// # The contract of deletion
//
// Delete only members, and as often as they were inserted: package filter has the reasons. Then a
// member is always found, also one that was inserted more than once and not deleted as often.
//
// A cell that has reached its highest value stays there, because nobody knows how many keys it
// counts: it never goes to 0 below a member. With the default of 4 bits and the best k that hardly
// ever happens to keys that are inserted once (1.4e-15 per cell, Fan et al.). A key that was
// inserted 15 times saturates its cells, and stays present for good. With narrow cells many
// saturate, and with cells of 1 bit all: that is a Bloom filter.
//
// A delete is Deleted where a cell went to 0, so that the key is not present any more; it is
// Retained where none did, so that the key is still visible, because others have its cells, because
// these are saturated, or because it is a member once more.
//
// # Size
//
// With the planned members in, a million of them, the best k and cells of 4 bits:
//
//	bits per key               16     24     32     40     48      64
//	false positives, %       14.7   5.61   2.15  0.819  0.314  0.0458
//	k                           3      4      6      7      8      11
//
//	rate                      1 %  0.1 %  0.01 %  0.001 %
//	bits per key             38.4   57.5    76.7     95.9
//
// Other widths take in proportion. Cells do not cross words of 64 bits, so a width that 64 is no
// multiple of leaves 1 to 12 bits of each word unused: 1 for 3, 7 and 9 bits, 12 for 13 bits, 8 for
// 14, and 4 or 9 for others.
//
// # When to prefer another kind
//
// Package cuckoo takes less than a third of the bits, and a delete always clears; but it is full at
// a number of members, and a key can be in it eight times at most. Package deletable takes little
// more than a Bloom filter and is several times faster; its rate grows with every insert ever made.
// This kind is for members that come and go for ever, in numbers that nobody knows, or for filters
// that are merged ([Filter.Merge] is exact) and deleted from.
package counting
