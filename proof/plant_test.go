package proof

import (
	"slices"
	"testing"
)

// plant is a mistake in the code of a batch, by hand. Most of these were once holes of the proof.
type plant struct {
	says   string
	batch  Batch
	silent bool
	change func(t *testing.T, code []instruction)
}

// as gives an instruction another meaning, for a plant: it does what it did, and then more.
func as(t *testing.T, i *instruction, more func(s *step, o []operand) error) {
	t.Helper()
	old := meanings[i.mnemonic]
	i.mnemonic = "planted " + t.Name() + " " + i.text
	meanings[i.mnemonic] = meaning{anyNumber, func(s *step, o []operand) error {
		if old.do != nil {
			if err := old.do(s, o); err != nil {
				return err
			}
		}
		return more(s, o)
	}}
	t.Cleanup(func() { delete(meanings, i.mnemonic) })
}

// find returns the instructions that fit.
func find(t *testing.T, code []instruction, fits func(i instruction) bool) (all []int) {
	t.Helper()
	for n, i := range code {
		if fits(i) {
			all = append(all, n)
		}
	}
	if all == nil {
		t.Fatal("no such instruction")
	}
	return all
}

// toBlock says whether an instruction stores a vector.
func toBlock(i instruction) bool {
	return i.mnemonic == "vmovdqu64" && i.operands[0].kind == inMemory
}

var plants = []plant{
	{"a mask is read behind the last, and not used", Batch{"MatchBatch", "512", "AVX512"}, false,
		func(t *testing.T, code []instruction) {
			as(t, &code[find(t, code, func(i instruction) bool { return i.mnemonic == "neg" })[0]],
				func(s *step, o []operand) error {
					_, err := s.state.memory.load(s.state.general[rax], 512)
					return err
				})
		}},
	{"it does not end", Batch{"MatchBatch", "512", "AVX512"}, false,
		func(t *testing.T, code []instruction) {
			exit := find(t, code, func(i instruction) bool { return i.mnemonic == "je" })[0]
			back := find(t, code, func(i instruction) bool { return i.mnemonic == "jmp" })[0]
			code[exit].operands = code[back].operands
		}},
	{"a return from inside of a group, without its answers",
		Batch{"MatchBatch", "512", "AVX512"}, false, func(t *testing.T, code []instruction) {
			to := find(t, code, func(i instruction) bool { return i.mnemonic == "je" })
			code[to[2]].operands = code[to[0]].operands
		}},
	{"it begins at key 2", Batch{"MatchBatch", "512", "AVX512"}, false,
		func(t *testing.T, code []instruction) {
			const masks = 16 // on the stack
			as(t, &code[find(t, code, func(i instruction) bool {
				return i.mnemonic == "mov" && i.operands[1].kind == inMemory &&
					i.operands[1].displacement == masks
			})[0]], func(s *step, o []operand) error {
				to := &s.state.general[o[0].register]
				*to = s.add(*to, s.number(2*64, 64))
				return nil
			})
		}},
	{"it lists a key that is absent", Batch{"SelectBatch", "Split", "AVX512"}, false,
		func(t *testing.T, code []instruction) {
			as(t, &code[find(t, code, func(i instruction) bool {
				return i.mnemonic == "shr" && len(i.operands) == 2 && i.operands[1].kind == general
			})[0]], func(s *step, o []operand) error {
				// The last bit, where fewer than 48 keys are in the group.
				to := &s.state.general[o[0].register]
				few := s.less(s.number(16, 6), s.extract(s.state.general[rcx], 5, 0))
				*to = s.or(*to, s.concat(few, s.number(0, 63)))
				return nil
			})
		}},
	{"a store leaves words of a block as they were", Batch{"InsertBatch", "512", "AVX512"}, true,
		func(t *testing.T, code []instruction) {
			stores := find(t, code, toBlock)
			last := &code[stores[len(stores)-1]]
			last.mnemonic = "vmovdqu64 of some"
			meanings[last.mnemonic] = meaning{2, func(s *step, o []operand) error {
				m := s.state.memory.(*regionMemory)
				return m.storeMasked(s.address(o[0]), s.state.vectors[o[1].register],
					s.number(0xfffc, 16))
			}}
			t.Cleanup(func() { delete(meanings, "vmovdqu64 of some") })
		}},
	{"a block is loaded before the store of the key before, which may have the same",
		Batch{"InsertBatch", "512", "AVX512"}, true, func(t *testing.T, code []instruction) {
			const early = "vmovdqu64 early"
			for _, n := range find(t, code, func(i instruction) bool {
				return i.mnemonic == "vmovdqu64" && i.operands[1].kind == inMemory &&
					i.operands[1].index != none
			}) {
				code[n].mnemonic = early
			}
			meanings[early] = meaning{2, func(s *step, o []operand) error {
				before := *s.state.memory.(*regionMemory)
				before.log = before.log[:max(0, len(before.log)-1)]
				v, err := before.load(s.address(o[1]), o[0].width)
				if err != nil {
					return err
				}
				return s.set(o[0], v)
			}}
			t.Cleanup(func() { delete(meanings, early) })
		}},
	{"64 equal terms of an address", Batch{"MatchBatch", "512", "AVX512"}, false,
		func(t *testing.T, code []instruction) {
			load := &code[find(t, code, func(i instruction) bool {
				return i.mnemonic == "vmovdqu64" && i.operands[0].register == 1
			})[0]]
			load.mnemonic = "vmovdqu64 further"
			meanings[load.mnemonic] = meaning{2, func(s *step, o []operand) error {
				address := s.address(o[1])
				for range 64 {
					address = s.add(address, s.state.general[rsi])
				}
				v, err := s.state.memory.load(address, o[0].width)
				if err != nil {
					return err
				}
				return s.set(o[0], v)
			}}
			t.Cleanup(func() { delete(meanings, "vmovdqu64 further") })
		}},
}

// plants returns the mistake as a change of the code.
func (p plant) plants(t *testing.T) change {
	return func(name string, code []instruction) []instruction {
		if name != p.batch.symbol() {
			return code
		}
		code = slices.Clone(code)
		p.change(t, code)
		return code
	}
}

// Each mistake of the list is refuted: a part of the theorem has a counterexample. That is so with
// any of the lemmas left out.
func TestPlantsAreRefuted(t *testing.T) {
	p, folder := linked(t), t.TempDir()
	for _, plant := range plants {
		t.Run(plant.says, func(t *testing.T) {
			for _, without := range append(lemmas, "") {
				x := p.induced(t, plant.batch, plant.silent)
				x.without = without
				if _, err := x.theorems(); without != "" && isStuck(err) {
					continue // such as code that loses its stack pointer
				}
				known := x.known(t)
				broken, asked, err := x.refute(plant.plants(t), known, folder)
				if !broken && !(without != "" && err != nil) { // it may be that no solver ends
					t.Errorf("without lemma %q it is not refuted, by any of %d parts that it "+
						"changes (%v)", without, asked, err)
				}
			}
		})
	}
}

// A lemma that is left out adds nothing to what is assumed, and takes away no goal but its own.
func TestLemmasOnlyHelp(t *testing.T) {
	p := linked(t)
	own := map[string][]string{"stores": {"same_answer", "same_block", "stores"},
		"word": {"same_answer"}, "registers": {"registers"}, "numbers": {"numbers"},
		"listed": {"listed", "within"}}
	for _, b := range []Batch{{"MatchBatch", "512", "AVX512"}, {"SelectBatch", "Split", "AVX512"},
		{"InsertBatch", "256", "NEON"}} {
		for _, lemma := range lemmas {
			x := p.induced(t, b, false)
			with, err := x.theorems()
			if err != nil {
				t.Fatal(err)
			}
			x.without = lemma
			without, err := x.theorems()
			if isStuck(err) { // such as code that loses its stack pointer
				continue
			} else if err != nil {
				t.Fatal(err)
			}
			for _, theorem := range with {
				n := slices.IndexFunc(without, func(o Theorem) bool { return o.Name == theorem.Name })
				name := theorem.claim.goals[0].name
				switch {
				case n >= 0:
					for _, a := range without[n].claim.assumed {
						if !slices.ContainsFunc(theorem.claim.assumed, func(o goal) bool {
							return o.says == a.says
						}) {
							t.Errorf("%s: without %s more is assumed: %s", b, lemma, a.says)
						}
					}
				case !slices.Contains(own[lemma], name):
					t.Errorf("%s: without %s the goal %s is missing", b, lemma, theorem.Name)
				}
			}
		}
	}
}
