//go:build linux

package main

import (
	"os/exec"
	"testing"
)

// The commands of docs/churn.md, some of which are those of the program for filters in files.
func TestPagesOfCommands(t *testing.T) {
	s := newShell(t)
	build := exec.Command("go", "build", "-o", s.Path("bloomlane"), "../cmd/bloomlane")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	s.Page("../docs/churn.md", "packets")
}
