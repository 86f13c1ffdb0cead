package c

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"path/filepath"
	"strings"
	"testing"
)

// Compiled for BPF, the operations and the hashes of keys of constant length call nothing. Every
// jump is forwards, but for those of HighwayHash, whose rounds the compiler leaves in a loop. It is
// in the functions of a key of either hash too.
func TestBPF(t *testing.T) {
	object := filepath.Join(t.TempDir(), "bpf.o")
	clang.compile(t, "testdata/bpf.c", object, "-target", "bpf", "-ffreestanding", "-c")
	f, err := elf.Open(object)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	text, err := f.Section(".text").Data()
	if err != nil {
		t.Fatal(err)
	}
	functions := 0
	for _, symbol := range symbols {
		switch {
		case symbol.Section == elf.SHN_UNDEF && symbol.Name != "":
			t.Errorf("%s is not in the header", symbol.Name)
		case elf.ST_TYPE(symbol.Info) == elf.STT_FUNC:
			functions++
			jumps := checkInstructions(t, symbol.Name, text[symbol.Value:][:symbol.Size])
			if jumps > 0 && !strings.HasPrefix(symbol.Name, "highway") &&
				!strings.HasPrefix(symbol.Name, "either") {
				t.Errorf("%s has %d jumps backwards", symbol.Name, jumps)
			}
		}
	}
	if functions != 21 {
		t.Errorf("%d functions, want 21", functions)
	}
}

// checkInstructions looks for calls among instructions of BPF (RFC 9669), and returns the number of
// jumps backwards.
func checkInstructions(t *testing.T, name string, code []byte) (jumps int) {
	const (
		class, jump, jump32 = 0x07, 0x05, 0x06
		operation, call     = 0xf0, 0x80
		wide                = 0x18 // the load of a number of 64 bits takes the place of two
	)
	for start := 0; start < len(code); start += 8 {
		opcode, offset := code[start], int16(binary.LittleEndian.Uint16(code[start+2:]))
		switch {
		case opcode == wide:
			start += 8
		case opcode&class != jump && opcode&class != jump32:
		case opcode&operation == call:
			t.Errorf("%s has a call", name)
		case offset < 0:
			jumps++
		}
	}
	if len(code) == 0 || !bytes.HasSuffix(code, []byte{0x95, 0, 0, 0, 0, 0, 0, 0}) {
		t.Errorf("%s does not end with an exit", name)
	}
	return jumps
}
