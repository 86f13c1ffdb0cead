// Package bloombeam builds a deletable filter of the keys of an Apache Beam pipeline, on any
// runner. The name keeps out of the way of the SDK's package beam, which every user imports too.
//
// The keys are a bounded PCollection of []byte, string or uint64, of any source. There are two ways
// to build, which write parts of the filter into a folder; [Build.Open] makes one filter of the
// parts:
//
//   - [Build.Combine] is for tables that fit a worker. Each bundle has a table of its own, and the
//     tables merge.
//   - [Build.Partition] is for tables that do not. The hashes of the keys are grouped by the range
//     of blocks that they are of, and each range is built by itself. What moves is packs of up to
//     4096 hashes, because a runner has as much to do for a pack as it would have for a hash.
//
// Either filter equals, bit for bit, that of one process which inserts every element: package parts
// has the reason, and says what becomes of keys that come more than once. A runner repeats a bundle
// that failed, even one that had written its part. A part is written under a temporary name and
// renamed when it is whole; every repetition writes the same bytes.
//
// # The hash key
//
// The pipeline has the fingerprint of the hash key and the name of the file that has the key
// itself, which every worker reads. So the key is in no option, no graph, no log, and no artifact
// that a runner stages. What runners move and keep is hashes under that key.
package bloombeam
