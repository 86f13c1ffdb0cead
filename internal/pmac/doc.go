// Package pmac is no API: it is PMAC with AES-128 (Black and Rogaway, "A Block-Cipher Mode of
// Operation for Parallelizable Message Authentication", EUROCRYPT 2002), of which a hash is the
// first eight bytes of the tag, little-endian. Package filter/key stands on it.
//
// # The hash
//
// E is AES-128 under the key, L = E(0), and products are in GF(2^128). A message has blocks of 16
// bytes, of which the last may be shorter, or empty. Block i of the others, i = 1, 2, …, is
// encrypted after gray(i)*L was added, where gray(0) = 0 and gray(i) = gray(i-1) + x^ntz(i). The
// sum of these and of the last block gets L/x if that has 16 bytes, and otherwise a one bit and
// zeros behind its last. The tag is the sum encrypted.
//
// # Implementations
//
// The definition is in portable.go, over crypto/aes. Assembly that avogen generates
// (avogen/pmac.go) runs where a CPU has AES instructions: forms.go chooses it, apart from the set
// that package kernel runs.
//
// A call of assembly takes some 10 µs at most, because a goroutine cannot stop in it. Longer keys
// are hashed in pieces, and batches in several calls (assembly.go).
package pmac
