package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/bench/result"
)

func TestUsage(t *testing.T) {
	for _, test := range []struct {
		args  string
		code  int
		wants string
	}{
		{"--help", exitDone, "--quick"},
		{"sweep --help", exitDone, "--sizes"},
		{"compare --help", exitDone, "--significance"},
		{"quick", exitBad, "unknown command"},
		{"--fast", exitBad, "unknown flag: --fast"},
		{"--sizes 17KiB", exitBad, `size "17KiB": want a power of two from 16 KiB to 64 GiB`},
		{"--sizes 8KiB", exitBad, "from 16 KiB"},
		{"--sizes 128GiB", exitBad, "to 64 GiB"},
		{"--sizes 99999999999999999999GiB", exitBad, "to 64 GiB"},
		{"--sizes=", exitBad, "--sizes names none"},
		{"--sizes 16KiB,", exitBad, `size ""`},
		{"--rounds 0", exitBad, "--rounds 0: want 1 to 1000"},
		{"--parts floors", exitBad, `--parts "floors": want kernels or peers`},
		{"sweep 16KiB", exitBad, "16KiB"},
		{"sweep --rounds x", exitBad, "--rounds"},
		{"compare A", exitBad, "accepts 2 arg(s)"},
		{"compare testdata/none.json testdata/none.json", exitBad, "none.json"},
		{"render main.go .", exitBad, "main.go: malformed run"},
	} {
		var stdout, stderr bytes.Buffer
		code := run(strings.Fields(test.args), &stdout, &stderr)
		if text := stdout.String() + stderr.String(); code != test.code || !strings.Contains(text, test.wants) {
			t.Errorf("%q: exit code %d, want %d; %s, want %s", test.args, code, test.code, text, test.wants)
		}
		if code != exitDone && stdout.Len() > 0 {
			t.Errorf("%q: a result on stdout: %s", test.args, &stdout)
		}
	}
}

// A committed report is what its JSON says, as the command renders it today.
func TestCommittedReports(t *testing.T) {
	reports, err := filepath.Glob("results/*/result.json")
	if err != nil || len(reports) == 0 {
		t.Fatalf("%d reports, error %v", len(reports), err)
	}
	for _, file := range reports {
		out := t.TempDir()
		var stdout, stderr bytes.Buffer
		if code := run([]string{"render", file, out}, &stdout, &stderr); code != exitDone {
			t.Fatalf("%s: exit code %d: %s", file, code, &stderr)
		}
		names := map[string]bool{}
		for _, folder := range []string{out, filepath.Dir(file)} {
			entries, err := os.ReadDir(folder)
			if err != nil {
				t.Fatal(err)
			}
			for _, entry := range entries {
				names[entry.Name()] = true
			}
		}
		for name := range names {
			want, err := os.ReadFile(filepath.Join(out, name))
			if err != nil {
				t.Errorf("%s: no such file is rendered", name)
				continue
			}
			if got, err := os.ReadFile(filepath.Join(filepath.Dir(file), name)); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: differs from what is rendered (%v): run \"go run ./bench render %s DIR\"", name, err, file)
			}
		}
	}
}

// A run compared with itself has no change; with one of a slower kernel the exit code says so.
func TestCompare(t *testing.T) {
	reports, err := filepath.Glob("results/*/result.json")
	if err != nil || len(reports) == 0 {
		t.Fatalf("%d reports, error %v", len(reports), err)
	}
	r, err := readRun(reports[0])
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Timings {
		if timing := &r.Timings[i]; timing.Kind == result.Kernel && timing.Operation == "delete" {
			for j := range timing.Samples {
				timing.Samples[j] *= 2
			}
		}
	}
	slower := filepath.Join(t.TempDir(), "slower.json")
	file, err := os.Create(slower)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(r.Write(file), file.Close()); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args []string
		code int
	}{
		{[]string{"compare", reports[0], reports[0]}, exitDone},
		{[]string{"compare", reports[0], slower}, exitSlower},
		{[]string{"compare", "--json", reports[0], slower}, exitSlower},
		{[]string{"compare", "--change", "3", reports[0], slower}, exitDone},
		{[]string{"compare", slower, reports[0]}, exitDone},
	} {
		var stdout, stderr bytes.Buffer
		if code := run(test.args, &stdout, &stderr); code != test.code || stderr.Len() > 0 {
			t.Errorf("%v: exit code %d, want %d: %s", test.args, code, test.code, &stderr)
		}
	}
}
