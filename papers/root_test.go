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
	"strings"
	"testing"
	"testing/fstest"

	"github.com/spf13/pflag"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// small is a paper of one claim and one figure, which is given up where a flag says so. Another
// flag is how far the claim is off.
func small(name string) *claim.Paper {
	var bad bool
	var off float64
	return &claim.Paper{
		Name: name, Title: "A Small Paper",
		Flags: func(flags *pflag.FlagSet) {
			flags.BoolVar(&bad, "bad", false, "")
			flags.Float64Var(&off, "off", 0, "")
		},
		Files: fstest.MapFS{
			"claims.tsv": {Data: []byte("item\twhere\tparameters\tquantity\tmeasured\ttheory\t" +
				"published\trule\treading\twhy\nmean\tp. 1\t\tmean\ttrials\thalf\t0.5\t\t\t\n")},
			"figures.tsv": {Data: []byte("figure\twhere\ttitle\tlayout\tpanel\tlabel\tx\tx axis\t" +
				"y\ty axis\tby\tat\tplace\tcurve\tquantity\tmeasured\ttheory\tparameters\t" +
				"reading\nvalues\t\t\t1 of 100 x 100\t1\t\tx\t\ty\t\tx\t1, 2\t\tvalues\tmean\t" +
				"trials\t\t\t\n")},
			"findings.md": {Data: []byte("It is ${mean; n=1: half}, and not ${mean: none}.")},
		},
		Quantities: func(run *trials.Run) (claim.Quantities, error) {
			if bad {
				return nil, errors.New("bad flag")
			}
			return claim.Quantities{"mean": {
				Trials: func(run *trials.Run, point claim.Parameters) claim.Sample {
					number := 2000
					point.Int("x") // of any value
					if run.Short {
						number = 20
					}
					return claim.Take("values", trials.Recall(run, "values", number,
						func(rng *rand.Rand) float64 { return rng.Float64() + off }),
						func(v *float64) float64 { return *v })
				},
				Formulas: claim.Formulas{"half": func(claim.Parameters) float64 { return 0.5 }},
			}}, nil
		},
	}
}

// papers runs the command with small papers.
func papers(args ...string) (stdout string, err error) {
	var out, messages bytes.Buffer
	root := newRootCommand(small("one"), small("two"))
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
	table, err := papers("one", "--off", "3")
	if err != nil || !strings.Contains(table, "differs") ||
		!strings.Contains(table, "no reason is written for this verdict") {
		t.Errorf("%v: %s", err, table)
	}
}

func TestOutput(t *testing.T) {
	out := filepath.Join(t.TempDir(), "figures", "of", "papers")
	table, err := papers("one", "--out", out)
	if err != nil || !strings.HasPrefix(table, "A Small Paper\n\n== mean ==\n") ||
		!strings.Contains(table, "2,000   reproduced") {
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
	for i, name := range []string{"one", "two"} { // a sentence and two points each
		var c claim.Claim
		if err := json.Unmarshal([]byte(lines[3*i]), &c); err != nil || c.Paper != name ||
			c.Seed != 1 || c.Trials != 20 || c.Verdict != claim.Undecided { // so few decide nothing
			t.Errorf("%v: %+v", err, c)
		}
	}
	if again, _ := papers("all", "--json", "--short"); len(lines) != 6 || again != first {
		t.Errorf("the same seed gives\n%s, then\n%s", first, again)
	}
	if other, _ := papers("all", "--json", "--short", "--seed", "2"); other == first ||
		!strings.Contains(other, `"seed":2`) {
		t.Errorf("another seed gives %s", other)
	}
}

// The pages have the summary, of the verdicts that the papers' tests hold.
func TestSummary(t *testing.T) {
	var claims []claim.Claim
	count := map[claim.Verdict]int{}
	for _, paper := range papersToRun() {
		golden, err := os.ReadFile(filepath.Join(paper.Name, "testdata", "verdicts.tsv"))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(golden)) {
			verdict, _, _ := strings.Cut(line, "\t")
			claims = append(claims, claim.Claim{Paper: paper.Name,
				Verdict: claim.Verdict(verdict)})
			count[claim.Verdict(verdict)]++
		}
	}
	var summary strings.Builder
	if err := claim.WriteSummary(&summary, claims); err != nil {
		t.Fatal(err)
	}
	sentence := fmt.Sprintf("Of %s claims of five papers %s hold here and %d differ",
		quantity.Count(len(claims)-count[claim.NotPublished]),
		quantity.Count(count[claim.Reproduced]+count[claim.InTrend]), count[claim.Differs])
	for name, want := range map[string]string{
		"../docs/measurements.md": summary.String(), "../README.md": sentence,
	} {
		page, err := os.ReadFile(name)
		if words := strings.Join(strings.Fields(string(page)), " "); err != nil ||
			!strings.Contains(words, strings.Join(strings.Fields(want), " ")) {
			t.Errorf("%s lacks this: %v\n%s", name, err, want)
		}
	}
	printed, err := papers("summary", "--short")
	if err != nil || !strings.Contains(printed, "| one | 0 | 0 | 1 | 0 | 0 | 0 | 0 |") {
		t.Errorf("%v: %s", err, printed)
	}
}

// A figure's points are written with seed and commit, and points of such a file are drawn.
func TestPoints(t *testing.T) {
	out, file := t.TempDir(), filepath.Join(t.TempDir(), "mine.csv")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("figure,panel,curve,x,y\nvalues,1,mine,1,0.25\nvalues,2,mine,1,3\nother,1,mine,1,3\n")
	if _, err := papers("one", "--out", out, "--add", file, "--seed", "7"); err != nil {
		t.Fatal(err)
	}
	points, err := os.ReadFile(filepath.Join(out, "one-values.csv"))
	lines := strings.Split(strings.TrimSpace(string(points)), "\n")
	if err != nil || len(lines) != 4 || !strings.HasPrefix(lines[1], "values,1,values,1,0.") ||
		!strings.HasPrefix(lines[3], "values,1,mine,1,0.25,") ||
		!regexp.MustCompile(`,7,([0-9a-f]{40}(-dirty)?|unknown)$`).MatchString(lines[1]) {
		t.Errorf("%v: %s", err, points)
	}
	svg, err := os.ReadFile(filepath.Join(out, "one-values.svg"))
	if err != nil || !bytes.Contains(svg, []byte("mine")) {
		t.Errorf("%v: the figure lacks the points", err)
	}
	for text, want := range map[string]string{
		"":      "expected [\"figure\"",
		"a,b\n": "found other columns",
		"figure,panel,curve,x,y\nvalues,one,mine,1,2\n": "line 2",
		"figure,panel,curve,x,y\nvalues,1,mine,1,NaN\n": "line 2",
		"figure,panel,curve,x,y\nvalues,1,mine,1,\"2\n": "bad points",
	} {
		write(text)
		if _, err := papers("one", "--add", file); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := papers("one", "--add", filepath.Join(out, "none")); err == nil {
		t.Error("a file that is not there is read")
	}
}

// A report has the findings with their numbers, and the reasons.
func TestReport(t *testing.T) {
	page, err := papers("report", "one", "--off", "3")
	if err != nil || !strings.Contains(page, "It is 0.5, and not ?.") ||
		!strings.Contains(page, "## What differs, and why\n\n- **mean**. p. 1: mean, published") {
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
		"one --fast":   "unknown flag: --fast",
		"one --seed x": "invalid argument",
		"one --bad":    "bad flag", "one --out " + file: "not a directory",
		"all --bad": "unknown flag: --bad",
	} {
		if stdout, err := papers(strings.Fields(line)...); err == nil ||
			!strings.Contains(err.Error(), want) || stdout != "" {
			t.Errorf("%s: %v, want %q; stdout %q", line, err, want, stdout)
		}
	}
	var stdout, stderr bytes.Buffer
	if code := run([]string{"letter", "--words", filepath.Join(file, "none")}, &stdout,
		&stderr); code != exitBad || stdout.Len() > 0 ||
		!strings.HasPrefix(stderr.String(), "papers: ") {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, &stdout, &stderr)
	}
	stderr.Reset()
	if code := run([]string{"letter", "--help"}, &stdout, &stderr); code != exitDone ||
		!strings.Contains(stdout.String(), "--words") || stderr.Len() > 0 {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, &stdout, &stderr)
	}
}
