// Package peer is no API: it is what the benchmark holds against each other: filters behind the
// batches of the contract in package filter, so that the time of an interface call is shared by all
// keys of it. Ours are here, and every kind of filter fits as it is; those of other libraries are
// in package library, apart from it because what they import takes minutes to build.
//
// A key is a random 64-bit hash, or bytes that the filter hashes.
package peer
