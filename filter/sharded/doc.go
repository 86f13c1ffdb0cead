// Package sharded lets many goroutines insert, query and delete in one deletable filter.
//
//	f, err := sharded.New(deletable.Config{Members: 1_000_000, Rate: 0.01})
//
// A [Filter] has the methods of a [deletable.Filter] on keys and hashes, single and in batches, and
// any number of goroutines may call them at a time. No operation allocates. It is not a kind of
// filter but a way to hold one: the blocks, the file and the rates are those of package deletable,
// whose contract of deletion holds here too. A delete begins when the insert of its key has
// returned.
//
// Where goroutines only query, a deletable.Filter will do, and package filter/deletable has
// [deletable.Filter.Refresh] beside readers. Where they only insert, and nobody queries meanwhile,
// a filter for each and a merge takes the least time: see the example.
//
// # What is promised
//
//   - A query that begins when the insert of a key has returned finds it, until the delete of it
//     begins. It does not matter what other goroutines do.
//   - A key that is absent was no member at some moment of the query. One that is present need not
//     have been one: a query reads lane by lane, so it may see bits of two keys that were never in
//     together, as a false positive.
//   - Batches of inserts, and deletes, are atomic, each key for itself: bits and answers are those
//     of some order, in which a call that has returned comes before one that begins then.
//   - An insert of one key is atomic in its bits, unless it is repeated: see Bits. Its answer is
//     weaker: of two goroutines that insert the same key, or keys with the same bits, both may hear
//     that it was absent.
//
// So a history is linearizable to a set whose queries may answer yes for any key. Recorded
// histories are checked for that, and the protocol by a model in all interleavings.
//
// # Locks
//
// Queries take no lock. Nor does an insert of one key, which is an atomic OR in each of its lanes:
// of two that set the same bit one finds it set, and marks its region as collided.
//
// A filter has up to 64 stripes. A stripe is blocks in a row, so it is a range of hashes. A delete,
// and each part of a batch that lies in one stripe, is a section of it. Sections of a stripe
// exclude each other, and rewrite its blocks by package kernel. An insert of one key looks whether
// a section was at work while it ran, and is repeated as a section then; if one is at work when it
// begins, it waits. A section has 256 keys at most, so others wait for microseconds.
//
// A batch is grouped by stripe, 4096 keys at a time, in the order that it has. So the larger a
// batch is up to there, the less its locks cost.
//
// # Bits
//
// In these histories the table is, bit for bit, that of one deletable.Filter with the same calls in
// some order:
//
//   - inserts of one key, by any number of goroutines, in any order;
//   - inserts in batches, deletes, and queries;
//   - all of them, where [Filter.Repeated] is 0.
//
// An insert that is repeated sets its own bits once more. Regions may then stay collided that no
// order would leave so, at most the seven of its bits: such a key may be Retained by its delete, as
// one more false positive. No member is ever lost. It happens to an insert if a section of its
// stripe begins within the 50 ns that it takes. If that is a delete, and no other insert of the
// stripe came between, the regions are those of bits that it shares with others.
//
// # Snapshots
//
// [Filter.Save], [Filter.Contents] and [Filter.Snapshot] copy one stripe after another, while
// others go on: writers of a stripe wait while it is copied, but for inserts of one key. What is
// copied is a filter that has every write that returned before the call began, none that began
// after it returned, and some of those that ran meanwhile, or of an insert of one key some bits,
// which are nobody's: of two that one goroutine made in order perhaps only the second. Whoever is
// to delete from the copy must know its members: pause the writers, or insert the keys of the
// doubtful writes again, which pins them. [Filter.State] reads the table in the same way.
//
// Close waits for nobody. A rebuild is one of a Snapshot: build the next filter with
// [deletable.Filter.Rebuild] while the writers pause, or repeat their writes on it, take it with
// [Of], and publish it in an [sync/atomic.Pointer].
//
// # Memory
//
// A query needs no more of its loads than that each byte is one that some store wrote. The bits of
// a member are set in all of them, so neither the width of a load matters, nor where it is torn,
// nor the order of loads. Architectures promise more: Intel and AMD that 8 aligned bytes are loaded
// and stored at once, and 16 by AVX (Intel SDM volume 3A, "Guaranteed Atomic Operations"; AMD64 APM
// volume 2, "Access Atomicity"), arm64 that each aligned element of up to 64 bits of a vector is
// (Arm ARM, DDI 0487, "Requirements for single-copy atomicity"). A lane is one of these.
//
// An insert of one key and a section have to see each other: each stores, and then loads what the
// other stores. Go's atomics are sequentially consistent among each other, but a section loads
// blocks by plain or vector loads. On x86 no load passes a locked instruction (SDM 3A, "Loads and
// Stores Are Not Reordered with Locked Instructions"). On arm64 a load-acquire waits for the
// store-release before it, and later loads wait for the load-acquire (DDI 0487, "Definition of the
// Arm memory model"), so a section has one of these in between. It was not run on an arm64 CPU.
//
// In the sense of the Go memory model, loads and stores of sections, and loads of queries, race
// with the atomic ORs. For a word of the machine it lets such a load see some store that it could,
// and no other value. Under the race detector all of them are atomic, and sections run in portable
// Go; it does not see queries in assembly, and sees those of the build tag purego.
//
// # Speed
//
// An insert of one key is seven or eight atomic operations: 47 ns, and 18 behind a sync.Mutex that
// nobody else wants. What it has for that is that it never waits for another of its kind. In
// batches of 512 a key takes 11 ns (256 KiB, one core of a Xeon with AVX-512, commit e6a7f99).
// docs/concurrency.md has more, beside locks and other libraries.
package sharded
