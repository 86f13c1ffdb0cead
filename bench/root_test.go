package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/bench/report"
	"github.com/bloomlane/bloomlane/bench/result"
)

func TestUsage(t *testing.T) {
	for _, test := range []struct {
		args  string
		code  int
		wants string
	}{
		{"--help", exitDone, "--quick"},
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
		{"--rounds x", exitBad, "--rounds"},
		{"compare A", exitBad, "accepts 2 arg(s)"},
		{"compare testdata/none.json testdata/none.json", exitBad, "none.json"},
		{"render main.go", exitBad, "main.go: malformed run"},
		{"render results/none", exitBad, "results/none"},
		{"render --text --benchstat results/none", exitBad, "benchstat text"},
		{"compare --change -1 a b", exitBad, "--change -1"},
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

// A committed report is what its recording says, as the command renders it today, and small.
func TestCommittedReports(t *testing.T) {
	total := int64(0)
	for _, file := range recordings(t) {
		out := t.TempDir()
		recording, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(out, report.ResultFile), recording, 0o666); err != nil {
			t.Fatal(err)
		}
		var stdout, stderr bytes.Buffer
		if code := run([]string{"render", out}, &stdout, &stderr); code != exitDone {
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
			got, err := os.ReadFile(filepath.Join(filepath.Dir(file), name))
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: differs from what is rendered (%v): run \"go run ./bench render %s\"", name, err, file)
			}
			total += int64(len(got))
		}
	}
	if total > 1<<20 {
		t.Errorf("the reports take %d bytes, want 1 MiB at most", total)
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
	for flag, want := range map[string]string{"--text": "== Latency ==", "--benchstat": "ns/key"} {
		out := t.TempDir()
		name := filepath.Join(out, "run.json.gz")
		recording, err := os.ReadFile(recordings(t)[0])
		if err == nil {
			err = os.WriteFile(name, recording, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
		var stdout, stderr bytes.Buffer
		if code := run([]string{"render", flag, name}, &stdout, &stderr); code != exitDone || !strings.Contains(stdout.String(), want) {
			t.Errorf("%s: exit code %d, %s; nothing has %q", flag, code, &stderr, want)
		}
		if entries, err := os.ReadDir(out); len(entries) != 1 || err != nil {
			t.Errorf("%s: %d files (%v)", flag, len(entries), err)
		}
	}
}

// A run compared with itself has no change; with one of a slower kernel the exit code says so.
func TestCompare(t *testing.T) {
	before := recordings(t)[0]
	write := func(name string, spoil func(r *result.Run)) string {
		r, _, err := readRun(before)
		if err != nil {
			t.Fatal(err)
		}
		spoil(r)
		name = filepath.Join(t.TempDir(), name)
		file, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(r.Write(file), file.Close()); err != nil {
			t.Fatal(err)
		}
		return name
	}
	slower := write("slower.json", func(r *result.Run) {
		for _, g := range r.Groups {
			for _, s := range g.Subjects {
				for i := range s.Samples {
					if s.Samples[i] *= 1.3; s.Kind == result.Implementation && g.Operation == "delete" {
						s.Samples[i] *= 1.5
					}
				}
			}
		}
		r.Groups = slices.DeleteFunc(r.Groups, func(g result.Group) bool { return g.FloorSamples() == nil }) // these are slower all
	})
	other := write("other.json", func(r *result.Run) { r.CPU = "another" })
	old := filepath.Join(t.TempDir(), "old.json")
	if err := os.WriteFile(old, []byte(`{"schema": 1, "timings": []}`), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args  []string
		code  int
		wants string
	}{
		{[]string{before, filepath.Dir(before)}, exitDone, " 0 slower, 0 faster"},
		{[]string{before, slower}, exitSlower, "Delete/block=512"},
		{[]string{"--json", before, slower}, exitSlower, `"outcome":"slower"`},
		{[]string{"--change", "0.6", before, slower}, exitDone, " 0 slower"},
		{[]string{slower, before}, exitDone, " faster"},
		{[]string{before, other}, exitBad, "different machines"},
		{[]string{old, before}, exitBad, "run of schema 1, want 2"},
	} {
		var stdout, stderr bytes.Buffer
		code := run(append([]string{"compare"}, test.args...), &stdout, &stderr)
		if text := stdout.String() + stderr.String(); code != test.code || !strings.Contains(text, test.wants) || code != exitBad && stderr.Len() > 0 {
			t.Errorf("%v: exit code %d, want %d and %q: %.2000s", test.args, code, test.code, test.wants, text)
		}
	}
}
