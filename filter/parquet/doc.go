// Package parquet goes from the values of a Parquet column to its Bloom filter: it hashes them as
// the format says, by xxHash64 of their plain encoding, and inserts them into a
// [kernel.SplitBlockTable] or queries one, a column at a time and without allocating.
//
// The bits are the format's, so that other engines read what is written here, and the other way
// round: tests hold them against parquet-go, arrow-go and a file that parquet-mr wrote.
// [kernel.SplitBlockTable.AppendBytes] and [kernel.SplitBlockTableOfBytes] have the bitset that
// stands behind a filter's header in a file. The header itself, in Thrift, is the file library's.
//
// Columns of type INT32, INT64, FLOAT and DOUBLE are slices of [Fixed], those of BYTE_ARRAY,
// FIXED_LEN_BYTE_ARRAY and INT96 are [][]byte, []string, or one buffer and offsets, as Arrow has
// them. The format has no filters of BOOLEAN. What a value is compared as does not matter: a
// logical type is hashed as the physical type under it.
//
// # Speed
//
// In ns per key or value, beside other libraries on the same memory: minima of three runs of the
// benchmark of bench/splitblock at commit 09d4142, on one core of a Xeon with AVX-512 and 2 MiB of
// L2 that others used too. The floor loads each key's line, or rewrites it. Inserts are those that
// do not answer; arrow-go's largest filter has 128 MiB.
//
//	                             16 KiB  256 KiB    2 MiB   16 MiB  128 MiB  512 MiB
//	query batch
//	  ours                         1.09     1.18     1.44     3.49     13.7     18.3
//	  parquet-go                   3.31     3.51     4.56     8.37     27.6     32.9
//	  arrow-go                     8.86     9.98     12.4     19.9     44.7
//	  floor                        0.54     0.65     0.84     3.57     13.9     18.7
//	insert batch
//	  ours                         0.77     1.00     1.23     3.64     13.9     18.8
//	  parquet-go                   0.91     1.05     1.65     4.12     14.7     18.9
//	  arrow-go                     0.89     1.01     1.36     4.10     14.3
//	  floor                        0.66     0.96     1.16     3.71     14.2     18.8
//	query of one hash
//	  ours                         2.56     2.63     3.95     7.11     23.3     27.7
//	  parquet-go                   2.84     3.02     4.26     7.44     24.6     29.6
//	  arrow-go                     9.55     11.0     13.4     20.8     47.6
//	insert of one hash
//	  ours                         2.04     2.22     3.19     6.13     20.8     25.1
//	  parquet-go                   2.19     2.37     3.71     6.96     23.2     27.8
//	  arrow-go                     3.67     3.93     5.11     9.73     33.6
//	query, 8-byte values
//	  ours                         1.77     1.87     2.17     4.46     15.5     19.7
//	  parquet-go                   5.31     5.58     5.57     10.2     29.8     33.7
//	  arrow-go                     14.6     16.0     19.0     29.0     50.3
//	insert, 8-byte values
//	  ours                         1.37     1.57     1.83     4.52     15.1     20.1
//	  parquet-go                   1.48     1.61     2.33     5.06     15.8     20.1
//	  arrow-go                     5.79     5.82     6.06     9.62     20.0
//
// Values of 4 and 8 bytes are hashed at parquet-go's speed, 0.5 and 0.6 ns, with AVX-512, and by
// portable Go, 1.2 and 1.4, elsewhere. Byte arrays take portable Go 5.1 ns at 16 bytes, where
// parquet-go's assembly takes 3.9, and 13.5 and 16.3 at 8 to 40 bytes at random.
//
// # Safety
//
// The hash is known to everyone, so whoever chooses values can fill one block, or find values that
// are present and no members. For filters that must withstand that, see package filter/plain.
package parquet
