package architecture

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The Go code of the README is the body of a compiled example, to the letter.
func TestReadmeExample(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, code, found := strings.Cut(string(readme), "```go\n")
	code, _, closed := strings.Cut(code, "```")
	if !found || !closed {
		t.Fatal("README.md has no Go code")
	}
	example, err := os.ReadFile(filepath.Join(root, "filter/deletable/example_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(string(example), "func Example() {\n")
	body, _, _ = strings.Cut(body, "\n}\n")
	var unindented strings.Builder
	for line := range strings.Lines(body + "\n") {
		unindented.WriteString(strings.TrimPrefix(line, "\t"))
	}
	if code != unindented.String() {
		t.Errorf("README.md has\n%s\nand the example is\n%s", code, &unindented)
	}
}
