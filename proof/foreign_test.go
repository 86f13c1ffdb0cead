package proof

import (
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/internal/require"
)

// The shipped assembly of another module is refuted: behind the last eight elements it stores
// base * (i + 1). With a sum in the place of the product it is proved.
func TestForeign(t *testing.T) {
	if !require.Names("foreign") {
		require.Skip(t, "foreign", "make proofs-long runs it")
	}
	p, folder := linked(t), t.TempDir()
	if err := p.OpenForeign(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	defer p.foreign.Close()
	x := p.induced(t, foreign, false)
	refuted := func() (all []string) {
		theorems, err := x.theorems()
		if err != nil {
			t.Fatal(err)
		}
		for _, theorem := range theorems {
			verdict, err := theorem.Refute(Solvers[0], folder)
			if err != nil {
				t.Errorf("%s: %v", theorem.Name, err)
			} else if verdict.Counterexample != "" {
				all = append(all, theorem.Name)
			}
		}
		return all
	}
	if found := refuted(); len(found) != 1 || found[0] != x.batch.String()+"_loop2_same_block" {
		t.Errorf("of the shipped code these are refuted: %q", found)
	}
	defer delete(meanings, "corrected")
	meanings["corrected"] = meaning{2, func(s *step, o []operand) error {
		// The index is one further already.
		sum := s.add(s.state.general[o[0].register], s.state.general[o[1].register])
		return s.set(o[0], s.extract(s.subtract(sum, s.number(1, 64)), 31, 0))
	}}
	if err := x.mutate(func(name string, code []instruction) []instruction {
		code = slices.Clone(code)
		n := find(t, code, func(i instruction) bool { return i.mnemonic == "imul" })[0]
		code[n].mnemonic = "corrected"
		return code
	}); err != nil {
		t.Fatal(err)
	}
	if found := refuted(); found != nil {
		t.Errorf("of the corrected code these are refuted: %q", found)
	}
}
