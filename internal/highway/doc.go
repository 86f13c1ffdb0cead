// Package highway is no API: it is HighwayHash-64 of many keys at once, bit for bit minio's
// highwayhash.Sum64. Package filter/key stands on it.
//
// The definition is state.go, in portable Go. On amd64 and arm64 the implementation that package
// kernel runs (AVX2, AVX-512, NEON) hashes in assembly that avogen generates from one description
// (avogen/highway.go). Elsewhere minio's package hashes one key after another (portable.go).
//
// # The hash
//
// The state is four lanes of 64 bits of each of v0, v1, mul0 and mul1. A round takes a packet of 32
// bytes, a word per lane:
//
//	v1   += packet + mul0
//	mul0 ^= lower half of v1 * upper half of v0
//	v0   += mul1
//	mul1 ^= lower half of v0 * upper half of v1
//	v0   += zipper(v1)
//	v1   += zipper(v0)
//
// The zipper merges the bytes of lanes 0 and 1, and of lanes 2 and 3. A key is a round for each
// whole packet and, if bytes are left, for those: their number is added to v0, v1's halves are
// rotated by it, and the bytes are spread over a packet. Then come four rounds whose packet is v0
// with lanes 0 and 1 in the place of 2 and 3, and the halves of each lane swapped. The hash is the
// sum of lane 0.
//
// # Half transposed
//
// A single key is bound by latency: each round takes some 8 cycles, in which the processor could do
// more. Here one register holds lanes 0 and 1 of several keys, each in a part of 128 bits, and
// another register holds lanes 2 and 3: 2 keys per ymm, 4 per zmm, 1 per q register. So
//
//   - the zipper is one shuffle of bytes within 128 bits;
//   - the exchange of lanes at the end only renames registers, and one instruction swaps the halves
//     of v0 and gives the factor that a round begins with;
//   - what is the same for every key of a width is computed once per batch (schedule.go): the state
//     before the first packet, and for keys of 4 and 8 bytes lanes 2 and 3 after it;
//   - of lanes 2 and 3 the last round but one computes only v0, and the last round nothing.
//
// Instructions per key for widths of 8, 16 and 40 bytes, without loads and stores: 25, 28 and 38
// with AVX-512 (groups of 8 keys), 52, 58 and 74 with AVX2 (groups of 2), and 104, 119 and 148 with
// NEON (groups of 2), which has to pack the factors of two keys before it multiplies.
//
// # Mixed lengths
//
// Package internal/batch sorts keys by the number of their whole packets. The packet of the last
// bytes is a shuffle of 16 bytes of the key. Its lower half comes from the first 16 of these bytes,
// or from the key's last 16 if there are fewer, and its upper half from the key's last 16. A table
// has the masks for each number of bytes (batch.go). Keys of more than 256 bytes are hashed one at
// a time, with both halves of the state in one register, as if they belonged to two keys.
//
// docs/measurements/highway.md has times, and what was tried and is not here.
package highway
