// Package parquet goes from the values of a Parquet column to its Bloom filter: it hashes them as the
// format says, by xxHash64 of their plain encoding, and inserts them into a [kernel.SplitBlockTable] or
// queries one, a column at a time and without allocating.
//
// A filter that is written here is read by every engine that knows Parquet's Bloom filters, and the other way
// round: [kernel.SplitBlockTable.AppendBytes] and [kernel.SplitBlockTableOfBytes] have the bitset that stands
// behind a filter's header in a file. The header itself, in Thrift, is the file library's.
//
// Columns of type INT32, INT64, FLOAT and DOUBLE are slices of [Fixed], those of BYTE_ARRAY,
// FIXED_LEN_BYTE_ARRAY and INT96 are [][]byte, []string, or one buffer and offsets, as Arrow has them. The
// format has no filters of BOOLEAN. What a value is compared as does not matter: a logical type is hashed
// as the physical type under it.
//
// The hash is known to everyone, so whoever chooses values can fill one block, or find values that are
// present and no members. For filters that must withstand that, see package filter/plain.
package parquet
