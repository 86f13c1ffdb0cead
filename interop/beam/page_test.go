package bloombeam

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The steps of docs/beam.md work in an empty folder.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/beam.md")
	if err != nil {
		t.Fatal(err)
	}
	var steps strings.Builder
	blocks := strings.Split(string(page), "```sh\n")
	for _, block := range blocks[1:] {
		step, _, closed := strings.Cut(block, "```")
		if !closed {
			t.Fatal("a step has no end")
		}
		steps.WriteString(step)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command("sh", "-eux", "-c", steps.String())
	command.Dir = t.TempDir()
	command.Env = append(os.Environ(), "BLOOMLANE="+root)
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if n := strings.Count(string(out), "100000 inserts\n"); n != 2 || len(blocks) != 4 ||
		!strings.Contains(string(out), "present\tkey 1\npresent\tkey 100000\n") {
		t.Errorf("%d steps of %d print\n%s", n, len(blocks), out)
	}
}
