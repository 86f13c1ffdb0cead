// Package parquet reads the Bloom filters of Parquet files, gives files filters of ours, and reads
// the values of columns. What it writes, parquet-go, arrow-go and DuckDB read, and the other way
// round: the tests of its folder engines hold it against these. Whatever is wrong with a file is an
// error that wraps one of this package's, and numbers in it are checked before memory is taken for
// them.
//
// [Column.Filter] is the filter of a row group, as a [kernel.SplitBlockTable], and [Column.Value]
// is what to ask it for. [AddFilters] gives columns of a file filters of ours; [Column.NewFilter]
// and [Write] are its parts. [WriteSummary] writes the filters of a column alone. [Column.Keys] are
// the values as keys of any other filter.
//
// # Floating-point numbers
//
// The format hashes a value's plain encoding, so that 0.0 and -0.0 are two values, and each bit
// pattern of NaN is one. Its text does not say what readers make of that (apache/parquet-format
// issue 407). Here a value is in the filter by its bits, as all three engines have it. Where a row
// group has a zero, a filter of ours has both, and where it has a NaN, that of 0x7ff8000000000000
// (or 0x7fc00000) too: engines that take zeros, or NaNs, for equal find them by it. [Value.In] asks
// for both zeros, and excludes no row group for NaN.
//
// # Types
//
// A value is text, as on a command line: int32 and int64, with or without a sign, float, double,
// byte arrays, strings and UUIDs. Columns of dates, times, decimals, booleans and INT96 are refused
// where a text is one of their values, because 150 could be 1.50: [ErrType]. NewFilter takes all
// but booleans and INT96.
package parquet
