package architecture

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The Go code of a README is the body of a compiled example, to the letter.
func TestReadmeExamples(t *testing.T) {
	for _, test := range []struct{ readme, file, function string }{
		{"README.md", "filter/deletable/example_test.go", "Example"},
		{"hdl/README.md", "filter/inpacket/example_test.go", "ExampleElement"},
	} {
		readme, err := os.ReadFile(filepath.Join(root, test.readme))
		if err != nil {
			t.Fatal(err)
		}
		_, code, found := strings.Cut(string(readme), "```go\n")
		code, _, closed := strings.Cut(code, "```")
		if !found || !closed {
			t.Fatalf("%s has no Go code", test.readme)
		}
		example, err := os.ReadFile(filepath.Join(root, test.file))
		if err != nil {
			t.Fatal(err)
		}
		_, body, _ := strings.Cut(string(example), "func "+test.function+"() {\n")
		body, _, _ = strings.Cut(body, "\n}\n")
		var unindented strings.Builder
		for line := range strings.Lines(body + "\n") {
			unindented.WriteString(strings.TrimPrefix(line, "\t"))
		}
		if code != unindented.String() {
			t.Errorf("%s has\n%s\nand the example is\n%s", test.readme, code, &unindented)
		}
	}
}
