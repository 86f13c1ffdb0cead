// Package siphash is no API: it is SipHash-1-3 (Aumasson and Bernstein, "SipHash: a fast
// short-input PRF", 2012). It needs additions, rotations and exclusive ors of 64 bits only, so that
// packet programs and hardware have it too.
//
// The definition is definition.go. What runs is portable.go.
//
// # The hash
//
// The state is four words of 64 bits. A key is its 8-byte words, and a last one of the bytes that
// are left, with the size in the highest byte. A word is added to v3 by exclusive or, then there is
// a round, then it is added to v0. At the end v2 gets 0xff, and there are three rounds. The hash is
// the exclusive or of the four words.
package siphash
