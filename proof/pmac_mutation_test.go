package proof

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// mutated are the cases on which mutants are run: all, those with the most common ways first.
func (c Cipher) mutated() []int {
	cases := cipherForms[c.Function].cases
	if c.Function != "PMACSum" {
		return cases
	}
	first := []int{16, 3, 12, 80, 17, 6, 288}
	return append(first, slices.DeleteFunc(slices.Clone(cases), func(n int) bool {
		return slices.Contains(first, n)
	})...)
}

// cipherOpposites are mnemonics that are easily taken for each other.
var cipherOpposites = map[string]string{"vaesenc": "vaesenclast", "vaesenclast": "vaesenc",
	"eor": "orr", "lsl": "lsr", "lsr": "lsl", "b.hi": "b.ls", "b.ls": "b.hi",
	"ja": "jbe", "jbe": "ja", "dec": "inc", "clz": "rbit", "sli": "ushr", "vpslldq": "vpshufd"}

// sameCiphers are mutants that do the same, by what their names contain.
var sameCiphers = []equivalent{
	{"vzeroupper: left out", "it is there for the speed of what follows"},
	{"lea rcx, [rbx - 4]: further", "the CPU takes a shift by bits modulo 64"},
	{", 1: bit 3", "the CPU takes the number of a half modulo 2"},
	{", 65536: bit", "no case has a key so long"},
	{"vmovdqu xmm1, xmm1: ", "what it moves is there already"},
	{"PMACSumVAES256/167 test rbx, rbx: left out", "the and before it sets the same flag"},
	{"PMACSumVAES512/31 cmp", "blocks one after another have the sum of those side by side"},
	{"PMACSumVAES512/32 ja", "the same"},
	{"PMACSumVAES256/183", "the offset behind the last block is not used"},
	{"PMACSumVAES256/184", "the same"},
	{"PMACSumVAES256/185", "the same"},
	{"PMACSumVAES256/186", "the same"},
	{"PMACSumVAES256/149 vaesenclast", "the last round key is added an even number of times"},
	{"PMACSumVAES256/188 jne: left out", "the loop has one turn at most"},
	{"PMACSumVAES512/84 vpxorq zmm12, zmm12, zmm11: vporq", "the sum is zero before it"},
	{"PMACSumVAES512/149 vpxorq xmm0, xmm0, xmm2: vporq", "the same"},
	{"PMACSumVAES256/187 dec rbx: left out", "the shift before it sets the same flag"},
	{"PMACSumVAES512/153", "another value is written before this one is read"},
	{"PMACSumVAES512/154", "the same"},
	{"PMACSumVAES256/69 cmp rbx, 2", "blocks one after another have the sum of those side by side"},
	{"PMACSumVAES256/70 ja: left out", "the same"},
}

// planted returns the changes of a function, each with the lengths that run the instruction.
func (c Cipher) planted(t *testing.T, p *Program) (all []mutant, lengths []map[uint64]bool) {
	t.Helper()
	executed := map[uint64]bool{}
	for _, n := range c.mutated() {
		q := p.askCipher(c, nil)
		if _, err := q.theorem([]int{n}); err != nil {
			t.Fatal(err)
		}
		here := map[uint64]bool{}
		for _, i := range q.followed {
			here[i.address], executed[i.address] = true, true
		}
		lengths = append(lengths, here)
	}
	code, err := p.ciphers(c).function(c.symbol())
	if err != nil {
		t.Fatal(err)
	}
	for place, i := range code {
		if !executed[i.address] {
			continue
		}
		all = append(all, mutants(Kernel{}, c.symbol(), place, i)...)
		if other, ok := cipherOpposites[i.mnemonic]; ok {
			changed := i
			changed.mnemonic = other
			all = append(all, mutant{Kernel{}, c.symbol(), place, i.text + ": " + other, changed})
		}
	}
	return all, lengths
}

// TestCipherMutants plants mistakes in functions of AES-PMAC of one key. Each but those that do the same has
// to be refuted: by values, or because the code cannot be followed. BLOOMLANE_MUTANTS=full plants
// all.
func TestCipherMutants(t *testing.T) {
	p := linked(t)
	every := 97
	if os.Getenv("BLOOMLANE_MUTANTS") == "full" {
		every = 1
	}
	number, refuted, stuck := 0, 0, 0
	same := make([]int, len(sameCiphers))
	for _, c := range Ciphers {
		if !c.ofOneKey() {
			continue
		}
		all, lengths := c.planted(t, p)
		for _, m := range all {
			if number++; number%every != 0 {
				continue
			}
			name := fmt.Sprintf("%s/%d %s", c, m.place, m.says)
			broken, err := "", error(nil)
			for i, n := range c.mutated() {
				if !lengths[i][m.changed.address] || broken != "" || err != nil {
					continue
				}
				var theorem Theorem
				if theorem, err = p.askCipher(c, m.change).theorem([]int{n}); err != nil {
					continue
				}
				if g := theorem.claim.goals[0]; !theorem.claim.isOnes(g.term) {
					broken = strings.Join(theorem.claim.broken(), " ")
				}
			}
			known := slices.IndexFunc(sameCiphers, func(e equivalent) bool {
				return strings.Contains(name, e.part)
			})
			switch {
			case broken != "":
				refuted++
			case isStuck(err):
				stuck++
			case err != nil:
				t.Errorf("%s: %v", name, err)
			case known < 0:
				t.Errorf("%s: not refuted", name)
			default:
				same[known]++
			}
		}
	}
	for i, e := range sameCiphers {
		if every == 1 && same[i] == 0 {
			t.Errorf("no mutant is %q", e.part)
		}
	}
	t.Logf("of %d changes %d are refuted by values, %d are not followed, and %v do the same", number,
		refuted, stuck, same)
	if refuted == 0 {
		t.Error("no change is refuted by values")
	}
}
