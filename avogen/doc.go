// Avogen writes the assembly of the block operations: package asm, the floors that its speed is held
// against, package bench/floor, and the same operations on blocks that have more collision lanes than the
// format, package bench/encodings/variants.
//
//	go generate ./...
//
// An operation is described once, in a file of its own (query.go, insert.go, delete.go, merge.go,
// match.go, fetch.go, and floor.go), against a row machine (machine.go): a row is a block in
// registers, a word is an integer. The loop over a batch is batch.go. An instruction set is an
// implementation of the machine: avx2.go has rows of one or two ymm, avx512.go of one ymm or zmm,
// and both have x86.go for the integers; neon.go has rows of two or four q registers, and a64.go for
// the integers. Package fallback is the definition of every operation, and the source of every
// constant, but for the shape of a block: the width of its lanes and the number of its collision lanes are
// parameters of a machine (constants.go). More than one collision lane there are on amd64 alone, with lanes
// of 64 bits. What is generated is committed; a test fails where it is stale.
//
// On amd64 avo numbers the registers and prints (amd64.go). It has no arm64, where registers.go
// numbers them, arm64.go prints, and encodings.go has the instructions that Go's assembler lacks.
//
// # Adding an operation
//
//  1. Define it in package fallback, in a file of its own, with tests.
//  2. Describe it here, in a file of its name: a function of the machine that reads its arguments
//     (Arg), computes and returns (Return, ReturnBit or ReturnNothing), and a file, which has for
//     each form of the operation a name, a signature, what it does, what it asks of its arguments,
//     and that function. Merge.go is a short one. Where many keys are walked, hits or newBatch
//     (batch.go) are the loop. A primitive that the machine lacks becomes one of its methods, in
//     every instruction set.
//  3. Add the file to those of package asm (render.go) and run go generate ./... . It writes
//     asm/<file>_<architecture>.s and .go: <Name><Width><InstructionSet> for both widths and every
//     set, each with its stub and documentation.
//  4. Test it: a field of kernels in asm/sets_test.go, its functions in asm/sets_*_test.go, and in
//     asm/asm_test.go a test against fallback, with its slices between pages that fault.
//  5. Let package kernel call it: in dispatch_amd64.go and dispatch_arm64.go, in calls.go if it can
//     run for long, in dispatch_other.go, and as a method in implementation512.go and 256.go. Its
//     laws are tested there for every implementation (laws_test.go).
//
// TestGenerated fails where a file is stale, missing or left over, go vet where a stub and a frame
// differ, TestFeatures where an instruction needs more than its set promises on amd64, and
// TestEncodings where a number is not the instruction beside it. "make emulated" runs the rest on every
// set, whatever this machine is.
//
// # Adding an instruction set
//
//  1. Implement machine in a file named after the set, on top of the integers of its architecture
//     (x86.go, a64.go): the methods of rows are what differs. No operation changes.
//  2. Name it and its CPU features in amd64.go or arm64.go, construct it there, and run go generate
//     ./... . It goes into the files of its architecture, and asm/features_amd64.go says what to ask
//     the CPU for.
//  3. Let the tests find it: asm/sets_<architecture>_test.go.
//  4. Let package kernel run it: a constant and a name in implementation.go, and a case in each switch
//     of dispatch_<architecture>.go; and bench, in assembly_<architecture>.go.
//  5. Emulate a CPU that has it, and one that has not: a row in the Makefile's table.
//
// An architecture is besides: the integers, a function as renderARM64 that render calls, a dispatch
// file, and its name in the build constraints of asm's tests, of kernel/calls.go and
// dispatch_other.go and of bench/assembly_other.go.
//
// What holds it: the tests of asm and the laws of kernel run every set that the CPU has, and
// BLOOMLANE_REQUIRE=<name> fails them where it has not.
//
// # The prefetch distance
//
// A batch over a table that is larger than the cache prefetches the block of the hash that is some
// distance ahead; the distance is an argument, so that it can be measured and can differ between
// machines. A table such as these is made by
//
//	go run ./bench sweep
//
// Zen 3 (512 KiB of L2, 32 MiB of L3, shared with other tenants), AVX2, Block512, 2 M random hashes,
// huge pages; ns a key by distance, 0 being no prefetch; each is the sum over 4,096 keys at a time of
// the least of 12 runs, with other work on the machine, so that differences of a tenth mean nothing
// beyond the L2:
//
//	                  0      8     16     32     48     64     96    128
//	16 KiB  load    0.85   1.03   1.01   1.10   1.12   1.02   1.05   1.27
//	        query   1.67   1.67   1.67   1.68   1.87   1.69   1.69   1.74
//	        rewrite 1.18   1.30   1.30   1.33   1.31   1.47   1.42   1.37
//	        insert  2.70   2.78   2.78   2.86   3.20   2.98   3.28   2.78
//	        delete  3.29   3.62   3.62   3.82   3.61   3.66   4.15   3.62
//	512 KiB load    1.15   1.29   1.27   1.20   1.24   1.29   1.27   1.28
//	        query   2.35   1.82   1.80   1.79   1.82   1.84   1.86   1.88
//	        rewrite 1.59   1.66   1.72   1.65   1.67   1.69   1.76   1.75
//	        insert  3.93   2.85   2.84   2.85   2.93   2.96   2.97   2.99
//	        delete  4.44   3.66   3.66   3.67   3.77   3.81   3.81   3.85
//	4 MiB   load    1.59   1.64   1.58   1.72   1.82   1.72   1.73   1.74
//	        query   2.87   2.02   1.87   2.11   2.03   1.98   2.04   2.05
//	        rewrite 1.93   1.93   1.89   2.03   2.08   2.05   2.04   2.04
//	        insert  5.72   2.97   2.92   3.04   3.16   3.48   3.17   3.18
//	        delete  5.93   3.80   3.77   3.87   4.04   4.01   4.00   4.02
//	16 MiB  load    7.94   8.67   7.17   6.70   6.05   4.78   4.76   5.48
//	        query  19.93  12.25   8.91   7.50   5.65   4.76   6.69   5.62
//	        rewrite 10.13  9.81   7.60   6.32   6.53   5.54   5.90   5.27
//	        insert 30.30  15.85  10.17   7.26   6.18   5.06   5.50   5.02
//	        delete 31.15  16.24  11.10   7.80   6.22   5.66   5.23   4.91
//	512 MiB load   10.98  12.29  11.31  10.24  11.23  11.35  10.70  10.09
//	        query  29.32  18.25  13.51  11.63  12.71  12.25  11.94  11.48
//	        rewrite 15.04 15.70  11.46  10.95  11.18  11.12  11.53  10.16
//	        insert 47.17  21.44  14.66  12.31  12.15  12.30  12.85  11.76
//	        delete 48.00  23.79  15.05  12.67  13.81  13.69  13.92  12.38
//	1 GiB   load   10.76  12.16  10.15   9.43   9.73   9.10   9.49   9.35
//	        query  25.19  17.16  12.71  11.30  11.79  11.46  11.61  11.27
//	        rewrite 14.33 13.55  11.33   9.78  10.17  10.17   9.95   9.47
//	        insert 45.94  21.97  14.35  12.78  12.29  13.09  12.62  12.46
//	        delete 46.74  21.86  14.62  12.80  12.97  12.98  13.76  12.84
//
// On pages of 4 KiB the L1 and L2 are the same, and beyond them:
//
//	                  0      8     16     32     48     64     96    128
//	4 MiB   load    2.03   2.77   1.98   1.77   1.94   1.93   1.98   1.87
//	        query   8.41   2.89   2.84   2.00   2.04   2.55   2.07   2.08
//	        rewrite 3.45   2.75   2.21   2.05   2.20   2.25   2.32   2.19
//	        insert 13.22   4.58   3.53   3.20   3.54   3.23   3.24   3.41
//	        delete 18.81   7.71   4.72   4.14   4.68   4.02   4.02   4.11
//	16 MiB  load    7.55   8.86   7.50   5.66   6.12   5.83   5.83   6.01
//	        query  19.30  11.88   8.98   6.25   6.11   5.66   5.34   6.02
//	        rewrite 10.84  9.80   7.94   6.49   6.11   6.03   5.39   5.52
//	        insert 31.03  15.07  10.60   7.73   6.95   6.66   6.79   6.78
//	        delete 31.09  16.03  10.65   8.00   7.05   7.09   7.17   6.93
//	512 MiB load   13.32  15.71  11.30  10.89  11.99  12.37  12.45  13.58
//	        query  33.38  22.36  14.24  12.79  14.29  15.92  14.66  15.88
//	        rewrite 17.97 17.61  12.16  11.85  14.63  15.04  13.53  12.68
//	        insert 57.72  28.11  18.80  22.24  16.17  20.08  19.53  23.88
//	        delete 61.99  24.90  20.58  21.57  23.29  19.04  27.76  21.84
//
// The rows of 512 MiB above were taken with the machine at its busiest. Again, 8 runs of 1 M hashes:
//
//	                 32     64    128
//	512 MiB load  11.05  12.77  12.17
//	        query 13.42  14.43  14.90
//	        rewrite 11.58 13.11 13.71
//	        insert 16.83  15.46  17.80
//	        delete 18.76  19.36  16.96
//	1 GiB   load  10.86  15.38  12.57
//	        query 11.36  13.26  15.06
//	        rewrite 11.06 11.99 13.87
//	        insert 14.59  12.74  15.85
//	        delete 15.71  17.35  16.47
//
// So: 64 from the L3 up, where 32 is still short at 16 MiB and nothing beyond 64 gains; on pages of 4
// KiB in DRAM, where page walks take their share, 32 is no worse and for queries better. And
// prefetching pays from the L2 up (any distance is long enough there), because a processor that
// executes out of order sees only a few keys ahead of an operation. In the L1 it costs 0 to 0.3 ns.
//
// In these tables a delete has no branch yet (see below). With it, at distances of 0, 32 and 64 keys,
// 16 KiB take 2.54, 2.85 and 2.85, and 512 KiB 3.68, 2.98 and 3.09.
//
// Against the fastest floor of the same table (load for query, rewrite for insert and delete), through
// package kernel with its answers written, huge pages, by go run ./bench --rounds 5 with other work on
// the machine:
//
//	         16 KiB  512 KiB  16 MiB  512 MiB  2 GiB
//	query      2.61     2.06    1.21     1.21   1.06
//	insert     3.03     2.16    1.13     1.20   1.38
//	delete     2.86     2.26    1.15     1.33   1.42
//
// At 512 MiB a query takes longer than the load loop by about what it takes in the L1: the
// operation is not wholly hidden behind the memory, for a reason not found yet.
//
// # What was tried and is not here
//
// In ns a key on the same machine, on a table of 16 KiB, hashes in the L2, unless said otherwise:
//
//   - Software pipelining (make the next key's mask beside this key's test; before loops were
//     aligned): query 1.56 for 1.57, insert 2.43 for 2.71, delete 3.15 for 3.23, for twice the code
//     and all 15 integer registers. Query is bound by the six instructions a cycle that the processor takes in, not by latency.
//   - Broadcasting g from memory, where the store costs less than VMOVQ and VPBROADCASTQ: query 1.39
//     for 1.43, insert 2.62 for 2.65, delete 3.28 for 3.23.
//   - ADC instead of RCR to gather the answers (they come out in the wrong order): the same. RCR by
//     one is one operation on AMD and three on Intel; the AVX-512 level may want another there.
//   - MUL instead of MULX: avo finds no allocation of registers, because MUL wants two fixed ones,
//     where MULX wants one, which stays as it is. So BMI2 is asked for.
//   - Deleting without a branch, by taking every region of an absent key for collided: 3.26 ns
//     whatever is deleted. With the branch 2.52 where every key is a member, as the contract of
//     deletion has it, 4.0 where a tenth at random is absent, 9.0 where a half is, and 1.6 where all are.
//   - Prefetching a word's 64 blocks in one loop and operating on them in another, which would emit
//     each operation once: 512 MiB load 13.7 for 9.6, query 13.7 for 11.5, insert 16.6 for 11.8;
//     512 KiB query 3.2 for 1.9.
//   - PREFETCHNTA and PREFETCHT1 for PREFETCHT0: 512 MiB query 9.8 and 10.0 for 10.4, and the load
//     loop 8.2 and 8.2 for 8.5. That is within what other tenants cause, and a quiet machine should
//     decide.
//   - PREFETCHW for inserts and deletes, as bytes, because neither avo nor Go's assembler has it: on
//     2 GiB, huge pages, insert 1.33 times the floor for 1.37 and delete 1.34 for 1.37, in alternating
//     runs that differ by as much among themselves. A line that no other core holds is exclusive
//     after a plain prefetch too, so that only a table that other cores have just read could gain.
//   - Forms of the header operations (one block and one mask of any pattern): as a call they cost
//     what a single insert costs (below), and a header is touched once.
//
// # NEON
//
// NEON has never been measured on silicon: no arm64 was at hand. What is here was chosen by llvm-mca,
// which knows no cache and no branch. In its cycles a key or block, as make report-arm64 prints them:
//
//	                    512: query  insert  delete   match   merge    256: query  insert  delete   match   merge
//	Neoverse N1            8.0    18.0    18.0     4.5     9.0         8.0    13.0    10.8     2.5     6.5
//	Neoverse N2            6.1    16.7    16.5     4.0     9.0         6.0    11.0     9.4     3.0     6.5
//	Neoverse V1            3.9     8.6     8.4     2.2     4.0         3.0     6.0     5.2     1.2     3.0
//	Neoverse V2            3.9     9.0     9.0     2.5     4.5         3.0     6.3     5.3     1.5     3.2
//	Cyclone (Apple)        4.4    14.0    13.0     3.0     5.0         4.5    10.0     8.5     2.0     3.7
//
// Cyclone is what it takes every processor of Apple for. The one loop that is slower than clang's of the
// same in C is the merge of 512 bits on N2, whose two vector units are busy for all of the 9.0 cycles:
// clang takes 7.0 with the four integer units. Lanes 0 and 1
// in integers, the others in vectors, would take 6.5 there, but 6.0 instead of 5.0 on Cyclone.
//
// Tried, in cycles on N2 and Cyclone by LLVM 16:
//
//   - A query that makes the mask and joins the bits that the block lacks, instead of looking its seven
//     bits up in the block: 512 9.4 and 8.7 for 7.1 and 4.6; 256 the same, and so it is done there.
//   - An insert that joins the missing bits, instead of narrowing what block and mask have in common:
//     512 18.1 and 15.7 for 16.8 and 14.2.
//   - A delete that asks for the two answers one after the other, and clears by two instructions a
//     register instead of a select: by LLVM 19, 512 18.0 and 14.0 for 16.5 and 13.0, 256 10.5 and 8.7
//     for 9.4 and 8.5.
//   - Registers that are reused as soon as they are free, wherever: 512 query 9.1 and 8.2, insert 27.1
//     and 23.1, because the model believes that an instruction on half a register waits for what was
//     in the other half. Processors do not.
//
// # Single keys
//
// On the same table, a loop over direct calls, assembly beside package fallback: query 3.4 and 4.8 ns,
// insert 4.0 and 9.6, delete 5.2 and 10.4. Through the dispatch of package kernel one more call comes
// on top of the assembly, which a query does not earn back: see there.
package main
