// Package key has the secret keys under which filters hash, with HighwayHash-64. Without the key
// nobody can compute keys that collide, so a filter has its planned rate for fresh keys that others
// choose. False positives that were found by asking can be replayed: docs/keyed-hashing.md has the
// attacks, and what holds.
//
// Filters that are to be merged need the same [Key], and so does a filter that is read back from
// its file, which does not hold it.
//
// # Batches
//
// A batch of eight keys or more hashes them together, in a ninth to a third of the time that it
// takes one by one with minio's package: see internal/highway for the figures. The operations of
// filters on batches of keys use these. [Key.HashUint64Batch], and [Key.HashFixedBatch] for widths
// of 4, 8, 16, 20, 32 and 40 bytes, are the fastest; [Key.HashBatch], [Key.HashStringBatch] and
// [HashOffsetsBatch], for keys of mixed lengths, take twice as long. None holds up a garbage
// collection, whatever the lengths, and none allocates, but for a buffer where a garbage collection
// has taken the last one. Hashes must not be stored in the memory of the keys: they are undefined
// then.
//
// A hash is that of the bytes, so a key has the same hash in every form, alone or in a batch.
//
// # Packing a flow's 5-tuple
//
// The addresses, ports and protocol of a flow make a key of 16 or 40 bytes, whose fields are in
// network order as they are in the packet:
//
//	IPv4, 16 bytes   source 0-3, destination 4-7, source port 8-9, destination port 10-11, protocol 12, zeros 13-15
//	IPv6, 40 bytes   source 0-15, destination 16-31, source port 32-33, destination port 34-35, protocol 36, zeros 37-39
//
// The zeros cost nothing: a key of 13 or 37 bytes would take longer. Both kinds can be in one
// filter, since keys of different lengths are different keys.
package key
