// Package dlbf is the Deletable Bloom Filter as its letter describes it, with any number of bits,
// regions and hashes. Use it if the filter has to be the letter's, has only a few hundred bits, or
// needs another share of collision bits than an eighth. In most other cases package deletable is
// better: it is the same idea with all bits of a key in one cache line.
//
// An array has m bits. The first r are the collision bitmap, and the other m' = m-r are cells. They
// form r regions of ⌈m'/r⌉ cells, one after another. The last regions may be short or empty.
//
// An element has k random cells. An insert sets them. If a cell is set already, the insert marks
// its region as collided, even if another cell of the same element set it. An element is present if
// all its cells are set. A delete clears those of its cells that lie in regions without a
// collision.
//
// [Filter] is a filter under the contract of package filter, with a key, counters and files.
// [Array] is the bits alone, for packet headers and simulations.
//
// # The contract of deletion
//
//   - Insert every member, and once, also one that is present already: it may be a false positive.
//     Delete only members, and once. Under this contract every member is found.
//   - A delete returns Deleted if it cleared a cell: the key is no longer present. It returns
//     Retained if all of the key's regions have collisions: the key stays present, as a false
//     positive. It returns Absent if the key was not present; then nothing changes.
//   - Collision bits and the bits of retained keys are never cleared. So the rate grows with every
//     insert ever made, and fewer members are deletable, until the filter is built again. A
//     [Config] plans for Members*(1+Turnovers) inserts without a delete.
//   - [Filter.Merge] is exact: the result is the filter of all inserts of both, bit for bit.
//
// Errors are a *[filter.SizingError] for a plan that no filter can keep, a *[file.Error] for a bad
// file, and an error that wraps [filter.ErrClosed] after Close. Inserts, queries and deletes
// allocate nothing.
//
// # Size
//
// With one million planned members in, an eighth of the bits as the collision bitmap, and the k of
// the lowest rate:
//
//	bits per key                8     10     12     16      20       24
//	false positives, %       3.47   1.49  0.646  0.120  0.0223  0.00416
//	deletability, %            61     72     79     85      92       94
//
// The rate of package deletable at equal bits is 1.2 times as high at 12 bits per key, 1.7 times at
// 16 and 6 times at 24. It is several times faster, and it says when to build the filter again.
//
// docs/theory/dlbf.md derives the methods of [Shape], and says what is wrong with the letter's
// equation 1. bench/studies/results/streams compares the speed with another Go library.
//
// Source: Rothenberg, Macapuna, Verdi and Magalhães, "The Deletable Bloom Filter: A New Member of
// the Bloom Family", IEEE Communications Letters 14(6), 2010.
package dlbf
