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
	program, err := readBPF(shipped)
	if err != nil {
		t.Fatal(err)
	}
	step, longStep := 67, 409
	if os.Getenv("BLOOMLANE_MUTANTS") == "full" {
		step, longStep = 1, 1
	}
	for _, format := range formats {
		for _, operation := range circuits {
			name := strings.ToLower(operation) + format
			plantInBytecode(t, functions[name], step, func(changed bytecode) (Theorem, error) {
				return p.packet(map[string]bytecode{name: changed}, operation, format)
			})
		}
	}
	has := func(l lookup) func(changed bytecode) (Theorem, error) {
		return func(changed bytecode) (Theorem, error) {
			return p.has(map[string]bytecode{"filtered": changed}, l, nil)
		}
	}
	plantInBytecode(t, program["filtered"], longStep, has(lookups[1]), has(lookups[2]))
}

// plantInBytecode plants a part of the mistakes in a function. One of the theorems has to be false,
// or not to be stated.
func plantInBytecode(
	t *testing.T,
	f bytecode,
	every int,
	stated ...func(changed bytecode) (Theorem, error),
) {
	t.Helper()
	folder, number := t.TempDir(), 0
	for i := 0; i < len(f.code); i += 8 {
		for _, change := range bytecodeChanges {
			if number++; number%every != 0 {
				continue
			}
			changed := bytecode{bytes.Clone(f.code), f.symbols}
			change.plant(changed.code[i : i+8])
			_, known := equivalentBytecode[fmt.Sprintf("%x??%x", f.code[i], f.code[i+2:i+8])]
			if known || bytes.Equal(changed.code, f.code) || refutedBytecode(t, folder, changed,
				stated) {
				continue
			}
			t.Errorf("instruction %d, %x: %s: not refuted", i/8, f.code[i:i+8], change.says)
		}
	}
}

// refutedBytecode says whether one of the theorems is false of a function, or is not stated.
func refutedBytecode(
	t *testing.T,
	folder string,
	f bytecode,
	stated []func(changed bytecode) (Theorem, error),
) bool {
	t.Helper()
	for _, state := range stated {
		theorem, err := state(f)
		if isStuck(err) {
			return true
		}
		verdict, err := theorem.Refute(Solvers[0], folder)
		if err != nil {
			t.Error(err)
		}
		if verdict.Counterexample != "" {
			return true
		}
	}
	return false
}
