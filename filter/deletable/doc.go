// Package deletable is a Bloom filter that members can be deleted from: the Deletable Bloom Filter
// of Rothenberg, Macapuna, Verdi and Magalhães ("The Deletable Bloom Filter: A New Member of the
// Bloom Family", IEEE Communications Letters, 2010; "the letter" below), with a key's bits in one
// cache line.
//
// Keys are bytes, hashed with HighwayHash-64 under a secret [key.Key]; or uint64s, which are their
// 8 bytes, the least significant first; or hashes that the caller has made. Each of the three has
// Insert, Query and Delete, for one key and in batches. Batches are faster where the filter is
// larger than the cache, and no call allocates.
//
// # The contract of deletion
//
// An insert notes where a bit was set before: the region of that bit, one of 64 in a block, is then
// collided. A delete clears the bits of its key that lie in other regions, which are the key's
// alone (section III of the letter). Under this contract a member is always found:
//
//   - Delete only what you inserted, and once. Where a key that is no member happens to be a false
//     positive, its delete clears bits of members, and those are then no longer found. Query cannot
//     tell the two cases apart: the caller must know.
//   - Insert every member, and once. Do not skip a key that Query finds: it may be a false
//     positive, and it is the insert that protects its bits. Do not insert a member again: all its
//     bits would collide with themselves, and it could never be deleted.
//
// # Retained
//
// A delete can find all seven bits of its key in collided regions. It clears nothing then and says
// [Retained]: the key is no member any more, but it stays visible, as one more false positive. At
// 16 bits per key that is the fate of 7.8 % of the members; 1 less that is p_d, the letter's
// equation 1 and Fig. 2. Do not delete such a key again.
//
// # Rates grow with every insert ever made
//
// No delete clears a collision bit, because nothing in the filter knows when the last key of a
// region has gone; and more and more bits are left without a member. So the false-positive rate
// grows with all the inserts ever made, not only with the members that are in (the letter's section
// III has this as the limitation of dynamic applications). A filter that was sized for n members at
// 16 bits per key has, when every member has been replaced once, ten times the rate that it had
// when they were new.
//
// So plan for an end, and build the filter anew there. A turnover is as many inserts as there are
// members at a time; with [Config.Turnovers] the filter has the size that keeps its rate through as
// many, by the predictions of package planning. [Filter.Due] says, from two counters, when they are
// used up, and [Filter.Rebuild] makes the next filter from a source of the members, while readers
// go on with this one; a source that fails makes none. [Filter.Health] says how it fares until
// then: the turnovers made and left, the rate now and the planned one, and how many of the members
// their deletes can make invisible.
//
// # Refresh
//
// An owner who can list the members whose hashes lie in an interval, such as a table of flows that
// is bucketed by hash, a sorted file or a tree, need not wait for the end: [Filter.Refresh] builds
// some blocks anew from their members, in place, beside readers. A [Refresher] says after which
// insert which blocks are next, by the number of re-inserts an insert. Then the rate stays for ever
// what it is after two or three rounds. A [Config] with Reinserts is the plan for that, and
// NewRefresher(f, 0, 0) has its steps. At 16 bits per key and at most, in 12 turnovers of 50,000
// members that leave by age or at random (TestRefresherKeepsTheRate):
//
//	re-inserts an insert    0.5     1     2
//	false positives, %      3.4  0.92  0.43
//
// Without a refresh the rate is 2.1 % after one turnover, and grows. A member costs 5 ns to refresh
// in steps of 16 blocks or more, 7 in steps of 4, and 15 in steps of 1, where the list is sorted
// hashes in memory, and 2.2 by package kernel, without an iterator (AVX-512, a Xeon with 2 MiB of
// L2, minima of a run). So make a step 64 to 1024 blocks: at 16 bits per key 2,000 to 33,000
// members, and 10 to 160 µs. An owner that can list only all members has [Filter.Rebuild].
//
// Where members come and go for ever and cannot be listed, package rolling bounds the rate
// otherwise.
//
// # Size
//
// [Config] takes the number of members, either bits per key or a rate, and the turnovers that the
// rate is to hold for. Fresh filters have
//
//	bits per key             8     10     12     16     20     24
//	false positives, %  4.48   1.81   0.81   0.21  0.068  0.027
//	deletable, %        34.1   58.7   76.0   92.2   97.3   98.9
//
// An eighth of the bits is the collision bitmap, m/r = 8 in the letter's terms. [ExpectedRate]
// derives the rates: they are those of a blocked filter, a mean over how many keys a block gets,
// and higher than the textbook formula, which knows only the mean load. Memory is the table, in
// steps of [BlockBytes], and a few words.
//
// # Files
//
// [Filter.Save] and [Open] keep a filter and its plan in a file with checksums, without its hash
// key. Two filters of one key and size merge ([Filter.Merge]): shards that were built apart become
// one. Readers go on while a file is replaced and opened again: the example of [Open] has the three
// lines that this takes.
package deletable
