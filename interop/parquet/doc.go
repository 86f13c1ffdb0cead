// Package parquet reads and writes the Bloom filters of Parquet files. Use it to find out which row
// groups of a file cannot have a value, and to add filters to files that have none. It also reads
// the values of a column, as keys for other filters.
//
//	err := parquet.AddFilters(path, 10.5, "name") // bits per different value
//	f, err := parquet.Open(file, size)
//	column, err := f.Column("name")
//	value, err := column.Value("ada")
//	table, err := column.Filter(0)                 // of row group 0
//	if !value.In(table) {
//		// row group 0 need not be read
//	}
//
// parquet-go, arrow-go and DuckDB read the filters that this package writes, and it reads theirs:
// the tests in bench/engines compare them. docs/parquet.md has the commands of bloomlane.
//
// [AddFilters] adds filters to a file. Its parts are [Column.NewFilter] and [Write]. [WriteSummary]
// writes the filters of a column to a file of their own. [Column.Keys] yields the values of a
// column.
//
// # Errors and memory
//
// If a file is wrong, the error wraps one of the errors of this package, such as [ErrDamaged].
// Lengths and numbers in a file are checked before they are used, also those inside of pages, so
// that a file can come from anyone. docs/parquet.md has the limits. A [File] is for one goroutine
// at a time.
//
// DuckDB 1.5.5 would miss rows by the filters of some columns: FLOAT16, decimals of more than 38
// digits, and byte arrays that are no strings to it, if a value has a byte that its text escapes.
// NewFilter returns such a filter with [ErrReader], and AddFilters does not add it.
//
// # Floating-point numbers
//
// The format hashes the plain encoding of a value, so 0.0 and -0.0 are two values, and so is each
// bit pattern of NaN. The specification does not say how readers deal with that
// (apache/parquet-format issue 407). This package, like the three engines, inserts a value by its
// bits. If a row group has a zero, a filter that this package makes has both zeros. If it has a
// NaN, the filter also has 0x7ff8000000000000 (or 0x7fc00000, or 0x7e00). So engines for which
// zeros, or NaNs, are equal find them. [Value.In] queries both zeros, and excludes no row group for
// NaN.
//
// # Types
//
// [Column.Value] and [Column.Keys] use values as text: integers, floating-point numbers, decimals
// with all digits of the column (1.50), dates (2006-01-02), times of day and timestamps as RFC 3339
// has them, with Z if the column is in UTC and without otherwise, byte arrays, strings and UUIDs.
// For columns of booleans, INT96, intervals and others they return [ErrType]. NewFilter accepts all
// types but booleans and INT96.
package parquet
