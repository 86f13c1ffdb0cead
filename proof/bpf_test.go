package proof

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
)

// bytecodeChanges are mistakes in an instruction of eight bytes.
var bytecodeChanges = []struct {
	says  string
	plant func(i []byte)
}{
	{"left out", func(i []byte) { copy(i, []byte{0x07, 0, 0, 0, 0, 0, 0, 0}) }},
	{"register", func(i []byte) { i[1] ^= 0x10 }},
	{"number", func(i []byte) { i[4] ^= 0x08 }},
	{"distance", func(i []byte) { i[2] ^= 0x08 }},
}

// equivalentBytecode is what may be left out of the bytecode, by how it begins.
var equivalentBytecode = map[string]string{
	"57??00003f000000": "a count of a shift is taken modulo 64",
	"77??000020000000": "a word is compared with zero, and was shifted to the left before",
}

// Mistakes in what the compiler makes for BPF are refuted: an instruction that is left out, another
// register that is read, another number or distance. BLOOMLANE_MUTANTS=full plants all.
func TestBytecodeMutants(t *testing.T) {
	p, folder := linked(t), t.TempDir()
	functions, err := compileBPF(packets, folder)
	if err != nil {
		t.Fatal(err)
	}
	every := 67
	if os.Getenv("BLOOMLANE_MUTANTS") == "full" {
		every = 1
	}
	number := 0
	for _, format := range formats {
		for _, operation := range circuits {
			name := strings.ToLower(operation) + format
			code := functions[name]
			for at := 0; at < len(code); at += 8 {
				for _, change := range bytecodeChanges {
					if number++; number%every != 0 {
						continue
					}
					changed := bytes.Clone(code)
					change.plant(changed[at : at+8])
					theorem, err := p.packet(bytecode{name: changed}, operation, format)
					if isStuck(err) || bytes.Equal(changed, code) {
						continue
					}
					verdict, err := theorem.Prove(Solvers[0], folder)
					_, same := equivalentBytecode[fmt.Sprintf("%x??%x", code[at], code[at+2:at+8])]
					if err != nil || verdict.Counterexample == "" && !same {
						t.Errorf("%s, instruction %d, %x: %s: not refuted (%v)", name, at/8,
							code[at:at+8], change.says, err)
					}
				}
			}
		}
	}
}
