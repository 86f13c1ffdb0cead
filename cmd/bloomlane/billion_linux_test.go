package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/bloomlane/bloomlane/report/command/commandtest"
)

// BenchmarkBillion has the times of docs/recipes/billion.md: one build from a pipe, and queries of
// a million members and of a million other keys. By BLOOMLANE_BUILD_MEMBERS=1000000000 it takes
// six minutes and 10 GB of disk.
func BenchmarkBillion(b *testing.B) {
	members := membersOfBuild(b, 300_000)
	queries := min(members, 1_000_000)
	folder := b.TempDir()
	filter, key := filepath.Join(folder, "all.blm"), filepath.Join(folder, "users.key")
	if err := os.WriteFile(key, []byte(commandtest.FixedKey), 0o600); err != nil {
		b.Fatal(err)
	}
	shape := fmt.Sprintf("kind=blocked/keys=%d", members)
	b.Run("build/"+shape, func(b *testing.B) {
		for b.Loop() {
			_, used := piped(b, exitYes, 1, members, "build", "-o", filter, "--key", key, "--kind",
				"blocked", "--rate", "0.01", "--members", fmt.Sprint(members), "--quiet")
			info, err := os.Stat(filter)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(used.cpu.Seconds(), "cpu-s")
			b.ReportMetric(float64(used.peak)/mebibyte, "peak-MiB")
			b.ReportMetric(float64(info.Size())/mebibyte, "file-MiB")
			b.ReportMetric(8*float64(info.Size())/float64(members), "bits/key")
		}
	})
	for _, keys := range []struct {
		name        string
		code, first int
	}{{"members", exitYes, members - queries + 1}, {"others", exitNo, members + 1}} {
		b.Run("query/"+shape+"/of="+keys.name, func(b *testing.B) {
			for b.Loop() {
				counts, _ := piped(b, keys.code, keys.first, queries, "query", filter, "--key", key,
					"-", "--count", "--quiet")
				var present, absent int
				_, err := fmt.Sscanf(counts, "present\t%d\nabsent\t%d", &present, &absent)
				if err != nil ||
					present+absent != queries {
					b.Fatalf("%d keys give %q (%v)", queries, counts, err)
				}
				b.ReportMetric(100*float64(present)/float64(queries), "present-%")
			}
		})
	}
}

// use is what a process took.
type use struct {
	cpu  time.Duration
	peak int64 // of its resident set, in bytes
}

// piped runs a command line on the numbers from the first on, a key each, and returns what it
// prints and took. Its exit code must be this one.
func piped(b *testing.B, code, first, keys int, args ...string) (string, use) {
	b.Helper()
	numbers := exec.Command("seq", fmt.Sprint(first), fmt.Sprint(first+keys-1))
	pipe, err := numbers.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	c, out, messages := exec.Command(os.Args[0], args...), &strings.Builder{}, &bytes.Buffer{}
	c.Env = append(os.Environ(), commandtest.Variable+"=1")
	c.Stdin, c.Stdout, c.Stderr = pipe, out, messages
	if err := numbers.Start(); err != nil {
		b.Fatal(err)
	}
	_ = c.Run() // its exit code says how it went
	if err := numbers.Wait(); err != nil || c.ProcessState.ExitCode() != code {
		b.Fatalf("seq: %v; %q: %v, %s", err, args[0], c.ProcessState, messages)
	}
	usage := c.ProcessState.SysUsage().(*syscall.Rusage)
	return out.String(), use{c.ProcessState.UserTime() + c.ProcessState.SystemTime(),
		int64(usage.Maxrss) << 10}
}
