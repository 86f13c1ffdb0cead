package main

import (
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/internal/require"
)

// encodedLine is a line of a generated file that has an instruction as a number.
var encodedLine = regexp.MustCompile(`\bWORD\b *(?:\$0x([0-9a-f]{8}) // (.+))?`)

// TestEncodings holds every instruction that is generated as a number against what GNU as makes of
// the comment beside it, for the first version of the architecture.
func TestEncodings(t *testing.T) {
	files, err := render()
	if err != nil {
		t.Fatal(err)
	}
	var all []encoded
	for path, content := range files {
		if !strings.HasSuffix(path, "_arm64.s") {
			continue
		}
		for _, line := range encodedLine.FindAllSubmatch(content, -1) {
			word, err := strconv.ParseUint(string(line[1]), 16, 32)
			if err != nil {
				t.Fatalf("%s: %q has no number and comment", path, line[0])
			}
			all = append(all, encoded{uint32(word), string(line[2])})
		}
	}
	if len(all) == 0 {
		t.Fatal("no file has an instruction that is a number")
	}
	// And every encoder, with the registers at the ends.
	for _, r := range []int{0, 31} {
		all = append(all, bic(b16, r, 31-r, 1), bic(b8, 2, r, 31-r))
		for _, a := range []arrangement{b8, b16, h4, h8, s2, s4} {
			all = append(all, umaxp(a, r, 31-r, 3), ushl(a, 4, r, 31-r), mul(a, r, 5, 31-r))
		}
		all = append(all, ushl(d2, r, 5, 31-r))
		for _, a := range []arrangement{b8, h4, s2} {
			all = append(all, shrn(a, r, 31-r, 0), shrn(a, r, 31-r, 1), shrn(a, 31-r, r, 8<<a.size))
		}
	}
	for i, word := range assembled(t, all) {
		if word != all[i].word {
			t.Errorf("%s: %#08x, want %#08x", all[i].syntax, all[i].word, word)
		}
	}
}

// assembled returns what GNU as makes of instructions.
func assembled(t *testing.T, all []encoded) []uint32 {
	const assembler = "aarch64-linux-gnu-as"
	as, err := exec.LookPath(assembler)
	if err != nil {
		require.Skip(t, "aarch64-as",
			"there is no "+assembler+": install binutils-aarch64-linux-gnu")
	}
	object := filepath.Join(t.TempDir(), "encodings.o")
	cmd := exec.Command(as, "-march=armv8-a", "-o", object, "-")
	var source strings.Builder
	for _, e := range all {
		fmt.Fprintln(&source, e.syntax)
	}
	cmd.Stdin, cmd.Stderr = strings.NewReader(source.String()), os.Stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v", as, err)
	}
	f, err := elf.Open(object)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text, err := f.Section(".text").Data()
	if err != nil {
		t.Fatal(err)
	}
	if len(text) != 4*len(all) {
		t.Fatalf("%s made %d bytes of %d instructions", as, len(text), len(all))
	}
	words := make([]uint32, len(all))
	for i := range words {
		words[i] = f.ByteOrder.Uint32(text[4*i:])
	}
	return words
}

// TestEncodingRanges shows that an encoder refuses what its instruction has no room for.
func TestEncodingRanges(t *testing.T) {
	for what, encode := range map[string]func() encoded{
		"ushl: destination 32":      func() encoded { return ushl(d2, 32, 0, 0) },
		"ushl: first source -1":     func() encoded { return ushl(d2, 0, -1, 0) },
		"ushl: second source 32":    func() encoded { return ushl(d2, 0, 0, 32) },
		"umaxp: destination -1":     func() encoded { return umaxp(s4, -1, 0, 0) },
		"umaxp: doublewords":        func() encoded { return umaxp(d2, 0, 0, 0) },
		"mul: doublewords":          func() encoded { return mul(d2, 0, 0, 0) },
		"bic: second source 32":     func() encoded { return bic(b16, 0, 0, 32) },
		"bic: lanes of four bytes":  func() encoded { return bic(s4, 0, 0, 0) },
		"shrn: to a whole register": func() encoded { return shrn(b16, 0, 0, 1) },
		"shrn: by 9 to bytes":       func() encoded { return shrn(b8, 0, 0, 9) },
		"shrn: by -1":               func() encoded { return shrn(b8, 0, 0, -1) },
		"shrn: source 32":           func() encoded { return shrn(b8, 0, 32, 1) },
		"xtn: destination 32":       func() encoded { return shrn(b8, 32, 0, 0) },
	} {
		t.Run(what, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("was encoded")
				}
			}()
			encode()
		})
	}
}
