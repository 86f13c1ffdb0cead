// Package dlbf is the Deletable Bloom Filter as the letter has it (Rothenberg, Macapuna, Verdi and Magalhães,
// "The Deletable Bloom Filter: A New Member of the Bloom Family", IEEE Communications Letters 14(6), 2010), of
// any m, r and k.
//
// An array has m bits. The first r are the collision bitmap. The other m' = m-r are cells, in r regions of
// ⌈m'/r⌉ one after another, of which the last may be short, or have none: with 10 cells and r = 6 regions have
// 2, and the sixth has none. An element has k cells, at random. An insert sets them, and marks the region of
// each that is set already as collided, also where it is the element itself that has set it. An element is
// present where all are set. A delete clears those in regions that are free of collisions. With r = m' there is
// a collision bit for each cell.
//
// [Filter] is a filter under the contract of package filter, with a key, counters and files. [Array] is the bits
// alone, for packet headers and simulations, and takes cells too.
//
// # The contract of deletion
//
// Delete only members, and once: package filter has the reasons. Then a member is always found. A delete is
// Deleted where it cleared a cell, so that the key is not present any more, and Retained where all of the key's
// regions have collisions: then it stays, as a false positive. What stays, and the marks, are never cleared, so
// the rate grows with every insert ever made, and fewer and fewer members are deletable, until the filter is
// built again.
//
// # Theory
//
// With n elements in and none deleted:
//
//   - The false-positive rate is the letter's equation 2, (1-(1-1/m')^(kn))^k: [Shape.Equation2]. [Shape.Rate]
//     has the same without the error of a mean in a power.
//   - The probability that an element is deletable is the letter's equation 1. It is printed as that of the
//     contrary ([Shape.Equation1Printed]), and meant is its complement ([Shape.Equation1]), which is too high,
//     because it asks of an element's regions what it asks of any ([Shape.OwnThrow] mends that) and takes them
//     for independent. [Shape.Deletable] is exact.
//
// For m = 240, r = 24, k = 5 and n = 22 the letter has "90 % predicted" and 80 % simulated. Printed is 0.068,
// meant 0.933, with the own throw 0.802, and exactly 0.787: 2,000 trials find 0.787 ± 0.005, with perfectly
// random cells. So what the letter puts down to imperfect hash functions is the equation's.
//
// # Size
//
// With the planned members in, a million of them, and what Config has by default: m/r = 8 and the k of the
// lowest rate.
//
//	bits per key               8     10     12     16      20       24
//	false positives, %      3.47   1.49  0.646  0.120  0.0223  0.00416
//	k                          5      6      7     10      12       15
//	deletable, %              61     72     79     85      92       94
//
//	rate                     1 %  0.1 %  0.01 %  0.001 %
//	bits per key           10.96  16.43   21.91    27.39
//	90 % deletable         12.79  16.77   21.57    26.96
//	99 % deletable         19.19  21.57   23.97    28.76
//
// # Power of choices
//
// [Choose] makes a small array under d sets of hash functions and keeps the best: by its rate, by the elements
// that are deletable, or by which of them are. Of 22 elements in the letter's 240
// bits 17.5 are deletable, and of the best of 8 arrays 20.6; of 5 chosen ones 3.9, and 5.0.
//
// # Speed
//
// Per key of 16 bits, k = 12, on ready hashes, in a table of 20 kB (Intel Xeon of 2 cores, AVX-512, shared with
// other work; minima of interleaved rounds, commit 7875e3b), and in parentheses the deletable filter of
// github.com/tylertreat/BoomFilters at equal bits, regions and k: an insert takes 31 ns (151), a query of a
// member 18 (42), of a non-member 16 (28), and a delete 46 (116). That is 4.9, 2.4, 1.7 and 2.5 times as fast.
// In a table of 4 MB it is 68 ns (235), 42 (74), 27 (46) and 86 (171): 3.4, 1.8, 1.7 and 2.0 times.
//
// # When to prefer another kind
//
// Package deletable is the same idea with all bits of a key in one cache line and k = 7: several times faster,
// at 1.2 times the false positives at 12 bits per key, 1.7 times at 16 and 6 times at 24. It plans for
// turnovers, too, and tells when to build again, where this kind takes Members*(1+Turnovers) inserts without a
// delete. This kind is for what has to be the letter's, for filters of a few hundred bits, and for other m/r.
package dlbf
