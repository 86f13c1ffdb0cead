package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/fallback"
)

const mebibyte = 1 << 20

// buildMembers is how many keys TestBuildMemory gives to build, where it is set.
const buildMembers = "BLOOMLANE_BUILD_MEMBERS"

// Build needs memory for the filter and for buffers, and none for each key. The figures of
// docs/measurements.md are those of BLOOMLANE_BUILD_MEMBERS=50000000, which takes a minute.
func TestBuildMemory(t *testing.T) {
	if fallback.Race {
		t.Log("the race detector has memory of its own")
		return
	}
	members := 6_000_000
	if text := os.Getenv(buildMembers); text != "" {
		var err error
		if members, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	s := newShell(t)
	s.write("k", fixedKey)
	c, stderr := s.command("build", "-o", "-", "--key", "@k", "--quiet")
	c.Env = append(c.Env, "TMPDIR="+s.folder)
	keys, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	anonymous := int64(0)
	bytes, peak := memory(t, c, stderr, func() {
		lines := bufio.NewWriterSize(keys, 1<<16)
		for n := range members {
			if n%mebibyte == 0 {
				anonymous = max(anonymous, status(t, c.Process.Pid, "RssAnon"))
			}
			lines.WriteString(strconv.Itoa(n))
			lines.WriteByte('\n')
		}
		if err := lines.Flush(); err != nil {
			t.Fatal(err)
		}
		if left, _ := os.ReadDir(s.folder); len(left) != 1 {
			t.Errorf("while hashes are in a temporary file the folder holds %v", left)
		}
		_ = keys.Close()
	})
	t.Logf("%d keys in %d MiB: anonymous %d MiB at most while keys are read, peak %d MiB", members,
		bytes/mebibyte, anonymous/mebibyte, peak/mebibyte)
	if most := bytes + 200*mebibyte; peak > most {
		t.Errorf("a build of %d keys has a peak of %d MiB, want at most %d", members,
			peak/mebibyte, most/mebibyte)
	}
	s.files("k")
}

// Merge needs memory for few of its inputs, however many there are.
func TestMergeMemory(t *testing.T) {
	if fallback.Race {
		t.Log("the race detector has memory of its own")
		return
	}
	const filters = 20
	s := newShell(t)
	s.write("k", fixedKey)
	line := []string{"merge", "-o", "-", "--key", "@k"}
	for i := range filters {
		name := fmt.Sprint("@f", i)
		s.run(exitYes, numbers(i, i+1), "build", "-o", name, "--members", "8000000", "--key", "@k")
		line = append(line, name)
	}
	c, stderr := s.command(line...)
	bytes, peak := memory(t, c, stderr, func() {})
	t.Logf("%d filters of %d MiB: peak %d MiB", filters, bytes/mebibyte, peak/mebibyte)
	if most := 5*bytes + 100*mebibyte; peak > most {
		t.Errorf("a merge of %d filters of %d MiB has a peak of %d MiB, want at most %d", filters,
			bytes/mebibyte, peak/mebibyte, most/mebibyte)
	}
}

// memory runs a command that writes a filter to standard output, and returns the size of the filter
// and the most memory that the command had. feed runs after the start.
func memory(t *testing.T, c *exec.Cmd, stderr fmt.Stringer, feed func()) (bytes, peak int64) {
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
	peak = status(t, c.Process.Pid, "VmHWM")
	bytes, _ = io.Copy(io.Discard, out)
	if err := c.Wait(); err != nil {
		t.Errorf("%v: %s", err, stderr)
	}
	return bytes, peak
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
