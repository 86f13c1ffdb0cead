package main

import (
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/kernel"
)

// bloomlane runs a command line in a process that starts with BLOOMLANE_KERNEL=name.
func bloomlane(t *testing.T, name, line string) (code int, stdout, stderr string) {
	t.Helper()
	child, messages := newShell(t).Command(strings.Fields(line)...)
	child.Env = append(child.Env, kernel.Variable+"="+name)
	out, err := child.Output()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return child.ProcessState.ExitCode(), string(out), messages.String()
}

// Where BLOOMLANE_KERNEL names what this CPU cannot run, every command says so in one line, and
// runs nothing.
func TestKernelVariableThatCannotRun(t *testing.T) {
	lines := []string{"", "--help", "bild", "kernels --json"}
	for _, command := range newRootCommand().Commands() {
		lines = append(lines, command.Name())
	}
	newShell(t).NeedsKernel("bloomlane", lines...)
	if len(lines) < 10 {
		t.Errorf("only %q were run", lines)
	}
}

// Every implementation of this CPU can be forced, and an empty variable forces none.
func TestKernelVariable(t *testing.T) {
	const best = "the best that this program can run on this CPU"
	wants := map[string]string{"": ": " + best}
	for _, im := range kernel.Implementations() {
		wants[im.String()] = im.String() + ": " + kernel.Variable + "=" + im.String() + " forces it"
	}
	for name, want := range wants {
		code, stdout, stderr := bloomlane(t, name, "kernels")
		if code != exitYes || stderr != "" || !strings.Contains(stdout, want) {
			t.Errorf("%q: exit code %d, stderr %q, stdout\n%s, want %q", name, code,
				stderr, stdout, want)
		}
	}
}
