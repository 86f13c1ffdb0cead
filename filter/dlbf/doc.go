// Package dlbf is the Deletable Bloom Filter as the letter has it (Rothenberg, Macapuna, Verdi and
// Magalhães, "The Deletable Bloom Filter: A New Member of the Bloom Family", IEEE Communications
// Letters 14(6), 2010), of any m, r and k.
//
// An array has m bits. The first r are the collision bitmap. The other m' = m-r are cells. They
// form r regions of ⌈m'/r⌉ cells, one after another. The last regions may be short or empty: with
// 10 cells and r = 6 a region has 2 cells, and the sixth has none. With r = m' there is a collision
// bit for each cell.
//
// An element has k random cells. An insert sets them. If a cell is set already, the insert marks
// its region as collided, even if another cell of the same element set it. An element is present if
// all its cells are set. A delete clears those of its cells that lie in regions without a
// collision.
//
// [Filter] is a filter under the contract of package filter, with a key, counters and files.
// [Array] is the bits alone, for packet headers and simulations. It also takes the cells of an
// element in place of its hash.
//
// # The contract of deletion
//
// Delete only members, and once: package filter has the reasons. Then a member is always found. A
// delete returns Deleted if it cleared a cell: the key is not present any more. It returns Retained
// if all of the key's regions have collisions: the key stays present, as a false positive. Such
// keys and the marks of collisions are never cleared. So the rate grows with every insert ever
// made, and fewer and fewer members are deletable, until the filter is built again.
//
// # Theory
//
// With n elements in and none deleted:
//
//   - The false-positive rate is the letter's equation 2, (1-(1-1/m')^(kn))^k: [Shape.Equation2].
//     [Shape.Rate] has the same without the error of a mean in a power.
//   - The probability that an element is deletable is the letter's equation 1. As printed it is the
//     probability of the contrary ([Shape.Equation1Printed]). The letter means the complement
//     ([Shape.Equation1]), which is too high for two reasons. It treats an element's regions as any
//     regions, which [Shape.OwnThrow] corrects, and it takes them as independent. [Shape.Deletable]
//     is exact.
//
// For m = 240, r = 24, k = 5 and n = 22 the letter has "90 % predicted" and 80 % simulated. The
// equation gives 0.068 as printed, 0.933 as meant and 0.802 with the element's own throw; the exact
// value is 0.787. 2,000 trials with perfectly random cells find 0.787 ± 0.005. So the difference
// that the letter explains by imperfect hash functions is an error of its equation.
//
// # Size
//
// With a million planned members in, and the defaults of Config: m/r = 8 and the k of the lowest
// rate.
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
// [Choose] makes a small array under d sets of hash functions and keeps the best: the one with the
// lowest rate, the most deletable elements, or the most deletable ones among some elements. Of 22
// elements in the letter's 240 bits 17.5 are deletable on average; in the best of 8 arrays 20.6
// are. Of 5 given elements among these 3.9 are, and in the array that is best for them 5.0.
//
// # Speed
//
// Times in ns per key, at 16 bits per key and k = 12, on ready hashes, beside the deletable filter
// of github.com/tylertreat/BoomFilters at equal bits, regions and k (Intel Xeon of 2 cores,
// AVX-512, shared with other work; minima of interleaved rounds, commit 7875e3b):
//
//	                        20 kB: dlbf  BoomFilters      4 MB: dlbf  BoomFilters
//	insert                           31          151              68          235
//	query of a member                18           42              42           74
//	query of a non-member            16           28              27           46
//	delete                           46          116              86          171
//
// # When to prefer another kind
//
// Package deletable is the same idea with all bits of a key in one cache line and k = 7. It is
// several times faster. Its rate is 1.2 times as high at 12 bits per key, 1.7 times at 16 and 6
// times at 24. It also plans for turnovers and says when to build again; this kind plans for
// Members*(1+Turnovers) inserts without a delete. Prefer this kind where the filter has to be the
// letter's, has a few hundred bits, or needs another m/r.
package dlbf
