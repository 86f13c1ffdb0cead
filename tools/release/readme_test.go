package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// block is a fenced block of a page: what it is written in, and its text.
type block struct{ language, text string }

// fenced returns the fenced blocks of a page of Markdown.
func fenced(page string) (blocks []block) {
	for {
		_, rest, found := strings.Cut(page, "\n```")
		if !found {
			return blocks
		}
		language, rest, _ := strings.Cut(rest, "\n")
		text, after, _ := strings.Cut(rest, "```")
		blocks = append(blocks, block{language, text})
		page = after
	}
}

// output returns what the last comment of a program says that it prints.
func output(program string) (printed string) {
	_, comment, _ := strings.Cut(program, "// Output:\n")
	for line := range strings.Lines(comment) {
		text, is := strings.CutPrefix(strings.TrimSpace(line), "// ")
		if !is {
			break
		}
		printed += text + "\n"
	}
	return printed
}

// Somebody who has the Go command, a module, a list of words and no more does what the README says,
// from its top to its end: the lines for the shell exit with 0, and the programs print what they
// say.
func TestReadme(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(checkout, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	u := newUser(t, publish(t))
	u.environment = append(u.environment, "PATH="+u.bin+":"+os.Getenv("PATH"))
	u.run("", "go", "mod", "init", "example.com/words")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(u.folder, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("words.txt", "apple\npear\nquince\n")
	ran := map[string]int{}
	for _, b := range fenced(string(page)) {
		ran[b.language]++
		switch b.language {
		case "sh":
			for line := range strings.Lines(b.text) {
				if command, _, _ := strings.Cut(line, "#"); strings.TrimSpace(command) != "" {
					t.Logf("%s%s", line, u.run("", "sh", "-c", command))
				}
			}
		case "go":
			write("main.go", b.text)
			want := output(b.text)
			if got := u.run("", "go", "run", "."); got != want || want == "" {
				t.Errorf("%s\nprints\n%swant\n%s", b.text, got, want)
			}
		default:
			t.Errorf("a block in %q, which this test cannot run:\n%s", b.language, b.text)
		}
	}
	if ran["sh"] < 2 || ran["go"] < 2 {
		t.Errorf("ran %v, want how it is got, two programs and the commands", ran)
	}
	bloomlane := filepath.Join(u.bin, "bloomlane")
	if got := u.run("", bloomlane, "version"); !strings.Contains(got, version) {
		t.Errorf("version prints %q", got)
	}
	if got := u.run("", bloomlane, "query", "words.blm", "pear", "quince"); got !=
		"present\tpear\npresent\tquince\n" {
		t.Errorf("query prints %q", got)
	}
	_, not, _ := strings.Cut(string(page), "\n## Which filter\n")
	if not, _, _ = strings.Cut(not, "\n## "); !strings.Contains(not, "Use none of them if") {
		t.Error("the README does not say when not to use a filter")
	}
}

// Somebody who has a checkout beside the folder of a module does what the README says first.
func TestReadmeOfACheckout(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(checkout, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	u := newUser(t, t.TempDir()) // nothing is published
	u.environment = append(u.environment, "GOWORK=")
	parent := u.folder
	u.folder = filepath.Join(parent, "words")
	root, err := filepath.Abs(checkout)
	if err == nil {
		err = errors.Join(os.Mkdir(u.folder, 0o777),
			os.Symlink(root, filepath.Join(parent, "bloomlane")))
	}
	if err != nil {
		t.Fatal(err)
	}
	u.run("", "go", "mod", "init", "example.com/words")
	blocks := fenced(page)
	first := slices.IndexFunc(blocks, func(b block) bool { return b.language == "go" })
	program := blocks[first].text
	if err := os.WriteFile(filepath.Join(u.folder, "main.go"), []byte(program), 0o666); err != nil {
		t.Fatal(err)
	}
	lines := 0
	for line := range strings.Lines(page) {
		if command, indented := strings.CutPrefix(line, "    "); indented &&
			strings.Contains(command, "../bloomlane") {
			lines++
			u.run("", "sh", "-c", command)
		}
	}
	if lines != 2 {
		t.Errorf("%d lines use the checkout, want those for the command and the library", lines)
	}
	if got := u.run("", "go", "run", "."); got != output(program) {
		t.Errorf("%s\nprints\n%s", program, got)
	}
	u.run("apple\n", "./bloomlane", "build", "-o", "words.blm")
	if got := u.run("", "./bloomlane", "query", "words.blm", "apple"); got != "present\tapple\n" {
		t.Errorf("query prints %q", got)
	}
}

// A folder of the checkout gets all modules by the line of the README.
func TestModulesOfACheckout(t *testing.T) {
	u := newUser(t, t.TempDir())
	u.environment = append(u.environment, "GOWORK=")
	entries, err := filepath.Glob(filepath.Join(checkout, "[a-z]*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		to := filepath.Join(u.folder, filepath.Base(entry))
		if entry, err = filepath.Abs(entry); err == nil {
			err = os.Symlink(entry, to)
		}
		if text, read := os.ReadFile(entry); read == nil { // go.work, which the line changes
			err = errors.Join(err, os.Remove(to), os.WriteFile(to, text, 0o666))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	u.folder = filepath.Join(u.folder, "mine")
	program := "package main\n\nimport (\n"
	for _, name := range []string{"xdp", "filter/family/stable", "interop/parquet"} {
		program += "\t_ \"" + root + "/" + name + "\"\n"
	}
	err = errors.Join(os.Mkdir(u.folder, 0o777), os.WriteFile(filepath.Join(u.folder, "main.go"),
		[]byte(program+")\n\nfunc main() {}\n"), 0o666))
	if err != nil {
		t.Fatal(err)
	}
	u.run("", "go", "mod", "init", "example.com/mine")
	u.run("", "go", "work", "use", ".")
	u.run("", "go", "run", ".")
}
