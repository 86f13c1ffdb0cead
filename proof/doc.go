// Package proof shows that the assembly of single-key operations is the definition in portable Go.
// The Verilog (rtl.go) and the header for C in BPF (bpf.go) are the definition too, and the
// definition loses no member (history.go). It is for those who check Bloomlane, and nothing imports
// it.
//
// Test binaries of asm have both, linked. A disassembler decodes the functions (binary.go), and a
// machine runs them (machine.go, x86.go, arm64.go), but over terms (term.go) instead of numbers:
// registers, flags and memory (state.go) hold what the code computes from any table, hash and
// block. What the assembly and the definition come to are two terms (kernel.go), and the statement
// that they are equal is a script in SMT-LIB, to which solvers look for a counterexample
// (theorem.go).
//
// The theorem about a batch is in postcondition.go: a ghost (ghost.go) takes the keys by the
// definition's machine code (definition.go), under a contract (contract.go). It is proved by
// induction (induction.go): a batch is cut at the heads of its loops (batch.go), and what holds
// there is guessed (invariant.go). Arguments point to regions (region.go). Some batches hash keys
// (hash.go), and their terms have a normal form (fine.go).
//
// AES-PMAC (pmac.go) is stated by itself, of AES's parts over terms (cipher.go). Of functions that
// hash keys under a secret, what addresses and branches depend on is followed by labels instead of
// terms (timing.go).
//
// Whatever the machine does not know is an error: an instruction, a register of an address, memory
// that is neither the stack nor a constant nor the block, a branch to an unknown place.
//
// The meanings of instructions are held against the CPU by TestInstructions, and those of arm64
// against QEMU by TestEmulatedInstructions. TestMutants plants mistakes in the code. docs/proofs.md
// says what is proved and what is trusted.
package proof
