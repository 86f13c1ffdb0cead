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
		{"a target among others", map[string]string{"bad.go": "package  bad\n"},
			[]string{".ci/legs", "help", "format", "--", "vet"}, "gofmt would change: bad.go"},
		{"a test among others", map[string]string{"go.mod": "module a\n\ngo 1.26\n", "a_test.go": `package a

import "testing"

func Test(t *testing.T) { t.Fatal("a has failed") }
`, "Makefile": "leg:\n\tgo test ./...\n"}, []string{".ci/legs", "leg"}, "a has failed"},
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
			for name, text := range programs(t) {
				write(t, filepath.Join(folder, name), text)
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

// programs returns the Makefile and the scripts of its legs, by their names.
func programs(t *testing.T) map[string]string {
	t.Helper()
	scripts, err := filepath.Glob(filepath.Join(root, ".ci/*"))
	if err != nil || len(scripts) < 10 {
		t.Fatal(scripts, err)
	}
	texts := map[string]string{}
	for _, path := range append(scripts, filepath.Join(root, "Makefile")) {
		if text, err := os.ReadFile(path); err == nil { // no folder
			texts[strings.TrimPrefix(filepath.ToSlash(path), root+"/")] = string(text)
		}
	}
	return texts
}

// legs returns the texts of programs, one after another.
func legs(t *testing.T) string {
	return strings.Join(slices.Collect(maps.Values(programs(t))), "\n")
}

// A feature whose lack skips a test is one that some leg requires.
func TestSkippedFeaturesAreRequired(t *testing.T) {
	var required []string
	lists := regexp.MustCompile(
		`\bBLOOMLANE_REQUIRE=([\w,-]*)|\.ci/require ([\w,-]*)|\badd ([\w,-]+)|^features=(.*)`)
	for line := range strings.Lines(legs(t)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		for _, list := range lists.FindAllStringSubmatch(line, -1) {
			required = append(required, strings.Split(strings.Join(list[1:], ""), ",")...)
		}
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

// A long form of a test is run by some leg, and not only named in a comment.
func TestLongFormsHaveATarget(t *testing.T) {
	run := legs(t)
	long := regexp.MustCompile(`\b(BLOOMLANE_[A-Z_]+)(?:=(?:full|\d+)\b|"\) [!=]= "full")`)
	found := map[string]bool{}
	for path, src := range textsOf(t, ".go") {
		for _, match := range long.FindAllStringSubmatch(src, -1) {
			found[match[1]] = true
			runs := regexp.MustCompile(`(?m)^[^#\n]*\b` + match[1] + `=(full|\d+) .*\.ci/ran `)
			if !runs.MatchString(run) {
				t.Errorf("%s has a long form by %s, which no leg runs", path, match[1])
			}
		}
	}
	if len(found) < 10 {
		t.Errorf("found %d long forms", len(found))
	}
}

// raceless are the packages with goroutines, shared words or casts in which races are not looked for.
var raceless = map[string]string{
	"cmd/bloomlane": "it waits for processes and pipes",
	"hdl/cosim":     "it waits for simulators",
	"packets":       "it waits for processes and pipes",
	"proof":         "it waits for solvers",
}

// Other packages that start goroutines, share words or cast pointers run under the race detector,
// and so do the laws and the trials, which do that.
func TestRacesAreLookedFor(t *testing.T) {
	_, patterns, _ := strings.Cut(recipe(t, "race"), " -race ")
	raced := strings.Fields(string(goCommand(t, append([]string{"list"},
		strings.Fields(patterns)...)...)))
	if len(raced) < 30 {
		t.Errorf("the race detector runs for %v", raced)
	}
	signs := regexp.MustCompile(`(?m)^\s*go (func\b|[a-zA-Z_.]+\()|\.Go\(|"(sync|sync/atomic|unsafe)"|` +
		`\bfiltertest\.Run\(|\bkindstest\.Suite\b|\btrials\.(Each|Recall)\(`)
	found, tested := map[string]bool{}, map[string]bool{}
	for path, src := range textsOf(t, ".go") {
		folder := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), root+"/")
		if !under(folder, "tools") && !under(folder, "interop/beam") {
			found[folder] = found[folder] || signs.MatchString(src)
			tested[folder] = tested[folder] || strings.HasSuffix(path, "_test.go")
		}
	}
	for folder, is := range found {
		if is && tested[folder] && raceless[folder] == "" &&
			!slices.Contains(raced, module+"/"+folder) {
			t.Errorf("%s has goroutines, shared words or casts, and make race leaves it out", folder)
		}
	}
	for folder := range raceless {
		if !found[folder] {
			t.Errorf("%s needs no exception: it has no goroutines, shared words or casts", folder)
		}
	}
}
