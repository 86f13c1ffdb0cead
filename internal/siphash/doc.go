// Package siphash is no API: it is SipHash-1-3 of many keys at once (Aumasson and Bernstein,
// "SipHash: a fast short-input PRF", 2012). It needs additions, rotations and exclusive ors of
// 64 bits only.
//
// The definition is definition.go, in portable Go. On amd64 and arm64 the implementation that
// package kernel runs (AVX2, AVX-512, NEON) hashes batches in assembly that avogen generates from
// one description (avogen/siphash.go). A single key is portable Go on every CPU (portable.go).
//
// # The hash
//
// The state is four words of 64 bits. A key is its 8-byte words, and a last one of the bytes that
// are left, with the size in the highest byte. A word is added to v3 by exclusive or, then there is
// a round, then it is added to v0. At the end v2 gets 0xff, and there are three rounds. The hash is
// the exclusive or of the four words.
//
// # Transposed
//
// One register holds a word of the state of several keys: 4 in a ymm, 8 in a zmm, 2 in a q
// register. So a round is the same instructions as for one key, and
//
//   - the half of the first round that changes v0 and v1 alone, before any word is known, is done
//     once for each hash key. The state is kept half a round ahead;
//   - of the last round only what the hash needs is computed;
//   - words of a whole width are loaded as they are, and keys of 16 bytes unpacked. All other keys
//     are read word by word, from 8 or 4 addresses;
//   - the last word is the 8 bytes before the end of a key, shifted. So nothing beside the key is
//     read.
//
// AVX2 and NEON have no rotation. That by 32 is a shuffle, on AVX2 that by 16 too, and the others
// are two shifts.
//
// Keys of mixed lengths are sorted by the number of their words (internal/batch).
//
// docs/measurements/siphash.md has times, and what was tried and is not here.
package siphash
