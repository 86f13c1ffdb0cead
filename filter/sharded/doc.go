// Package sharded is a deletable filter that many goroutines may insert into, query and delete from
// at the same time. Use it if several goroutines write. If goroutines only query, or query during a
// refresh, use a filter of package deletable. If goroutines only insert and none queries meanwhile,
// give each a filter of its own and merge them, which is faster: see the example.
//
//	f, err := sharded.New(deletable.Config{Members: 1_000_000, Rate: 0.01, Turnovers: 1})
//	go f.Insert(key)
//	present := f.Query(key)
//
// A [Filter] has the operations of a [deletable.Filter] on keys and hashes, for one key and in
// batches; that package explains the words. They do not allocate, but for the record of writes
// during a rebuild. The blocks, the files, the rates and the contract of deletion are those of
// package deletable. In addition, a delete may begin only after the insert of its key has returned.
//
// # What is promised
//
//   - A query that begins after the insert of a key has returned finds it, until its delete begins.
//     It does not matter what other goroutines do.
//   - If a query does not find a key, there was a moment during the query when the key was no
//     member. A key that is found may be a false positive, also of bits that were never set at the
//     same time.
//   - An insert and a delete of one key are atomic, with their answers: of two inserts of one key
//     at the same time one hears that it was present. A batch is atomic for each key by itself.
//     Bits, counts and answers are those of some order, in which a call that has returned comes
//     before one that begins later.
//
// Queries take no lock. Inserts and deletes lock one of up to 128 stripes, each of 16 blocks or
// more, and batches of more than 256 keys one or two at a time. No call holds a lock for more than
// some microseconds. docs/theory/sharded.md has the protocol and the reasons, docs/concurrency.md
// the speed.
//
// # Rebuild
//
// [Filter.Rebuild] replaces the members by those of a list, such as a file, a table of a database
// or a map, while others query and write. [Filter.Refresh] does the same in up to 64 steps, for
// owners who can list an interval of hashes, and needs 1/64 of the memory. The list must have every
// member at any time, and need not be the list of one moment:
//
//   - Insert a key into the list first, and then into the filter. Delete it from the filter first,
//     and then from the list. Or hold one lock for both.
//   - The source yields each key once that is in the list all the time. A key that comes or goes
//     meanwhile may be yielded or not.
//
// Then no query misses a member, before, during or after a rebuild. Of a key that is written
// meanwhile, the last write counts, and not the list: what is deleted is gone. So a key must not be
// a member more than once if it is written meanwhile. A rebuild cannot know of a write that comes
// before or after it while the list has the key: a key whose delete has returned, and that is still
// in the list, is present again, and an insert that comes after the key was yielded puts it in
// twice, so that its delete is Retained.
//
// Queries see the old or the new members of 16 blocks at a time. The size and the plan stay. For
// more members than planned, make a new filter and publish it in a [sync/atomic.Pointer]. Do not
// close the old one while goroutines may begin to query it: the garbage collector frees it.
//
// # Health and metrics
//
// [Filter.Due] and [Filter.History] add up counters, and take less than a microsecond, or two while
// a rebuild, a refresh or a merge runs. [Filter.State] does, too, and scans the table only if
// members were deleted since the last rebuild. [Filter.Stats] scans the table, which takes about a
// quarter of a millisecond per MiB. [Filter.Health] also computes predictions, which takes longer.
// The filter and its Stats are JSON and values of package slog, under names that stay: see
// [filter.Keyed.MarshalJSON].
//
// # Copies
//
// [filter.Keyed.Save], [Filter.Contents] and [Filter.Snapshot] copy 16 blocks after another while
// other goroutines go on. The copy has every write that returned before the call began, and none
// that began after it returned. Of the writes in between it may have any, and of each key all of it
// or nothing: its counts are those of the writes that it has. To delete from the copy, you must
// know its members: pause the writers during the copy, or insert the keys of doubtful writes again.
// [Filter.Merge] reads another shared filter in the same way. A scan takes no lock, and may see
// some bits of a write. One copy, rebuild, refresh or merge at a time goes through a stripe; the
// others wait for it.
//
// Intersect, Fold, Clone, Equal, Fresh, Reset and ClearBits are methods of a Snapshot, which [Of]
// makes a shared filter again: while others write they have no meaning, or are a rebuild. There is
// no Refresher either: call Refresh when Due says so, or all the time, with a source that takes its
// time. Close waits for no call.
package sharded
