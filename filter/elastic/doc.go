// Package elastic is a filter that grows with its members and shrinks with them, and deletes. It is
// after the Elastic Bloom filter (Wu, He, Yan, Wu, Yang, Ruas, Zhang and Cui, IEEE Transactions on
// Computers, 2021), in another form.
//
// A filter has two parts. Queries read one block of 256 bits, half a cache line, from a blocked
// Bloom filter: the fast memory. For each block there is a list of the hashes of its members, which
// only inserts and deletes read: the slow memory. A delete takes a hash from its list, and builds
// the block again from the list. A growth splits each block in two by the next bit of the hashes;
// the lists then hold a bit less of each hash, because the block tells it. A compression is the
// reverse. The paper has a bucket of fingerprints for each bit instead, and k fingerprints for a
// member, and reads k cache lines: package papers/elastic/original has that.
//
// # What it promises
//
// Under any inserts and deletes every member is found. A key may be a member several times. The
// rate of false positives is at most the planned one for any number of members, in the mean over
// hash keys, and in the middle of a growth too: nothing decays, because the blocks are always those
// of the members and of nothing else.
//
// The contract of package filter says to delete members only. This filter promises more: a delete
// of a key whose hash is in no list changes nothing, also where the key is a false positive, and
// its status is Absent. Only a key whose hash is a member's in all 64 bits is deleted by mistake.
// [Filter.CountHash] asks the list itself, and so tells a member from a false positive.
// [Filter.Merge] is the union of two filters, and [Filter.Intersect] the intersection.
//
// # Growth
//
// At [Filter.Limit] members the filter takes twice the blocks, and below a quarter of that it takes
// half of them, but never fewer than it was made with. Each insert and each delete moves some of
// the blocks, so that no single call takes long; queries go on with the old blocks until all are
// moved. From 10,000 members to 10 million and back, half the inserts took up to 0.24 µs, 99.99 %
// up to 3.4, and those that move blocks up to 4.8; of the deletes it was 0.52, 2.7 and 4.5. The
// longest calls begin a move, and take the memory for it: 2.0 ms for an insert, which was 0.36 in
// another run, and 0.22 for a delete. The heap may have to zero that memory, which takes the longer
// the larger the table is (a Xeon with 2 MiB of L2, shared, commit 5f72240; for each call the least
// of five runs, "make growth").
//
// The largest table has 2 GiB of blocks, and a filter at most [MaxMembers] members. [Filter.Most]
// says how far it can grow as soon as it is made, and [filter.State] has it beside the members. An
// insert beyond that is refused with a *[FullError], which wraps [ErrFull], and the filter is as it
// was. A list may have any length: a key that is a member n times has n entries in one, and its
// deletes take the longer.
//
// # Beside readers
//
// Any number of goroutines may query while one writes, and wait for nobody: see [Filter].
//
// # Size
//
// The blocks, with the planned members in, a million of them:
//
//	bits per key               8     10     12     16      20      24      32
//	false positives, %      3.32   1.26   0.54   0.13   0.042   0.016  0.0036
//
//	rate                     5 %    1 %  0.1 %  0.01 %  0.001 %
//	bits per key             7.5   10.9   17.4    27.2     42.3
//
// The rate is up to 1.2 times that with the last members before a growth. As the filter grows there
// are so many bits per key or up to twice as many. The lists take 8 to 11 bytes per member, and the
// fewer the larger the table is.
//
// # Speed
//
// Of a filter that has grown from 1,000 members, and of a cuckoo filter made for as many, both for
// 1 %, in batches (the same Xeon, minima of three runs, commit ad4a343, BenchmarkSideBySide):
//
//	members                            10,000      1 million     10 million
//	                              elastic cuckoo elastic cuckoo elastic cuckoo
//	query, ns                         2.6     15     2.3     13     6.9     39
//	insert and delete, ns             149    106     330    203     281    787
//	bytes per member, blocks          2.2    1.4     1.4    1.3     2.3    1.3
//	bytes per member, lists          10.5            9.4            8.8
//
// # When to prefer another kind
//
//   - Package deletable takes 2 to 5 bytes per member for 1 %, where the number of members is known
//     and they are replaced a few times, or can be listed.
//   - Package cuckoo takes 1.3 bytes per member for 1 %, and its deletes leave no trace either. It
//     does not grow, a query reads two cache lines, and the delete of a false positive loses a
//     member.
//   - Package plain takes no lists, where nothing is deleted and the number of members is known.
package elastic
