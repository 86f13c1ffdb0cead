package proof

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// compiler returns the name of the compiler of C for BPF, which has two.
func compiler() string {
	if _, err := exec.LookPath("clang"); err != nil {
		return "clang-19"
	}
	return "clang"
}

// packets is the program whose functions are the operations of c/bloomlane.h.
const packets = "../c/testdata/bpf.c"

// bytecode is a function for BPF.
type bytecode struct {
	code    []byte
	symbols map[int]string // variables whose addresses a loader fills in, by offsets
}

// compileBPF compiles a source for BPF, and returns its functions.
func compileBPF(source, folder string) (map[string]bytecode, error) {
	path := filepath.Join(folder, "bpf.o")
	output, err := exec.Command(compiler(), "-O2", "-target", "bpf", "-ffreestanding", "-c", source,
		"-o", path).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", compiler(), err, output)
	}
	return readBPF(path)
}

// readBPF returns the functions of a program for BPF, but for those in sections of their own.
func readBPF(path string) (map[string]bytecode, error) {
	file, err := elf.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	symbols, err := file.Symbols()
	if err != nil {
		return nil, err
	}
	number := elf.SectionIndex(slices.IndexFunc(file.Sections, func(s *elf.Section) bool {
		return s.Name == ".text"
	}))
	text, err := file.Section(".text").Data()
	if err != nil {
		return nil, err
	}
	filled := map[int]string{}
	if list := file.Section(".rel.text"); list != nil {
		entries, err := list.Data()
		if err != nil {
			return nil, err
		}
		for ; len(entries) >= 16; entries = entries[16:] {
			symbol := symbols[binary.LittleEndian.Uint32(entries[12:])-1]
			filled[int(binary.LittleEndian.Uint64(entries))] = symbol.Name
		}
	}
	functions := map[string]bytecode{}
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) != elf.STT_FUNC || s.Section != number {
			continue
		}
		f := bytecode{text[s.Value:][:s.Size], map[int]string{}}
		for at, name := range filled {
			if inside := at - int(s.Value); inside >= 0 && inside < len(f.code) {
				f.symbols[inside] = name
			}
		}
		functions[s.Name] = f
	}
	return functions, nil
}

// bpfInstruction is an instruction of BPF (RFC 9669). The load of a number of 64 bits takes the
// place of two.
type bpfInstruction struct {
	code     byte
	to, from int // registers
	offset   int64
	number   int64
	symbol   string // whose address is added to the number
	text     string
}

// The classes of instructions, and bits of their codes.
const (
	bpfNumber   = 0x00
	bpfLoad     = 0x01
	bpfStore    = 0x03
	bpfWord     = 0x04 // arithmetic on 32 bits
	bpfJump     = 0x05
	bpfJumpWord = 0x06
	bpfLong     = 0x07

	bpfRegister = 0x08 // the second operand is no number
	bpfMemory   = 0x60 // a load or a store, with a size
	bpfTwice    = 0x18 // the number of 64 bits
	bpfFrame    = 10   // the register that points behind the stack
	bpfCall     = 0x85 // of a helper of the kernel

	bpfExit = "9500000000000000"
)

var bpfSizes = map[byte]int{0x00: 32, 0x08: 16, 0x10: 8, 0x18: 64}

func (i bpfInstruction) class() byte     { return i.code & 0x07 }
func (i bpfInstruction) operation() byte { return i.code & 0xf0 }

func (i bpfInstruction) unknown() error { return &UnknownError{i.text, "unknown in BPF"} }

// reserved says whether a part that has no meaning is not zero.
func (i bpfInstruction) reserved() bool {
	register := i.code&bpfRegister != 0
	switch i.class() {
	case bpfLoad, bpfStore:
		return i.number != 0
	case bpfNumber:
		return i.from != 0 || i.offset != 0
	case bpfWord, bpfLong:
		if i.offset != 0 {
			return true
		}
	}
	return register && i.number != 0 || !register && i.from != 0
}

// decode returns the instruction at each place of a function.
func (f bytecode) decode() (all []bpfInstruction) {
	for place := 0; len(f.code)-place >= 8; place += 8 {
		code := f.code[place:]
		i := bpfInstruction{code: code[0], to: int(code[1] & 15), from: int(code[1] >> 4),
			offset: int64(int16(binary.LittleEndian.Uint16(code[2:]))),
			number: int64(int32(binary.LittleEndian.Uint32(code[4:]))),
			symbol: f.symbols[place], text: fmt.Sprintf("%x", code[:8])}
		if i.code == bpfTwice && len(code) >= 16 {
			i.number = i.number&0xffffffff | int64(binary.LittleEndian.Uint32(code[12:]))<<32
			i.offset |= int64(binary.LittleEndian.Uint32(code[8:])) // both are zero
		}
		all = append(all, i)
	}
	return all
}

// bpfMachine runs a function for BPF over terms.
type bpfMachine struct {
	*pool
	code []bpfInstruction
	stop uint64                             // before it a path ends that began elsewhere
	call func(s *state, helper int64) error // nil if none may be called
}

// explore follows every path from a state to its end.
func (h *bpfMachine) explore(s *state) (ends []end, err error) {
	for open := []*state{s}; len(open) > 0; {
		s, open = open[len(open)-1], open[:len(open)-1]
		for {
			if len(s.followed) > 0 && s.next == h.stop {
				ends = append(ends, end{arrived, s})
				break
			}
			if s.next >= uint64(len(h.code)) || len(s.followed) > mostSteps ||
				len(ends) > mostPaths {
				return nil, &FlowError{fmt.Sprint(s.next), "no instruction, or too many"}
			}
			i := h.code[s.next]
			h.note("BPF " + i.text)
			s.followed = append(s.followed, instruction{text: i.text})
			s.next++
			if i.text == bpfExit {
				ends = append(ends, end{returned, s})
				break
			}
			taken, err := h.execute(i, s)
			if err != nil {
				return nil, err
			}
			target := s.next + uint64(i.offset)
			if taken == nil || h.isZero(taken) {
				continue
			} else if h.isOnes(taken) {
				s.next = target
				continue
			}
			branched := s.clone()
			branched.next, branched.path = target, h.and(s.path, taken)
			s.path = h.and(s.path, h.not(taken))
			open = append(open, branched)
		}
	}
	return ends, nil
}

// execute acts on a state, and returns the condition of a branch.
func (h *bpfMachine) execute(i bpfInstruction, s *state) (taken *term, err error) {
	if i.to > bpfFrame || i.from > bpfFrame || i.reserved() {
		return nil, i.unknown()
	}
	width := 64
	if i.class() == bpfWord || i.class() == bpfJumpWord {
		width = 32
	}
	x := h.extract(s.general[i.to], width-1, 0)
	y := h.number(uint64(i.number), width)
	if i.code&bpfRegister != 0 {
		y = h.extract(s.general[i.from], width-1, 0)
	}
	place := func(register int) *term {
		return h.add(s.general[register], h.number(uint64(i.offset), 64))
	}
	size := bpfSizes[i.code&0x18]
	switch i.class() {
	case bpfNumber:
		if i.code != bpfTwice || i.from != 0 {
			return nil, i.unknown()
		}
		s.next++
		s.general[i.to] = h.number(uint64(i.number), 64)
		if i.symbol != "" {
			s.general[i.to] = h.add(h.variable(i.symbol, 64), s.general[i.to])
		}
	case bpfWord, bpfLong:
		v, err := h.compute(i, x, y)
		if err != nil || i.to == bpfFrame {
			return nil, i.unknown()
		}
		s.general[i.to] = h.extend(v, 64)
	case bpfLoad:
		if i.code&0xe0 != bpfMemory || i.to == bpfFrame {
			return nil, i.unknown()
		}
		v, err := s.memory.load(place(i.from), size)
		if err != nil {
			return nil, err
		}
		s.general[i.to] = h.extend(v, 64)
	case bpfStore:
		if i.code&0xe0 != bpfMemory {
			return nil, i.unknown()
		}
		return nil, s.memory.store(place(i.to), h.extract(s.general[i.from], size-1, 0))
	case bpfJump, bpfJumpWord:
		if i.code == bpfCall && i.to == 0 && i.offset == 0 && h.call != nil {
			return nil, h.call(s, i.number)
		}
		return h.jump(i, x, y)
	default:
		return nil, i.unknown()
	}
	return nil, nil
}

// compute is arithmetic of some width. Counts of shifts are taken modulo it.
func (h *bpfMachine) compute(i bpfInstruction, x, y *term) (*term, error) {
	count := h.and(y, h.number(uint64(x.width-1), x.width))
	switch i.operation() {
	case 0x00:
		return h.add(x, y), nil
	case 0x10:
		return h.subtract(x, y), nil
	case 0x20:
		return h.product(x, y), nil
	case 0x40:
		return h.or(x, y), nil
	case 0x50:
		return h.and(x, y), nil
	case 0x60:
		return h.shiftLeft(x, count), nil
	case 0x70:
		return h.shiftRight(x, count), nil
	case 0xa0:
		return h.xor(x, y), nil
	case 0xb0:
		return y, nil
	}
	return nil, i.unknown()
}

// jump returns the condition of a jump.
func (h *bpfMachine) jump(i bpfInstruction, x, y *term) (*term, error) {
	switch i.operation() {
	case 0x00:
		if i.code == bpfJump && i.to == 0 && i.number == 0 {
			return h.number(1, 1), nil
		}
	case 0x10:
		return h.equal(x, y), nil
	case 0x20:
		return h.less(y, x), nil
	case 0x30:
		return h.not(h.less(x, y)), nil
	case 0x40:
		return h.not(h.equal(h.and(x, y), h.number(0, x.width))), nil
	case 0x50:
		return h.not(h.equal(x, y)), nil
	case 0xa0:
		return h.less(x, y), nil
	case 0xb0:
		return h.not(h.less(y, x)), nil
	}
	return nil, i.unknown()
}

// packet states that a function of the header for C, in BPF, is the definition.
func (p *Program) packet(functions map[string]bytecode, operation, format string) (Theorem, error) {
	h := p.history(format, nil)
	name := strings.ToLower(operation) + format
	q := *h.question
	s, _ := q.start(p.amd64, "bpf_", h.block)
	m := &twoTables{*s.memory.(*tableMemory), q.variable("from", 64), q.variable("other",
		h.block.width)}
	q.address = q.variable("to", 64)
	s.memory, m.pointer, m.stack = m, s.general[bpfFrame], map[int64]*term{}
	s.general[1], s.general[2] = q.address, h.third
	if operation == "Merge" {
		s.general[2] = m.other
	}
	runner := &bpfMachine{pool: h.pool, code: functions[name].decode()}
	ends, err := runner.explore(s)
	if err != nil {
		return Theorem{}, fmt.Errorf("%s: %w", name, err)
	}
	for _, e := range ends {
		switch after := e.memory.(tabled).table(); {
		case repeated(after.stores):
			return Theorem{}, &StructureError{name, storesTwice}
		case operation == "Query" && (repeated(after.loads) || len(after.stores) > 0):
			return Theorem{}, &StructureError{name, loadsTwice}
		}
	}
	done, err := q.combine(ends, func(e end) *term { return q.extract(e.general[0], 31, 0) })
	if err != nil {
		return Theorem{}, err
	}
	var definition effect
	if operation == "Merge" {
		definition = h.combined(operation, h.block, m.blocks)
	} else {
		definition = h.run(operation, h.third, h.block)
	}
	if h.err != nil {
		return Theorem{}, h.err
	}
	goals := []goal{
		{"same_block", "The block is the definition's", h.equal(done.block, definition.block)},
		{"in_block", "Every access is to the block, or to the stack", done.addresses},
	}
	if operation != "Merge" {
		goals = append(goals, goal{"same_result", "The result is the definition's",
			h.equal(done.result, h.extend(definition.result, 32))})
	}
	title := []string{fmt.Sprintf("%s of a block of %s bits: what a compiler makes of the header "+
		"for C, for BPF, does what the definition does.", operation, format),
		"A counterexample is sat."}
	c := &claim{h.pool, h.assume(definition), goals, likely}
	return Theorem{Name: "BPF" + operation + format, Set: "BPF",
		Says:   "result and block are those of the definition",
		Script: c.script(title), Paths: done.paths, Executed: len(done.followed), claim: c}, nil
}
