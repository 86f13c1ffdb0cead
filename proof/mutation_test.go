package proof

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// mutant is a planted mistake: one instruction of a kernel that is another.
type mutant struct {
	kernel  Kernel
	at      int // the number of the instruction
	says    string
	changed instruction
}

func (m mutant) String() string { return fmt.Sprintf("%s/%d %s", m.kernel, m.at, m.says) }

// change is the form in which a machine plants it.
func (m mutant) change(code []instruction) []instruction {
	code = slices.Clone(code)
	code[m.at] = m.changed
	return code
}

// opposites are mnemonics that are easily taken for each other.
var opposites = strings.NewReplacer("jae", "jb", "setb", "setae", "setne", "sete", "vpsrl", "vpsll",
	"vpsll", "vpsrl", "vprol", "vpsll", "vpandn", "vpand", "vpand", "vpor", "vpor", "vpxor",
	"vpxor", "vpor", "shl", "shr", "add", "sub", "vpbroadcastq", "vpbroadcastd", "vpbroadcastd",
	"vpbroadcastq", "vptestmd", "vptestmq", "vptestmq", "vptestmd")

// mutants returns changes of an instruction: none at all, another mnemonic, the next register, a
// bit of a number.
func mutants(k Kernel, at int, i instruction) (all []mutant) {
	plant := func(says string, change func(i *instruction)) {
		changed := i
		changed.operands = slices.Clone(i.operands)
		change(&changed)
		changed.text = says
		all = append(all, mutant{k, at, i.text + ": " + says, changed})
	}
	plant("left out", func(i *instruction) { i.mnemonic, i.operands = "nop", nil })
	if other := opposites.Replace(i.mnemonic); other != i.mnemonic {
		plant(other, func(i *instruction) { i.mnemonic = other })
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

// equivalents are mutants that do the same, by what their names contain, with the reasons.
var equivalents = []struct{ part, reason string }{
	{"vzeroupper: left out", "it is there for the speed of what follows"},
	{"vextracti128 xmm3, ymm2, 1: bit 3", "the CPU takes the number of a half modulo 2"},
	{"vextracti128 xmm5, ymm4, 1: bit 3", "the same"},
	{"vextracti64x4 ymm3, zmm2, 1: bit 3", "the same"},
	{"vextracti128 xmm2, ymm3, 1: bit 3", "the same"},
	{"177: bit 3", "of the shuffled elements only the first is used"},
	{"xor ebx, ebx", "rbx counts what a batch deleted, which a single key has no use for"},
	{"add rbx, rax", "the same"},
	{"xor eax, eax", "only the low byte of the sum of rax is stored, which setne sets"},
	{"vptestmd k1, ymm1, ymm1: vptestmq", "whether a bit is set depends on no width"},
}

// TestMutants plants mistakes in the kernels. Each but those that do the same has to be refuted: by
// a counterexample, or because the code cannot be followed. BLOOMLANE_MUTANTS=full plants all.
func TestMutants(t *testing.T) {
	p := linked(t)
	every := 37
	if os.Getenv("BLOOMLANE_MUTANTS") == "full" {
		every = 1
	}
	folder := t.TempDir()
	number, refuted := 0, map[bool]int{}
	used := map[string]bool{}
	for _, k := range Kernels {
		code, err := p.linked.function(k.symbol())
		if err != nil {
			t.Fatal(err)
		}
		for at, i := range code {
			if i.mnemonic == "int3" {
				break
			}
			for _, m := range mutants(k, at, i) {
				if number++; number%every != 0 {
					continue
				}
				theorem, err := p.theorem(k, m.change)
				if err != nil {
					refuted[false]++
					continue
				}
				counterexample, _, err := theorem.Prove(folder)
				if err != nil {
					t.Errorf("%s: %v", m, err)
				}
				if counterexample != "" {
					refuted[true]++
					continue
				}
				known := slices.IndexFunc(equivalents, func(e struct{ part, reason string }) bool {
					return strings.Contains(m.String(), e.part)
				})
				if known < 0 {
					t.Errorf("%s: not refuted", m)
					continue
				}
				used[equivalents[known].part] = true
			}
		}
	}
	t.Logf("%d by a counterexample, %d not followed", refuted[true], refuted[false])
	if every == 1 {
		for _, e := range equivalents {
			if !used[e.part] {
				t.Errorf("no mutant is %q", e.part)
			}
		}
	}
}
