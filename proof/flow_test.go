package proof

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// flaw is a mistake in the flow of a batch, or in what it steps by, masks or stores.
type flaw struct {
	kind, says string
	change     func(code []instruction)
}

// flaws returns the mistakes that a function can have, in the order of its code.
func flaws(code []instruction) (all []flaw) {
	add := func(kind string, n int, says string, change func(i *instruction)) {
		all = append(all, flaw{kind, fmt.Sprintf("%d %s: %s", n, code[n].text, says),
			func(code []instruction) {
				code[n].operands, code[n].words = slices.Clone(code[n].operands),
					slices.Clone(code[n].words)
				change(&code[n])
			}})
	}
	var targets []uint64
	for _, i := range code {
		if target, ok := i.branch(); ok && !slices.Contains(targets, target) {
			targets = append(targets, target)
		}
	}
	slices.Sort(targets)
	exits := map[string]string{"je": "jne", "jne": "je", "jb": "jae", "jae": "jb", "cbz": "cbnz",
		"cbnz": "cbz", "b.ne": "b.eq", "jbe": "ja", "ja": "jbe"}
	before := -1 // the store before
	for n, i := range code {
		if target, ok := i.branch(); ok && len(targets) > 1 {
			at := slices.Index(targets, target)
			other := targets[(at+1)%len(targets)]
			add("target", n, fmt.Sprintf("to target %d, not %d", (at+1)%len(targets), at),
				func(i *instruction) {
					if i.words != nil {
						i.words[len(i.words)-1] = fmt.Sprintf("%#x", other)
					} else {
						i.operands[0].immediate = other
					}
				})
		}
		if other, ok := exits[i.mnemonic]; ok {
			add("exit", n, other, func(i *instruction) { i.mnemonic = other })
		}
		steps := slices.Contains([]string{"add", "sub", "cmp", "shl", "shr"}, i.mnemonic)
		switch {
		case steps && len(i.operands) == 2 && i.operands[1].kind == immediate:
			add("stride", n, "twice the number", func(i *instruction) { i.operands[1].immediate *= 2 })
		case steps && len(i.words) == 3 && strings.HasPrefix(i.words[2], "#"):
			number, err := parseNumber(i.words[2][1:])
			if err == nil {
				add("stride", n, "twice the number", func(i *instruction) {
					i.words[2] = fmt.Sprintf("#%d", 2*number)
				})
			}
		}
		for o, operand := range i.operands {
			if operand.kind == opmask && i.mnemonic != "kortestb" {
				add("mask", n, "the next mask", func(i *instruction) {
					i.operands[o].register = (operand.register + 1) % 8
				})
			}
			if operand.mask != none {
				add("mask", n, "by the next mask", func(i *instruction) {
					i.operands[o].mask = (operand.mask + 1) % 8
				})
			}
		}
		if i.stores() {
			if last := before; last >= 0 && code[last].text != i.text {
				all = append(all, flaw{"order", fmt.Sprintf("%d %s: before %d %s", n, i.text, last,
					code[last].text), func(code []instruction) {
					first, second := code[last], code[n]
					first.address, second.address = second.address, first.address
					first.bytes, second.bytes = second.bytes, first.bytes
					code[last], code[n] = second, first
				}})
			}
			before = n
		}
	}
	return all
}

// stores says whether an instruction stores, but for the stack.
func (i instruction) stores() bool {
	if i.words != nil {
		return (i.mnemonic == "stp" || i.mnemonic == "str" || i.mnemonic == "strb") &&
			!strings.Contains(i.words[len(i.words)-1], "sp")
	}
	return strings.Contains(i.mnemonic, "mov") && i.operands[0].kind == inMemory &&
		i.operands[0].base != rsp
}

// sameFlow are the flaws that do the same, by what their names contain.
var sameFlow = []equivalent{
	{"NEON, 14 cbz x7", "no group of a match is empty: it is never taken"},
	{"NEON, 13 cbz x7", "no group of a match is empty: it is never taken"},
}

// TestFlaws plants mistakes in targets, exits, strides, masks and orders of stores: one of each kind
// in a batch of each architecture, and with BLOOMLANE_MUTANTS=full three in each batch that
// BLOOMLANE_BATCHES names. Each is refuted, or stops the prover.
func TestFlaws(t *testing.T) {
	p, folder := linked(t), t.TempDir()
	flawed, each := []Batch{{"InsertBatch", "256", "AVX512"}, {"MatchBatch", "512", "NEON"}}, 1
	full := os.Getenv("BLOOMLANE_MUTANTS") == "full"
	if full {
		flawed, each = chosenBatches(t), 3
	}
	refuted, stuck, same := 0, 0, 0
	for number, b := range flawed {
		code, err := p.assembly(b).function(b.symbol())
		if err != nil {
			t.Fatal(err)
		}
		var proofs []*induction
		var known []map[string]bool
		for _, silent := range b.Silences() {
			proofs = append(proofs, p.induced(t, b, silent))
			known = append(known, proofs[len(proofs)-1].known(t))
		}
		byKind := map[string][]flaw{}
		for _, f := range flaws(code) {
			byKind[f.kind] = append(byKind[f.kind], f)
		}
		for _, kind := range []string{"target", "exit", "stride", "mask", "order"} {
			for n := range min(each, len(byKind[kind])) {
				f := byKind[kind][(number+7*n+3)%len(byKind[kind])]
				var broken bool
				var asked int
				var err error
				for i, x := range proofs { // without an output it may do the same
					if broken || err != nil || asked > 0 {
						break
					}
					broken, asked, err = x.refute(func(name string, code []instruction) []instruction {
						if name == b.symbol() {
							code = slices.Clone(code)
							f.change(code)
						}
						return code
					}, known[i], folder)
				}
				switch {
				case broken:
					refuted++
				case isStuck(err):
					stuck++
				case err != nil:
					t.Errorf("%s, %s at %s: %v", b, kind, f.says, err)
				case asked > 0 && !slices.ContainsFunc(sameFlow, func(e equivalent) bool {
					return strings.Contains(fmt.Sprintf("%s, %s", b, f.says), e.part)
				}):
					t.Errorf("%s, %s at %s: not refuted", b, kind, f.says)
				default: // or each goal is the same term, as of the address of a prefetch
					t.Logf("%s, %s at %s: the same", b, kind, f.says)
					same++
				}
			}
		}
	}
	t.Logf("%d are refuted, %d not followed, %d do the same", refuted, stuck, same)
	if refuted < 3 {
		t.Error("too few are refuted")
	}
}
