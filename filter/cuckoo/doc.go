// Package cuckoo is the cuckoo filter (Fan, Andersen, Kaminsky and Mitzenmacher, "Cuckoo Filter:
// Practically Better Than Bloom", CoNEXT 2014).
//
// A table has buckets of four slots, and a slot holds a fingerprint, a few bits of a key's hash. A
// key has two buckets, and its fingerprint is in one of them: a query looks at two places in
// memory. Where both are full an insert moves another fingerprint to its other bucket, which
// follows from the fingerprint and the bucket that it is in, and so on, up to 500 times (section
// 3). The paper's buckets are a power of two; here they are any number.
//
// # The contract of deletion
//
// Delete only members, and as often as they were inserted: the fingerprint of a key that is no
// member may be a member's. Then a member is always found. A delete removes one copy of the
// fingerprint and leaves no trace, so the rate depends on the members that are in, not on those
// that were. It is never Retained; but a key may still be present after its delete, as any false
// positive, where another member has its fingerprint and buckets.
//
// # A filter is full
//
// At about 96 % of the slots an insert finds no place. It returns a *[FullError], which wraps
// [ErrFull], and the filter is as it was: no fingerprint is lost, and the same insert fails again
// until something is deleted. Filters are sized for the planned members to fit: 95 % of the slots,
// less in small tables (80 % for 100 members). Of filters of 5 to 50 members one in 5,000 was full
// too early, or fewer; of those of 70 to 200 none in 20,000. A key that is a member eight times
// fills both its buckets, and the ninth insert is refused; the fifth, where both are the same
// bucket, as of one key in as many as there are buckets.
//
// # Size
//
// With the planned members in, a million of them:
//
//	bits per key               8     10     12      16      20       24      32
//	fingerprint, bits          7      9     11      15      18       22      30
//	false positives, %      5.36   1.40  0.358  0.0229  0.0027  0.00017   7e-07
//
//	rate                     1 %  0.1 %  0.01 %  0.001 %
//	bits per key            10.5   13.7    17.9     21.1
//
// The paper has (log2(1/rate) + 3) / 0.95 bits per key (section 5.1): 10.2 for 1 %, where a
// fingerprint is of a whole number of bits. [Filter.ExpectedRate] is exact but for the unevenness
// of tiny tables.
//
// # When to prefer another kind
//
// Package plain needs fewer bits for rates above 0.3 %, and is never full. Package deletable is
// several times faster, and takes more members than planned, but its rate grows with every insert
// ever made. Package counting merges, and is never full, for more than three times the bits. Two
// cuckoo filters do not merge.
package cuckoo
