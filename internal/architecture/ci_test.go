package architecture

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/bloomlane/bloomlane/internal/require"
)

// script runs a script of .ci in a folder, and returns its exit code and what it prints.
func script(t *testing.T, folder, name string, args ...string) (code int, output string) {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(root, ".ci", name))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = folder
	text, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if errors.Is(err, syscall.ENOENT) {
		require.Skip(t, "shell", "no shell for "+name)
	} else if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(text)
}

// What go test does not fail for fails: a pattern that no test matches, also a part of its name,
// and a package in which no test runs.
func TestRanSeesPatternsThatMatchNothing(t *testing.T) {
	const passed = `=== RUN   TestA
=== RUN   TestA/one
--- PASS: TestA (0.00s)
    --- PASS: TestA/one (0.00s)
    --- SKIP: TestA/two (0.00s)
PASS
ok  	a	0.1s
`
	for _, test := range []struct {
		name, patterns, prints string
		exits, want            int
	}{
		{"all match", "TestA ^TestA$/^one$ /one A/o.e", passed, 0, 0},
		{"a name", "TestA TestB", passed, 0, 1},
		{"a part of a name", "TestA TestA/three", passed, 0, 1},
		{"a part too many", "TestA/one/x", passed, 0, 1},
		{"an end of a name", "TestA$/on$", passed, 0, 1},
		{"a test that is skipped", "TestA/two", passed, 0, 1},
		{"a package without tests", "TestA", passed + "ok  	b	0.1s [no tests to run]\n", 0,
			1},
		{"a binary without tests", "TestA", passed + "testing: warning: no tests to run\n", 0, 1},
		{"a fuzz target", "", "testing: warning: no fuzz tests to fuzz\nPASS\n", 0, 1},
		{"no pattern", "", passed, 0, 0},
		{"a failure", "TestA", passed + "--- FAIL: TestC (0.00s)\n", 1, 1},
		{"an exit", "", passed, 3, 3},
	} {
		const command = `printf '%s' "$PRINTS"; exit $EXITS`
		args := append(strings.Fields(test.patterns), "--", "env", "PRINTS="+test.prints,
			"EXITS="+string(rune('0'+test.exits)), "sh", "-c", command)
		if code, output := script(t, ".", "ran", args...); code != test.want {
			t.Errorf("%s: exit code %d, want %d\n%s", test.name, code, test.want, output)
		}
	}
	if code, _ := script(t, ".", "ran", "TestA"); code != 2 {
		t.Errorf("without a command: exit code %d, want 2", code)
	}
	folder := t.TempDir()
	arguments := filepath.Join(folder, "arguments")
	script(t, folder, "ran", "TestA/x", "TestB", "--", "sh", "-c", `printf '%s ' "$@" >arguments`,
		"sh", "./a")
	text, err := os.ReadFile(arguments)
	if want := "./a -test.v -test.run=TestA/x|TestB "; err != nil || string(text) != want {
		t.Errorf("the tests get %q (%v), want %q", text, err, want)
	}
}

// No leg runs tests by a pattern but with the script.
func TestPatternsOfLegs(t *testing.T) {
	text := strings.ReplaceAll(legs(t), "$$", "$")
	pattern := regexp.MustCompile(`-run[ =](\S+)`)
	for line := range strings.Lines(text) {
		if found := pattern.FindStringSubmatch(line); found != nil && found[1] != "'^$'" {
			t.Errorf("a pattern that may match nothing: %s", line)
		}
	}
	if n := strings.Count(text, ".ci/ran "); n < 8 {
		t.Errorf("only %d lines with .ci/ran", n)
	}
}

// What a command does to the files of a checkout is seen, also if they were changed before, or Git
// does not know them.
func TestUnchangedSeesEveryFile(t *testing.T) {
	for _, test := range []struct {
		name, before, command string
		want                  int
	}{
		{"nothing", "", "true", 0},
		{"nothing, after changes", "echo b >tracked; echo b >new", "true", 0},
		{"the same content", "echo b >tracked; echo b >new", "echo b >tracked; echo b >new", 0},
		{"a tracked file", "", "echo b >tracked", 1},
		{"a tracked file that was changed", "echo b >tracked", "echo c >tracked", 1},
		{"a staged file", "echo b >tracked; git add tracked", "echo c >tracked", 1},
		{"a file that is gone", "", "rm tracked", 1},
		{"a change that is gone", "echo b >tracked", "echo a >tracked", 1},
		{"a new file", "", "echo b >new", 1},
		{"a new file in a folder", "", "mkdir far; echo b >far/new", 1},
		{"a new file that was there", "echo b >new", "echo c >new", 1},
		{"a new file with a space", "echo b >'a b'", "echo c >'a b'", 1},
		{"a binary file", "", `printf '\0b' >binary`, 1},
		{"an ignored file", "", "echo b >ignored", 0},
		{"a failure", "", "exit 3", 3},
	} {
		folder := t.TempDir()
		set := exec.Command("sh", "-ec", `git init -q . && git config user.name a
git config user.email a@example.com && echo ignored >.gitignore && echo a >tracked
printf '\0a' >binary; git add -A && git commit -q -m a; `+test.before)
		set.Dir = folder
		set.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
		if output, err := set.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, output)
		}
		if code, output := script(t, folder, "unchanged", "sh", "-c", test.command); code !=
			test.want {
			t.Errorf("%s: exit code %d, want %d\n%s", test.name, code, test.want, output)
		}
	}
}

// recipe returns the commands of a target of the Makefile, each in a line.
func recipe(t *testing.T, target string) string {
	t.Helper()
	cmd := exec.Command("make", "--no-print-directory", "-n", target)
	cmd.Dir = root
	cmd.Env = slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return strings.HasPrefix(variable, "MAKE") || strings.HasPrefix(variable, "MFLAGS")
	})
	output, err := cmd.Output()
	if errors.Is(err, exec.ErrNotFound) {
		require.Skip(t, "make", "no make")
	} else if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(output), "\\\n", "")
}

// make check answers from the cache of go test only where that sees what a test reads: files of the
// test's own module, and no programs that read others.
func TestCheckSeesWhatTestsRead(t *testing.T) {
	output := recipe(t, "check")
	// The program that runs the tests itself, and an assembler that reads its input.
	runs := regexp.MustCompile(`\bexec\.Command(Context)?\(`)
	harmless := regexp.MustCompile(`\bexec\.Command\((os\.Args\[0\]|(program|as)\b)`)
	above := regexp.MustCompile("\"\\.\\./\\.\\.") // out of a module of one floor of packages
	cached, all := 0, 0
	for line := range strings.Lines(output) {
		fields := strings.Fields(line)
		if len(fields) < 3 || fields[0] != "go" || fields[1] != "test" {
			continue
		}
		if slices.Contains(fields, "-count=1") {
			all++
			continue
		}
		const format = `{{$d := .}}{{range .TestGoFiles}}{{$d.Module.Path}} {{$d.Dir}}/{{.}}
{{end}}{{range .XTestGoFiles}}{{$d.Module.Path}} {{$d.Dir}}/{{.}}
{{end}}`
		patterns := slices.DeleteFunc(fields[2:],
			func(field string) bool { return strings.HasPrefix(field, "-") })
		for file := range strings.Lines(string(goCommand(t,
			append([]string{"list", "-f", format}, patterns...)...))) {
			owner, path, found := strings.Cut(strings.TrimSpace(file), " ")
			if !found {
				continue
			}
			cached++
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if owner != module && above.Match(text) {
				t.Errorf("%s reads above its module, and make check runs it without -count=1", path)
			}
			if len(runs.FindAll(text, -1)) > len(harmless.FindAll(text, -1)) {
				t.Errorf("%s runs programs, and make check runs it without -count=1", path)
			}
		}
	}
	if cached < 100 || all != 1 {
		t.Errorf("%d files of tests from the cache, and %d lines that do not use it", cached, all)
	}
}
