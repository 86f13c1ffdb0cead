package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/bench/report"
	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/bench/studies/recording/recordingtest"
	"github.com/bloomlane/bloomlane/internal/atomicfile"
)

// The recordings.
const (
	ofBench   = "../results"
	ofStudies = "results"
)

// The figures of a page are those of the recordings, of every machine.
func TestFigures(t *testing.T) {
	for _, page := range pages(t) {
		want, err := withFigures(page, ofBench, ofStudies)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(page)
		if err != nil || string(got) != want {
			t.Errorf("%s has other figures than the recordings (%v): run \"make pages\"", page, err)
		}
	}
	machines, err := report.ReadAll(ofBench)
	if err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(t.TempDir(), "page.md")
	for _, test := range []struct {
		text  string
		code  int
		wants string
	}{
		{"a\n<!-- figures: floors -->\n| old |\n<!-- end of figures -->\nb\n", exitDone, ""},
		{"<!-- figures: none -->\n<!-- end of figures -->\n", exitBad,
			`a block "none", expected one of billion, choices, floors, lasting, ` +
				`machines, pebble, peers, readme-peers, singles`},
		{"<!-- figures: floors -->\n", exitBad, "no end of block floors"},
	} {
		if err := os.WriteFile(page, []byte(test.text), 0o666); err != nil {
			t.Fatal(err)
		}
		figures(t, test.code, test.wants, "--bench", ofBench, page)
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
			strings.Count(string(text), "/README.md) |") != len(machines)) {
			t.Errorf("the page is %s", text)
		}
	}
	figures(t, exitBad, "0 recordings", "--bench", t.TempDir(), page)
	none := t.TempDir()
	studies(t, exitBad, none, "figures", "--bench", ofBench, "--studies", none, page)
}

// figures runs the command on the committed recordings of studies.
func figures(t *testing.T, code int, want string, args ...string) {
	t.Helper()
	studies(t, code, want, append([]string{"figures", "--studies", ofStudies}, args...)...)
}

// pages are those of the tree that have figures.
func pages(t *testing.T) (pages []string) {
	t.Helper()
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
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
	if err != nil || !slices.Contains(pages, filepath.Join("..", "..", "README.md")) {
		t.Fatalf("pages with figures: %v (%v), want README.md among them", pages, err)
	}
	return pages
}

// Another machine's recording, taken in, fills the row that is empty in the README.
func TestTake(t *testing.T) {
	run, _, err := report.Read(filepath.Join(ofBench, "amd-epyc-zen4"))
	if err != nil {
		t.Fatal(err)
	}
	run.CPU, run.Platform, run.Implementations = "Neoverse-V2", "linux/arm64", []string{"neon"}
	run.Accuracy, run.Groups = nil, slices.DeleteFunc(run.Groups,
		func(g result.Group) bool { return g.Form != result.FormBatch || g.Against != "" })
	for _, g := range run.Groups {
		for i := range g.Subjects {
			if g.Subjects[i].Name == "avx512" {
				g.Subjects[i].Name = "neon"
			}
		}
	}
	root := t.TempDir()
	page, sent := filepath.Join(root, "README.md"), filepath.Join(root, report.ResultFile)
	machines := filepath.Join(root, "bench", "results")
	readme, err := os.ReadFile("../../README.md")
	err = errors.Join(err, os.CopyFS(machines, os.DirFS(ofBench)),
		os.WriteFile(page, readme, 0o666), atomicfile.Write(sent, 0o666, run.WriteGzip),
		report.Take(machines, "graviton", sent))
	if err != nil {
		t.Fatal(err)
	}
	figures(t, exitDone, "", "--bench", machines, page)
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var rows []string // by what differs
	for line := range strings.Lines(string(got)) {
		if !bytes.Contains(readme, []byte(line)) {
			rows = append(rows, line)
		}
	}
	const want, none = "| [graviton](bench/results/graviton/README.md) | Neoverse-V2, ",
		"| none yet |"
	if len(rows) != 1 || !strings.HasPrefix(rows[0], want) ||
		bytes.Contains(got, []byte(none)) || !bytes.Contains(readme, []byte(none)) {
		t.Errorf("new lines %q, want a row of the machine in the place of the empty one", rows)
	}
}

// The file of a machine, taken in, gives back its folder and its rows of the README, byte for byte.
func TestTakeAgain(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{readmeMachine, "intel-xeon"} {
		root := t.TempDir()
		page, machines := filepath.Join(root, "README.md"), filepath.Join(root, "bench", "results")
		write := func() string {
			figures(t, exitDone, "", "--bench", machines, page)
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
		committed, taken := filepath.Join(ofBench, name), filepath.Join(machines, name)
		row := "\n| [" + name + "](bench/results/" + name + "/README.md) | "
		if err := errors.Join(os.CopyFS(machines, os.DirFS(ofBench)), os.RemoveAll(taken),
			os.WriteFile(page, readme, 0o666)); err != nil {
			t.Fatal(err)
		}
		if text := write(); strings.Contains(text, row) {
			t.Errorf("%s has a row before it is taken in:\n%s", name, text)
		}
		if err := report.Take(machines, name, filepath.Join(committed, report.ResultFile)); err !=
			nil {
			t.Fatal(err)
		}
		if text := write(); text != string(readme) || !strings.Contains(text, row) {
			t.Errorf("with %s taken in the README is another", name)
		}
		recordingtest.SameFiles(t, committed, taken, report.ReadmeFile)
	}
}

// The picture of the README is that of its machine's recording, and small.
func TestPicture(t *testing.T) {
	page, picture := filepath.Join(t.TempDir(), "page.md"), filepath.Join(t.TempDir(), "a.svg")
	text, err := os.ReadFile("../../README.md")
	if err == nil {
		err = os.WriteFile(page, text, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	figures(t, exitDone, "", "--bench", ofBench, "--picture", picture, page)
	want, err := os.ReadFile(picture)
	if err != nil {
		t.Fatal(err)
	}
	others := t.TempDir()
	const another = "intel-xeon"
	if err := os.CopyFS(filepath.Join(others, another),
		os.DirFS(filepath.Join(ofBench, another))); err != nil {
		t.Fatal(err)
	}
	figures(t, exitBad, "no recording of filters beside", "--bench", others,
		"--picture", picture, page)
	got, err := os.ReadFile(filepath.Join(ofBench, "readme.svg"))
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("readme.svg differs from what is drawn (%v): run \"make pages\"", err)
	}
	if len(got) > 40<<10 {
		t.Errorf("readme.svg takes %d bytes, want 40 KiB at most", len(got))
	}
}
