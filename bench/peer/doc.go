// Package peer is what the benchmark holds against each other: filters behind one interface that takes keys
// by the slice, so that the time of an interface call is shared by all keys of it. Ours are here; those of
// other libraries are in package library, apart from it because what they import takes minutes to build.
//
// A key is a random 64-bit hash.
package peer
