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
// A key alone has to wait: each round takes some 8 cycles, whatever the processor could do besides.
// Here a register holds lanes 0 and 1 of several keys, one in each part of 128 bits, and another
// lanes 2 and 3: 2 keys per ymm, 4 per zmm, 1 per q register. So
//
//   - the zipper is one shuffle of bytes within 128 bits;
//   - the exchange of lanes at the end is a matter of names, and the halves of v0 are swapped by an
//     instruction whose result is also the factor that a round begins with;
//   - what is the same for every key of a width is computed once per batch (schedule.go): the state
//     before the first packet, and for keys of 4 and 8 bytes lanes 2 and 3 after it;
//   - the last round but one computes of lanes 2 and 3 only v0, and the last nothing of them.
//
// Instructions per key for widths of 8, 16 and 40 bytes, without loads and stores: 25, 28 and 38
// with AVX-512, where 8 keys are in flight, 52, 58 and 74 with AVX2, where it is 2 and what the
// processor finds behind them, and 104, 119 and 148 with NEON, where it is 2: it has to pack the
// factors of two keys before it multiplies.
//
// # Mixed lengths
//
// Keys are sorted by the number of their whole packets, 512 at a time, and hashed in this order
// (batch.go). The packet of a rest is a shuffle of 16 bytes that are the key's: for its lower half
// those that it begins with, or the key's last 16 where there are not as many, and the last 16 for
// its upper half. A table has the masks for each number of bytes. So no branch depends on the
// length of one key, and nothing is read beside it: one of less than 16 bytes is copied to where 16
// can be read. Keys of more than 256 bytes are hashed one at a time, with both halves of the state
// in one register, as if they were those of two keys.
//
// # What it takes
//
// In ns per key, the least of 40 runs on a shared Xeon (Sapphire Rapids at 3.5 GHz), with 4096 keys
// in the second-level cache, beside minio's Sum64 in the same runs (go test -bench .
// ./internal/highway). The last two have keys of 8 to 64 bytes:
//
//	                 4      8     16     20     24     32     40   slices  offsets
//	AVX-512       3.67   3.77   4.07   4.25   6.68   4.21   5.54     8.52     9.44
//	AVX2          5.50   5.55   5.91   6.12   9.98   6.20   7.85    12.64    13.29
//	minio         35.7   35.1   36.6   36.4   37.5   17.2   38.9     41.8     40.8
//
// Minio's package is faster at multiples of 32 bytes, where it makes no packet of a rest. A single
// key of 8 bytes takes 18 ns for 36, one of 32 bytes 16 for 17, one of 100 bytes 23 for 40, one of
// 1000 bytes 91 for 100, and one of 100,000 bytes 7.3 µs for 7.3.
//
// Two instructions of 512 bits a cycle are all that this processor runs, so that 8 bytes cannot
// take less than 12.5 cycles: 3.5 ns. On Zen 4 a prototype in C took 3.65 ns, and minio's package
// 36.8.
//
// Tried, on the same machine:
//
//   - AVX-512 with one zmm instead of two: 4.1 ns for 8 bytes instead of 3.7; with two ymm 5.3,
//     with one 5.7.
//   - Packing the packets of 64 keys into a buffer by a call, and hashing them from there by
//     another: mixed lengths took 13.8 ns, and 10.4 with one call for both and short keys that are
//     copied and not packed.
//   - Counting a class of lengths in memory: see sort in batch.go.
//   - A shorter chunk: with 256 keys mixed lengths took 9.2 ns, and 8.9 with 512.
//   - Portable Go with two lanes in local variables: 700 ns per key, against 290 of the definition
//     and 150 to 250 of minio's portable form, which is why that runs where there is no assembly.
package highway
