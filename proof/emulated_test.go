//go:build linux && amd64

package proof

import (
	"bufio"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/internal/require"
)

// record is what the emulated program reads, runs an instruction on, and writes, in words: the
// number of the instruction, whether it branched, general registers and stack pointer, flags,
// vectors, and memory around the operand.
type record [132]uint64

const (
	branchedAt = 1
	generalAt  = 2
	flagsAt    = generalAt + 32
	vectorsAt  = flagsAt + 2
	windowAt   = vectorsAt + 64
	operandAt  = windowAt + 16
)

// flagBitsA64 has the places of the carry, the zero, the sign and the overflow.
var flagBitsA64 = []int{29, 30, 31, 28}

// runner is the program around the instructions: it loads all registers, goes to an instruction,
// and stores all registers. The thread's register keeps x30 meanwhile.
const runner = `.text
.global _start, record
_start:
	ldr x19, =record
	ldr x20, =1056
1:	mov x0, #0
	mov x1, x19
	mov x2, x20
	mov x8, #63
	svc #0
	cmp x0, #0
	b.le done
	add x19, x19, x0
	subs x20, x20, x0
	b.gt 1b
	ldr x0, =record
	ldr x1, [x0]
	ldr x2, =table
	ldr x1, [x2, x1, lsl #3]
	msr tpidr_el0, x1
	ldr x1, [x0, #272]
	msr nzcv, x1
	ldr x1, [x0, #264]
	mov sp, x1
	add x1, x0, #288
%s	ldr x1, [x0, #24]
%s	mrs x30, tpidr_el0
	ldr x0, [x0, #16]
	br x30
taken:
	msr tpidr_el0, x30
	ldr x30, =record
	str x0, [x30, #16]
	mov x0, #1
	str x0, [x30, #8]
	ldr x0, [x30, #16]
	mrs x30, tpidr_el0
after:
	msr tpidr_el0, x30
	ldr x30, =record
	stp x0, x1, [x30, #16]
%s	mrs x0, tpidr_el0
	str x0, [x30, #256]
	mov x0, sp
	str x0, [x30, #264]
	mrs x0, nzcv
	str x0, [x30, #272]
	add x0, x30, #288
%s	ldr x19, =record
	ldr x20, =1056
2:	mov x0, #1
	mov x1, x19
	mov x2, x20
	mov x8, #64
	svc #0
	cmp x0, #0
	b.le done
	add x19, x19, x0
	subs x20, x20, x0
	b.gt 2b
	b _start
done:
	mov x0, #0
	mov x8, #93
	svc #0
	.ltorg
	.balign 16
record:
	.space 1056
%s
	.balign 8
table:
%s`

// source returns the program for some instructions.
func source(code []instruction) string {
	var vectors, general, storedGeneral, storedVectors, stubs, table strings.Builder
	for n := 0; n < 32; n += 2 {
		fmt.Fprintf(&vectors, "\tldp q%d, q%d, [x1, #%d]\n", n, n+1, 16*n)
		fmt.Fprintf(&storedVectors, "\tstp q%d, q%d, [x0, #%d]\n", n, n+1, 16*n)
	}
	for n := 2; n < 30; n += 2 {
		fmt.Fprintf(&general, "\tldp x%d, x%d, [x0, #%d]\n", n, n+1, 16+8*n)
		fmt.Fprintf(&storedGeneral, "\tstp x%d, x%d, [x30, #%d]\n", n, n+1, 16+8*n)
	}
	for n, i := range code {
		text := fmt.Sprintf(".inst %#x", binary.LittleEndian.Uint32(i.bytes))
		if _, branches := i.branch(); branches {
			text = i.mnemonic + " " + strings.Join(append(slices.Clone(i.words[:len(i.words)-1]),
				"taken"), ", ")
		}
		fmt.Fprintf(&stubs, "stub%d:\n\tldr x30, record+256\n", n)
		fmt.Fprintf(&stubs, "insn%d:\n\t%s\n\tb after\n", n, text)
		fmt.Fprintf(&table, "\t.quad stub%d\n", n)
	}
	return fmt.Sprintf(runner, vectors.String(), general.String(), storedGeneral.String(),
		storedVectors.String(), stubs.String(), table.String())
}

// emulator is the program that runs.
type emulator struct {
	input   io.WriteCloser
	output  *bufio.Reader
	symbols map[string]uint64
}

// emulate assembles, links and starts the program.
func emulate(t *testing.T, code []instruction) *emulator {
	t.Helper()
	const qemu = "qemu-aarch64-static"
	for feature, tools := range map[string][]string{"emulator": {qemu},
		"aarch64-as": {"aarch64-linux-gnu-as", "aarch64-linux-gnu-ld"}} {
		for _, tool := range tools {
			if _, err := exec.LookPath(tool); err != nil {
				require.Skip(t, feature, err.Error())
			}
		}
	}
	folder := t.TempDir()
	text, object := filepath.Join(folder, "code.s"), filepath.Join(folder, "code.o")
	path := filepath.Join(folder, "code")
	if err := os.WriteFile(text, []byte(source(code)), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, command := range [][]string{{"aarch64-linux-gnu-as", "-o", object, text},
		{"aarch64-linux-gnu-ld", "-N", "-o", path, object}} {
		if output, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", command[0], err, output)
		}
	}
	file, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	symbols, err := file.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	e := &emulator{symbols: map[string]uint64{}}
	for _, symbol := range symbols {
		e.symbols[symbol.Name] = symbol.Value
	}
	cmd := exec.Command(qemu, "-cpu", "cortex-a57", path)
	cmd.Stderr = os.Stderr
	if e.input, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	e.output = bufio.NewReaderSize(output, 1<<16)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		e.input.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// run runs records, few enough for the buffers of pipes.
func (e *emulator) run(records []record) error {
	bytes := make([]byte, 0, len(records)*8*len(record{}))
	for _, r := range records {
		for _, word := range r {
			bytes = binary.LittleEndian.AppendUint64(bytes, word)
		}
	}
	if _, err := e.input.Write(bytes); err != nil {
		return err
	}
	if _, err := io.ReadFull(e.output, bytes); err != nil {
		return err
	}
	for i := range records {
		for j := range records[i] {
			records[i][j] = binary.LittleEndian.Uint64(bytes[8*(i*len(record{})+j):])
		}
	}
	return nil
}

// subjectA64 is an instruction of arm64 as the model has it.
type subjectA64 struct {
	instruction
	number int
	before *state
	memory *probe
	parts  []partA64
	model  *evaluation
	window uint64 // its address
}

type partA64 struct {
	name string
	term *term
	read func(*record) value
}

// describeA64 returns the model of an instruction, where the emulator has it.
func describeA64(i instruction, number int, e *emulator) (*subjectA64, error) {
	if i.mnemonic == "adrp" { // the page of an address, from that of the instruction
		place := e.symbols[fmt.Sprint("insn", number)]
		address, err := parseNumber(i.words[1])
		if err != nil {
			return nil, err
		}
		i.words = []string{i.words[0], fmt.Sprint(address + place&^4095 - i.address&^4095)}
	}
	p := newPool()
	s := &subjectA64{instruction: i, number: number, memory: &probe{pool: p},
		window: e.symbols["record"] + 8*windowAt}
	s.before = arm64.arbitrary(p, "", s.memory)
	after := *s.before
	now := step{pool: p, instruction: i, state: &after}
	if err := now.executeA64(); err != nil {
		return nil, err
	}
	word := func(name string, t *term, place int) {
		s.parts = append(s.parts, partA64{name, t, func(r *record) value {
			var v value
			copy(v[:], r[place:place+(t.width+63)/64])
			return v.cut(t.width)
		}})
	}
	for n, name := range arm64.general {
		word(name, after.general[n], generalAt+n)
	}
	for n, t := range after.vectors {
		word(fmt.Sprint("v", n), t, vectorsAt+2*n)
	}
	for n, t := range after.flags.list() {
		if t != nil {
			s.parts = append(s.parts, partA64{fmt.Sprint("flag ", n), t, func(r *record) value {
				return value{r[flagsAt] >> flagBitsA64[n] & 1}
			}})
		}
	}
	branches := p.number(0, 1)
	if now.taken != nil {
		branches = now.taken
	}
	word("branch", branches, branchedAt)
	terms := []*term{}
	for _, part := range s.parts {
		terms = append(terms, part.term)
	}
	s.model = newEvaluation(p, append(terms, s.memory.terms()...))
	return s, nil
}

// base returns the register of the operand in memory, and whether there is one.
func (s *subjectA64) base() (number int, ok bool) {
	for _, word := range s.words {
		if inside, ok := strings.CutPrefix(word, "["); ok {
			name := strings.TrimSuffix(strings.Split(inside, ",")[0], "]")
			return slices.Index(arm64.general, name), true
		}
	}
	return 0, false
}

// take sets the variables of the model.
func (s *subjectA64) take(r *record) {
	for i, t := range s.before.general {
		s.model.values[t.number] = value{r[generalAt+i]}
	}
	for i, t := range s.before.vectors {
		s.model.values[t.number] = value{r[vectorsAt+2*i], r[vectorsAt+2*i+1]}
	}
	for i, t := range s.before.flags.list() {
		s.model.values[t.number] = value{r[flagsAt] >> flagBitsA64[i] & 1}
	}
}

// prepare fills a record.
func (s *subjectA64) prepare(random *rand.Rand) (r record) {
	for i := generalAt; i < len(r); i++ {
		r[i] = corner(random)
	}
	r[0], r[branchedAt] = uint64(s.number), 0
	r[flagsAt] = uint64(random.IntN(16)) << 28
	r[generalAt+stackPointer] &^= 15
	if base, ok := s.base(); ok && s.memory.address != nil { // else it is a prefetch
		s.take(&r)
		s.model.run()
		distance := s.model.lookup(s.memory.address)[0] - r[generalAt+base]
		place := s.window + 8*(operandAt-windowAt)
		if base == stackPointer { // which is a multiple of 16
			r[generalAt+base] = place&^15 - 64
		} else {
			r[generalAt+base] = place - distance
		}
	}
	return r
}

// compare returns how a record differs from the model.
func (s *subjectA64) compare(before, after *record) error {
	s.take(before)
	s.model.run()
	want := *before
	if s.memory.address != nil {
		offset := s.model.lookup(s.memory.address)[0] - s.window
		window := make([]byte, 0, 256)
		for _, word := range before[windowAt:] {
			window = binary.LittleEndian.AppendUint64(window, word)
		}
		if t := s.memory.before; t != nil {
			padded := append(slices.Clone(window[offset:]), make([]byte, 64)...)
			var v value
			for i := range v {
				v[i] = binary.LittleEndian.Uint64(padded[8*i:])
			}
			s.model.values[t.number] = v.cut(t.width)
			s.model.run()
		}
		if t := s.memory.after; t != nil {
			var bytes []byte
			for _, word := range s.model.lookup(t) {
				bytes = binary.LittleEndian.AppendUint64(bytes, word)
			}
			copy(window[offset:], bytes[:t.width/8])
		}
		for i := range want[windowAt:] {
			want[windowAt+i] = binary.LittleEndian.Uint64(window[8*i:])
		}
	}
	for _, part := range s.parts {
		if got, want := part.read(after), s.model.lookup(part.term); got != want {
			return fmt.Errorf("%s: the emulator has %x, the model %x; before: %x", part.name, got,
				want, *before)
		}
	}
	if !slices.Equal(want[windowAt:], after[windowAt:]) {
		return fmt.Errorf("the emulator leaves %x in memory, the model %x", after[windowAt:],
			want[windowAt:])
	}
	return nil
}

// registerOrNumber is what does not matter for the kind of an operand.
var registerOrNumber = regexp.MustCompile(`(\b[xwvqds]|#|0x)[0-9a-f]+\b`)

// shapesA64 returns the instructions of arm64 that theorems follow, each once, by their kinds.
func shapesA64(t *testing.T, p *Program) map[string][]instruction {
	t.Helper()
	shapes, seen := map[string][]instruction{}, map[string]bool{}
	for _, i := range p.followed(t, arm64) {
		if seen[i.text] || i.mnemonic == "b" || i.mnemonic == "ret" {
			continue
		}
		seen[i.text] = true
		words := strings.Join(i.words, " ")
		shape := i.mnemonic + " " + registerOrNumber.ReplaceAllString(words, "$1")
		shapes[shape] = append(shapes[shape], i)
	}
	return shapes
}

// differ runs each instruction on states, and returns the first difference.
func differ(e *emulator, same []*subjectA64, runs int, random *rand.Rand) error {
	for _, s := range same {
		for left := (runs + len(same) - 1) / len(same); left > 0; {
			before := make([]record, min(left, 30))
			for i := range before {
				before[i] = s.prepare(random)
			}
			after := slices.Clone(before)
			if err := e.run(after); err != nil {
				return fmt.Errorf("%s: %w", s.text, err)
			}
			for i := range before {
				if err := s.compare(&before[i], &after[i]); err != nil {
					return fmt.Errorf("%s: %w", s.text, err)
				}
			}
			left -= len(before)
		}
	}
	return nil
}

// describeAll returns the models of instructions of one shape, by their numbers in the emulator.
func describeAll(e *emulator, same []instruction, number map[string]int) ([]*subjectA64, error) {
	var all []*subjectA64
	for _, i := range same {
		s, err := describeA64(i, number[i.text], e)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// start starts an emulator for all shapes, and numbers the instructions.
func start(t *testing.T, shapes map[string][]instruction) (*emulator, map[string]int) {
	t.Helper()
	var code []instruction
	number := map[string]int{}
	for _, shape := range slices.Sorted(maps.Keys(shapes)) {
		for _, i := range shapes[shape] {
			number[i.text] = len(code)
			code = append(code, i)
		}
	}
	return emulate(t, code), number
}

// TestEmulatedInstructions runs every instruction of NEON's theorems in QEMU and in the model, on
// the same states, and compares all registers, flags and memory.
func TestEmulatedInstructions(t *testing.T) {
	shapes := shapesA64(t, linked(t))
	e, number := start(t, shapes)
	runs := operandsEach
	if testing.Short() {
		runs /= 20
	}
	for _, shape := range slices.Sorted(maps.Keys(shapes)) {
		same, err := describeAll(e, shapes[shape], number)
		if err != nil {
			t.Fatal(err)
		}
		random := rand.New(rand.NewPCG(36, uint64(len(shape))))
		if err := differ(e, same, runs, random); err != nil {
			t.Errorf("%s: %v", shape, err)
		}
	}
	t.Logf("%d shapes", len(shapes))
}

// A meaning that is another's is found.
func TestWrongEmulatedMeaningsAreFound(t *testing.T) {
	shapes := shapesA64(t, linked(t))
	e, number := start(t, shapes)
	for mnemonic, wrong := range map[string]string{"umulh": "mul", "bic": "and", "ushl": "cmtst",
		"adc": "add", "cmp": "mov", "movk": "mov", "bit": "orr", "umaxp": "orr", "dup": "dup"} {
		right := a64[mnemonic]
		found := false
		for _, shape := range slices.Sorted(maps.Keys(shapes)) {
			if name, _, _ := strings.Cut(shape, " "); name != mnemonic {
				continue
			}
			a64[mnemonic] = a64[wrong]
			same, err := describeAll(e, shapes[shape][:1], number)
			if err == nil {
				err = differ(e, same, 200, rand.New(rand.NewPCG(3, 6)))
			}
			a64[mnemonic] = right
			found = found || err != nil
		}
		if found == (mnemonic == wrong) {
			t.Errorf("%s for %s: found %v", wrong, mnemonic, found)
		}
	}
}
