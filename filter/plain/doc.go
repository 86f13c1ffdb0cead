// Package plain is the Bloom filter (Bloom, "Space/Time Trade-offs in Hash Coding with Allowable
// Errors", Communications of the ACM, 1970), and its blocked form (Putze, Sanders and Singler,
// "Cache-, Hash- and Space-Efficient Bloom Filters", WEA 2007), which has the bits of a key in one
// cache line.
//
// A table has m bits, and a key k of them, at random: an insert sets them, and a key is present
// where all are set. A member is always found. A key that is no member is found where others have
// set its bits: the false-positive rate. Any m and k will do; without [Config.Hashes] k is the best
// number for the size. Nothing is ever deleted. So the rate grows with the inserts ever made, and
// [Config] plans for Members*(1+Turnovers) of them; to insert a key again changes no bit, but
// counts as an insert: State then says too much, and Stats reads the bits.
//
// # Size
//
// With the planned members in, a million of them, and the best k:
//
//	bits per key                8     10     12      16      20       24
//	false positives, %      2.154  0.819  0.314  0.0458  0.0067  0.00098
//	k                           6      7      8      11      14       17
//	blocked, %              2.326  0.964  0.413  0.0845  0.0198   0.0054
//	k                           5      6      8       9      11       12
//
//	rate                      1 %  0.1 %  0.01 %  0.001 %
//	bits per key             9.59  14.38   19.17    23.97
//	blocked                  9.92  15.55   22.03    29.67
//
// [Filter.ExpectedRate] derives the rates, and tests hold filters of random keys to them. A blocked
// filter has more false positives, because some blocks get more keys than others.
//
// # When to prefer another kind
//
//   - A query of a member reads k cache lines of a plain filter, and one of a blocked filter; an
//     insert does so always. Beyond the cache's size prefer the blocked one, unless memory is
//     dearer than time.
//   - Package deletable has k = 7 in one cache line, is several times faster, because its
//     operations are in assembly, and can delete. It has two to five times the false positives of a
//     blocked filter of equal bits.
//   - Package cuckoo needs fewer bits than a plain filter for rates below 0.3 %, and deletes; it
//     refuses members when it is full.
//   - Package counting deletes, for four times the bits.
//
// # Merge, and clear
//
// Two filters of one key, size and k merge exactly ([Filter.Merge]): bit by bit. [Filter.ClearBits]
// removes false positives at the price of members: package retouched chooses the bits.
package plain
