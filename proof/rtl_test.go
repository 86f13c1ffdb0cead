package proof

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// verilog is the folder of the sources.
const verilog = "../hdl/rtl"

// Mistakes in the Verilog are refuted.
func TestBrokenVerilogIsRefuted(t *testing.T) {
	p := linked(t)
	for _, m := range []struct{ file, old, planted, operation string }{
		{"core", "block & ~free", "block & ~data", "Delete"},
		{"core", "deleting && |free", "deleting && |data", "Delete"},
		{"merge", "(x | y) |", "(x & y) |", "Insert"},
		{"merge", "lane = 1;", "lane = 2;", "Merge"},
		{"mask", "LANES-i) +:", "LANES-i-1) +:", "Query"},
	} {
		folder := t.TempDir()
		paths, err := filepath.Glob(verilog + "/*.v*")
		if err != nil {
			t.Fatal(err)
		}
		planted := 0
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			name := filepath.Base(path)
			if name == "bloomlane_"+m.file+".v" {
				planted = strings.Count(string(text), m.old)
				text = []byte(strings.Replace(string(text), m.old, m.planted, 1))
			}
			if err := os.WriteFile(filepath.Join(folder, name), text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		theorem, err := p.circuit(folder, m.operation, "256", folder)
		if err != nil {
			t.Fatal(err)
		}
		verdict, err := theorem.Prove(Solvers[0], folder)
		if err != nil || planted != 1 || verdict.Counterexample == "" {
			t.Errorf("%q for %q, in %d places, is not refuted (%v)", m.planted, m.old, planted, err)
		}
	}
}
