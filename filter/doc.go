// Package filter is the contract of a filter: what filters can do, what they promise, and what they
// have in common. The kinds are the packages below it, and package kinds has their list.
//
// # Hashes
//
// The narrow waist is the uniform 64-bit hash of a key, single and in batches. [Querier] and [Set]
// are what every filter can do with it; what a filter can do beyond that is found by type
// assertion, as in package io: [Deleter], [Counter], [Grower], [Clearer]. [Keyed], which kinds
// embed, hashes bytes, strings and uint64s under a secret key for them.
//
// # The contract of deletion
//
// Delete only members, and once; insert every member, and once, also one that is visible already,
// because it may be a false positive. Under that contract a filter that promises [NoFalseNegatives]
// shows every member.
//
// So "insert if absent" is no operation of a filter that deletes: that a key is present does not
// make it a member, and a member whose insert was skipped has no bits of its own. Ask the owner of
// the members, not the filter. Of a filter from which nothing is ever deleted, query first and
// insert what is absent.
//
// # Life cycle
//
// A filter is made by its package (New, Open and their like) and ends with its Close, which does
// not wait: calls that run finish on the table that they have. Of a filter that is closed, and of
// the zero value, which was never made, every method that returns an error returns one that wraps
// [ErrClosed], and every other method panics with it, but for State, Stats and Health, which are
// zero, and String, Format and Closed. No file is touched.
//
// # Sources of members
//
// A deletable filter that is built again takes its members from an iter.Seq2 of keys and errors,
// and so does a rolling one whose oldest members move. An error ends the source: no filter comes of
// it, and the old one stays as it was. [Infallible] makes such a source of an iterator that cannot
// fail.
package filter
