// Package claimtest is no API: it tests what a paper finds in the run that CI makes.
package claimtest

import (
	"flag"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/chart/charttest"
)

var update = flag.Bool("update", false, "write the README.md of the paper")

// Found is what a paper finds.
type Found struct{ claim.Found }

// Holds runs a document of values as CI does, and checks that README.md beside it is that of
// this run, that each verdict has the reason that it needs, and that texts of figures can be read.
func Holds(t testing.TB, paper *claim.Paper) Found {
	t.Helper()
	found := Found{paper.Reproduce(&trials.Run{Seed: 1, Short: true},
		func(int) func() { return func() {} })}
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

// reported checks that README.md has the report of the paper, in at most four pages.
func (f Found) reported(t testing.TB, paper *claim.Paper) {
	t.Helper()
	var page strings.Builder
	if err := paper.WritePage(&page, &trials.Run{Seed: 1, Short: true}, f.Found); err != nil {
		t.Fatal(err)
	}
	const most = 4 * 700 // words of a page
	if words := len(strings.Fields(page.String())); words > most ||
		strings.Contains(page.String(), "?%") {
		t.Errorf("%d words, want %d at most", words, most)
	}
	const name = "README.md"
	if *update {
		if err := os.WriteFile(name, []byte(page.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if committed, err := os.ReadFile(name); err != nil || string(committed) != page.String() {
		t.Errorf("%s is stale, run go test -update: %v", name, err)
	}
}
