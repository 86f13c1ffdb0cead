package architecture

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/internal/require"
)

// A leg of CI fails where what it runs fails, or finds nothing to run.
func TestLegsFail(t *testing.T) {
	if _, err := exec.LookPath("make"); err != nil {
		require.Skip(t, "make", err.Error())
	}
	tests := []struct {
		name    string
		files   map[string]string
		command []string
		says    string
	}{
		{"a file that gofmt cannot read", map[string]string{"bad.go": "package bad; func {\n"},
			[]string{"make", "format"}, "bad.go:1:19"},
		{"a file that gofmt would change", map[string]string{"bad.go": "package  bad\n"},
			[]string{"make", "format"}, "gofmt would change: bad.go"},
		{"a first command of a pipe", map[string]string{"leg.mk": "leg:\n\tfalse | cat\n"},
			[]string{"make", "-f", "Makefile", "-f", "leg.mk", "leg"}, "Error 1"},
		{"a tree without packages", nil, []string{"make", "race"}, "go.mod file not found"},
		{"no fuzz targets", nil, []string{".ci/fuzz", "1x"}, "there is no target in the tree"},
		{"a fuzz target that was renamed",
			map[string]string{"a/a_test.go": "package a\n\nfunc FuzzNew(f *testing.F) {}\n"},
			[]string{".ci/fuzz", "1x", "a/FuzzOld"}, "there is no target a/FuzzOld"},
		{"a fuzz target of another system", map[string]string{
			"go.mod": "module a\n\ngo 1.26\n", "a/a.go": "package a\n",
			"a/a_test.go": "//go:build none\n\npackage a\n\nfunc FuzzA(f *testing.F) {}\n"},
			[]string{".ci/fuzz", "1x"}, "no input for ./a/FuzzA"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			for _, name := range []string{"Makefile", ".ci/fuzz"} {
				text, err := os.ReadFile(filepath.Join(root, name))
				if err != nil {
					t.Fatal(err)
				}
				write(t, filepath.Join(folder, name), string(text))
			}
			for name, text := range test.files {
				write(t, filepath.Join(folder, name), text)
			}
			cmd := exec.Command(test.command[0], test.command[1:]...)
			if strings.HasPrefix(test.command[0], ".") {
				cmd.Path = filepath.Join(folder, test.command[0])
			}
			cmd.Dir = folder
			output, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(output), test.says) {
				t.Errorf("%v, want a failure that says %q:\n%s", err, test.says, output)
			}
		})
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o777); err != nil {
		t.Fatal(err)
	}
}

// A feature whose lack skips a test is one that some leg of the Makefile requires.
func TestSkippedFeaturesAreRequired(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	var required []string
	lists := regexp.MustCompile(`(?m)^required := (.*)|\bBLOOMLANE_REQUIRE=([\w,-]*)`)
	for _, list := range lists.FindAllSubmatch(makefile, -1) {
		required = append(required, regexp.MustCompile(`[\w-]+`).FindAllString(
			string(list[1])+string(list[2]), -1)...)
	}
	skip := regexp.MustCompile(`\brequire\.Skip\(\w+, "([\w-]+)"`)
	found := 0
	for path, src := range textsOf(t, ".go") {
		if !strings.HasSuffix(path, "_test.go") {
			continue
		}
		for _, match := range skip.FindAllStringSubmatch(src, -1) {
			found++
			if !slices.Contains(required, match[1]) {
				t.Errorf("%s skips for lack of %q, which no leg requires", path, match[1])
			}
		}
	}
	if found < 15 {
		t.Errorf("found %d skips", found)
	}
}

// A long form of a test is run by some target of the Makefile, and not only named in a comment.
func TestLongFormsHaveATarget(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	long := regexp.MustCompile(`\b(BLOOMLANE_[A-Z_]+)(?:=(?:full|\d+)\b|"\) [!=]= "full")`)
	found := map[string]bool{}
	for path, src := range textsOf(t, ".go") {
		for _, match := range long.FindAllStringSubmatch(src, -1) {
			found[match[1]] = true
			run := regexp.MustCompile(`(?m)^\t.*\b` + match[1] + `=(full|\d+) .*\.ci/ran `)
			if !run.Match(makefile) {
				t.Errorf("%s has a long form by %s, which no target runs", path, match[1])
			}
		}
	}
	if len(found) < 10 {
		t.Errorf("found %d long forms", len(found))
	}
}

// What a leg leaves out by name is there: a name that was changed since leaves out nothing, or
// comes to mean another test.
func TestWhatLegsLeaveOutIsThere(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	makefile := string(text)
	var tests []string
	folders := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func (Test\w+)`)
	for path, src := range textsOf(t, ".go") {
		folders[filepath.ToSlash(filepath.Dir(path))] = true
		if strings.HasSuffix(path, "_test.go") {
			for _, match := range declared.FindAllStringSubmatch(src, -1) {
				tests = append(tests, match[1])
			}
		}
	}
	left := 0
	skipped := regexp.MustCompile(`(?m)-skip '([^']*)'|^simulates := (.*)`)
	name := regexp.MustCompile(`^\w+\$?$`)
	for _, match := range skipped.FindAllStringSubmatch(makefile, -1) {
		for _, pattern := range strings.Split(match[1]+match[2], "|") {
			pattern = strings.ReplaceAll(pattern, "$$", "$")
			if !name.MatchString(pattern) { // a variable, or laws, which are no functions
				continue
			}
			left++
			if !slices.ContainsFunc(tests, regexp.MustCompile(pattern).MatchString) {
				t.Errorf("the Makefile leaves out tests %s, and there are none", pattern)
			}
		}
	}
	for _, match := range regexp.MustCompile(`%(/[a-z0-9/]+)`).FindAllStringSubmatch(makefile, -1) {
		left++
		found := false
		for folder := range folders {
			found = found || strings.HasSuffix(folder, match[1])
		}
		if !found {
			t.Errorf("the Makefile leaves out packages %s, and there are none", match[1])
		}
	}
	if left < 35 {
		t.Errorf("found %d names", left)
	}
}

// Each sign of goroutines by which the race leg chooses its packages is in some of them: one that
// was renamed since would leave packages out.
func TestSignsOfRacesAreThere(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	signs := regexp.MustCompile(`(?m)^races := (.*)`).FindSubmatch(makefile)
	if signs == nil {
		t.Fatal("the Makefile has no signs of races")
	}
	texts, found := textsOf(t, ".go"), 0
	for _, sign := range alternatives(string(signs[1])) {
		found++
		used := regexp.MustCompile(`(?m)` + sign)
		if !slices.ContainsFunc(slices.Collect(maps.Values(texts)), used.MatchString) {
			t.Errorf("no file has %s, by which the race leg chooses packages", sign)
		}
	}
	if found < 6 {
		t.Errorf("found %d signs", found)
	}
}

// alternatives returns the parts of a regular expression between which it chooses.
func alternatives(expression string) (parts []string) {
	depth, start := 0, 0
	for i, r := range expression {
		escaped := i > 0 && expression[i-1] == '\\'
		switch {
		case escaped:
		case r == '(':
			depth++
		case r == ')':
			depth--
		case r == '|' && depth == 0:
			parts, start = append(parts, expression[start:i]), i+1
		}
	}
	return append(parts, expression[start:])
}
