package architecture

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The Go code of a README is the body of a compiled example, to the letter.
func TestReadmeExamples(t *testing.T) {
	for _, test := range []struct{ readme, heading, file, function string }{
		{"hdl/README.md", "# RTL\n", "inpacket/example_device_test.go", "ExampleDevice"},
		{"hdl/README.md", "## Programming it from Go\n", "inpacket/example_test.go",
			"ExampleElement"},
	} {
		readme, err := os.ReadFile(filepath.Join(root, test.readme))
		if err != nil {
			t.Fatal(err)
		}
		_, section, _ := strings.Cut(string(readme), test.heading)
		_, code, found := strings.Cut(section, "```go\n")
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

// The manual of the RTL begins with instances in Verilog, which are those of an example that is
// linted.
func TestFirstInstances(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "hdl/README.md"))
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile(filepath.Join(root, "hdl/example/example_control.v"))
	if err != nil {
		t.Fatal(err)
	}
	words := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	start, _, _ := strings.Cut(string(page), "\n| module |")
	instances := strings.Split(start, "```verilog\n")[1:]
	for _, block := range instances {
		code, _, _ := strings.Cut(block, "```")
		if !strings.Contains(words(string(example)), words(code)) {
			t.Errorf("the example does not have\n%s", code)
		}
	}
	if len(instances) != 2 {
		t.Errorf("the page begins with %d instances, want 2", len(instances))
	}
}

// The programs of these pages run, and print what they say.
func TestPrograms(t *testing.T) {
	for page, want := range map[string]int{"README.md": 3, "docs/concurrency.md": 1,
		"docs/recipes/denylist.md": 1, "docs/recipes/digest.md": 1, "docs/recipes/join.md": 1,
		"docs/recipes/refresh.md": 1, "docs/recipes/stream.md": 1} {
		text, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		programs := 0
		for block := range strings.SplitSeq(string(text), "```go\n") {
			program, _, _ := strings.Cut(block, "```")
			if !strings.HasPrefix(program, "package main\n") {
				continue
			}
			programs++
			folder := t.TempDir() // which they write to
			file, binary := filepath.Join(folder, "main.go"), filepath.Join(folder, "main.exe")
			if err := os.WriteFile(file, []byte(program), 0o600); err != nil {
				t.Fatal(err)
			}
			goCommand(t, "build", "-ldflags=-s -w", "-o", binary, file)
			run := exec.Command(binary)
			run.Dir = folder
			_, want, _ := strings.Cut(program, "\t// Output:\n\t// ")
			want = strings.ReplaceAll(strings.TrimSuffix(want, "}\n"), "\t// ", "")
			if got, err := run.Output(); string(got) != want || want == "" || err != nil {
				t.Errorf("%s prints (%v)\n%s\nand says\n%s", program, err, got, want)
			}
		}
		if programs != want {
			t.Errorf("%s has %d programs, want %d", page, programs, want)
		}
	}
}

// The Go code of docs/files.md is a part of a test.
func TestCodeOfFiles(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs/files.md"))
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join(root, "filter/deletable/processes_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(page), "```go\n")
	code, _, _ = strings.Cut(code, "```")
	if code == "" || !strings.Contains(string(source), code) {
		t.Errorf("processes_test.go does not have\n%s", code)
	}
}
