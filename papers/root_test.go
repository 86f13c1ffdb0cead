package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// small is a paper of one sentence and one figure, which is by 3 off where it is called "off".
func small(name string) *claim.Paper {
	off := 0.0
	if name == "off" {
		off = 3
	}
	sample := func(run *trials.Run) claim.Interval {
		number := 2000
		if run.Short {
			number = 20
		}
		all := trials.Recall(run, "values", number,
			func(rng *rand.Rand) float64 { return rng.Float64() + off })
		return claim.Mean(trials.Column(all, func(v *float64) float64 { return *v }))
	}
	return &claim.Paper{Name: name, Title: "A Small Paper", Values: []func(*trials.Run) claim.Value{
		func(run *trials.Run) claim.Value {
			return claim.Value{Name: "mean", Where: "p. 1", Unit: claim.Number, Rule: claim.Around,
				Cells: []claim.Cell{{Published: "0.5", Interval: sample(run)}}}
		},
		func(run *trials.Run) claim.Value {
			return claim.Value{Name: "Values: two points", Unit: claim.Number,
				Panels: []claim.Panel{{X: "x", Y: "y"}},
				Cells: []claim.Cell{{Row: "a", X: 1, Interval: sample(run)},
					{Row: "a", X: 2, Interval: sample(run)}}}
		},
	}}
}

// papers runs the command with small papers.
func papers(args ...string) (stdout string, err error) {
	return papersWith([]*claim.Paper{small("one"), small("two")}, args...)
}

func papersWith(all []*claim.Paper, args ...string) (stdout string, err error) {
	var out, messages bytes.Buffer
	root := newRootCommand(all...)
	root.SetArgs(args)
	root.SetOut(&out)
	root.SetErr(&messages)
	err = root.Execute()
	if messages.Len() > 0 {
		err = errors.Join(err, errors.New(messages.String()))
	}
	return out.String(), err
}

// A verdict that nobody has seen before is printed and marked, and is no error.
func TestVerdictWithoutAReason(t *testing.T) {
	table, err := papersWith([]*claim.Paper{small("off")}, "off")
	if err != nil || !strings.Contains(table, "differs") ||
		!strings.Contains(table, "no reason is written for this verdict") {
		t.Errorf("%v: %s", err, table)
	}
}

func TestOutput(t *testing.T) {
	out := filepath.Join(t.TempDir(), "figures", "of", "papers")
	table, err := papers("one", "--out", out)
	if err != nil || !strings.HasPrefix(table, "A Small Paper\n\n== mean: reproduced ==\n") ||
		!strings.Contains(table, "1 reproduced") {
		t.Errorf("%v: %s", err, table)
	}
	if svg, err := os.ReadFile(filepath.Join(out, "one-values.svg")); err != nil ||
		!bytes.Contains(svg, []byte("<svg")) {
		t.Errorf("%v: %.100s", err, svg)
	}
	first, err := papers("all", "--json", "--short")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(first), "\n")
	for i, name := range []string{"one", "two"} { // a sentence and a figure each
		var v claim.Value
		if err := json.Unmarshal([]byte(lines[2*i]), &v); err != nil || v.Document != name ||
			v.Seed != 1 || v.Cells[0].Trials != 20 ||
			v.Verdict != claim.Undecided { // so few decide nothing
			t.Errorf("%v: %+v", err, v)
		}
	}
	if again, _ := papers("all", "--json", "--short"); len(lines) != 4 || again != first {
		t.Errorf("the same seed gives\n%s, then\n%s", first, again)
	}
	if other, _ := papers("all", "--json", "--short", "--seed", "2"); other == first ||
		!strings.Contains(other, `"seed":2`) {
		t.Errorf("another seed gives %s", other)
	}
}

// The pages have the summary, of the verdicts that the papers' tests hold.
func TestSummary(t *testing.T) {
	var summary strings.Builder
	count, all := map[claim.Verdict]int{}, 0
	for _, paper := range papersToRun() {
		page, err := os.ReadFile(paper.Name + "/README.md")
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(page)) {
			row, found := strings.CutPrefix(line, "| "+paper.Name+" | ")
			if !found {
				continue
			}
			summary.WriteString(line)
			for i, cell := range strings.Split(strings.TrimSuffix(row, " |\n"), " | ") {
				number, err := strconv.Atoi(cell)
				if err != nil {
					t.Fatal(err)
				}
				all += number
				count[claim.Verdicts[i]] += number
			}
		}
	}
	sentence := fmt.Sprintf("Of %d values of five papers %d are reproduced here and %d differ",
		all-count[claim.NotPublished], count[claim.Reproduced], count[claim.Differs])
	for name, want := range map[string]string{
		"../docs/papers.md": summary.String(), "../README.md": sentence,
	} {
		page, err := os.ReadFile(name)
		if words := strings.Join(strings.Fields(string(page)), " "); err != nil ||
			!strings.Contains(words, strings.Join(strings.Fields(want), " ")) {
			t.Errorf("%s lacks this: %v\n%s", name, err, want)
		}
	}
	printed, err := papers("summary", "--short")
	if err != nil || !strings.Contains(printed, "| one | 0 | 1 | 0 | 0 | 1 |") {
		t.Errorf("%v: %s", err, printed)
	}
}

// A figure's points are written with seed and commit.
func TestPoints(t *testing.T) {
	out := t.TempDir()
	if _, err := papers("one", "--out", out, "--seed", "7"); err != nil {
		t.Fatal(err)
	}
	points, err := os.ReadFile(filepath.Join(out, "one-values.csv"))
	lines := strings.Split(strings.TrimSpace(string(points)), "\n")
	if err != nil || len(lines) != 3 || !strings.HasPrefix(lines[1], "values,1,a,1,0.") ||
		!regexp.MustCompile(`,7,([0-9a-f]{40}(-dirty)?|unknown)$`).MatchString(lines[1]) {
		t.Errorf("%v: %s", err, points)
	}
}

// A page has the values, and the reasons.
func TestReport(t *testing.T) {
	page, err := papersWith([]*claim.Paper{small("off")}, "report", "off")
	if err != nil || !strings.Contains(page, "| mean | p. 1 | 0.5 (0.45 to 0.55) |") ||
		!strings.Contains(page, "- **mean**, differs: ") {
		t.Errorf("%v: %s", err, page)
	}
}

func TestUsage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"three": "unknown command", "one two": "unknown command",
		"one --fast":        "unknown flag: --fast",
		"one --seed x":      "invalid argument",
		"one --out " + file: "not a directory",
		"report three":      "unknown command", "report one two": "unknown command",
		"report one --json": "unknown flag: --json", "report one --out x": "unknown flag: --out",
		"summary --json": "unknown flag: --json", "summary --out x": "unknown flag: --out",
	} {
		if stdout, err := papers(strings.Fields(line)...); err == nil ||
			!strings.Contains(err.Error(), want) || stdout != "" {
			t.Errorf("%s: %v, want %q; stdout %q", line, err, want, stdout)
		}
	}
	var stdout, stderr bytes.Buffer
	if code := run([]string{"letter", "--fast"}, &stdout, &stderr); code != exitBad || stdout.Len() > 0 ||
		!strings.HasPrefix(stderr.String(), "papers: ") {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, &stdout, &stderr)
	}
	stderr.Reset()
	if code := run([]string{"letter", "--help"}, &stdout, &stderr); code != exitDone ||
		!strings.Contains(stdout.String(), "--json") || stderr.Len() > 0 {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, &stdout, &stderr)
	}
}
