package proof

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// mistake is planted in a definition, and breaks a step of the induction.
type mistake struct {
	says     string
	function string // of fallback
	step     string
	goal     string // of the step, which it breaks
	fits     func(i instruction) bool
	plant    func(i *instruction)
}

func leaveOut(i *instruction) { i.mnemonic, i.operands = "nop", nil }

// between says whether an instruction with that mnemonic has operands of these kinds.
func between(mnemonic string, kinds ...place) func(instruction) bool {
	return func(i instruction) bool {
		return i.mnemonic == mnemonic && slices.EqualFunc(i.operands, kinds,
			func(o operand, kind place) bool { return o.kind == kind })
	}
}

var mistakes = []mistake{
	{"a delete clears collided regions", "Delete[go.shape", "Delete", "member_found",
		between("not", general), func(i *instruction) { // the free regions become all
			i.mnemonic = "or"
			i.operands = append(slices.Clone(i.operands), operand{immediate: ^uint64(0)})
		}},
	{"an insert does not mark what is collided", "insert[go.shape", "Insert", "new_apart",
		between("or", inMemory, general), leaveOut},
	{"an insert leaves out a bit", "insert[go.shape", "Insert", "new_found",
		between("bts", general, general), leaveOut},
	{"a merge does not mark new collisions", "Merge[", "Merge", "apart_between",
		between("or", general, general), leaveOut},
	{"a merge forgets collisions of the other", "Merge[", "Merge", "apart_there",
		between("or", general, inMemory), leaveOut},
	{"a fold does not mark new collisions", "Fold[go.shape", "Fold", "apart_between",
		between("or", general, general), leaveOut},
	{"an intersection keeps all", "Intersect[", "Intersect", "found_in_both",
		between("and", general, inMemory), leaveOut},
}

// plantAfter plants the mistake in one of the instructions that it may be in.
func (m mistake) plantAfter(skip int, code []instruction) (changed []instruction, planted bool) {
	changed = slices.Clone(code)
	for n := range changed {
		if !m.fits(changed[n]) {
			continue
		}
		if skip--; skip < 0 {
			m.plant(&changed[n])
			return changed, true
		}
	}
	return changed, false
}

// Each planted mistake breaks a step of the induction, with a counterexample. The instruction to
// change is one of several that look alike.
func TestBrokenDefinitionsLoseMembers(t *testing.T) {
	p, folder := linked(t), t.TempDir()
	for _, m := range mistakes {
		for _, format := range formats {
			t.Run(fmt.Sprint(m.says, format), func(t *testing.T) {
				s := steps[slices.IndexFunc(steps, func(s inductive) bool {
					return s.name == m.step
				})]
				for skip := 0; ; skip++ {
					planted := false
					change := func(name string, code []instruction) []instruction {
						if strings.HasPrefix(name, module+"fallback."+m.function) {
							code, planted = m.plantAfter(skip, code)
						}
						return code
					}
					theorem, err := p.step(s, format, change)
					if err != nil {
						t.Fatal(err)
					}
					if !planted {
						t.Fatalf("nothing breaks %s", m.goal)
					}
					verdict, err := theorem.Prove(Solvers[0], folder)
					if err != nil {
						t.Fatal(err)
					}
					if strings.Contains(verdict.Counterexample, "("+m.goal+" false)") {
						return
					}
				}
			})
		}
	}
}

// A kernel that stores or loads a part of a block twice could show a reader what was there neither
// before nor after.
func TestNoPartTwice(t *testing.T) {
	p := linked(t)
	for operation, want := range map[string]string{"Insert": storesTwice, "Query": loadsTwice} {
		k := Kernel{operation, "512", "AVX2"}
		moved := 0
		_, err := p.ask(k, func(_ string, code []instruction) []instruction {
			code = slices.Clone(code)
			for n := range code { // the second half of the block becomes the first
				for _, o := range code[n].operands {
					if o.kind == inMemory && o.width == 256 && o.displacement == 32 {
						code[n].operands = slices.Clone(code[n].operands)
						code[n].memory().displacement = 0
						moved++
					}
				}
			}
			return code
		}).runKernel()
		var structure *StructureError
		if moved == 0 || !errors.As(err, &structure) || structure.Reason != want {
			t.Errorf("%s: %v, want that %s", k, err, want)
		}
	}
}
