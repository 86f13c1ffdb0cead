package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/fallback"
)

// buildMembers is how many keys TestBuildMemory gives to build, where it is set.
const buildMembers = "BLOOMLANE_BUILD_MEMBERS"

// Build needs memory for the filter and for buffers, and none for each key. The figures of
// docs/measurements.md are those of BLOOMLANE_BUILD_MEMBERS=50000000, which takes a minute.
func TestBuildMemory(t *testing.T) {
	if fallback.Race {
		t.Log("the race detector has memory of its own")
		return
	}
	const mebibyte = 1 << 20
	members := 6_000_000
	if text := os.Getenv(buildMembers); text != "" {
		var err error
		if members, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	s := newShell(t)
	s.write("k", fixedKey)
	for _, kind := range []string{"deletable", "plain"} {
		c, stderr := s.command("build", "-o", "-", "--key", "@k", "--kind", kind, "--quiet")
		c.Env = append(c.Env, "TMPDIR="+s.folder)
		keys, err := c.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		filter, err := c.StdoutPipe()
		if err == nil {
			err = c.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		anonymous := int64(0)
		look := func() {
			anonymous = max(anonymous, status(t, c.Process.Pid, "RssAnon"))
		}
		lines := bufio.NewWriterSize(keys, 1<<16)
		for n := range members {
			if n%mebibyte == 0 {
				look()
			}
			lines.WriteString(strconv.Itoa(n))
			lines.WriteByte('\n')
		}
		if err := lines.Flush(); err != nil {
			t.Fatal(err)
		}
		_ = keys.Close()
		// The first byte of the filter is there when all of it is, and more than a pipe holds.
		out := bufio.NewReader(filter)
		if _, err := out.Peek(1); err != nil {
			t.Fatalf("%v: %s", err, stderr)
		}
		look()
		peak := status(t, c.Process.Pid, "VmHWM")
		bytes, _ := io.Copy(io.Discard, out)
		if err := c.Wait(); err != nil {
			t.Errorf("%v: %s", err, stderr)
		}
		t.Logf("%s: %d keys in %d MiB: anonymous %d MiB, peak %d MiB", kind, members,
			bytes/mebibyte, anonymous/mebibyte, peak/mebibyte)
		if most := bytes + 200*mebibyte; peak > most {
			t.Errorf("%s: a build of %d keys has a peak of %d MiB, want at most %d", kind, members,
				peak/mebibyte, most/mebibyte)
		}
	}
	s.files("k")
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
