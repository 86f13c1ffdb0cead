package main

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/internal/require"
	"github.com/bloomlane/bloomlane/report/command/commandtest"
)

const mebibyte = 1 << 20

// buildMembers names how many keys tests give to build, where it is set.
const buildMembers = "BLOOMLANE_BUILD_MEMBERS"

// membersOfBuild returns how many keys to give to build: as many as the environment says, or as is
// usual.
func membersOfBuild(t testing.TB, usual int) int {
	t.Helper()
	text := os.Getenv(buildMembers)
	if text == "" {
		return usual
	}
	members, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return members
}

// Build needs memory for the filter and for buffers, and none for each key. In the long form, by
// BLOOMLANE_BUILD_MEMBERS=50000000, which takes a minute, eight bytes a key would be too many.
func TestBuildMemory(t *testing.T) {
	if fallback.Race {
		require.Skip(t, "residency", "the race detector has memory of its own")
	}
	members := membersOfBuild(t, 6_000_000)
	s := newShell(t)
	s.Write("k", commandtest.FixedKey)
	c, stderr := s.Command("build", "-o", "-", "--key", "@k", "--quiet")
	c.Env = append(c.Env, "TMPDIR="+s.Folder)
	keys, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	reading := int64(0) // the most anonymous memory while keys are read
	bytes, anonymous, peak := memory(t, c, stderr, func() {
		lines := bufio.NewWriterSize(keys, 1<<16)
		for n := range members {
			if n%mebibyte == 0 {
				reading = max(reading, status(t, c.Process.Pid, "RssAnon"))
			}
			lines.WriteString(strconv.Itoa(n))
			lines.WriteByte('\n')
		}
		if err := lines.Flush(); err != nil {
			t.Fatal(err)
		}
		if names := scratch(t, c.Process.Pid, s.Folder); len(names) != 1 {
			t.Errorf("the command has the temporary files %v, want one", names)
		}
		s.Files("k") // where a kill would leave the file
		_ = keys.Close()
	})
	t.Logf("%d keys in %d MiB: anonymous %d MiB, peak %d MiB", members, bytes/mebibyte,
		max(reading, anonymous)/mebibyte, peak/mebibyte)
	if most := bytes + 200*mebibyte; peak > most {
		t.Errorf("a build of %d keys has a peak of %d MiB, want at most %d", members,
			peak/mebibyte, most/mebibyte)
	}
	s.Files("k")
}

// Merge needs memory for few of its inputs, however many there are.
func TestMergeMemory(t *testing.T) {
	if fallback.Race {
		require.Skip(t, "residency", "the race detector has memory of its own")
	}
	const filters = 20
	s := newShell(t)
	s.Write("k", commandtest.FixedKey)
	line := []string{"merge", "-o", "-", "--key", "@k"}
	for i := range filters {
		name := fmt.Sprint("@f", i)
		s.Run(exitYes, numbers(i, i+1), "build", "-o", name, "--members", "8000000", "--key", "@k")
		line = append(line, name)
	}
	c, stderr := s.Command(line...)
	bytes, anonymous, peak := memory(t, c, stderr, func() {})
	t.Logf("%d filters of %d MiB: anonymous %d MiB, peak %d MiB", filters, bytes/mebibyte,
		anonymous/mebibyte, peak/mebibyte)
	if most := 5*bytes + 100*mebibyte; peak > most {
		t.Errorf("a merge of %d filters of %d MiB has a peak of %d MiB, want at most %d", filters,
			bytes/mebibyte, peak/mebibyte, most/mebibyte)
	}
}

// scratch returns the files in a folder that a process has open and that have no name any more.
func scratch(t *testing.T, pid int, folder string) (names []string) {
	t.Helper()
	descriptors, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, descriptor := range descriptors {
		name, _ := os.Readlink(descriptor) // some are closed by then
		if strings.HasPrefix(name, folder) && strings.HasSuffix(name, " (deleted)") {
			names = append(names, name)
		}
	}
	return names
}

// Where there is no room for the temporary file, which is beside the filter without TMPDIR, the
// filter stays as it is, and the message says what to do.
func TestNoRoomForHashes(t *testing.T) {
	s := newShell(t)
	s.Write("f.key", commandtest.FixedKey)
	s.Run(exitYes, "apple\n", "build", "-o", "@f")
	before := s.Content()
	c, stderr := s.Command("rebuild", "@f")
	const limited = `ulimit -f 100 && exec "$0" "$@"`
	shell := commandtest.Process(t, "sh", append([]string{"-c", limited}, c.Args...)...)
	shell.Env, shell.Stderr = append(c.Env, scratchVariable+"="), stderr
	keys, err := shell.StdinPipe()
	if err == nil {
		err = shell.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewWriterSize(keys, 1<<16)
	for n := range 6_000_000 {
		lines.WriteString(strconv.Itoa(n))
		if err := lines.WriteByte('\n'); err != nil {
			break // the command has ended
		}
	}
	_ = keys.Close()
	exits(t, shell, shell.Wait(), exitBad, stderr, "keep hashes in a temporary file: write "+
		s.Path("bloomlane."))
	if !strings.Contains(stderr.String(), "file too large (TMPDIR may name another folder)") ||
		strings.Count(stderr.String(), "\n") != 1 {
		t.Errorf("stderr %q, want a line with what to do", stderr)
	}
	if !maps.Equal(s.Content(), before) {
		t.Error("the folder has changed")
	}
}

// memory runs a command that writes a filter to standard output, and returns the size of the
// filter, the memory of the command without pages of files when the filter is made, and the most
// that it had with these. feed runs after the start.
func memory(
	t *testing.T,
	c *exec.Cmd,
	stderr fmt.Stringer,
	feed func(),
) (bytes, anonymous, peak int64) {
	t.Helper()
	filter, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	feed()
	// The first byte of the filter is there when all of it is, and a pipe does not hold all.
	out := bufio.NewReader(filter)
	if _, err := out.Peek(1); err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	anonymous, peak = status(t, c.Process.Pid, "RssAnon"), status(t, c.Process.Pid, "VmHWM")
	bytes, _ = io.Copy(io.Discard, out)
	if err := c.Wait(); err != nil {
		t.Errorf("%v: %s", err, stderr)
	}
	return bytes, anonymous, peak
}

// status returns a size of the memory of a process, in bytes.
func status(t *testing.T, pid int, name string) int64 {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	var kib int64
	_, line, _ := strings.Cut(string(text), "\n"+name+":")
	if _, err := fmt.Sscanf(line, "%d kB", &kib); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return kib << 10
}
