package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/mmcloughlin/avo/buildtags"
	"github.com/mmcloughlin/avo/gotypes"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/printer"
)

// arm64 is the instruction sets that a file of arm64 has. Every arm64 that Go supports has this
// one: Advanced SIMD of Armv8.0-A, the first version of the architecture. One of the emulated CPUs
// of "make emulated" has only that version.
var (
	setNEON = instructionSet{name: "NEON", features: []string{"ASIMD"}, everywhere: true}
	arm64   = []instructionSet{setNEON}

	arm64Ciphers = []instructionSet{setAES}
)

// renderARM64 returns the assembly of a file and its stubs. Avo has no instructions of arm64. It is
// used for the places of arguments and for stubs.
func renderARM64(f file, pkg string) (text, stubs []byte, err error) {
	constraint, err := buildtags.ParseConstraint("!purego")
	if err != nil {
		return nil, nil, err
	}
	stubFile := ir.NewFile()
	stubFile.Constraints = buildtags.And(constraint)
	var b bytes.Buffer
	fmt.Fprintf(&b, "// %s\n\n//go:build !purego\n\n#include \"textflag.h\"\n", generated)
	for _, fn := range f.functions(slices.Concat(arm64, arm64Ciphers)) {
		signature, err := gotypes.ParseSignature(fn.signature(fn.lane()))
		if err != nil {
			return nil, nil, err
		}
		function := ir.NewFunction(fn.fullName())
		function.SetSignature(signature)
		function.Doc = []string{fn.comment()}
		function.AddPragma("noescape")
		stubFile.AddSection(function)
		m := &neon{a64: a64{fn: function, shape: fn.shape}, constants: map[halves]*register{}}
		fn.emit(m)
		code, err := m.code()
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", function.Name, err)
		}
		fmt.Fprintf(&b, "\n// %s\nTEXT ·%s(SB), NOSPLIT, $0-%d\n", function.Stub(), function.Name,
			function.ArgumentBytes())
		if err := printARM64(&b, code); err != nil {
			return nil, nil, err
		}
	}
	stubs, err = printer.NewStubs(printer.Config{Name: "avogen", Pkg: pkg}).Print(stubFile)
	return b.Bytes(), stubs, err
}

// printARM64 writes the lines of a function, with the operands of those between two labels in one
// column.
func printARM64(b *bytes.Buffer, code []instruction) error {
	w := tabwriter.NewWriter(b, 0, 0, 1, ' ', tabwriter.StripEscape)
	for _, in := range code {
		line := in.String()
		if strings.HasSuffix(line, ":") {
			if err := w.Flush(); err != nil {
				return err
			}
			fmt.Fprintf(b, "\n%s\n", line)
			continue
		}
		// The operands are a cell of their own, but for those of a comment.
		if !strings.HasPrefix(line, "//") {
			line = strings.Replace(line, " ", "\t", 1)
		}
		fmt.Fprintf(w, "\xff\t\xff%s\n", line)
	}
	return w.Flush()
}
