package model

import "fmt"

// llvmVersion is that of all tools of LLVM: the models differ by version. 19 is the first of Debian
// 12 in which each Neoverse of the report has a model of its own; 16 takes N1 for a Cortex-A57, and
// V1 and V2 for N2.
const llvmVersion = "19"

// architecture is what to report on.
type architecture struct {
	name, triple string
	sets         []instructionSet
}

// instructionSet is one of the assembly's, and the CPUs to model it on, as LLVM names them.
type instructionSet struct {
	name, suffix string // as in kernel, and at the end of a function's name
	cpus         []string
}

var architectures = []architecture{{
	name: "amd64", triple: "x86_64-linux-gnu",
	sets: []instructionSet{{"avx2", "AVX2", x86CPUs}, {"avx512", "AVX512", x86CPUs}},
}, {
	name: "arm64", triple: "aarch64-linux-gnu",
	sets: []instructionSet{{"neon", "NEON", []string{
		"neoverse-n1", "neoverse-n2", "neoverse-v1", "neoverse-v2", "apple-m1",
	}}},
}}

// x86CPUs are Ice Lake, Zen 4 and Skylake-SP.
var x86CPUs = []string{"icelake-server", "znver4", "skylake-avx512"}

// kernel is one operation: the function of the assembly, without size and instruction set. Its unit
// is what an iteration of its loop does one or more of.
type kernel struct{ name, assembly, unit string }

var kernels = []kernel{
	{"query", "QueryBatch", unitKey},
	{"insert", "InsertBatch", unitKey},
	{"delete", "DeleteBatch", unitKey},
	{"merge", "Merge", unitBlock},
	{"match", "MatchBatch", unitMask},
}

// sizes are the bits of a block.
var sizes = []int{512, 256}

// The units.
const (
	unitKey   = "key"   // one multiplication for the high word of h * nblocks each
	unitBlock = "block" // two blocks are loaded for each
	unitMask  = "mask"  // one block is loaded for each
)

// symbol is the name of a function of the assembly in the linked program.
func (k kernel) symbol(size int, set instructionSet) string {
	return fmt.Sprintf("%s.%s%d%s.abi0", assemblyPackage, k.assembly, size, set.suffix)
}

const assemblyPackage = "github.com/bloomlane/bloomlane/asm"
