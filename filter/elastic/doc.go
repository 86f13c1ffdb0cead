// Package elastic is a filter that grows and shrinks with its members at one false-positive rate,
// and deletes. Use it if the number of members is not known, or if keys that are no members may be
// deleted. Beside the blocks that queries read it needs 8 to 11 bytes per member from 10,000
// members on while it grows, and more after deletes: see Size.
//
// A filter has two parts. Queries read one block of 256 bits, half a cache line, of a blocked Bloom
// filter: the fast memory. For each block there is a list of the hashes of its members, which only
// inserts and deletes read: the slow memory. A delete removes a hash from its list and builds the
// block again from the list. A growth splits each block in two by the next bit of the hashes, and a
// shrink is the reverse.
//
// # The contract
//
//   - Every member is found, under any inserts and deletes. A key may be a member several times; n
//     entries in one list make its deletes take longer.
//   - The rate is at most the planned one for any number of members up to [Filter.Most], also in
//     the middle of a growth. It is a mean over hash keys.
//   - A delete of a key whose hash is in no list changes nothing and returns Absent, also if the
//     key is a false positive. So deletes of non-members do no harm, unless their hash equals that
//     of a member in all 64 bits. A delete returns Retained if the key is still present, and else
//     Deleted.
//   - [Filter.CountHash] looks at the list, and so tells a member from a false positive.
//     [Filter.Merge] is the union of two filters, and [Filter.Intersect] the intersection.
//   - One goroutine at a time may write. Any number may query meanwhile, and none of them waits:
//     see [Filter].
//
// # Growth
//
// At [Filter.Limit] members the filter takes twice the blocks. Below a quarter of that it takes
// half of them, but never fewer than it was made with. Each insert and each delete moves some
// blocks, so that only the call that begins a move takes long: it allocates the memory. Queries go
// on with the old blocks until all are moved, and allocate nothing.
//
// The largest table has 2 GiB of blocks. An insert beyond [Filter.Most] returns a *[FullError],
// which wraps [filter.ErrFull], and changes nothing. Other errors are a *[filter.SizingError] for a
// plan that no filter can keep, a *[file.Error] for a bad file, and an error that wraps
// [filter.ErrClosed] after Close.
//
// # Size
//
// The blocks, with one million planned members in; as the filter grows, up to twice as much:
//
//	rate                     5 %    1 %  0.1 %  0.01 %  0.001 %
//	bits per key             7.5   10.9   17.4    27.2     42.3
//
// During a growth the old blocks come on top. The lists need 13 bytes per member with 1,000
// members. A delete frees no memory: only a shrink does. A filter for 1 %
// that had a million members and lost three quarters of them had 35 bytes of lists and 42 bits of
// blocks per member when it began to shrink, 47 bytes and 66 bits at the end of the shrink, and
// then 11 bytes and 22 bits.
//
// docs/measurements/kinds.md has times, also of a cuckoo filter, and the longest calls.
//
// # When to use another kind
//
//   - Package deletable needs 2 to 5 bytes per member for 1 %, if the number of members is known
//     and they are replaced a few times or can be listed.
//   - Package cuckoo needs 1.3 bytes per member for 1 %, and its deletes leave no trace either. It
//     does not grow, a query reads two cache lines, and the delete of a false positive loses a
//     member.
//
// Source: after Wu, He, Yan, Wu, Yang, Ruas, Zhang and Cui, "Elastic Bloom Filter", IEEE
// Transactions on Computers, 2021. The paper has a bucket of fingerprints per bit in place of
// lists; papers/elastic/original in the repository has that form.
package elastic
