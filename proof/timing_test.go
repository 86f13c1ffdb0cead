package proof

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// eachHasher runs a test for every function that hashes keys under a secret.
func (p *Program) eachHasher(t *testing.T, do func(in *program, h hasher)) {
	t.Helper()
	for _, in := range []*program{p.tables, p.keyed} {
		all, err := hashers("../asm", in.architecture)
		if err != nil || len(all) == 0 {
			t.Fatalf("no functions of %s (%v)", in.architecture.name, err)
		}
		for _, h := range all {
			do(in, h)
		}
	}
}

// followedByHashes returns the instructions of an architecture in functions that hash keys.
func (p *Program) followedByHashes(t *testing.T, a *architecture) (all []instruction) {
	t.Helper()
	p.eachHasher(t, func(in *program, h hasher) {
		if in.architecture != a {
			return
		}
		found, err := in.timing(h, nil)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, found.followed...)
	})
	return all
}

// portableHashes are the functions in Go that assembly leaves keys to.
var portableHashes = []string{"PMACSumElse", "PMACQueryElse512"}

// No address and no branch of a function that hashes keys depends on a byte of a key or on the
// secret, but for the query behind a hash, which reads the table where the hash says.
func TestTimings(t *testing.T) {
	p := linked(t)
	table := "| function | instruction set | instructions | branches | accesses | by the hash |\n" +
		"| --- | --- | --- | --- | --- | --- |\n"
	p.eachHasher(t, func(in *program, h hasher) {
		found, err := in.timing(h, nil)
		if err != nil {
			t.Error(err)
			return
		}
		for _, text := range found.leaks {
			t.Errorf("%s: %s depends on a byte of a key, or on the secret", h.name, text)
		}
		for _, name := range found.leaves {
			if !strings.HasPrefix(name, "PMACSum") && !slices.Contains(portableHashes, name) {
				t.Errorf("%s leaves a key to %s", h.name, name)
			}
		}
		if queries := strings.Contains(h.name, "Query"); queries != (found.byHash > 0) {
			t.Errorf("%s reads a table by the hash %d times", h.name, found.byHash)
		}
		table += fmt.Sprintf("| `%s` | %s | %d | %d | %d | %d |\n", h.name, h.set(in.architecture),
			len(found.followed), found.branches, found.accesses, found.byHash)
	})
	if !t.Failed() {
		section(t, "timings", table, regexp.MustCompile(`$^`))
	}
}

// withSecret are labels at the start where an argument is secret.
func (h hasher) withSecret(a *architecture, argument int) labels {
	l := h.start(a)
	l[onStack(uint64(8+8*argument))] = label{secret: true}
	return l
}

// Each argument decides an address or a branch. If it were secret, or another, that is found.
func TestSecretArgumentsLeak(t *testing.T) {
	linked(t).eachHasher(t, func(in *program, h hasher) {
		for i, name := range h.arguments {
			found, err := in.timingFrom(h, h.withSecret(in.architecture, i), nil)
			switch {
			case isStuck(err):
			case err != nil:
				t.Error(err)
			case len(found.leaks) == 0 && (h.set(in.architecture) != in.architecture.name || name == "state"):
				t.Errorf("%s: a secret %s is not found", h.name, name)
			}
		}
	})
}

// leak is a planted mistake by which a function's time depends on what is secret.
type leak struct {
	says, function, text string
	plant                func(i *instruction)
}

var leaks = []leak{
	{"a branch on a byte of a short key", "PMACSumAESNI", "jmp", func(i *instruction) {
		i.mnemonic = "je" // behind an or of bytes
	}},
	{"an address from bytes of a short key", "PMACSumVAES256", "vpxor xmm0, xmm0, xmmword ptr " +
		"[rax + rbx + 176]", func(i *instruction) { i.operands[2].index = registers["rsi"].number }},
	{"an address from the secret", "PMACSumAESNI", "mov rdx, qword ptr [rsp + 16]",
		func(i *instruction) { i.operands[1].base, i.operands[1].displacement = rax, 16 }},
	{"a length that is read from the state", "PMACKeysVAES512", "mov r8, qword ptr [rcx + 8]",
		func(i *instruction) { i.operands[1].base = rax }},
	{"a length that is read from a key", "PMACKeysVAES512", "mov r8, qword ptr [rsp + 32]",
		func(i *instruction) { i.operands[1].base, i.operands[1].displacement = registers["r9"].number, 0 }},
	{"a mask from a byte of a key", "PMACKeysVAES512", "mov r10d, 4294967295",
		func(i *instruction) {
			i.operands[1] = operand{kind: inMemory, width: 32, base: registers["r9"].number, index: none, mask: none,
				scale: 1}
		}},
	{"a choice by the bytes of the state", "PMACSumChosen", "movzx rax, byte ptr [rax + 880]",
		func(i *instruction) { i.operands[1].displacement-- }},
	{"a branch on the hash", "PMACQuery512", "setb", func(i *instruction) {
		i.mnemonic = "jb"
		i.operands = []operand{{kind: immediate, immediate: i.next(), mask: none}}
	}},
	{"a number of keys by a key", "PMAC8AES", "ldr d13, [x1, #8]", func(i *instruction) {
		i.words = []string{"x3", i.words[1]}
	}},
	{"a round key that is an address", "PMACSumAES", "ldr q3, [x0, #48]", func(i *instruction) {
		i.words = []string{"x0", i.words[1]}
	}},
	{"an address from a byte of a key", "PMACKeysAES", "add x12, x7, x11",
		func(i *instruction) { i.words = []string{"x12", "x7", "x9"} }},
	{"a branch on the secret", "PMACExpandAES", "str q11, [x0]", func(i *instruction) {
		i.mnemonic, i.words = "ldr", []string{"x0", "[x1]"}
	}},
}

// Each planted leak is found where it is, or by what depends on it.
func TestLeaksAreFound(t *testing.T) {
	p := linked(t)
	for _, l := range leaks {
		t.Run(l.says, func(t *testing.T) {
			planted := false
			p.eachHasher(t, func(in *program, h hasher) {
				if h.name != l.function || planted {
					return
				}
				code, err := in.function(h.symbol())
				if err != nil {
					t.Fatal(err)
				}
				code = slices.Clone(code)
				at := slices.IndexFunc(code, func(i instruction) bool {
					return i.text == l.text || i.mnemonic == l.text
				})
				if at < 0 {
					return
				}
				planted = true
				code[at].operands = slices.Clone(code[at].operands)
				l.plant(&code[at])
				found, err := in.timing(h, func(string, []instruction) []instruction {
					return code
				})
				if err != nil {
					t.Fatal(err)
				}
				if len(found.leaks) == 0 {
					t.Error("no leak is found")
				}
				t.Log(found.leaks)
			})
			if !planted {
				t.Errorf("%s has no %q", l.function, l.text)
			}
		})
	}
}
