// Package peer has the filters that the benchmark holds against each other: those of other Go
// libraries, and ours, behind one interface that takes keys by the slice, so that the time of an
// interface call is shared by all keys of it. A library is in a file of its own.
//
// A key is a random 64-bit hash. A library that takes hashes gets it as it is, also where a hash
// function of one's own must be set for that; any other gets its 8 bytes, the least significant
// first, and hashes them. Each library is used through its quickest calls, and with the number of
// hash functions that its own constructor chooses for the bits a key asked for.
//
// An adapter hides nothing: what a library refuses, loses or calls deleted is what it reports.
//
// Three libraries that belong here are not, because the Go module proxy does not give them away (it
// says "403 Forbidden: this module version is not available"): github.com/greatroar/blobloom,
// github.com/panmari/cuckoofilter and github.com/linvon/cuckoo-filter.
package peer
