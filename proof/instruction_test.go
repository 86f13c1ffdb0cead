//go:build linux && amd64

package proof

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/cpuid/v2"

	"github.com/bloomlane/bloomlane/internal/require"
	"github.com/bloomlane/bloomlane/proof/native"
)

// readOnly are the instructions that say only where to go on. The machine follows them, and what
// the stack has after a call and a return is part of every theorem.
var readOnly = []string{"call", "jmp", "ret"}

// probe is the memory of one instruction: one place, with any value.
type probe struct {
	pool    *pool
	address *term
	before  *term // nil where nothing is loaded
	after   *term // nil where nothing is stored
}

func (m *probe) clone() memory { return m }

// terms returns the address and what is stored, where the instruction has them.
func (m *probe) terms() (all []*term) {
	for _, t := range []*term{m.address, m.after} {
		if t != nil {
			all = append(all, t)
		}
	}
	return all
}

func (m *probe) load(address *term, width int) (*term, error) {
	if m.address != nil && m.address != address {
		return nil, &MemoryError{"load", 0, width, "a second place"}
	}
	m.address, m.before = address, m.pool.variable("memory", width)
	return m.before, nil
}

func (m *probe) store(address, value *term) error {
	if m.address != nil && m.address != address {
		return &MemoryError{"store", 0, value.width, "a second place"}
	}
	m.address, m.after = address, value
	return nil
}

// storeMasked is a store of the elements of 32 bits that a mask chooses.
func (m *probe) storeMasked(address, v, mask *term) error {
	old, err := m.load(address, v.width)
	if err != nil {
		return err
	}
	elements := lanes(m.pool, v, 32)
	for i, kept := range lanes(m.pool, old, 32) {
		elements[i] = m.pool.choose(m.pool.extract(mask, i, i), elements[i], kept)
	}
	return m.store(address, join(m.pool, elements))
}

// subject is an instruction as the model has it: what it leaves, as terms over what was there.
type subject struct {
	instruction
	before *state
	memory *probe
	parts  []part
	model  *evaluation
}

// part is a part of what an instruction leaves.
type part struct {
	name string
	term *term
	read func(after *native.State, branched bool) value
}

// describe returns the model of an instruction. Only a wide subject has the registers of AVX-512.
func describe(i instruction, wide bool) (*subject, error) {
	p := newPool()
	s := &subject{instruction: i, memory: &probe{pool: p}}
	s.before = amd64.arbitrary(p, "", s.memory)
	after := *s.before
	now := step{pool: p, instruction: i, state: &after}
	if err := now.executeX86(); err != nil {
		return nil, err
	}
	for n, t := range after.general[:16] {
		s.parts = append(s.parts, part{names[64][n], t, func(s *native.State, _ bool) value {
			return value{s.General[n]}
		}})
	}
	count, width := 16, 256
	if wide {
		count, width = 32, 512
	}
	for n, t := range after.vectors[:count] {
		s.parts = append(s.parts, part{fmt.Sprint("zmm", n), p.extract(t, width-1, 0),
			func(s *native.State, _ bool) value { return value(s.Vectors[n]).cut(width) }})
	}
	for n, t := range after.opmasks {
		s.parts = append(s.parts, part{fmt.Sprint("k", n), t, func(s *native.State, _ bool) value {
			return value{s.Opmasks[n]}
		}})
	}
	for n, t := range after.flags.list() {
		if t != nil {
			s.parts = append(s.parts, part{fmt.Sprint("flag ", n), t,
				func(s *native.State, _ bool) value { return value{s.Flags >> flagBits[n] & 1} }})
		}
	}
	if now.taken != nil {
		s.parts = append(s.parts, part{"branch", now.taken, func(_ *native.State, b bool) value {
			return bit(b)
		}})
	}
	terms := []*term{}
	for _, part := range s.parts {
		terms = append(terms, part.term)
	}
	s.model = newEvaluation(p, append(terms, s.memory.terms()...))
	return s, nil
}

// list returns the flags in the order of flagBits.
func (f flags) list() []*term { return []*term{f.carry, f.zero, f.sign, f.overflow} }

// instructions returns those that the theorems follow, each once, by mnemonic and kinds of
// operands.
func instructions(t *testing.T, p *Program) map[string][]instruction {
	t.Helper()
	shapes, seen := map[string][]instruction{}, map[string]bool{}
	for _, i := range p.followed(t, amd64) {
		if seen[i.text] || slices.Contains(readOnly, i.mnemonic) {
			continue
		}
		seen[i.text] = true
		shape := i.mnemonic
		for _, o := range i.operands {
			shape += fmt.Sprintf(" %d/%d", o.kind, o.width)
			switch {
			case o.mask != none && o.zeroing:
				shape += "z"
			case o.mask != none:
				shape += "k"
			}
		}
		shapes[shape] = append(shapes[shape], i)
	}
	return shapes
}

// operandsEach is how many states each shape of an instruction is run on.
const operandsEach = 10000

// TestInstructions runs every instruction of the theorems on the CPU and in the model, on the same
// states, and compares all registers, the flags that the model defines, and memory.
func TestInstructions(t *testing.T) {
	shapes := instructions(t, linked(t))
	runs := operandsEach
	if testing.Short() {
		runs /= 20
	}
	tested := map[string]bool{}
	for _, shape := range slices.Sorted(maps.Keys(shapes)) {
		t.Run(shape, func(t *testing.T) {
			same := shapes[shape]
			random := rand.New(rand.NewPCG(36, uint64(len(shape))))
			tested[same[0].mnemonic] = true
			for _, i := range same {
				if err := compare(t, i, (runs+len(same)-1)/len(same), random); err != nil {
					t.Fatalf("%s: %v", i.text, err)
				}
			}
		})
	}
	t.Logf("%d instructions, %d shapes", len(tested), len(shapes))
}

// needsWide says whether an instruction is one of AVX-512, by the prefix of its encoding: EVEX, or
// VEX and an opmask.
func (i instruction) needsWide() bool {
	return i.bytes[0] == 0x62 || strings.HasPrefix(i.mnemonic, "k")
}

// compare runs an instruction on states, and returns the first difference.
func compare(t *testing.T, i instruction, runs int, random *rand.Rand) error {
	t.Helper()
	wide := cpuid.CPU.Supports(cpuid.AVX512F, cpuid.AVX512BW, cpuid.AVX512DQ, cpuid.AVX512VL)
	switch {
	case i.needsWide() && !wide:
		require.Skip(t, "avx512", "the CPU has no AVX-512")
	case strings.HasPrefix(i.mnemonic, "vaes") && (!cpuid.CPU.Supports(cpuid.AESNI) ||
		i.operands[0].width > 128 && !cpuid.CPU.Supports(cpuid.VAES)):
		require.Skip(t, "avx512", "the CPU has no AES instructions of this width")
	case !cpuid.CPU.Supports(cpuid.AVX2, cpuid.BMI2):
		require.Skip(t, "avx2", "the CPU has no AVX2")
	}
	arena, err := native.NewArena(wide)
	if err != nil {
		t.Fatal(err)
	}
	defer arena.Close()
	distance := 0
	if strings.HasPrefix(i.mnemonic, "j") {
		distance = int(int64(i.operands[0].immediate) - int64(i.next()))
	}
	arena.Place(i.bytes, distance)
	i.operands = slices.Clone(i.operands)
	if o := i.memory(); o != nil && o.base == none && o.index == none {
		o.displacement += int64(arena.Next() - i.next()) // it is relative to the instruction
	}
	s, err := describe(i, wide)
	if err != nil {
		t.Fatal(err)
	}
	for range runs {
		if err := s.run(arena, random); err != nil {
			return err
		}
	}
	return nil
}

// A meaning that is another's is found.
func TestWrongMeaningsAreFound(t *testing.T) {
	shapes := instructions(t, linked(t))
	wrong := map[string]string{"add": "sub", "btc": "bts", "cmp": "test", "jae": "jb",
		"setb": "setbe", "shl": "shr", "pop": "push", "vpandn": "vpand", "vpsrlvq": "vpsllvq",
		"vpsrlvd": "vpsrlvq", "vptest": "nop", "vpshufd": "vpsrld", "vpbroadcastd": "vpbroadcastq",
		"inc": "dec", "jl": "jb", "vpmulld": "vpand"}
	for _, mnemonic := range slices.Sorted(maps.Keys(wrong)) {
		t.Run(mnemonic, func(t *testing.T) {
			right := meanings[mnemonic]
			defer func() { meanings[mnemonic] = right }()
			meanings[mnemonic] = meaning{right.operands, meanings[wrong[mnemonic]].do}
			for _, shape := range slices.Sorted(maps.Keys(shapes)) {
				name, _, _ := strings.Cut(shape, " ")
				if name != mnemonic {
					continue
				}
				random := rand.New(rand.NewPCG(3, 6))
				if err := compare(t, shapes[shape][0], 200, random); err == nil {
					t.Errorf("%s passes for %s", wrong[mnemonic], shape)
				}
			}
		})
	}
}

// corner returns a word that is random, or one of those at which instructions change what they do.
func corner(random *rand.Rand) uint64 {
	switch random.IntN(8) {
	case 0:
		return 0
	case 1:
		return ^uint64(0)
	case 2:
		return 1 << random.IntN(64)
	case 3:
		return uint64(random.IntN(130))
	case 4:
		return uint64(random.IntN(70)) | uint64(random.IntN(70))<<32
	case 5:
		return uint64(random.IntN(2)) << 63
	}
	return random.Uint64()
}

// randomState fills a state. In one of four the vectors are alike but for a bit, or complements.
func randomState(random *rand.Rand) *native.State {
	s := &native.State{Flags: 0x202}
	for _, flag := range flagBits {
		s.Flags |= uint64(random.IntN(2)) << flag
	}
	for i := range s.General {
		s.General[i] = corner(random)
	}
	for i := range s.Opmasks {
		s.Opmasks[i] = corner(random)
	}
	alike := random.IntN(4) == 0
	for i := range s.Vectors {
		for j := range s.Vectors[i] {
			s.Vectors[i][j] = corner(random)
		}
		if alike && i > 0 {
			s.Vectors[i] = s.Vectors[0]
			if random.IntN(2) == 0 {
				s.Vectors[i] = value(s.Vectors[0]).complement()
			}
			if random.IntN(2) == 0 {
				s.Vectors[i][random.IntN(8)] ^= 1 << random.IntN(64)
			}
		}
	}
	return s
}

// flagBits has the places of the carry, the zero, the sign and the overflow.
var flagBits = []int{0, 6, 7, 11}

// around is how much memory on each side of an operand is looked at.
const around = 128

// run compares one step of the CPU with the model.
func (s *subject) run(arena *native.Arena, random *rand.Rand) error {
	before := randomState(random)
	s.take(before)
	s.model.run()
	place := arena.Operand()
	if s.memory.address != nil {
		address := s.model.lookup(s.memory.address)[0]
		switch base := s.base(); {
		case base == none:
			place = address
		default:
			before.General[base] += place - address
			s.take(before)
		}
	}
	window := arena.At(place-around, 2*around+64)
	for i := 0; i < len(window); i += 8 {
		binary.LittleEndian.PutUint64(window[i:], corner(random))
	}
	if t := s.memory.before; t != nil {
		var v value
		for i := range v {
			v[i] = binary.LittleEndian.Uint64(window[around+8*i:])
		}
		s.model.values[t.number] = v.cut(t.width)
	}
	s.model.run()
	left := slices.Clone(window)
	if t := s.memory.after; t != nil {
		var bytes []byte
		for _, word := range s.model.lookup(t) {
			bytes = binary.LittleEndian.AppendUint64(bytes, word)
		}
		copy(left[around:], bytes[:t.width/8])
	}
	after := *before
	branched := arena.Run(&after)
	for _, part := range s.parts {
		if got, want := part.read(&after, branched), s.model.lookup(part.term); got != want {
			return fmt.Errorf("%s: the CPU has %x, the model %x; before: %+v", part.name, got, want,
				before)
		}
	}
	if string(left) != string(window) {
		return fmt.Errorf("the CPU leaves %x in memory, the model %x; before: %+v", window, left,
			before)
	}
	return nil
}

// base returns the register that leads to the operand in memory, or none.
func (s *subject) base() int {
	if o := s.instruction.memory(); o != nil {
		return o.base
	}
	return rsp // of a push or a pop
}

// take sets the variables of the model.
func (s *subject) take(from *native.State) {
	set := func(t *term, v value) { s.model.values[t.number] = v }
	for i, t := range s.before.general[:16] {
		set(t, value{from.General[i]})
	}
	for i, t := range s.before.vectors {
		set(t, from.Vectors[i])
	}
	for i, t := range s.before.opmasks {
		set(t, value{from.Opmasks[i]})
	}
	for i, t := range s.before.flags.list() {
		set(t, value{from.Flags >> flagBits[i] & 1})
	}
}
