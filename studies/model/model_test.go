package model

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The files are what llvm-objdump printed: of package asm, and of the same loops in C.
func TestInnerLoop(t *testing.T) {
	tests := []struct {
		file, function string
		kernel         kernel
		size           int
		start, end     uint64
		units          int
	}{
		{"amd64.txt", kernels[0].symbol(512, instructionSet{suffix: "AVX512"}), kernels[0], 512,
			0x53d420, 0x53d45d, 1},
		{"amd64.txt", kernels[4].symbol(256, instructionSet{suffix: "AVX2"}), kernels[4], 256,
			0x53cc20, 0x53cc33, 1},
		// other paths jump into it from below
		{"arm64.txt", "neon_delete", kernels[2], 256, 0x7c0, 0x854, 1},
		{"arm64.txt", "neon_merge", kernels[3], 256, 0x880, 0x8c0, 1},
		{"arm64.txt", "neon_match", kernels[4], 256, 0x8e8, 0x93c, 2},
	}
	for _, test := range tests {
		functions, err := parseDisassembly(read(t, test.file))
		if err != nil {
			t.Fatal(err)
		}
		loop, err := innerLoop(functions[test.function])
		if err != nil {
			t.Errorf("%s: %v", test.function, err)
			continue
		}
		if start, end := loop[0].address, loop[len(loop)-1].address; start != test.start ||
			end != test.end {
			t.Errorf("%s: the loop is %#x to %#x, want %#x to %#x", test.function, start, end,
				test.start, test.end)
		}
		if n, err := units(loop, test.kernel.unit, test.size); n != test.units || err != nil {
			t.Errorf("%s: an iteration is of %d %ss (%v), want %d", test.function, n,
				test.kernel.unit, err, test.units)
		}
	}
}

// A loop that is not the one straight line that is expected is an error, not a number.
func TestNoInnerLoop(t *testing.T) {
	for name, text := range map[string]string{
		"two innermost loops":        "0: nop\n4: b.ne 0x0 <f>\n8: nop\nc: cbnz x1, 0x8 <f+0x8>\n",
		"no innermost loop":          "0: prfm pldl1keep, [x0]\n4: b.ne 0x0 <f>\n8: ret\n",
		"no straight line":           "0: nop\n4: b 0xc <f+0xc>\n8: nop\nc: tbnz w0, #0, 0x0 <f>\n",
		"it leads elsewhere at 0x0":  "0: bl 0x5d0 <g>\n4: b.ne 0x0 <f>\n",
		"which is no number of keys": "0: mul x0, x1, x2\n4: b.ne 0x0 <f>\n",
		"48 bytes, which is no":      "0: ldp q0, q1, [x0]\n4: ldr q2, [x1]\n8: b.ne 0x0 <f>\n",
	} {
		functions, err := parseDisassembly("0000000000000000 <f>:\n" + text)
		if err != nil {
			t.Fatal(err)
		}
		loop, err := innerLoop(functions["f"])
		if err == nil {
			unit := unitKey
			if strings.Contains(name, "48 bytes") {
				unit = unitMask
			}
			_, err = units(loop, unit, 256)
		}
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%q: error %v", name, err)
		}
	}
}

func TestSplit(t *testing.T) {
	for text, want := range map[string][]string{
		"ldr\tx11, [x2], #0x8":       {"ldr\tx11, [x2]", "add x2, x2, #0x8"},
		"stp\tq0, q1, [x0], #0x20":   {"stp\tq0, q1, [x0]", "add x0, x0, #0x20"},
		"ld1\t{ v0.2d }, [x0], x3":   {"ld1\t{ v0.2d }, [x0]", "add x0, x0, x3"},
		"str\tx0, [sp, #-0x10]!":     {"add sp, sp, #-0x10", "str\tx0, [sp]"},
		"ldp\tq2, q3, [x10, #0x20]":  {"ldp\tq2, q3, [x10, #0x20]"},
		"ldr\tx13, [x2, x12]":        {"ldr\tx13, [x2, x12]"},
		"vmovdqu\t0x20(%rsi), %ymm0": {"vmovdqu\t0x20(%rsi), %ymm0"},
		"add\tx10, x8, x10, lsl #5":  {"add\tx10, x8, x10, lsl #5"},
		"ldp\tx8, x10, [x0], #-0x40": {"ldp\tx8, x10, [x0]", "add x0, x0, #-0x40"},
		"st1\t{ v0.4s }, [sp], #16":  {"st1\t{ v0.4s }, [sp]", "add sp, sp, #16"},
	} {
		if got := (instruction{text: text}).split(); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestLoadBytes(t *testing.T) {
	for text, want := range map[string]int{
		"ldp\tq0, q1, [x0]":                       32,
		"ldp\tx8, x10, [x0]":                      16,
		"ld1\t{ v0.2d, v1.2d }, [x0]":             32,
		"ldr\tw8, [x0, x1]":                       4,
		"stp\tq0, q1, [x0]":                       0,
		"vpandn\t0x20(%rsi), %ymm1, %ymm2":        32,
		"vmovdqu64\t(%rax,%rbp), %zmm0":           64,
		"vmovdqu\t%ymm0, (%rax)":                  0,
		"leaq\t(%rax,%rbx,8), %rcx":               0,
		"movq\t(%rbx), %r14":                      8,
		"vpandnq\t0x40(%rax,%r15), %zmm1, %zmm16": 64,
	} {
		if got := loadBytes(text); got != want {
			t.Errorf("%q loads %d bytes, want %d", text, got, want)
		}
	}
}

func TestAnalysis(t *testing.T) {
	a, err := parseAnalysis(read(t, "mca.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(a.CodeRegions) != 2 {
		t.Fatalf("%d regions, want 2", len(a.CodeRegions))
	}
	b := a.CodeRegions[1]
	if b.Name != "b" || b.SummaryView.TotalCycles != 604 ||
		b.SummaryView.Iterations != fewIterations || b.SummaryView.BlockRThroughput != 3 {
		t.Errorf("the second region is %+v", b)
	}
	if got := modelName(a.TargetInfo.Resources); got != "N1" {
		t.Errorf("the model is %q, want N1", got)
	}
	if _, err := parseAnalysis("error: unable to get target"); err == nil {
		t.Error("no error for what is no JSON")
	}
}

func TestModelName(t *testing.T) {
	for want, resources := range map[string][]string{
		"Zn4":     {"Zn4AGU0", "Zn4ALU0", "Zn4FP0"},
		"SKX":     {"SKXDivider", "SKXPort0"},
		"unknown": nil,
	} {
		if got := modelName(resources); got != want {
			t.Errorf("%v: %q, want %q", resources, got, want)
		}
	}
}

func TestUnitName(t *testing.T) {
	for resource, want := range map[string]string{"N1UnitV0": "V0", "N1UnitL.\x01": "L.1",
		"N1Odd": "Odd"} {
		if got := unitName(resource, "N1"); got != want {
			t.Errorf("%q: %q, want %q", resource, got, want)
		}
	}
}

func TestWrite(t *testing.T) {
	var text strings.Builder
	err := write(&text, []row{
		{set: "neon", cpu: "neoverse-n1", model: "N1", kernel: kernels[0], size: 512,
			cost: cost{10.5, 8, 9.25, "V1"}},
		{set: "neon", cpu: "neoverse-n2", model: "N2", kernel: kernels[3], size: 256,
			cost: cost{6, 5, 5.5, "L01.0"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`
neon on neoverse-n1, scheduled by LLVM's model N1
            cycles  bound  busy  unit
query  512   10.50   8.00  9.25    V1
`, "\nmerge  256    6.00   5.00  5.50  L01.0\n",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the text has no %q:\n%s", want, &text)
		}
	}
}

// Bad usage is told before any tool runs.
func TestUsage(t *testing.T) {
	for _, args := range [][]string{{}, {"riscv64"}, {"amd64", "arm64"}} {
		cmd := Command()
		cmd.SetArgs(args)
		cmd.SetOut(io.Discard)
		cmd.SetErr(io.Discard)
		if err := cmd.Execute(); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
}
