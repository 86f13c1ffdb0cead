package main

import (
	"slices"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"
)

var (
	setAVX2   = instructionSet{name: "AVX2", features: []string{"AVX", "AVX2", "BMI2", "POPCNT"}}
	setAVX512 = instructionSet{name: "AVX512",
		features: []string{"AVX", "AVX2", "AVX512F", "AVX512DQ", "AVX512VL", "BMI2", "POPCNT"}}

	// amd64 is the instruction sets that a file of amd64 has, the best last.
	amd64 = []instructionSet{setAVX2, setAVX512}

	// amd64Ciphers are the sets of AES instructions, and ciphers those of both architectures.
	amd64Ciphers = []instructionSet{setAESNI, setVAES256, setVAES512}
	ciphers      = slices.Concat(amd64Ciphers, arm64Ciphers)
)

// newX86 returns the machine of an instruction set, which appends to the function that is being
// built.
func newX86(c *build.Context, k *constants, f function) machine {
	base := x86{shape: f.shape, c: c, k: k, set: f.set, inMemory: map[word]operand.Mem{}}
	if f.set.name == setAVX512.name || f.set.name == setVAES512.name && f.laneBits > 0 {
		return &avx512{x86: base, values: map[uint64]reg.VecVirtual{}}
	}
	return &avx2{x86: base}
}

// renderAMD64 returns the assembly of a file, its stubs, and its functions, which have the features
// that they need.
func renderAMD64(f file, pkg string) (text, stubs []byte, functions []*ir.Function, err error) {
	c := build.NewContext()
	c.ConstraintExpr("!purego")
	k := &constants{c, map[string]operand.Mem{}}
	for _, fn := range f.functions(slices.Concat(amd64, amd64Ciphers)) {
		c.Function(fn.fullName())
		c.Attributes(attr.NOSPLIT)
		c.SignatureExpr(fn.signature(fn.lane()))
		c.Pragma("noescape")
		c.Doc(fn.comment())
		fn.emit(newX86(c, k, fn))
	}
	built, err := c.Result()
	if err != nil {
		return nil, nil, nil, err
	}
	if err := pass.Compile.Execute(built); err != nil {
		return nil, nil, nil, err
	}
	config := printer.Config{Name: "avogen", Pkg: pkg}
	if text, err = printer.NewGoAsm(config).Print(built); err != nil {
		return nil, nil, nil, err
	}
	if stubs, err = printer.NewStubs(config).Print(built); err != nil {
		return nil, nil, nil, err
	}
	return text, stubs, built.Functions(), nil
}
