package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/kernel"
)

func TestUsage(t *testing.T) {
	for _, test := range []struct {
		args  string
		code  int
		wants string
	}{
		{"", exitDone, "studies [command]"},
		{"--help", exitDone, "studies [command]"},
		{"figures", exitBad, "requires at least 1 arg"},
		{"figures none.md", exitBad, "none.md"},
		{"churn --bits 9", exitBad, "--bits 9: want 10 to 1024"},
		{"model --help", exitDone, "scheduling models of LLVM"},
		{"models", exitBad, `unknown command "models"`},
		{"model", exitBad, "accepts 1 arg(s)"},
		{"model sparc", exitBad, `invalid argument "sparc"`},
	} {
		studies(t, test.code, test.wants, strings.Fields(test.args)...)
	}
}

// studies runs the command, whose output is to have something.
func studies(t *testing.T, code int, want string, args ...string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	got := run(args, &stdout, &stderr)
	if text := stdout.String() + stderr.String(); got != code || !strings.Contains(text, want) {
		t.Errorf("%q: exit code %d, want %d and %q: %.2000s", args, got, code, want, text)
	}
	if code == exitBad && stdout.Len() > 0 || code != exitBad && stderr.Len() > 0 {
		t.Errorf("%q: stdout %.2000q, stderr %q: a result with an error, or a message without",
			args, &stdout, &stderr)
	}
}

// lineVariable holds the arguments with which TestMainOfChild runs main.
const lineVariable = "BLOOMLANE_TEST_LINE"

// TestMainOfChild is the command itself in a process of its own.
func TestMainOfChild(t *testing.T) {
	if line, set := os.LookupEnv(lineVariable); set {
		os.Args = append(os.Args[:1], strings.Fields(line)...)
		main() // exits
	}
}

// Nothing is computed where BLOOMLANE_KERNEL names what this CPU cannot run.
func TestKernelVariableThatCannotRun(t *testing.T) {
	err := &kernel.UnavailableError{Name: "avx3", Available: kernel.Implementations()}
	want := "studies: " + err.Error() + "\n"
	var stdout, stderr strings.Builder
	child := exec.Command(os.Args[0], "-test.run=^TestMainOfChild$")
	child.Env = append(os.Environ(), kernel.Variable+"=avx3", lineVariable+"=model amd64")
	child.Stdout, child.Stderr = &stdout, &stderr
	_ = child.Run() // the exit code says more
	if code := child.ProcessState.ExitCode(); code != exitBad || stdout.Len() > 0 ||
		stderr.String() != want {
		t.Errorf("exit code %d, want %d; stdout %q; stderr %q, want %q",
			code, exitBad, &stdout, &stderr, want)
	}
}
