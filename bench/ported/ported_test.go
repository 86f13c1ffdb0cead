package ported

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// patience is how long the test waits for a program, which it may have to compile.
const patience = 5 * time.Minute

// run returns what the program in a folder prints.
func run(t *testing.T, folder string) string {
	t.Helper()
	limit, cancel := context.WithTimeoutCause(t.Context(), patience,
		fmt.Errorf("the program has not ended after %v", patience))
	defer cancel()
	program := exec.CommandContext(limit, "go", "run", "./"+folder)
	program.Stderr = os.Stderr
	out, err := program.Output()
	if err != nil {
		t.Fatalf("%s: %v (%v)", folder, err, context.Cause(limit))
	}
	return string(out)
}

// linesOf returns the lines of a program from its imports on, which are all that a port changes.
func linesOf(t *testing.T, folder string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), "\nimport (\n")
	if !found {
		t.Fatalf("%s has no imports", folder)
	}
	return strings.Split(rest, "\n")
}

// added returns how many lines of after are not among those of before, in a longest common
// subsequence of the two.
func added(before, after []string) int {
	common := make([]int, len(after)+1) // of the lines of before so far, and of each start of after
	for _, line := range before {
		diagonal := 0
		for i, other := range after {
			longest := max(common[i], common[i+1])
			if line == other {
				longest = diagonal + 1
			}
			diagonal, common[i+1] = common[i+1], longest
		}
	}
	return len(after) - common[len(after)]
}

// A program with another library and its port print the same, and the port has ten new lines at
// most.
func TestPorts(t *testing.T) {
	folders, err := filepath.Glob("*/before")
	if err != nil || len(folders) < 5 {
		t.Fatalf("found %v (%v)", folders, err)
	}
	for _, folder := range folders {
		library := filepath.Dir(folder)
		t.Run(library, func(t *testing.T) {
			before, after := filepath.Join(library, "before"), filepath.Join(library, "after")
			if n := added(linesOf(t, before), linesOf(t, after)); n > 10 || n == 0 {
				t.Errorf("%d new lines, want 1 to 10", n)
			} else {
				t.Logf("%d new lines", n)
			}
			if was, is := run(t, before), run(t, after); was != is || was == "" {
				t.Errorf("before it prints\n%safter\n%s", was, is)
			}
		})
	}
}

func TestAdded(t *testing.T) {
	lines := func(text string) []string { return strings.Split(text, "") }
	for _, test := range []struct {
		before, after string
		want          int
	}{{"abc", "abc", 0}, {"abc", "axc", 1}, {"abc", "ac", 0}, {"ac", "abbc", 2}, {"ab", "ba", 1},
		{"aab", "abab", 1}, {"x", "yz", 2}} {
		if got := added(lines(test.before), lines(test.after)); got != test.want {
			t.Errorf("%v to %v: %d lines, want %d", test.before, test.after, got, test.want)
		}
	}
}
