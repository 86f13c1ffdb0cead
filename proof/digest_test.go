package proof

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// proofRow is a row of docs/proofs.md: what came of the last proof of a batch.
type proofRow struct {
	before, after string // of the verdict
	found         string
	stale         bool // what is stated has changed since
	commit, code  string
	basis         string
}

const noCounterexample = "no counterexample"

func (r proofRow) String() string {
	verdict := r.found
	if r.stale {
		verdict = fmt.Sprintf("as of commit %s: %s", r.commit, r.found)
	}
	return fmt.Sprintf(" | %s | %s | %s | %s | %s | %s |\n", r.before, verdict, r.after, r.commit,
		r.code, r.basis)
}

// batchRows returns the rows of docs/proofs.md.
func batchRows(t *testing.T) map[Batch]proofRow {
	t.Helper()
	page, err := os.ReadFile("../docs/proofs.md")
	if err != nil {
		t.Fatal(err)
	}
	all := map[Batch]proofRow{}
	for _, b := range Batches {
		row := regexp.MustCompile(fmt.Sprintf("(?m)^\\| `%s` \\| %s"+
			`((?: \| \d+){3}) \| (as of commit \w+: )?([^|]+) \| ([^|]+) \| (\w+) \| (\w+) \| (\w*) ?\|$`,
			b, b.Set)).FindStringSubmatch(string(page))
		if row != nil {
			all[b] = proofRow{strings.TrimPrefix(row[1], " | "), row[4], row[3], row[2] != "", row[5], row[6],
				row[7]}
		}
	}
	return all
}

// Package proved has the digests of the kernels of single keys, from the programs that their
// theorems are about.
func TestDigests(t *testing.T) {
	p := linked(t)
	for _, a := range []*architecture{amd64, arm64} {
		files, err := p.digests(a, provedIn(t, p))
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

// provedIn returns the batches that are proved with the code that they have, with the commit where
// that is not of now.
func provedIn(t *testing.T, p *Program) map[Batch]string {
	t.Helper()
	all := map[Batch]string{}
	for b, row := range batchRows(t) {
		switch {
		case row.found != noCounterexample || row.code != p.code(t, b):
		case row.stale:
			all[b] = row.commit
		default:
			all[b] = ""
		}
	}
	return all
}
