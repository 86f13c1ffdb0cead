package main

import (
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/report/command/commandtest"
)

// The help of each command, and its flags, are as those of every program.
func TestHelp(t *testing.T) { commandtest.Help(t, newRootCommand()) }

// What a filter says of its sizing is said of the flags, and messages have the program's name.
func TestSizingErrorsAreOfFlags(t *testing.T) {
	s := newShell(t)
	s.Refuse("", "", [][2]string{
		{"guard --synthetic 1 --good-turnovers 2000",
			"packets: --good-turnovers is 2000, expected 0 to 1000"},
		{"guard --synthetic 1 --good-reinserts 2000",
			"packets: --good-reinserts is 2000, expected 0, or 0.001 to 1000"},
		{"guard --synthetic 1 --good-reinserts NaN", "packets: --good-reinserts is NaN"},
		{"guard --synthetic 1 --good-reinserts -1", "packets: --good-reinserts is -1"},
		{"guard --synthetic 1 --good-reinserts 1 --good-turnovers 1",
			"found --good-reinserts and --good-turnovers, expected one of them"},
		{"gard", "packets: found gard, expected a command such as guard (packets --help lists"},
	})
	s.Line(exitYes, "", "version")
	if !strings.HasPrefix(s.Stdout, "packets ") {
		t.Errorf("version says %s", s.Stdout)
	}
}
