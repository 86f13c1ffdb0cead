package proof

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// place says where an operand is.
type place uint8

const (
	immediate place = iota
	general         // a general register, or its low bits
	vector
	opmask
	inMemory
)

// none is the number of no register.
const none = -1

// operand is an operand of an instruction.
type operand struct {
	kind         place
	width        int // bits; 0 for an immediate, and where an operand in memory has no size
	register     int
	mask         int // the opmask of a destination, or none
	zeroing      bool
	base, index  int // general registers of an address, or none
	scale        uint64
	displacement int64
	relative     bool // to the next instruction, while it is parsed
	immediate    uint64
}

// names has the general registers in the order of their numbers, by width.
var names = map[int][]string{
	64: {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
		"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"},
	32: {"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi",
		"r8d", "r9d", "r10d", "r11d", "r12d", "r13d", "r14d", "r15d"},
	16: {"ax", "cx", "dx", "bx", "sp", "bp", "si", "di",
		"r8w", "r9w", "r10w", "r11w", "r12w", "r13w", "r14w", "r15w"},
	8: {"al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil",
		"r8b", "r9b", "r10b", "r11b", "r12b", "r13b", "r14b", "r15b"},
}

const (
	rax = 0
	rcx = 1
	rdx = 2
	rbx = 3
	rsp = 4
	rbp = 5
	rsi = 6
	rdi = 7
	r8  = 8
	r14 = 14
)

type register struct {
	kind          place
	width, number int
}

var registers = func() map[string]register {
	all := map[string]register{}
	for width, list := range names {
		for number, name := range list {
			all[name] = register{general, width, number}
		}
	}
	for number := range 32 {
		for letter, width := range map[string]int{"x": 128, "y": 256, "z": 512} {
			all[fmt.Sprintf("%smm%d", letter, number)] = register{vector, width, number}
		}
	}
	for number := range 8 {
		all[fmt.Sprintf("k%d", number)] = register{opmask, 64, number}
	}
	return all
}()

var sizes = map[string]int{"byte": 8, "word": 16, "dword": 32, "qword": 64, "xmmword": 128,
	"ymmword": 256, "zmmword": 512}

var decorated = regexp.MustCompile(`^(\w+)(?: \{(k[1-7])\})?( \{z\})?$`)

// parseOperand reads an operand in Intel's syntax.
func parseOperand(text string) (o operand, err error) {
	o = operand{register: none, mask: none, base: none, index: none}
	place, mask, masked := strings.Cut(text, "] {")
	if inside, ok := strings.CutSuffix(text, "]"); ok && !masked {
		return parseMemory(inside, o)
	} else if masked {
		r, ok := registers[strings.TrimSuffix(mask, "}")]
		if !ok || r.kind != opmask {
			return o, fmt.Errorf("unknown operand %q", text)
		}
		o.mask = r.number
		return parseMemory(place, o)
	}
	if number, err := parseNumber(text); err == nil {
		o.immediate = number
		return o, nil
	}
	match := decorated.FindStringSubmatch(text)
	if match == nil {
		return o, fmt.Errorf("unknown operand %q", text)
	}
	r, ok := registers[match[1]]
	if !ok {
		return o, fmt.Errorf("unknown register %q", match[1])
	}
	o.kind, o.width, o.register = r.kind, r.width, r.number
	if match[2] != "" {
		o.mask, o.zeroing = registers[match[2]].number, match[3] != ""
	}
	return o, nil
}

func parseNumber(text string) (uint64, error) {
	if strings.HasPrefix(text, "-") {
		number, err := strconv.ParseInt(text, 0, 64)
		return uint64(number), err
	}
	return strconv.ParseUint(text, 0, 64)
}

// parseMemory reads "qword ptr [base + scale*index - displacement" and shorter forms.
func parseMemory(text string, o operand) (operand, error) {
	size, address, found := strings.Cut(text, "[")
	if !found {
		return o, fmt.Errorf("unknown operand %q", text)
	}
	o.kind, o.scale = inMemory, 1
	if size = strings.TrimSuffix(strings.TrimSpace(size), " ptr"); size != "" {
		var ok bool
		if o.width, ok = sizes[size]; !ok {
			return o, fmt.Errorf("unknown size %q", size)
		}
	}
	for _, part := range strings.Split(strings.ReplaceAll(address, " - ", " + -"), " + ") {
		scale, name, scaled := strings.Cut(part, "*")
		if !scaled {
			scale, name = "1", part
		}
		if number, err := strconv.ParseInt(part, 0, 64); err == nil {
			o.displacement += number
			continue
		}
		factor, err := strconv.ParseUint(scale, 10, 4)
		r, ok := registers[name]
		switch {
		case name == "rip" && !scaled:
			o.relative = true
		case err != nil || !ok || r.kind != general || r.width != 64:
			return o, fmt.Errorf("unknown part %q of an address", part)
		case o.base == none && !scaled:
			o.base = r.number
		case o.index == none:
			o.index, o.scale = r.number, factor
		default:
			return o, fmt.Errorf("more than two registers in %q", text)
		}
	}
	return o, nil
}
