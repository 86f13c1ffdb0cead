// Package fallback is no API: it is the block format and every operation in portable Go, and so
// their definition: where assembly or RTL differs from it, they are wrong. Package kernel is what
// to import.
//
// The format is the Deletable Bloom Filter of Rothenberg, Macapuna, Verdi and Magalhães ("The
// Deletable Bloom Filter: A New Member of the Bloom Family", IEEE Communications Letters, 2010)
// with the collision bitmap first in the bit array, as in the letter's Fig. 1, made partitioned
// (one bit a lane) and register-shaped (one block, one cache line). Format, operation by
// operation:
//
//   - format.go: the block, and the way from a hash to a block index, positions and a mask;
//   - query.go, insert.go, delete.go, merge.go, match.go, count.go, replace.go: one operation each;
//   - batch.go: how a batch brings its blocks into the cache.
//
// An operation has up to three forms. The form on a mask (QueryMask, InsertMask, DeleteMask) is
// its definition, lane by lane, for one block and a mask of any pattern, as a packet header and the
// RTL have them. The form on a hash (Query, Insert, Delete) is the same operation for one key of a
// table, written out for speed. The batch form is the hash form for many keys, one after another.
//
// A block is a *[Lanes]T and a table is a [][Lanes]T, lane 0 first, each lane a native integer.
// Nothing is validated here beyond what indexing checks by itself: internal/dispatch does that.
package fallback
