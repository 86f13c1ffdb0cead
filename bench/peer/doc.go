// Package peer is no API: it has the filters that the benchmark compares, behind the batches of the
// contract in package filter, so that all keys of a batch share the time of an interface call. The
// filters of this project are here, and every kind fits as it is. Those of other libraries are in
// package library, because what they import takes minutes to build.
//
// A key is a random 64-bit hash, or bytes that the filter hashes.
package peer
