package proof

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// mutant is a planted mistake: one instruction of a function that is another.
type mutant struct {
	kernel   Kernel
	function string // the kernel's symbol, or a function of its definition
	place    int    // the number of the instruction
	says     string
	changed  instruction
}

func (m mutant) String() string {
	return fmt.Sprintf("%s, %s/%d %s", m.kernel, strings.TrimPrefix(m.function, module), m.place,
		m.says)
}

// change is the form in which a machine plants it.
func (m mutant) change(name string, code []instruction) []instruction {
	if name != m.function {
		return code
	}
	code = slices.Clone(code)
	code[m.place] = m.changed
	return code
}

// opposites are mnemonics that are easily taken for each other.
var opposites = strings.NewReplacer("jae", "jb", "setb", "setae", "setne", "sete", "vpsrl", "vpsll",
	"vpsll", "vpsrl", "vprol", "vpsll", "vpandn", "vpand", "vpand", "vpor", "vpor", "vpxor",
	"vpxor", "vpor", "shl", "shr", "add", "sub", "vpbroadcastq", "vpbroadcastd", "vpbroadcastd",
	"vpbroadcastq", "vptestmd", "vptestmq", "vptestmq", "vptestmd")

var oppositesA64 = map[string]string{"bic": "and", "and": "orr", "orr": "and", "bit": "orr",
	"umulh": "mul", "mul": "umulh", "adc": "add", "umaxp": "orr"}

// firstNumber is the number of a register, or a constant.
var firstNumber = regexp.MustCompile(`(\b[xwvqds]|#)(\d+)`)

// mutants returns changes of an instruction: none at all, another mnemonic, the next register, a
// bit of a number.
func mutants(k Kernel, function string, place int, i instruction) (all []mutant) {
	text := i.text
	if strings.HasPrefix(i.mnemonic, "j") { // it goes on elsewhere in every build
		text = i.mnemonic
	}
	plant := func(says string, change func(i *instruction)) {
		changed := i
		changed.operands = slices.Clone(i.operands)
		change(&changed)
		changed.text = says
		all = append(all, mutant{k, function, place, text + ": " + says, changed})
	}
	plant("left out", func(i *instruction) { i.mnemonic, i.operands, i.words = "nop", nil, nil })
	if other := opposites.Replace(i.mnemonic); other != i.mnemonic {
		plant(other, func(i *instruction) { i.mnemonic = other })
	}
	if other, ok := oppositesA64[i.mnemonic]; ok && i.words != nil {
		plant(other, func(i *instruction) { i.mnemonic = other })
	}
	for n, word := range i.words {
		if i.mnemonic == "b" && n == 0 || i.mnemonic == "cbnz" && n == 1 {
			continue // where it goes
		}
		for _, place := range firstNumber.FindAllStringSubmatchIndex(word, -1) {
			number, _ := strconv.Atoi(word[place[4]:place[5]])
			changed := (number + 1) % 31
			if word[place[2]:place[3]] == "#" {
				changed = number ^ 8
			}
			plant(fmt.Sprintf("%s has %d", word, changed), func(i *instruction) {
				i.words = slices.Clone(i.words)
				i.words[n] = word[:place[4]] + fmt.Sprint(changed) + word[place[5]:]
			})
		}
	}
	for n, o := range i.operands {
		switch o.kind {
		case immediate:
			if strings.HasPrefix(i.mnemonic, "j") {
				continue
			}
			for _, bit := range []int{0, 3} {
				plant(fmt.Sprintf("bit %d of the number %d", bit, o.immediate),
					func(i *instruction) { i.operands[n].immediate ^= 1 << bit })
			}
		case inMemory:
			distance := int64(8)
			if o.base == none { // constants may be equal
				distance = 1
			}
			plant(fmt.Sprint("further by ", distance), func(i *instruction) {
				i.operands[n].displacement += distance
			})
		default:
			plant(fmt.Sprintf("operand %d in the next register", n), func(i *instruction) {
				i.operands[n].register = (o.register + 1) % 8
			})
		}
	}
	return all
}

// equivalent is mutants that do the same, by what their names contain.
type equivalent struct{ part, reason string }

var equivalents = []equivalent{
	{"vzeroupper: left out", "it is there for the speed of what follows"},
	{"vextracti128 xmm3, ymm2, 1: bit 3", "the CPU takes the number of a half modulo 2"},
	{"vextracti128 xmm5, ymm4, 1: bit 3", "the same"},
	{"vextracti64x4 ymm3, zmm2, 1: bit 3", "the same"},
	{"vextracti128 xmm2, ymm3, 1: bit 3", "the same"},
	{"177: bit 3", "of the shuffled elements only the first is used"},
	{"xor ebx, ebx", "rbx counts what a batch deleted, which a single key has no use for"},
	{"add rbx, rax", "the same"},
	{"xor eax, eax", "only the low byte of the sum of rax is stored, which setne sets"},
	{"18 btc r10, rax: operand 1", "the next register has the same number, for a shift"},
	{"56 btc r13, rcx: operand 1", "the same"},
	{"18 btc r10d, eax: operand 1", "the same"},
	{"56 btc r13d, ecx: operand 1", "the same"},
	{"movi v0.16b, #0", "the zeros are for batches"},
	{" ext v", "only the lower bytes of what it puts together are used"},
	{" umaxp v", "only the lower half of the larger elements is used"},
	{"cmn x4, #256: #256 has 264", "each byte of x4 is 0 or 255"},
	{"mov x4, xzr", "x4 counts what a batch deleted"},
	{"adc x4, x4, xzr", "the same"},
	{"cmp x6, #1: #1 has 9", "x6 is 0, or has bits above the lower 32"},
	{"adc x5, x5, xzr: x5 has 6", "the lower bits of x6 are 0 here"},
	{"jne: left out", "asm.Portable is false, and one set answers as the other does"},
	{"adrp x27", "the same: it leads to asm.Portable"},
	{"cbnz x0", "the same"},
	{"23 cmp rcx, 8: bit 0", "what a ninth round writes is overwritten by a copy"},
	{".abi0/0 cmp byte ptr", "one set answers as the other does"},
	{".abi0/2 jmp: left out", "the same"},
	{"jae: left out", "the index that the definition checks is never outside"},
	{"vptestmd k1, ymm1, ymm1: vptestmq", "whether a bit is set depends on no width"},
}

// plumbing is what the compiled definition moves, checks and asks the runtime for around what it
// computes: much of that has no effect, such as copies of arguments for a longer stack.
var plumbing = []string{"mov", "push", "pop", "test", "lea", "nop", "jbe", "jmp",
	"movups"}

// planted returns the changes of a kernel, and where its definition is asked for, of what that
// computes.
func planted(t *testing.T, p *Program, k Kernel, definition bool) (all []mutant) {
	t.Helper()
	q := p.ask(k, nil)
	run, err := q.runKernel()
	if err != nil {
		t.Fatal(err)
	}
	from, executed := p.program(k), map[uint64]bool{}
	for _, i := range run.followed {
		executed[i.address] = true
	}
	if definition {
		if run, err = q.runDefinition(q.block); err != nil {
			t.Fatal(err)
		}
		for _, i := range run.followed {
			o := i.memory()
			executed[i.address] = !slices.Contains(plumbing, i.mnemonic) &&
				(o == nil || o.base != r14) // which has the limit of the stack
		}
	}
	for _, name := range slices.Sorted(maps.Keys(from.symbols)) {
		if _, entered := executed[from.symbols[name].Value]; !entered {
			continue
		}
		code, err := from.function(name)
		if err != nil {
			t.Fatal(err)
		}
		for place, i := range code {
			if executed[i.address] {
				all = append(all, mutants(k, name, place, i)...)
			}
		}
	}
	return all
}

// refute returns the goals that a planted mistake breaks, with why it cannot be followed if it is
// that.
func (m mutant) refute(t *testing.T, p *Program, folder string) (broken []string, stuck error) {
	t.Helper()
	statements := []func(*question) (Theorem, error){(*question).theorem}
	if m.function != m.kernel.symbol() {
		statements = append(statements, (*question).definition)
	}
	for _, state := range statements {
		theorem, err := state(p.ask(m.kernel, m.change))
		if err != nil {
			return nil, err
		}
		verdict, err := theorem.Refute(Solvers[0], folder)
		if err != nil {
			t.Errorf("%s: %v", m, err)
		}
		for _, found := range brokenGoal.FindAllStringSubmatch(verdict.Counterexample, -1) {
			broken = append(broken, found[1])
		}
		if broken != nil {
			return broken, nil
		}
	}
	return nil, nil
}

// brokenGoal is a goal in a counterexample.
var brokenGoal = regexp.MustCompile(`\((\w+) false\)`)

// TestMutants plants mistakes in kernels and definitions. Each but those that do the same has to be
// refuted: by a counterexample, or because the code cannot be followed. Each goal is
// broken by some. BLOOMLANE_MUTANTS=full plants all, and holds docs/proofs.md to what comes of it.
func TestMutants(t *testing.T) {
	p := linked(t)
	every := 97
	if os.Getenv("BLOOMLANE_MUTANTS") == "full" {
		every = 1
	}
	folder := t.TempDir()
	number, refuted, stuck := 0, 0, 0
	broken := map[string]int{}
	same := make([]int, len(equivalents))
	for _, k := range Kernels {
		for _, m := range planted(t, p, k, k.Set == "AVX2") {
			if number++; number%every != 0 {
				continue
			}
			goals, err := m.refute(t, p, folder)
			for _, goal := range goals {
				broken[goal]++
			}
			known := slices.IndexFunc(equivalents, func(e equivalent) bool {
				return strings.Contains(m.String(), e.part)
			})
			switch {
			case goals != nil:
				refuted++
			case isStuck(err):
				stuck++
			case err != nil:
				t.Errorf("%s: %v", m, err)
			case known < 0:
				t.Errorf("%s: not refuted", m)
			default:
				same[known]++
			}
		}
	}
	text := fmt.Sprintf("Of all %d changes, %d are refuted by a counterexample, and %d cannot be "+
		"followed. The others do the same:\n\n| change | number | why it does the same |\n"+
		"| --- | --- | --- |\n", number, refuted, stuck)
	for i, e := range equivalents {
		if every == 1 && same[i] == 0 {
			t.Errorf("no mutant is %q", e.part)
		}
		text += fmt.Sprintf("| `%s` | %d | %s |\n", e.part, same[i], e.reason)
	}
	t.Logf("%d by a counterexample, %d not followed; goals broken: %v", refuted, stuck, broken)
	for _, goal := range []string{"same_result", "same_block", "in_block", "contained"} {
		if broken[goal] == 0 {
			t.Errorf("no change breaks %s", goal)
		}
	}
	if every == 1 && !t.Failed() {
		section(t, "mutants", text, regexp.MustCompile(`$^`))
	}
}

// isStuck says whether an error is one of those by which a machine stops at code that it does not
// understand, or at what no kernel may do.
func isStuck(err error) bool {
	var (
		unknown   *UnknownError
		flow      *FlowError
		memory    *MemoryError
		structure *StructureError
		constant  *AddressError
	)
	return errors.As(err, &unknown) || errors.As(err, &flow) || errors.As(err, &memory) ||
		errors.As(err, &structure) || errors.As(err, &constant)
}
