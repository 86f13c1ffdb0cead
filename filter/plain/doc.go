// Package plain is the Bloom filter for members that only come: it answers whether a key was
// inserted, and nothing is ever deleted from it. Its blocked form ([Config.Blocked]) reads one
// cache line per query.
//
// A table has m bits. A key has k of them, chosen by its hash. An insert sets the k bits, and a key
// is present if all of them are set. A key that is no member is present if other keys have set all
// its bits: that is a false positive.
//
// # The contract
//
//   - Every member is found.
//   - False positives grow with the number of inserts ever made. A [Config] plans for
//     Members*(1+Turnovers) inserts; a filter takes more, with more false positives.
//   - The insert of a key that is in already changes no bit, but counts as an insert.
//   - [Filter.Merge] is exact: the result is the filter of all inserts of both, bit for bit. Both
//     must have the same key, m and k. [Filter.Fold] halves a filter so that it merges with smaller
//     ones.
//   - [Filter.ClearBits] removes false positives and loses members. Package retouched chooses the
//     bits.
//
// Errors are a *[filter.SizingError] for a plan that no filter can keep, a *[file.Error] for a bad
// file, and an error that wraps [filter.ErrClosed] after Close. Inserts and queries allocate
// nothing.
//
// # Size
//
// With one million planned members in, and the k of the lowest rate:
//
//	bits per key                8     10     12      16      20       24
//	false positives, %      2.154  0.819  0.314  0.0458  0.0067  0.00098
//	blocked, %              2.326  0.964  0.413  0.0845  0.0198   0.0053
//
//	rate                      1 %  0.1 %  0.01 %  0.001 %
//	bits per key             9.59  14.38   19.17    23.97
//	blocked                  9.92  15.55   22.03    29.67
//
// A blocked filter has more false positives, because some blocks get more keys than others.
// [Shape.Rate] computes these rates.
//
// # When to use another kind
//
//   - A query of a member of a plain filter reads k cache lines, and an insert always does. For a
//     table beyond the CPU's cache use the blocked form, unless memory matters more than time.
//   - Package deletable deletes, and is several times faster: it has k = 7 in one cache line, and
//     its operations are in assembly. It has two to five times the false positives of a blocked
//     filter of equal bits.
//   - Package cuckoo deletes, and needs fewer bits than a plain filter for rates below 0.3 %. It
//     refuses inserts when it is full.
//   - Package counting deletes, for four times the bits.
//
// Sources: Bloom, "Space/Time Trade-offs in Hash Coding with Allowable Errors", Communications of
// the ACM 13(7), 1970; for the blocked form Putze, Sanders and Singler, "Cache-, Hash- and
// Space-Efficient Bloom Filters", WEA 2007.
package plain
