package proof

import (
	"bufio"
	"bytes"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// Disassembler is the program that decodes the functions.
const Disassembler = "llvm-objdump"

// module is the path before the names of the functions.
const module = "github.com/bloomlane/bloomlane/"

// architecture is what the machine knows of one.
type architecture struct {
	name    string // in Go
	machine elf.Machine
	syntax  string // an option of the disassembler
	comment string // what begins one
	parse   func(i *instruction, list string) error
	execute func(s *step) error
	general []string // the names of general registers
	vector  int      // bits of one
	stack   int      // the number of the stack pointer
	kept    []int    // the registers that a function restores, and the stack pointer
}

var amd64 = &architecture{"amd64", elf.EM_X86_64, "--x86-asm-syntax=intel", "#", parseX86, nil,
	names[64], 512, rsp, []int{rbp}}

func init() { amd64.execute = (*step).executeX86 }

// program is a linked program for Linux, with its functions decoded when they are asked for.
type program struct {
	*architecture
	path      string
	file      *elf.File
	symbols   map[string]elf.Symbol
	functions map[uint64][]instruction // by their addresses
	known     map[uint64]*acts         // of instructions, by their addresses
}

// instruction is one decoded instruction.
type instruction struct {
	address  uint64
	bytes    []byte
	mnemonic string
	operands []operand // of amd64
	words    []string  // the operands of arm64, as they are printed
	text     string
}

func (i instruction) next() uint64 { return i.address + uint64(len(i.bytes)) }

// DecodeError is an instruction that is not understood.
type DecodeError struct{ Function, Instruction, Reason string }

func (e *DecodeError) Error() string {
	return fmt.Sprintf("%s: %s: %s", e.Function, e.Instruction, e.Reason)
}

// build compiles a package for Linux, by a command of the go tool. The settings that change machine
// code are fixed. An empty GOFLAGS would be that of go env -w.
func build(path string, a *architecture, folder string, command ...string) error {
	cmd := exec.Command("go", append(command, "-o", path, module+folder)...)
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+a.name, "GOAMD64=v1", "GOARM64=v8.0",
		"CGO_ENABLED=0", "GOFLAGS=-buildmode=exe")
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build of %s: %w: %s", folder, err, output)
	}
	return nil
}

// open reads the symbols of a program.
func open(path string, a *architecture) (*program, error) {
	file, err := elf.Open(path)
	if err != nil {
		return nil, err
	}
	if file.Machine != a.machine || file.Type != elf.ET_EXEC {
		return nil, fmt.Errorf("%s: %v of %v, want a program of %v that is not relocated", path,
			file.Type, file.Machine, a.machine)
	}
	table, err := file.Symbols()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	p := &program{a, path, file, map[string]elf.Symbol{}, map[uint64][]instruction{},
		map[uint64]*acts{}}
	for _, symbol := range table {
		p.symbols[symbol.Name] = symbol
	}
	return p, nil
}

func (p *program) Close() error { return p.file.Close() }

// initialised is a variable of the definition that no code of the program writes.
const initialised = module + "fallback.Salts"

// constants returns bytes of the program's memory that nothing writes.
func (p *program) constants(address uint64, length int) ([]byte, error) {
	variable := p.symbols[initialised]
	known := address >= variable.Value &&
		address+uint64(length) <= variable.Value+variable.Size
	for _, segment := range p.file.Progs {
		if segment.Type != elf.PT_LOAD || segment.Flags&elf.PF_W != 0 && !known ||
			address < segment.Vaddr || address-segment.Vaddr > segment.Filesz ||
			uint64(length) > segment.Filesz-(address-segment.Vaddr) {
			continue
		}
		read := make([]byte, length)
		_, err := segment.ReadAt(read, int64(address-segment.Vaddr))
		return read, err
	}
	return nil, &AddressError{address, "no constant of the program"}
}

// AddressError is an address at which the program has not what is looked for.
type AddressError struct {
	Address uint64
	Reason  string
}

func (e *AddressError) Error() string { return fmt.Sprintf("address %#x: %s", e.Address, e.Reason) }

// name returns the name of the function at an address.
func (p *program) name(address uint64) (string, error) {
	for name, symbol := range p.symbols {
		if symbol.Value == address && elf.ST_TYPE(symbol.Info) == elf.STT_FUNC {
			return name, nil
		}
	}
	return "", &AddressError{address, "no function begins there"}
}

// function decodes the function at an address.
func (p *program) function(name string) ([]instruction, error) {
	symbol, ok := p.symbols[name]
	if !ok {
		return nil, fmt.Errorf("%s has no function %s", p.path, name)
	}
	if known, ok := p.functions[symbol.Value]; ok {
		return known, nil
	}
	cmd := exec.Command(Disassembler, "-d", "-z", p.syntax,
		"--start-address="+strconv.FormatUint(symbol.Value, 10),
		"--stop-address="+strconv.FormatUint(symbol.Value+symbol.Size, 10), p.path)
	output, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", Disassembler, err)
	}
	var decoded []instruction
	address := symbol.Value
	for lines := bufio.NewScanner(bytes.NewReader(output)); lines.Scan(); {
		i, ok, err := p.read(lines.Text())
		if err != nil {
			return nil, &DecodeError{name, strings.TrimSpace(lines.Text()), err.Error()}
		}
		if !ok {
			continue
		}
		if i.address != address {
			return nil, &DecodeError{name, i.text, fmt.Sprintf("at %#x, want %#x", i.address,
				address)}
		}
		code, err := p.constants(i.address, len(i.bytes))
		if err != nil || !bytes.Equal(code, i.bytes) {
			return nil, &DecodeError{name, i.text, fmt.Sprintf("bytes %x, the program has %x",
				i.bytes, code)}
		}
		decoded = append(decoded, i)
		address = i.next()
	}
	if address != symbol.Value+symbol.Size {
		return nil, &DecodeError{name, "end", fmt.Sprintf("at %#x, want %#x", address,
			symbol.Value+symbol.Size)}
	}
	p.functions[symbol.Value] = decoded
	return decoded, nil
}

// read reads a line of the disassembler: address, bytes, mnemonic, operands and a comment, which is
// left out. Other lines are not ok.
func (a *architecture) read(line string) (i instruction, ok bool, err error) {
	place, rest, found := strings.Cut(strings.TrimSpace(line), ":")
	address, notHex := strconv.ParseUint(place, 16, 64)
	code, text, tabbed := strings.Cut(strings.TrimSpace(rest), "\t")
	if !found || notHex != nil || !tabbed {
		return i, false, nil
	}
	text, _, _ = strings.Cut(text, a.comment)
	text = strings.Join(strings.Fields(text), " ")
	i = instruction{address: address, text: text}
	code = strings.ReplaceAll(strings.TrimSpace(code), " ", "")
	if i.bytes, err = hex.DecodeString(code); err != nil {
		return i, false, err
	}
	mnemonic, list, _ := strings.Cut(text, " ")
	i.mnemonic = mnemonic
	list, _, _ = strings.Cut(list, " <") // the name of a branch's target
	return i, true, a.parse(&i, list)
}

// parseX86 reads operands.
func parseX86(i *instruction, list string) error {
	if list == "" || strings.HasPrefix(i.mnemonic, "nop") {
		return nil
	}
	for _, part := range strings.Split(list, ", ") {
		o, err := parseOperand(part)
		if err != nil {
			return err
		}
		i.operands = append(i.operands, o)
	}
	if m := i.memory(); m != nil && m.relative {
		m.relative, m.displacement = false, m.displacement+int64(i.next())
	}
	return nil
}

// memory returns the operand in memory, if there is one.
func (i instruction) memory() *operand {
	for n := range i.operands {
		if i.operands[n].kind == inMemory {
			return &i.operands[n]
		}
	}
	return nil
}

// word reads a little-endian constant of the program.
func (p *program) word(address uint64, width int) (v value, err error) {
	read, err := p.constants(address, width/8)
	if err != nil {
		return v, err
	}
	var padded [8 * maxWords]byte
	copy(padded[:], read)
	for i := range v {
		v[i] = binary.LittleEndian.Uint64(padded[8*i:])
	}
	return v, nil
}
