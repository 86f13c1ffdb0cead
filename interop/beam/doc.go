// Package bloombeam builds a deletable filter from the keys of an Apache Beam pipeline, on any
// runner. Use it if the keys are the output of a pipeline, or if one machine is too slow or too
// small to build the filter. docs/beam.md has a complete program. The package is not called beam
// because that is the name of the SDK's package.
//
//	b := bloombeam.Build{Filter: config, KeyFile: "gs://b/key", To: "gs://b/parts"}
//	err := b.Partition(ctx, scope, keys) // keys: a PCollection of []byte, string or uint64
//	// ... run the pipeline ...
//	f, err := b.Open(ctx)
//	err = f.Save("filter.blm")
//
// The PCollection must be bounded. There are two ways to build, which write parts of the filter
// into a folder:
//
//   - [Build.Combine] is for tables that fit into the memory of a worker. Each bundle has a table
//     of its own, and the tables merge.
//   - [Build.Partition] is for larger tables. It groups the hashes of the keys by ranges of blocks,
//     and each range is built by itself. Workers exchange packs of up to 4096 hashes, because the
//     work of a runner per pack is as large as its work per hash would be.
//
// [Build.Open] makes one filter from the parts. The filter is bit for bit the one that a single
// process makes by inserting every element: package parts says why, and what happens to keys that
// occur more than once. A runner may repeat a bundle that failed, even after it wrote its part.
// Every repetition writes the same bytes, under a temporary name that is renamed when the file is
// whole.
//
// # The hash key
//
// The pipeline contains the fingerprint of the hash key and the name of the file with the key,
// which every worker reads. The key itself is in no option, graph or log, and in no artifact that a
// runner stages. Runners move and store hashes under that key.
package bloombeam
