package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/bench/report"
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
		{"--help", exitDone, "--quick"},
		{"quick", exitBad, "found quick, expected a command"},
		{"--fast", exitBad, "unknown flag: --fast"},
		{"--sizes 17KiB", exitBad, `size "17KiB": want a power of two from 16 KiB to 64 GiB`},
		{"--sizes 8KiB", exitBad, "from 16 KiB"},
		{"--sizes 128GiB", exitBad, "to 64 GiB"},
		{"--sizes 99999999999999999999GiB", exitBad, "to 64 GiB"},
		{"--sizes 16", exitBad, `size "16"`},
		{"--sizes 16kB", exitBad, `size "16kB"`},
		{"--sizes -16KiB", exitBad, `size "-16KiB"`},
		{"--sizes 64GiB,16MiB --parts none", exitBad, `--parts "none"`}, // after the sizes
		{"--sizes=", exitBad, "--sizes names none"},
		{"--sizes 16KiB,", exitBad, `size ""`},
		{"--rounds 0", exitBad, "--rounds 0: want 1 to 1000"},
		{"--parts floors", exitBad, `--parts "floors": want some of kernels, hashes, bytes, peers`},
		{"--rounds x", exitBad, "--rounds"},
		{"render main.go", exitBad, "main.go: malformed run"},
		{"render results/none", exitBad, "results/none"},
		{"render --text --benchstat results/none", exitBad, "expected one of them"},
		{"take a", exitBad, "expected bench take NAME RECORDING"},
		{"take ../a results/none", exitBad, `found the name "../a", expected at most 40`},
		{"take --results results none main.go", exitBad, "main.go: malformed run"},
	} {
		bench(t, test.code, test.wants, strings.Fields(test.args)...)
	}
}

// A committed report is what its recording says, as the command renders it today, and small.
func TestCommittedReports(t *testing.T) {
	const most = 420 << 10 // bytes of one machine's report
	for _, file := range recordings(t) {
		committed, rendered := filepath.Dir(file), t.TempDir()
		names := map[string]bool{}
		copyFile(t, filepath.Join(rendered, report.ResultFile), file)
		bench(t, exitDone, "", "render", rendered)
		for _, folder := range []string{rendered, committed} {
			entries, err := os.ReadDir(folder)
			if err != nil {
				t.Fatal(err)
			}
			for _, entry := range entries {
				names[entry.Name()] = true
			}
		}
		total := 0
		for name := range names {
			want, missing := os.ReadFile(filepath.Join(rendered, name))
			got, err := os.ReadFile(filepath.Join(committed, name))
			if err = errors.Join(err, missing); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s differs from what is rendered (%v): run \"go run ./bench render %s\"",
					name, err, file)
			}
			total += len(got)
		}
		if total > most {
			t.Errorf("%s: the report takes %d bytes, want %d at most", committed, total, most)
		}
	}
}

// bench runs the command, whose output is to have something.
func bench(t *testing.T, code int, want string, args ...string) {
	t.Helper()
	commandtest.New(t, run).Prints(code, want, args...)
}

func copyFile(t *testing.T, to, from string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, text, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func recordings(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("results/*/" + report.ResultFile)
	if err != nil || len(files) == 0 {
		t.Fatalf("%d recordings, error %v", len(files), err)
	}
	return files
}

// What is printed of a recording is all tables, or what benchstat reads, and no file is written.
func TestRenderPrints(t *testing.T) {
	for flag, want := range map[string]string{"--text": "Latency of", "--benchstat": "ns/key"} {
		out := t.TempDir()
		name := filepath.Join(out, "run.json.gz")
		copyFile(t, name, recordings(t)[0])
		bench(t, exitDone, want, "render", flag, name)
		if entries, err := os.ReadDir(out); len(entries) != 1 || err != nil {
			t.Errorf("%s: %d files (%v)", flag, len(entries), err)
		}
	}
}

// Nothing is measured where BLOOMLANE_KERNEL names what this CPU cannot run.
func TestKernelVariableThatCannotRun(t *testing.T) {
	commandtest.New(t, run).NeedsKernel("bench", "--quick", "render a")
}

func TestMain(m *testing.M) {
	if os.Getenv(commandtest.Variable) != "" {
		main()
	}
	os.Exit(m.Run())
}
