package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/kernel"
)

// lineVariable holds the arguments with which TestMainOfChild runs main.
const lineVariable = "BLOOMLANE_TEST_LINE"

// TestMainOfChild is the command itself in a process of its own.
func TestMainOfChild(t *testing.T) {
	if line, set := os.LookupEnv(lineVariable); set {
		os.Args = append(os.Args[:1], strings.Fields(line)...)
		main() // exits
	}
}

// Nothing is measured where BLOOMLANE_KERNEL names what this CPU cannot run.
func TestKernelVariableThatCannotRun(t *testing.T) {
	err := &kernel.UnavailableError{Name: "avx3", Available: kernel.Implementations()}
	want := "bench: " + err.Error() + "\n"
	for _, line := range []string{"--quick", "render a", "compare a b"} {
		var stdout, stderr strings.Builder
		child := exec.Command(os.Args[0], "-test.run=^TestMainOfChild$")
		child.Env = append(os.Environ(), kernel.Variable+"=avx3", lineVariable+"="+line)
		child.Stdout, child.Stderr = &stdout, &stderr
		_ = child.Run() // the exit code says more
		if code := child.ProcessState.ExitCode(); code != exitBad || stdout.Len() > 0 || stderr.String() != want {
			t.Errorf("%q: exit code %d, want %d; stdout %q; stderr %q, want %q",
				line, code, exitBad, &stdout, &stderr, want)
		}
	}
}
