package main

import (
	"os"
	"testing"

	"github.com/bloomlane/bloomlane/report/command"
	"github.com/bloomlane/bloomlane/report/command/commandtest"
)

// The exit codes.
const (
	exitYes = command.ExitYes
	exitNo  = command.ExitNo
	exitBad = command.ExitBad
)

// shell is a folder that commands run in.
type shell struct{ *commandtest.Shell }

func newShell(t *testing.T) *shell { return &shell{commandtest.New(t, run)} }

// reported runs a command line with --json, and decodes its report.
func reported[T any](s *shell, code int, stdin, line string) *T {
	s.T.Helper()
	return commandtest.Reported[T](s.Shell, code, stdin, line)
}

// named returns the path of a file of the folder, as results have it.
func (s *shell) named(name string) command.Path { return command.Path(s.Path(name)) }

// info returns what info says of a filter.
func (s *shell) info(path string) (info infoResult) {
	s.T.Helper()
	s.Run(exitYes, "", "info", path, "--json")
	s.JSON(&info)
	return info
}

func TestMain(m *testing.M) {
	if os.Getenv(commandtest.Variable) != "" {
		main()
	}
	os.Exit(m.Run())
}
