// Avogen is no API: it is the command that writes the assembly of the block operations and of
// AES-PMAC (package asm), the bare loops that their speed is compared with (bench/floor), and the
// Go code that is the same for every operation, width or instruction set: the calls
// (internal/dispatch) and the tables that users see (package kernel).
//
//	go generate ./...
//
// What is generated is committed. TestGenerated fails if a file is stale.
//
// An operation is described once, in a file of its own (query.go, select.go, insert.go, delete.go,
// merge.go, match.go, fetch.go, and floor.go): its contract (contract.go), which is a type of
// functions that each stub names, how package dispatch runs it (form.go), and what it does on a row
// machine (machine.go). A row is a block in registers, a mask is the bits of a key, and a word is
// an integer. The loop over a batch is batch.go. An instruction set is an implementation of the
// machine: avx2.go has rows of one or two ymm, avx512.go has rows of one ymm or zmm, and both embed
// the integers of x86.go; neon.go has rows of two or four q registers and embeds the integers of
// a64.go. Package fallback defines every operation and has every constant. The shape of a block is
// a parameter of a machine (constants.go): the width of its lanes, whether it has a collision lane,
// and how a hash becomes a block's address and a mask.
//
// On amd64 avo numbers the registers and prints the text (amd64.go). Avo has no arm64: there
// registers.go numbers them, arm64.go prints, and encodings.go has the instructions that Go's
// assembler lacks, as numbers. The Go code comes from templates (templates/), which gocode.go fills
// in.
//
// # The machine of the hash
//
// AES-PMAC has no rows: it is described once, in pmac.go, for a cipher machine (cipher.go), whose
// block is 16 bytes in a register and whose wide register has one, two or four of them. It loads,
// adds and encrypts them under round keys that lie in memory or in registers. cipher_x86.go has AES
// and VAES, and cipher_neon.go AES of arm64. Both embed the integers of their architecture's row
// machine. Unlike a row, a block is a variable: the hash computes in place. The sets of AES
// instructions are a list of their own (amd64.go, arm64.go), and internal/pmac chooses among them.
//
// # Changes
//
// CONTRIBUTING.md has the steps to add an operation and to add an instruction set. Two rules keep
// the machines small:
//
//   - A primitive that the machine lacks becomes a method of it, in every instruction set. Ask for
//     what can be fused, as Share and ClearFree do.
//   - A machine never finds out afterwards what an operand was: a key's mask has a type of its own.
//
// These tests hold the output: TestGenerated (stale, missing and left-over files), go vet (a stub
// and its frame), TestFeatures (an instruction that its set does not promise, on amd64), TestPhases
// (a function that does not say which part does what) and TestEncodings (a number that is not the
// instruction beside it). The tests of asm and the laws of kernel run every set that the CPU has.
// BLOOMLANE_REQUIRE=<name> makes them fail if the CPU lacks the set, and "make emulated" runs them
// on emulated CPUs that have it.
//
// # Adding a shape
//
// Parquet's split block is the example: lanes of 32 bits, no collision lane, and another mask.
//
//  1. Define it in package fallback (split.go): index and mask, and what an operation is without a
//     collision lane.
//  2. Name it in constants.go (splitBlock), and add it to the shapes of the operations that it has.
//     An operation asks collides, as insert and merge do. Fold and ClearFree refuse a shape without
//     a collision lane.
//  3. If its addresses or masks are others, it has a keying of its own (splitKeys): the methods of
//     the machine that load a hash and make both, such as BlockSplit and MaskSplit, in every
//     instruction set. A hash may stay in memory if that is shorter: the split block loads the two
//     halves of a hash apart.
//  4. Give it a table in package kernel (splitblock.go): the methods are written by hand, and the
//     calls are generated.
//
// # Choices that measurements made
//
// docs/measurements/avogen.md has the tables, with machine and commit, and what was tried and is
// not here. In short:
//
//   - A batch prefetches 128 keys ahead. The distance is an argument, so that "go test -bench
//     Distance ./bench/floor" can measure it on another CPU.
//   - A batch does not prefetch in tables up to half of the L2: there a prefetch costs the time of
//     its instructions and gains nothing.
//   - A query is bound by the six instructions per cycle that a Zen 5 takes in. So software
//     pipelining does not help, and fewer instructions do.
//   - An insert is bound by the two units for shuffles and shifts. So g is broadcast from memory,
//     and AVX-512 joins three rows in one instruction.
//   - A delete branches on whether the key is present. The contract of deletion says that it is, so
//     the branch is predicted: 2.5 ns instead of 3.3 without a branch.
//   - A selection compresses positions with AVX-512. With AVX2 and NEON it stores the position of
//     each key, and the next one in its place if that key is absent, so that there is no branch.
//   - BMI2 is required, because avo finds no registers for MUL, which needs two fixed ones.
//   - A single query is one call of assembly, which the method that users call is inlined to. With
//     another call of Go in between it is hardly faster than portable Go
//     (docs/measurements/kernel.md).
//   - On arm64, registers are not used again as soon as they are free: LLVM's model charges for
//     that. NEON was chosen by this model and has not been measured on a CPU.
package main
