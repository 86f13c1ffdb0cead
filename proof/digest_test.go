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

// batchesProved returns those of which docs/proofs.md says that their code, as it is, is proved.
func batchesProved(t *testing.T, p *Program) []Batch {
	t.Helper()
	page, err := os.ReadFile("../docs/proofs.md")
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(slices.Clone(Batches), func(b Batch) bool {
		row := regexp.MustCompile(fmt.Sprintf("(?m)^\\| `%s` \\|.*\\| proved \\|.*\\| %s \\|$", b,
			p.code(t, b)))
		return !row.Match(page)
	})
}

// Package proved has the digests of the functions that the theorems are about, from the programs
// that they are about.
func TestDigests(t *testing.T) {
	p := linked(t)
	for _, a := range []*architecture{amd64, arm64} {
		files, err := p.digests(a, batchesProved(t, p))
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
