package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/bench/report"
	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/kernel"
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
		{"--sizes 16", exitBad, `size "16"`},
		{"--sizes 16kB", exitBad, `size "16kB"`},
		{"--sizes -16KiB", exitBad, `size "-16KiB"`},
		{"--sizes 64GiB,16MiB --parts none", exitBad, `--parts "none"`}, // after the sizes
		{"--sizes=", exitBad, "--sizes names none"},
		{"--sizes 16KiB,", exitBad, `size ""`},
		{"--rounds 0", exitBad, "--rounds 0: want 1 to 1000"},
		{"--parts floors", exitBad, `--parts "floors": want kernels, bytes or peers`},
		{"--rounds x", exitBad, "--rounds"},
		{"compare A", exitBad, "accepts 2 arg(s)"},
		{"compare testdata/none.json testdata/none.json", exitBad, "none.json"},
		{"figures", exitBad, "requires at least 1 arg"},
		{"figures none.md --results results", exitBad, "none.md"},
		{"render main.go", exitBad, "main.go: malformed run"},
		{"render results/none", exitBad, "results/none"},
		{"render --text --benchstat results/none", exitBad, "benchstat text"},
		{"compare --change -1 a b", exitBad, "--change -1"},
	} {
		bench(t, test.code, test.wants, strings.Fields(test.args)...)
	}
}

// A committed report is what its recording says, as the command renders it today, and small.
func TestCommittedReports(t *testing.T) {
	total := 0
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
		for name := range names {
			want, missing := os.ReadFile(filepath.Join(rendered, name))
			got, err := os.ReadFile(filepath.Join(committed, name))
			if err = errors.Join(err, missing); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s differs from what is rendered (%v): run \"go run ./bench render %s\"",
					name, err, file)
			}
			total += len(got)
		}
	}
	if total > 1<<20 {
		t.Errorf("the reports take %d bytes, want 1 MiB at most", total)
	}
}

// The figures of a page are those of the recordings, of every machine.
func TestFigures(t *testing.T) {
	for _, page := range pages(t) {
		want, err := withFigures(page, "results")
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(page)
		if err != nil || string(got) != want {
			t.Errorf("%s has other figures than the recordings (%v): run \"make pages\"", page, err)
		}
	}
	results, _ := filepath.Abs("results")
	page := filepath.Join(t.TempDir(), "page.md")
	for _, test := range []struct {
		text  string
		code  int
		wants string
	}{
		{"a\n<!-- figures: floors -->\n| old |\n<!-- end of figures -->\nb\n", exitDone, ""},
		{"<!-- figures: none -->\n<!-- end of figures -->\n", exitBad,
			`a block "none", expected one of bytes, costs, floors, growth, kinds, lasting, peers, ` +
				`readme-peers, singles`},
		{"<!-- figures: bytes -->\n", exitBad, "no end of block bytes"},
	} {
		if err := os.WriteFile(page, []byte(test.text), 0o666); err != nil {
			t.Fatal(err)
		}
		bench(t, test.code, test.wants, "figures", "--results", results, page)
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if test.code == exitBad && string(text) != test.text {
			t.Errorf("the page was written: %s", text)
		}
		if test.code == exitDone && (strings.Contains(string(text), "old") ||
			!strings.HasPrefix(string(text), "a\n") ||
			!strings.HasSuffix(string(text), "-->\nb\n") ||
			strings.Count(string(text), "/README.md) |") != len(recordings(t))) {
			t.Errorf("the page is %s", text)
		}
	}
	bench(t, exitBad, "0 recordings", "figures", "--results", t.TempDir(), page)
}

// The headings of docs/measurements.md that stand above figures have the commits of all recordings
// that have these.
func TestCommitsOfMeasurements(t *testing.T) {
	page, err := os.ReadFile("../docs/measurements.md")
	if err != nil {
		t.Fatal(err)
	}
	commits := map[string]string{} // by the name of the machine
	for _, file := range recordings(t) {
		r, folder, err := report.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		commits[filepath.Base(folder)] = r.Revision[:7]
	}
	checked := 0
	for _, section := range strings.Split(string(page), "\n## ") {
		heading, text, _ := strings.Cut(section, "\n")
		for machine, commit := range commits {
			if !strings.Contains(text, "| ["+machine+"](") {
				continue
			}
			if checked++; !strings.Contains(heading, commit) {
				t.Errorf("%q has figures of %s, which are of commit %s", heading, machine, commit)
			}
		}
	}
	if checked < 2*len(commits) {
		t.Errorf("%d sections with figures", checked)
	}
}

// pages are those of the tree that have figures.
func pages(t *testing.T) (pages []string) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == ".git" || entry.Name() == ".build"):
			return fs.SkipDir
		case filepath.Ext(path) != ".md":
			return nil
		}
		text, err := os.ReadFile(path)
		if bytes.Contains(text, []byte("\n<!-- figures: ")) {
			pages = append(pages, path)
		}
		return err
	})
	if err != nil || !slices.Contains(pages, filepath.Join("..", "README.md")) {
		t.Fatalf("pages with figures: %v (%v), want README.md among them", pages, err)
	}
	return pages
}

// The picture of the README is that of the latest recording, and small.
func TestPicture(t *testing.T) {
	page, picture := filepath.Join(t.TempDir(), "page.md"), filepath.Join(t.TempDir(), "a.svg")
	copyFile(t, page, "../README.md")
	bench(t, exitDone, "", "figures", "--results", "results", "--picture", picture, page)
	want, err := os.ReadFile(picture)
	if err != nil {
		t.Fatal(err)
	}
	others := t.TempDir() // of hashes alone
	for _, folder := range []string{"amd-epyc-zen5", "churn", "growth", "streams"} {
		copied := filepath.Join(others, folder)
		if err := os.CopyFS(copied, os.DirFS(filepath.Join("results", folder))); err != nil {
			t.Fatal(err)
		}
	}
	bench(t, exitBad, "no recording of filters beside", "figures", "--results", others,
		"--picture", picture, page)
	got, err := os.ReadFile("results/readme.svg")
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("readme.svg differs from what is drawn (%v): run \"make pages\"", err)
	}
	if len(got) > 40<<10 {
		t.Errorf("readme.svg takes %d bytes, want 40 KiB at most", len(got))
	}
}

// bench runs the command, whose output is to have something.
func bench(t *testing.T, code int, want string, args ...string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	got := run(args, &stdout, &stderr)
	if text := stdout.String() + stderr.String(); got != code || !strings.Contains(text, want) {
		t.Errorf("%q: exit code %d, want %d and %q: %.2000s", args, got, code, want, text)
	}
	if code == exitBad && stdout.Len() > 0 || code != exitBad && stderr.Len() > 0 {
		t.Errorf("%q: stdout %.2000q, stderr %q: a result with an error, or a message without",
			args, &stdout, &stderr)
	}
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
	for flag, want := range map[string]string{"--text": "== Latency ==", "--benchstat": "ns/key"} {
		out := t.TempDir()
		name := filepath.Join(out, "run.json.gz")
		copyFile(t, name, recordings(t)[0])
		bench(t, exitDone, want, "render", flag, name)
		if entries, err := os.ReadDir(out); len(entries) != 1 || err != nil {
			t.Errorf("%s: %d files (%v)", flag, len(entries), err)
		}
	}
}

// A run compared with itself has no change; with one of a slower kernel the exit code says so.
func TestCompare(t *testing.T) {
	before := recordings(t)[0]
	write := func(name string, spoil func(r *result.Run)) string {
		r, _, err := report.Read(before)
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
					if s.Samples[i] *= 1.3; s.Kind == result.Implementation &&
						g.Operation == "delete" {
						s.Samples[i] *= 1.5
					}
				}
			}
		}
		// these are slower all
		r.Groups = slices.DeleteFunc(r.Groups,
			func(g result.Group) bool { return g.FloorSamples() == nil })
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
		bench(t, test.code, test.wants, append([]string{"compare"}, test.args...)...)
	}
}

// lineVariable holds the arguments with which TestMainOfChild runs main.
const lineVariable = "BLOOMLANE_TEST_LINE"

// TestMainOfChild is the command itself in a process of its own.
func TestMainOfChild(t *testing.T) {
	if line, set := os.LookupEnv(lineVariable); set {
		os.Args = append(os.Args[:1], strings.Fields(line)...)
		main() // exits
	}
}

// Nothing is measured where BLOOMLANE_KERNEL names what this CPU cannot run.
func TestKernelVariableThatCannotRun(t *testing.T) {
	err := &kernel.UnavailableError{Name: "avx3", Available: kernel.Implementations()}
	want := "bench: " + err.Error() + "\n"
	for _, line := range []string{"--quick", "render a", "compare a b"} {
		var stdout, stderr strings.Builder
		child := exec.Command(os.Args[0], "-test.run=^TestMainOfChild$")
		child.Env = append(os.Environ(), kernel.Variable+"=avx3", lineVariable+"="+line)
		child.Stdout, child.Stderr = &stdout, &stderr
		_ = child.Run() // the exit code says more
		if code := child.ProcessState.ExitCode(); code != exitBad || stdout.Len() > 0 ||
			stderr.String() != want {
			t.Errorf("%q: exit code %d, want %d; stdout %q; stderr %q, want %q",
				line, code, exitBad, &stdout, &stderr, want)
		}
	}
}
