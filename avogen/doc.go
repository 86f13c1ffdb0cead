// Avogen is no API: it is the command that writes the assembly of the block operations and of
// HighwayHash (package asm), the floors that its speed is held against (bench/floor), and the Go
// code that is the same for every operation, width or instruction set: the calls
// (internal/dispatch) and the tables that users see (package kernel).
//
//	go generate ./...
//
// An operation is described once, in a file of its own (query.go, insert.go, delete.go, merge.go,
// match.go, fetch.go, and floor.go), against a row machine (machine.go): a row is a block in
// registers, a mask is the bits of a key, a word is an integer. The loop over a batch is batch.go.
// An instruction set is an implementation of the machine: avx2.go has rows of one or two ymm,
// avx512.go of one ymm or zmm, and both have x86.go for the integers; neon.go has rows of two or
// four q registers, and a64.go for the integers. Package fallback is the definition of every
// operation, and the source of every constant, but for the shape of a block: the width of its
// lanes, whether it has a collision lane and how a key's mask is made are parameters of a machine
// (constants.go). What is generated is committed; a test fails where it is stale.
//
// On amd64 avo numbers the registers and prints (amd64.go). It has no arm64, where registers.go
// numbers them, arm64.go prints, and encodings.go has the instructions that Go's assembler lacks.
// The Go code is templates (templates/), which gocode.go fills in.
//
// # The second machine
//
// HighwayHash has no rows: it is described once, in highway.go, against a machine for pairs of
// lanes (pairs.go). A pair is two lanes of 64 bits of each key of a group, and a key takes a part
// of 128 bits of a register, so that all the primitives are within such a part: add, xor, multiply
// halves, shuffle bytes, swap and rotate halves. Others load keys that lie one behind another, at a
// stride or anywhere, and store lane 0. pairs_x86.go has pairs of one xmm (one key), one ymm (two)
// or two zmm (eight), and pairs_neon.go of one or two q registers; both embed the integers of their
// architecture's row machine. Unlike a row, a pair is a variable: what the hash computes with stays
// in place.
//
// Of the assembly there internal/highway makes hashes of keys of all lengths. A new instruction set
// implements both machines, and has its calls in internal/highway/calls_*.go.
//
// # Adding an operation
//
//  1. Define it in package fallback, in a file of its own, with tests.
//  2. Describe it here, in a file of its name: a function of the machine that reads its arguments
//     (Arg), computes and returns (Return, ReturnBit or ReturnNothing), and a file, which has for
//     each form of the operation a name, a signature, what it does, what it asks of its arguments,
//     that function, and how it is called (form, in gocode.go; a new way to be called is a template
//     more). Merge.go is a short one. Where many keys are walked, hits or newBatch (batch.go) are
//     the loop. A primitive that the machine lacks becomes one of its methods, in every instruction
//     set: ask for what can be fused, as Share and ClearFree do, and let no machine find out
//     afterwards what an operand was.
//  3. Add the file to those of package asm (render.go), and a method for users to
//     templates/table.tmpl. Run go generate ./... . It writes the assembly of both widths and every
//     set, the stubs and tables of them, the calls, and Table512 and Table256.
//  4. Test it: against fallback with its slices between pages that fault (asm/asm_test.go), and by
//     a law for every implementation (kernel/laws_test.go).
//  5. Measure it. Where the best implementation is not the fastest at it,
//     internal/dispatch/preferences.go gets a row.
//
// TestGenerated fails where a file is stale, missing or left over, go vet where a stub and a frame
// differ, TestFeatures where an instruction needs more than its set promises on amd64, TestPhases
// where a function does not say which part does what, and TestEncodings where a number is not the
// instruction beside it. "make emulated" runs the rest on every set, whatever this machine is.
//
// # Adding a shape
//
// Parquet's split block is the example: lanes of 32 bits, no collision lane, and another mask.
//
//  1. Define it in package fallback (split.go): index and mask, and what an operation is without a
//     collision lane.
//  2. Name it in constants.go (splitBlock), and add it to the shapes of the operations that it has.
//     An operation asks collides, as insert and merge do; Fold and ClearFree refuse a shape that
//     has no collision lane.
//  3. Block, Spread and Mask make its address and mask (splitMask in every instruction set). A hash
//     may stay in memory where that is shorter: the split block needs its halves apart, and loads
//     each by itself.
//  4. Give it a table in package kernel (splitblock.go): the methods by hand, the calls are
//     generated.
//
// # Adding an instruction set
//
//  1. Implement machine in a file named after the set, on top of the integers of its architecture
//     (x86.go, a64.go): the methods of rows are what differs. No operation changes.
//  2. Name it and its CPU features in amd64.go or arm64.go, construct it there, and run go generate
//     ./... . Stubs, tables, calls and names have it then, and it runs where a CPU has the
//     features.
//  3. Emulate a CPU that has it, and one that has not: a row in the Makefile's table.
//
// An architecture is besides: the integers, a function as renderARM64 that render calls, a row of
// architectures (gocode.go), and its name in the build constraints of asm's tests and, where a CPU
// may lack a feature, of internal/dispatch/cpu_*.go.
//
// What holds it: the tests of asm and the laws of kernel run every set that the CPU has, and
// BLOOMLANE_REQUIRE=<name> fails them where it has not.
//
// # The prefetch distance
//
// A batch over a table that is larger than the cache prefetches the block of the hash that is some
// distance ahead; the distance is an argument, so that it can be measured and can differ between
// machines. These tables are by "go run ./bench sweep" of commit b9f8393; whether another distance
// is better, "make bench-compare" tells.
//
// Zen 5 (1 MiB of L2, 32 MiB of L3, shared with other tenants), AVX-512, Block512, huge pages; ns
// per key by distance, 0 being no prefetch:
//
//	                       0     32     64     96    128    160    192    256
//	64 KiB   load       0.40   0.56   0.57   0.57   0.57   0.57   0.57   0.58
//	         query      0.66   0.87   0.87   0.87   0.87   0.87   0.87   0.88
//	         rewrite    0.57   0.66   0.67   0.67   0.67   0.67   0.68   0.68
//	         insert     1.04   1.13   1.13   1.13   1.14   1.14   1.14   1.15
//	         delete     1.31   1.45   1.45   1.45   1.46   1.46   1.46   1.47
//	256 KiB  load       0.46   0.57   0.57   0.57   0.57   0.58   0.58   0.59
//	         query      0.69   0.87   0.87   0.87   0.87   0.87   0.88   0.90
//	         rewrite    0.63   0.67   0.67   0.68   0.68   0.69   0.69   0.70
//	         insert     1.04   1.11   1.12   1.12   1.12   1.13   1.13   1.15
//	         delete     1.32   1.43   1.43   1.44   1.44   1.44   1.45   1.46
//	1 MiB    load       0.66   0.60   0.63   0.67   0.67   0.67   0.68   0.70
//	         query      0.91   0.91   0.95   0.96   0.96   0.96   0.98   0.99
//	         rewrite    1.89   1.19   1.15   1.15   1.09   1.05   1.05   1.04
//	         insert     2.25   1.54   1.44   1.37   1.33   1.29   1.29   1.30
//	         delete     1.74   1.52   1.55   1.55   1.55   1.55   1.57   1.59
//	16 MiB   load       2.41   2.09   1.67   1.40   1.20   1.10   1.03   0.96
//	         query      3.01   2.40   1.87   1.55   1.36   1.28   1.23   1.18
//	         rewrite    4.80   3.78   2.76   2.22   1.92   1.70   1.58   1.43
//	         insert     9.31   4.51   3.07   2.40   2.03   1.80   1.66   1.59
//	         delete     7.03   3.62   2.57   2.13   1.91   1.80   1.75   1.76
//	512 MiB  load       7.05   5.62   4.24   3.79   3.79   3.82   3.87   3.94
//	         query      9.50   6.10   4.47   3.91   3.88   3.91   3.96   4.03
//	         rewrite    6.91   5.39   3.94   3.48   3.44   3.48   3.55   3.63
//	         insert     14.4   6.20   4.34   3.65   3.60   3.60   3.71   3.73
//	         delete     16.5   6.72   4.74   4.04   4.02   4.06   4.10   4.18
//	2 GiB    load       7.86   6.56   5.53   5.37   5.42   5.44   5.50   5.57
//	         query      10.2   7.07   5.81   5.60   5.62   5.64   5.67   5.77
//	         rewrite    7.06   5.55   4.33   4.09   4.14   4.15   4.26   4.33
//	         insert     14.6   6.38   4.75   4.27   4.39   4.32   4.49   4.48
//	         delete     17.5   7.94   6.37   6.08   6.12   6.17   6.16   6.23
//
// On pages of 4 KiB it is the same up to the L2, and beyond it:
//
//	                       0     32     64     96    128    160    192    256
//	16 MiB   load       2.01   1.76   1.47   1.26   1.12   1.04   1.00   0.96
//	         query      2.54   2.06   1.67   1.43   1.31   1.25   1.22   1.20
//	         rewrite    4.67   3.67   2.70   2.20   1.91   1.71   1.59   1.46
//	         insert     8.91   4.36   3.00   2.39   2.05   1.84   1.72   1.68
//	         delete     6.55   3.46   2.51   2.10   1.93   1.84   1.81   1.83
//	512 MiB  load       8.12   6.79   5.96   5.96   6.00   6.05   6.10   6.19
//	         query      10.6   7.27   6.16   6.13   6.16   6.20   6.27   6.33
//	         rewrite    7.68   6.13   5.13   5.11   5.14   5.19   5.27   5.38
//	         insert     15.6   7.00   5.44   5.35   5.37   5.37   5.46   5.55
//	         delete     18.5   8.27   6.70   6.60   6.63   6.67   6.78   6.85
//	2 GiB    load       10.8   10.1   10.0   9.99   10.0   10.1   10.2   10.2
//	         query      13.1   10.6   10.4   10.4   10.5   10.5   10.6   10.6
//	         rewrite    9.64   8.59   8.61   8.62   8.56   8.57   8.74   8.85
//	         insert     17.4   9.91   9.97   9.79   9.75   9.78   10.0   10.0
//	         delete     21.6   12.8   12.7   12.6   12.6   12.6   12.7   12.8
//
// AVX2 takes up to half as much again where nothing is prefetched, and has the same best distances.
// So it is 128: in the L3 more would still gain, in memory nothing does. On Zen 3 (512 KiB of L2),
// beside busier tenants, it was 64 to 128: 16 MiB query 4.8 and 5.6, insert 5.1 and 5.0; 512 MiB
// query 12.3 and 11.5, insert 12.3 and 11.8.
//
// Within the L2 prefetching costs what its instructions do, since a processor that executes out of
// order hides that much latency by itself: up to half of the L2 (512 KiB here: query 0.74 without
// and 0.88 with, insert 1.11 and 1.15). A table as large as the L2 has lines elsewhere, and gains:
// here from 1 MiB, and on Zen 3 from 512 KiB (query 2.35 without and 1.82 with, insert 3.93 and
// 2.96).
//
// # Why an insert takes longer than an OR
//
// A plain Bloom filter inserts by block |= mask. What the collisions and the answer cost on top of
// that is shown by leaving parts of the loop out; 16 KiB on Zen 5, ns per key, before the changes
// below:
//
//	                      AVX2, 256   AVX-512, 512
//	whole                      1.38           1.14
//	without the answer         1.23
//	without the collisions     0.65           0.73
//	neither                    0.54           0.60
//
// The OR of the lanes is six instructions in a row, half of them shuffles, for which there are two
// units, as for the shifts that make the mask. So what helped was to relieve those: g is broadcast
// from memory (AVX2 512: 1.54 for 1.76; 256: 1.28 for 1.38; on Zen 3 2.62 for 2.65), and AVX-512
// joins three rows in one instruction (256: 1.15 for 1.31; 512: 1.11 for 1.14). By count only, and
// not tried: ORs for two keys at once save two instructions per key, and ask whether both have the
// same block; collisions of eight keys at once, stored behind them, save two as well, and a block
// that is asked for again soon waits for two stores to become one.
//
// # What was tried and is not here
//
// In ns per key on the same machine, on a table of 16 KiB, hashes in the L2, unless said otherwise:
//
//   - Software pipelining (make the next key's mask beside this key's test; before loops were
//     aligned): query 1.56 for 1.57, insert 2.43 for 2.71, delete 3.15 for 3.23, for twice the code
//     and all 15 integer registers. Query is bound by the six instructions per cycle that the
//     processor takes in, not by latency.
//   - ADC instead of RCR to gather the answers (they come out in the wrong order): the same. RCR by
//     one is one operation on AMD and three on Intel; the AVX-512 level may want another there.
//   - MUL instead of MULX: avo finds no allocation of registers, because MUL wants two fixed ones,
//     where MULX wants one, which stays as it is. So BMI2 is asked for.
//   - Deleting without a branch, by taking every region of an absent key for collided: 3.26 ns
//     whatever is deleted. With the branch 2.52 where every key is a member, as the contract of
//     deletion has it, 4.0 where a tenth at random is absent, 9.0 where a half is, and 1.6 where
//     all are.
//   - Prefetching a word's 64 blocks in one loop and operating on them in another, which would emit
//     each operation once: 512 MiB load 13.7 for 9.6, query 13.7 for 11.5, insert 16.6 for 11.8;
//     512 KiB query 3.2 for 1.9.
//   - PREFETCHNTA and PREFETCHT1 for PREFETCHT0: 512 MiB query 9.8 and 10.0 for 10.4, and the load
//     loop 8.2 and 8.2 for 8.5. That is within what other tenants cause, and a quiet machine should
//     decide.
//   - PREFETCHW for inserts and deletes, as bytes, because neither avo nor Go's assembler has it:
//     on 2 GiB, huge pages, insert 1.33 times the floor for 1.37 and delete 1.34 for 1.37, in
//     alternating runs that differ by as much among themselves. A line that no other core holds is
//     exclusive after a plain prefetch too, so that only a table that other cores have just read
//     could gain.
//   - Forms of the header operations (one block and one mask of any pattern): as a call they cost
//     what a single insert costs (below), and a header is touched once.
//
// # NEON
//
// NEON has never been measured on silicon: no arm64 was at hand. What is here was chosen by
// llvm-mca, which knows no cache and no branch. In its cycles per key or block, as make
// report-arm64 prints them:
//
//	                  512: query  insert  delete   match   merge    256: query  insert  delete   match   merge
//	Neoverse N1          8.0    19.0    18.0     4.5     9.0         8.0    12.8    10.8     2.5     6.5
//	Neoverse N2          6.1    16.5    16.5     4.0     9.0         6.0    11.0     9.4     3.0     6.5
//	Neoverse V1          3.9     8.8     8.4     2.2     4.0         3.0     6.1     5.2     1.2     3.0
//	Neoverse V2          3.9     9.1     9.0     2.5     4.5         3.0     6.2     5.3     1.5     3.2
//	Cyclone (Apple)      4.4    14.3    13.0     3.0     5.0         4.5    10.0     8.5     2.0     3.7
//
// Cyclone is what it takes every processor of Apple for. The one loop that is slower than clang's
// of the same in C is the merge of 512 bits on N2, whose two vector units are busy for all of the
// 9.0 cycles: clang takes 7.0 with the four integer units. Lanes 0 and 1 in integers, the others in
// vectors, would take 6.5 there, but 6.0 instead of 5.0 on Cyclone.
//
// Tried, in cycles on N2 and Cyclone by LLVM 16:
//
//   - A query that makes the mask and joins the bits that the block lacks, instead of looking its
//     seven bits up in the block: 512 9.4 and 8.7 for 7.1 and 4.6; 256 the same, and so it is done
//     there.
//   - An insert that joins the missing bits, instead of narrowing what block and mask have in
//     common: 512 18.1 and 15.7 for 16.8 and 14.2.
//   - A delete that asks for the two answers one after the other, and clears by two instructions a
//     register instead of a select: by LLVM 19, 512 18.0 and 14.0 for 16.5 and 13.0, 256 10.5 and
//     8.7 for 9.4 and 8.5.
//   - Registers that are reused as soon as they are free, wherever: 512 query 9.1 and 8.2, insert
//     27.1 and 23.1, because the model believes that an instruction on half a register waits for
//     what was in the other half. Processors do not.
//
// # Single keys
//
// On the same table, a loop over direct calls, assembly beside package fallback: query 3.4 and 4.8
// ns, insert 4.0 and 9.6, delete 5.2 and 10.4. Through the dispatch of package kernel one more call
// comes on top of the assembly, which a query does not earn back: see there.
package main
