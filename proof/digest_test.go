package proof

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// Package proved has the digests of the functions that the theorems are about, from the programs
// that they are about.
func TestDigests(t *testing.T) {
	p := linked(t)
	for _, program := range []*program{p.amd64, p.arm64} {
		files, err := program.digests()
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
