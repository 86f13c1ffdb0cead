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

// The programs of the README run, and print what they say.
func TestReadmePrograms(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	programs := 0
	for block := range strings.SplitSeq(string(readme), "```go\n") {
		program, _, _ := strings.Cut(block, "```")
		if !strings.HasPrefix(program, "package main\n") {
			continue
		}
		programs++
		file := filepath.Join(t.TempDir(), "main.go")
		if err := os.WriteFile(file, []byte(program), 0o600); err != nil {
			t.Fatal(err)
		}
		_, want, _ := strings.Cut(program, "\t// Output:\n\t// ")
		want = strings.ReplaceAll(strings.TrimSuffix(want, "}\n"), "\t// ", "")
		if got := string(goCommand(t, "run", file)); got != want || want == "" {
			t.Errorf("%s prints\n%s\nand says\n%s", program, got, want)
		}
	}
	if programs != 2 {
		t.Errorf("%d programs, want 2", programs)
	}
}
