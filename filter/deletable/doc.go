// Package deletable is a Bloom filter from which members can be deleted. Use it if members come and
// go, memory matters, and somebody has the list of members: the filter needs to know what to
// delete, and must be rebuilt or refreshed from that list from time to time.
//
//	f, err := deletable.New(deletable.Config{Members: 1_000_000, Rate: 0.01, Turnovers: 2})
//	f.Insert([]byte("apple"))
//	present := f.Query([]byte("apple"))
//	status := f.Delete([]byte("apple")) // Absent, Retained or Deleted
//	err = f.Due()                       // not nil when a rebuild is due
//
// It is the Deletable Bloom Filter of Rothenberg, Macapuna, Verdi and Magalhães (IEEE
// Communications Letters, 2010), with all bits of a key in one cache line.
// docs/measurements/filters.md compares it with the other kinds of filters.
//
// Keys are bytes, strings or uint64s, which the filter hashes under a secret [key.Key], or uniform
// 64-bit hashes. Each form has Insert, Query and Delete, for one key and in batches. Batches are
// faster if the filter is larger than the cache. These operations do not allocate.
//
// # The contract of deletion
//
//   - Insert every member once, even if Query finds it: it may be a false positive, and the insert
//     protects its bits. Do not insert a member again: its bits would collide with themselves, and
//     a delete could not remove it.
//   - Delete only members, and once. If a key is a false positive and no member, its delete may
//     clear bits of members, and those are no longer found. Query cannot tell: the caller must
//     know. Most deletes of other keys are Absent: [Stats] counts them, so that it shows whether a
//     program keeps this rule, and package audit estimates how many members it lost.
//   - Under these two rules every member is found.
//   - A region is the bits at one position of the lanes of a block. It is collided if one of its
//     bits was set more than once, and no delete clears a bit there. A delete is [Retained] if all
//     seven bits of the key lie in such regions. The key is no member any more, but is still found,
//     as a false positive. In a fresh filter of 16 bits per key that happens to 7.8 % of the
//     members. Do not delete such a key again.
//
// # Plan for an end, or refresh
//
// The false-positive rate grows with every insert ever made, because deletes leave collided regions
// and bits without a member. At 16 bits per key it is 0.21 % in a fresh filter, and about eleven
// times that after one turnover, when every member has been replaced once. There are two ways to
// keep a rate:
//
//   - Rebuild: [Config] has the number of turnovers that the rate must last. [Filter.Due] says when
//     they are over, and [Filter.Rebuild] makes the next filter from a list of all members.
//   - Refresh: if you can list the members whose hashes lie in an interval, [Filter.Refresh]
//     replaces some blocks in place, and a [Refresher] says when and which. The rate then stays
//     what it is after two or three rounds.
//
// [Filter.Health] says how a filter compares with its plan. docs/theory.md has the rates of
// fresh filters, docs/churn.md has those under churn, and docs/measurements/kinds.md what a
// refresh costs. If nobody can list the members, see package rolling.
//
// Files have checksums and no hash key: see [filter.Keyed.Save] and [Open]. Two filters with the
// same key and size merge by [Filter.Merge].
package deletable
