// Package parquet inserts the values of a Parquet column into a split block Bloom filter, and
// queries values in one. Use it in a reader or writer of Parquet files that handles the files
// itself. Package interop/parquet reads and writes the filters of whole files.
//
//	table := kernel.NewSplitBlockTable(blocks) // 32 bytes per block
//	parquet.Insert(table, []int64{10, 20, 30})
//	parquet.InsertBytes(table, []string{"ada"})
//	present := table.Query(parquet.HashBytes("ada"))
//	bitset := table.AppendBytes(nil)           // for the file, after the filter's header
//
// A value is hashed by xxHash64 with the seed 0 of its plain encoding, as the format says, so other
// engines can read the filter, and this package can read theirs. Tests compare the bits with
// parquet-go, arrow-go and a file that parquet-mr wrote. The header of a filter, in Thrift, belongs
// to the library that handles the file.
//
// Columns of type INT32, INT64, FLOAT and DOUBLE are slices of [Fixed]. Columns of type BYTE_ARRAY,
// FIXED_LEN_BYTE_ARRAY and INT96 are [][]byte, []string, or one buffer with offsets, as in Arrow.
// The format has no filters for BOOLEAN. A logical type is hashed as its physical type. DuckDB
// queries other bytes for FLOAT16, wide decimals and BLOBs, and misses rows: docs/parquet.md has
// the list.
//
// Functions do not allocate. Any number of goroutines may query a table at the same time; an insert
// needs the table for itself. docs/measurements/kernel.md has the times, compared with others.
//
// Everyone knows the hash, so someone who can choose values can fill one block, or find values that
// are present and no members. If that matters, use a filter with a secret key, such as package
// filter/plain.
package parquet
