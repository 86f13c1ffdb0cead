package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/internal/require"
	"github.com/bloomlane/bloomlane/report/command/commandtest"
)

// A table beyond the memory that there is ends each command with a line that says how many bytes
// are needed and how many there are, and with nothing changed.
func TestTablesBeyondMemory(t *testing.T) {
	if fallback.Race {
		require.Skip(t, "residency", "the race detector has memory of its own")
	}
	s := newShell(t)
	s.Write("f.key", commandtest.FixedKey)
	s.Write("keys", "apple\n")
	s.Line(exitYes, "", "build @keys -o @f --members 16M")
	before := s.Content()
	lines := []string{"query @f --keys @keys", "query - apple --key @f.key", "info -",
		"rebuild @f --keys @keys", "rebuild @f apple"}
	for _, kind := range allKinds {
		if builds(kind) && !kind.Promises.Has(base.Grows) {
			lines = append(lines, "build @keys -o @h --members 100M --kind "+kind.Name)
		}
	}
	for _, line := range lines {
		c, stderr := s.Command(strings.Fields(strings.ReplaceAll(line, "@", s.Path("")+"/"))...)
		c.Env = append(c.Env, "GOMEMLIMIT=30MiB")
		in, err := os.Open(s.Path("f"))
		if err != nil {
			t.Fatal(err)
		}
		c.Stdin = in
		stdout, _ := c.Output() // the exit code says more
		_ = in.Close()
		text := stderr.String()
		if c.ProcessState.ExitCode() != exitBad || len(stdout) > 0 ||
			!strings.HasPrefix(text, "bloomlane: found a table of ") ||
			!strings.HasSuffix(text, ", which GOMEMLIMIT leaves\n") ||
			strings.Count(text, "\n") != 1 {
			t.Errorf("%s: exit code %d: %s%.300s", line, c.ProcessState.ExitCode(), stdout, text)
		}
		if !maps.Equal(s.Content(), before) {
			t.Fatalf("%s: the folder has changed", line)
		}
	}
}

// The address space is a limit too: without a look at it the runtime ends the program.
func TestTableBeyondTheAddressSpace(t *testing.T) {
	if fallback.Race {
		require.Skip(t, "residency", "the race detector has memory of its own")
	}
	s := newShell(t)
	s.Write("keys", "apple\n")
	c, stderr := s.Command("build", s.Path("keys"), "-o", s.Path("f"), "--members", "4G")
	c.Path, c.Args = "/bin/sh", slices.Concat([]string{"sh", "-c",
		`ulimit -v 4000000 && exec "$0" "$@"`, c.Path}, c.Args[1:])
	stdout, _ := c.Output() // the exit code says more
	if c.ProcessState.ExitCode() != exitBad || len(stdout) > 0 ||
		!strings.HasPrefix(stderr.String(), "bloomlane: found a table of 8000000000 bytes, ") {
		t.Errorf("exit code %d: %s%.300s", c.ProcessState.ExitCode(), stdout, stderr)
	}
	s.Files("keys")
}

// Who cuts a filter's file that a command has mapped ends the command with a line.
func TestMergeOfAFileThatIsCut(t *testing.T) {
	s := newShell(t)
	s.Write("k", commandtest.FixedKey)
	for _, name := range []string{"f", "g"} {
		s.Line(exitYes, numbers(0, 9), "build -o @"+name+" --key @k --members 50000")
	}
	c, stderr := s.Command("merge", "-o", "@h", "--key", "@k", "@f", "-")
	other, err := c.StdinPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	for mapped := false; !mapped; {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", c.Process.Pid))
		if err != nil || len(text) == 0 {
			t.Fatalf("it has ended (%v): %s", err, stderr)
		}
		mapped = strings.Contains(string(text), s.Path("f")+"\n")
		time.Sleep(time.Millisecond)
	}
	if err := os.Truncate(s.Path("f"), 128); err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(other, s.Read("g"))
	_ = other.Close()
	exits(t, c, c.Wait(), exitBad, stderr, "bloomlane: found no memory at 0x")
	if n := strings.Count(stderr.String(), "\n"); n != 1 {
		t.Errorf("%d lines: %.300s", n, stderr)
	}
	s.Files("f", "g", "k")
}
