// Package sharded is a deletable filter that many goroutines may insert into, query and delete from
// at the same time. Use it if several goroutines write. If goroutines only query, or query during a
// refresh, use a filter of package deletable. If goroutines only insert and none queries meanwhile,
// give each a filter of its own and merge them, which is faster: see the example.
//
//	f, err := sharded.New(deletable.Config{Members: 1_000_000, Rate: 0.01})
//	go f.Insert(key)
//	present := f.Query(key)
//
// A [Filter] has the operations of a [deletable.Filter] on keys and hashes, for one key and in
// batches. They do not allocate. The blocks, the files, the rates and the contract of deletion are
// those of package deletable. In addition, a delete may begin only after the insert of its key has
// returned.
//
// # What is promised
//
//   - A query that begins after the insert of a key has returned finds it, until its delete begins.
//     It does not matter what other goroutines do.
//   - If a query does not find a key, there was a moment during the query when the key was no
//     member. A key that is found may be a false positive, also of bits that were never set at the
//     same time.
//   - A batch of inserts, or of deletes, is atomic for each key by itself. Bits and answers are
//     those of some order, in which a call that has returned comes before one that begins later.
//   - An insert of one key is atomic too, except in two points. If two goroutines insert the same
//     key, or keys with the same bits, both may hear that it was absent. And an insert that meets a
//     batch or a delete is repeated: up to seven regions more may then have collided, so that its
//     delete may be Retained. [Filter.Repeated] counts these inserts.
//
// Queries and inserts of one key take no lock. Deletes and batches of inserts lock one of up to 64
// ranges of hashes at a time, for microseconds. docs/theory/sharded.md has the protocol and the
// reasons, docs/concurrency.md the speed.
//
// # Copies
//
// [filter.Keyed.Save], [Filter.Contents] and [Filter.Snapshot] copy one range after another while
// other goroutines go on. The copy has every write that returned before the call began, and none
// that began after it returned. Of the writes in between it may have any, and of an insert of one
// key perhaps only some bits. To delete from the copy, you must know its members: pause the writers
// during the copy, or insert the keys of doubtful writes again. [Filter.State] reads the table in
// the same way.
//
// To rebuild, pause the writers, call [deletable.Filter.Rebuild] on a Snapshot, take the result by
// [Of], and publish it in an [sync/atomic.Pointer]. Close waits for no call.
package sharded
