package proof

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// unrefuted returns the batches of which docs/proofs.md says that z3 refutes no part of the
// induction over their code as it is.
func unrefuted(t *testing.T, p *Program) []Batch {
	t.Helper()
	page, err := os.ReadFile("../docs/proofs.md")
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(slices.Clone(Batches), func(b Batch) bool {
		const row = "(?m)^\\| `%s` \\|.*\\| no counterexample \\|.*\\| %s \\|$"
		return !regexp.MustCompile(fmt.Sprintf(row, b, p.code(t, b))).Match(page)
	})
}

// Package proved has the digests of the kernels of single keys, from the programs that their
// theorems are about.
func TestDigests(t *testing.T) {
	p := linked(t)
	for _, a := range []*architecture{amd64, arm64} {
		files, err := p.digests(a)
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range files {
			path := filepath.Join("..", "asm", "proved", name)
			if *update {
				if err := os.WriteFile(path, want, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if found, err := os.ReadFile(path); err != nil || !bytes.Equal(found, want) {
				t.Errorf("%s is not what -update writes (%v)", path, err)
			}
		}
	}
}
