// Package cuckoo is the cuckoo filter: it deletes, and its false-positive rate does not grow with
// the members that came and went. Use it for members that come and go without limit, if you know
// how many there are at a time and can handle an insert that is refused.
//
// A table has buckets of four slots. A slot holds a fingerprint, which is a few bits of a key's
// hash. A key has two buckets, and its fingerprint is in one of them, so a query looks at two
// places in memory. If both buckets are full, an insert moves another fingerprint to the other
// bucket of that one, and so on, up to 500 times.
//
// # The contract of deletion
//
//   - Insert every member, also one that is present already: it may be a false positive. Delete
//     only members, and each at most as often as it was inserted: the fingerprint of a key that is
//     no member may be that of a member. Under this contract every member is found.
//   - A delete returns Deleted if it removed a copy of the fingerprint, and else Absent. It is
//     never Retained. It leaves no trace in the rate. The key may still be present after it: as a
//     member, if it was inserted more often than it was deleted, or like any false positive, if
//     another member has its fingerprint and buckets.
//   - A filter takes a key up to eight times, as often as its two buckets have slots. It takes it
//     four times if both are the same bucket. The probability of that is one in the number of
//     buckets.
//
// # A filter is full
//
// An insert that finds no place returns a *[FullError], which wraps [filter.ErrFull], and changes
// nothing. The same insert fails again until a member is deleted. A [Config] leaves room for the
// planned members, so that it happens to fewer than 1 in 100 filters before they are in. The load
// is the part of the slots in use:
//
//	planned members, fingerprints of 8 bits  10,000  1,000,000  60,000,000
//	load with the planned members, %           93.5       94.8        94.6
//	load at the first refusal, median, %       96.9       96.1        95.5
//
// Shorter fingerprints get more room, because a bucket has fewer others: with 60 million members a
// load of 93.7 % for 5 bits, and of 46 % for 4 bits. Without Config.Fingerprint, New takes the
// width that needs the fewest bits. Loads are measured up to 67 million slots (TestFirstRefusal);
// for larger filters they are extrapolated. A filter of fewer than 100 members may still be full
// too early; TestPlannedMembersFit holds that to at most 8 of 2,000 filters.
//
// Other errors are a *[filter.SizingError] for a plan that no filter can keep, a *[file.Error] for
// a bad file, and an error that wraps [filter.ErrClosed] after Close. Inserts, queries and deletes
// allocate nothing.
//
// # Size
//
// With one million planned members in:
//
//	bits per key               8     10     12      16      20       24      32
//	false positives, %      5.36   1.40  0.358  0.0229  0.0027  0.00017   7e-07
//
//	rate                     1 %  0.1 %  0.01 %  0.001 %
//	bits per key            10.5   13.7    17.9     21.1
//
// # When to use another kind
//
//   - Package plain needs fewer bits for rates above 0.3 %, and is never full. It does not delete.
//   - Package deletable is several times faster and takes more members than planned. Its rate grows
//     with every insert ever made.
//   - Package counting merges and is never full, for more than three times the bits. Two cuckoo
//     filters do not merge.
//
// Source: Fan, Andersen, Kaminsky and Mitzenmacher, "Cuckoo Filter: Practically Better Than Bloom",
// CoNEXT 2014. Its number of buckets is a power of two; here it is any number.
package cuckoo
