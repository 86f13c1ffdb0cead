// Package claimtest is no API: it tests what a paper finds in the run that CI makes.
package claimtest

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"gonum.org/v1/plot"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/chart/charttest"
)

var update = flag.Bool("update", false,
	"write the verdicts and points of this run to testdata, and the page of docs/papers")

// Found is what a paper finds.
type Found struct{ claim.Found }

// Run runs a paper as CI does, and checks its report, its verdicts, its figures, that these have
// enough points and texts that can be read, and that enough planted faults show.
func Run(t testing.TB, paper *claim.Paper, points, faults int) Found {
	t.Helper()
	all, err := paper.Reproduce(&trials.Run{Seed: 1, Short: true},
		func(int) func() { return func() {} })
	if err != nil {
		t.Fatal(err)
	}
	found := Found{all}
	found.reported(t, paper)
	found.verdicts(t, points)
	found.drawn(t)
	found.faultsShow(t, faults)
	for _, figure := range found.Figures {
		charttest.TextsHaveRoom(t, figure.Picture)
	}
	return found
}

// Holds runs a document of values as CI does, and checks that its page in docs/papers is that of
// this run, that each verdict has the reason that it needs, and that texts of figures can be read.
func Holds(t testing.TB, paper *claim.Paper) Found {
	t.Helper()
	all, err := paper.Reproduce(&trials.Run{Seed: 1, Short: true},
		func(int) func() { return func() {} })
	if err != nil {
		t.Fatal(err)
	}
	found := Found{all}
	found.reported(t, paper)
	for _, v := range found.Values {
		if !v.Explained() {
			t.Errorf("%s is %s: %s", v.Name, v.Verdict, v.Why)
		}
	}
	for _, figure := range found.Figures {
		charttest.TextsHaveRoom(t, figure.Picture)
	}
	return found
}

// FormulaHolds checks that trials agree with the formula of a name beside them, in a least number
// of cells: one in ten intervals of 95 % may miss it, and none by far.
func (f Found) FormulaHolds(t testing.TB, name string, least int) {
	t.Helper()
	held, outside := 0, 0
	for _, v := range f.Values {
		for _, c := range v.Cells {
			if v.Formula != name || c.Formula == nil || c.Measured == nil {
				continue
			}
			held++
			off, half := math.Abs(*c.Measured-*c.Formula), (*c.High-*c.Low)/2
			if off > half {
				outside++
			}
			if off > 2.5*half {
				t.Errorf("%s, %s %s %g: %g [%g, %g], and the formula has %g", v.Name, c.Row,
					c.Column, c.X, *c.Measured, *c.Low, *c.High, *c.Formula)
			}
		}
	}
	if held < least || outside > held/10 {
		t.Errorf("%d of %d intervals of 95 %% do not hold the value of the formula %q",
			outside, held, name)
	}
}

// verdicts checks a line for each sentence against testdata/verdicts.tsv: its verdict, what must be
// meant, what is published and what was measured, with its interval; the theory, and the document's
// words. It also checks that there are enough points of figures.
func (f Found) verdicts(t testing.TB, points int) {
	t.Helper()
	var found strings.Builder
	for _, c := range f.Claims {
		if !c.Explained() {
			t.Errorf("%s, %s, %v, %s: %s: %s", c.Item, c.Quantity, c.Parameters, c.Reading,
				c.Verdict, c.Why)
		}
		if c.Point {
			if points--; c.Verdict != claim.NotPublished {
				t.Errorf("a point of a figure is %s: %+v", c.Verdict, c)
			}
			continue
		}
		fmt.Fprintln(&found, strings.Join([]string{
			string(c.Verdict), string(c.Meant), c.Item, c.Quantity, c.Parameters.List("=", ","),
			c.Reading, string(c.Rule) + string(c.Direction), number(c.Value), number(c.Least),
			number(c.Most), number(c.Measured), number(c.Low), number(c.High), c.Of,
			number(c.Expected), c.Where}, "\t"))
	}
	if points > 0 {
		t.Errorf("figures lack %d points", points)
	}
	golden(t, "verdicts.tsv", found.String())
}

// drawn checks the figures against testdata/points.tsv: a line for each title, for each panel, its
// label and its axes, and for each point, its curve, its place, what was measured and the theory.
// A curve that is a formula only has many points: its first, its middle and its last are enough.
func (f Found) drawn(t testing.TB) {
	t.Helper()
	var found strings.Builder
	for _, figure := range f.Figures {
		fmt.Fprintf(&found, "%s\t%s\n", figure.Name, figure.Picture.Title)
		for i, panel := range figure.Picture.Panels {
			fmt.Fprintf(&found, "%s\t%d\t%s\t%s\t%s\n", figure.Name, i+1, panel.Title.Text,
				axis(&panel.X), axis(&panel.Y))
		}
		for all := figure.Points; len(all) > 0; {
			length := slices.IndexFunc(all, func(p claim.Point) bool {
				return p.Curve != all[0].Curve || p.Panel != all[0].Panel
			})
			if length < 0 {
				length = len(all)
			}
			for i, p := range all[:length] {
				if p.Trials > 0 || i == 0 || i == length/2 || i == length-1 {
					fmt.Fprintf(&found, "%s\t%d\t%s\t%s\t%s\t%s\n", p.Figure, p.Panel, p.Curve,
						number(&p.X), number(p.Measured), number(p.Expected))
				}
			}
			all = all[length:]
		}
	}
	golden(t, "points.tsv", found.String())
}

// axis is its title, its ends, and whether it is logarithmic.
func axis(a *plot.Axis) string {
	scale := ""
	if _, linear := a.Scale.(plot.LinearScale); !linear {
		scale = ", logarithmic"
	}
	return fmt.Sprintf("%s, %s to %s%s", a.Label.Text, number(&a.Min), number(&a.Max), scale)
}

// Refuses checks that a paper refuses rows that are measured by trials: each has a quantity, some
// parameters, and the error. Parameters with " | " between them are rows one after another.
func Refuses(t *testing.T, paper *claim.Paper, rows [][3]string) {
	t.Helper()
	claims, err := fs.ReadFile(paper.Files, "claims.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		quantity, all, want := row[0], row[1], row[2]
		table, _, _ := strings.Cut(string(claims), "\n")
		for parameters := range strings.SplitSeq(all, " | ") {
			table += "\nitem\twhere\t" + parameters + "\t" + quantity + "\ttrials\t\t\t\t\t"
		}
		misused := *paper
		misused.Files = fstest.MapFS{"claims.tsv": {Data: []byte(table)}}
		_, err := misused.Reproduce(&trials.Run{Seed: 1, Short: true},
			func(int) func() { return func() {} })
		if !errors.Is(err, claim.ErrTable) || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), quantity) {
			t.Errorf("%s, %s: %v, want %q", quantity, all, err, want)
		}
	}
}

// golden checks lines against a file of testdata. Where one changes on purpose: go test -update.
func golden(t testing.TB, name, found string) {
	t.Helper()
	name = filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(name, []byte(found), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	got, wanted := strings.Split(found, "\n"), strings.Split(string(want), "\n")
	for i := range max(len(got), len(wanted)) {
		line := func(lines []string) string {
			if i < len(lines) {
				return lines[i]
			}
			return ""
		}
		if line(got) != line(wanted) {
			t.Errorf("%s: line %d is\n%s\nwant\n%s", name, i+1, line(got), line(wanted))
		}
	}
}

// reported checks that docs/papers has the report of the paper, in at most four pages.
func (f Found) reported(t testing.TB, paper *claim.Paper) {
	t.Helper()
	var page strings.Builder
	if err := paper.WriteReport(&page, &trials.Run{Seed: 1, Short: true}, f.Found); err != nil {
		t.Fatal(err)
	}
	const most = 4 * 700 // words of a page
	if words := len(strings.Fields(page.String())); words > most ||
		strings.Contains(page.String(), "?%") {
		t.Errorf("%d words, want %d at most", words, most)
	}
	name := "../../docs/papers/" + paper.Name + ".md"
	if *update {
		if err := os.WriteFile(name, []byte(page.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if committed, err := os.ReadFile(name); err != nil || string(committed) != page.String() {
		t.Errorf("%s is stale, run go test -update: %v", name, err)
	}
}

// number is a number with as many digits as all CPUs have: a sum that is 0 is not 0 on each.
func number(v *float64) string {
	switch {
	case v == nil:
		return "-"
	case math.Abs(*v) < 1e-12:
		return "0"
	}
	return fmt.Sprintf("%.6g", *v)
}

// faultsShow plants a fault in what each claim has published, and checks that its verdict shows
// it: a value that is off by a tenth, to either side, or the opposite direction. Values that are
// given with more room than that are left out. It also checks the least number of faults.
func (f Found) faultsShow(t testing.TB, least int) {
	t.Helper()
	faults := 0
	plant := func(c claim.Claim, p claim.Published) {
		was := c.Verdict
		c.Published = p
		if c.Judge(); c.Verdict == was {
			t.Errorf("%s, %s, %v, %s: still %s with %v %s", c.Item, c.Quantity, c.Parameters,
				c.Reading, was, number(p.Value), p.Direction)
		}
		faults++
	}
	for _, c := range f.Claims {
		switch {
		case c.Verdict == claim.InTrend && c.Direction == claim.Higher:
			plant(c, claim.Trend(claim.Lower))
		case c.Verdict == claim.InTrend:
			plant(c, claim.Trend(claim.Higher))
		case c.Verdict == claim.Reproduced && c.Least != nil && c.Most != nil &&
			*c.Most-*c.Least < math.Abs(*c.Value)/20:
			for _, off := range []float64{-*c.Value / 10, *c.Value / 10} {
				plant(c, claim.Published{Value: new(*c.Value + off), Least: new(*c.Least + off),
					Most: new(*c.Most + off)})
			}
		}
	}
	if faults < least {
		t.Errorf("%d faults were planted, want %d", faults, least)
	}
}

// TheoryHolds checks that simulations agree with the theory of a name, or with each if there is no
// name, also in all points of figures, and that there are at least a number of these. The theory
// may be off by a part of its value.
func (f Found) TheoryHolds(t testing.TB, name string, least int, part float64) {
	t.Helper()
	held, outside := 0, 0
	for _, c := range f.Claims {
		if name != "" && c.Of != name || c.Expected == nil || c.Measured == nil ||
			*c.Low == *c.High {
			continue
		}
		held++
		off, half := math.Abs(*c.Measured-*c.Expected)-part*math.Abs(*c.Expected),
			(*c.High-*c.Low)/2
		if off > half {
			outside++
		}
		if off > 2.5*half {
			t.Errorf("%s, %s, %v: %g [%g, %g], and theory has %g", c.Item, c.Quantity, c.Parameters,
				*c.Measured, *c.Low, *c.High, *c.Expected)
		}
	}
	if held < least || outside > held/10 {
		t.Errorf("%d of %d intervals of 95 %% do not hold the value of the theory %q",
			outside, held, name)
	}
}
