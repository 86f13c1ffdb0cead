package model

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// instruction is one of a disassembly.
type instruction struct {
	address, target uint64 // target: of a branch
	isBranch        bool
	text            string // what llvm-mca is given: a branch goes to a symbol
}

var (
	symbolLine      = regexp.MustCompile(`^[0-9a-f]+ <(.+)>:$`)
	instructionLine = regexp.MustCompile(`^\s*([0-9a-f]+):\s+(.+)$`)
	comment         = regexp.MustCompile(`\s*(//|# ).*$`)
	branch          = regexp.MustCompile(
		`^((?:j\w+|b|b\.\w+|t?cbn?z|tbn?z)\s+(?:.*, )?)(?:0x)?([0-9a-f]+)(?: <.*>)?$`)
	postIndexed = regexp.MustCompile(`^(.*\[)(x\d+|sp)\], (#\S+|x\d+)$`)
	preIndexed  = regexp.MustCompile(`^(.*\[)(x\d+|sp), (#\S+)\]!$`)
	elsewhere   = regexp.MustCompile(`^(jmp|b|bl|blr|callq?)\s`)
)

// parseDisassembly returns the instructions of each function that llvm-objdump -d printed.
func parseDisassembly(text string) (map[string][]instruction, error) {
	functions := map[string][]instruction{}
	name := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if m := symbolLine.FindStringSubmatch(line); m != nil {
			name = m[1]
			continue
		}
		m := instructionLine.FindStringSubmatch(line)
		if m == nil || name == "" {
			continue
		}
		address, err := strconv.ParseUint(m[1], 16, 64)
		if err != nil {
			return nil, fmt.Errorf("the disassembly has the line %q: %w", line, err)
		}
		i := instruction{address: address, text: comment.ReplaceAllString(m[2], "")}
		if m := branch.FindStringSubmatch(i.text); m != nil {
			if i.target, err = strconv.ParseUint(m[2], 16, 64); err != nil {
				return nil, fmt.Errorf("the disassembly has the line %q: %w", line, err)
			}
			i.isBranch, i.text = true, m[1]+"elsewhere"
		}
		functions[name] = append(functions[name], i)
	}
	return functions, nil
}

// split writes the write-back of an address as the addition that it is: the models of llvm-mca hold
// it back until the data has been loaded, or is there to be stored, which no core does. A merge of
// 256 bits would take 30 cycles per block instead of 7.
func (i instruction) split() []string {
	if m := postIndexed.FindStringSubmatch(i.text); m != nil {
		return []string{m[1] + m[2] + "]", "add " + m[2] + ", " + m[2] + ", " + m[3]}
	}
	if m := preIndexed.FindStringSubmatch(i.text); m != nil {
		return []string{"add " + m[2] + ", " + m[2] + ", " + m[3], m[1] + m[2] + "]"}
	}
	return []string{i.text}
}

// backward says whether i is a branch to itself or to what stands before it.
func (i instruction) backward() bool { return i.isBranch && i.target <= i.address }

// innerLoop returns the one innermost loop of a function that has no prefetch: the instructions
// from the target of a backward branch to that branch, with no other backward branch between.
func innerLoop(function []instruction) ([]instruction, error) {
	var found []instruction
	for end, last := range function {
		if !last.backward() {
			continue
		}
		start := end
		for start > 0 && function[start].address > last.target {
			start--
		}
		if loop := function[start : end+1]; loop[0].address == last.target && isInner(loop) {
			if found != nil {
				return nil, fmt.Errorf("it has two innermost loops without prefetches, at %#x "+
					"and %#x", found[0].address, last.target)
			}
			found = loop
		}
	}
	if found == nil {
		return nil, fmt.Errorf("it has no innermost loop without prefetches")
	}
	for _, i := range found[:len(found)-1] {
		if elsewhere.MatchString(i.text) {
			return nil, fmt.Errorf("its loop at %#x is no straight line: it leads elsewhere at %#x",
				found[0].address, i.address)
		}
	}
	return found, nil
}

func isInner(loop []instruction) bool {
	for i, in := range loop {
		if in.backward() && i != len(loop)-1 || strings.HasPrefix(in.text, "prf") ||
			strings.HasPrefix(in.text, "prefetch") {
			return false
		}
	}
	return true
}

var (
	highMultiply = regexp.MustCompile(`^(umulh|mulxq|mulq)\s`)
	armLoad      = regexp.MustCompile(`^ld\w+\s+(.*?)\[`)
	armRegister  = regexp.MustCompile(`\b[qdxsw]\d+\b|\bv\d+\.\w+`)
	x86Load      = regexp.MustCompile(`^\w+\s.*\(.*\).*, %([xyz]mm|r)`)
)

// units returns how many units an iteration of a loop is about: by what it multiplies, or by the
// bytes that it loads.
func units(loop []instruction, unit string, size int) (int, error) {
	highs, loaded := 0, 0
	for _, i := range loop {
		if highMultiply.MatchString(i.text) {
			highs++
		}
		loaded += loadBytes(i.text)
	}
	n, rest := highs, 0
	switch unit {
	case unitBlock:
		n, rest = loaded/(2*size/8), loaded%(2*size/8)
	case unitMask:
		n, rest = loaded/(size/8), loaded%(size/8)
	}
	if n == 0 || rest != 0 {
		const text = "its loop at %#x has %d high multiplications and loads %d bytes, " +
			"which is no number of %ss"
		return 0, fmt.Errorf(text, loop[0].address, highs, loaded, unit)
	}
	return n, nil
}

// loadBytes returns what an instruction loads into its registers.
func loadBytes(text string) int {
	if strings.HasPrefix(text, "lea") {
		return 0
	}
	return registerBytes(x86Load.FindStringSubmatch(text), armLoad.FindStringSubmatch(text))
}

// registerBytes returns the bytes of the registers of a match: of x86's one, or of arm64's list.
func registerBytes(x86, arm []string) (bytes int) {
	if x86 != nil {
		return map[string]int{"xmm": 16, "ymm": 32, "zmm": 64, "r": 8}[x86[1]]
	}
	if arm != nil {
		for _, register := range armRegister.FindAllString(arm[1], -1) {
			switch {
			case strings.HasSuffix(register, ".8b"), strings.HasSuffix(register, ".d"):
				bytes += 8
			default:
				bytes += map[byte]int{'v': 16, 'q': 16, 'd': 8, 'x': 8, 's': 4, 'w': 4}[register[0]]
			}
		}
	}
	return bytes
}
