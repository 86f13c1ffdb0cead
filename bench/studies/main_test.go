package main

import (
	"os"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/report/command"
	"github.com/bloomlane/bloomlane/report/command/commandtest"
)

// The exit codes.
const (
	exitDone = command.ExitYes
	exitBad  = command.ExitBad
)

func TestUsage(t *testing.T) {
	for _, test := range []struct {
		args  string
		code  int
		wants string
	}{
		{"", exitDone, "studies [command]"},
		{"--help", exitDone, "studies [command]"},
		{"figures", exitBad, "found 0 arguments, expected studies figures PAGE"},
		{"figures none.md", exitBad, "none.md"},
		{"models", exitBad, "found models, expected a command"},
	} {
		studies(t, test.code, test.wants, strings.Fields(test.args)...)
	}
}

// studies runs the command, whose output is to have something.
func studies(t *testing.T, code int, want string, args ...string) {
	t.Helper()
	commandtest.New(t, run).Prints(code, want, args...)
}

// Nothing is computed where BLOOMLANE_KERNEL names what this CPU cannot run.
func TestKernelVariableThatCannotRun(t *testing.T) {
	commandtest.New(t, run).NeedsKernel("studies", "streams")
}

func TestMain(m *testing.M) {
	if os.Getenv(commandtest.Variable) != "" {
		main()
	}
	os.Exit(m.Run())
}
