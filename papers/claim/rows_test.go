package claim

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/bloomlane/bloomlane/papers/trials"
)

// A printed value has the tolerance of its digits, or of its rule.
func TestPrint(t *testing.T) {
	inf := math.Inf(1)
	for _, test := range []struct {
		text      string
		rule      Rule
		want      [3]float64 // value, least and most
		isImplied bool
	}{
		{"0.642", ToDigit, [...]float64{0.642, 0.6415, 0.6425}, false},
		{"443", ToDigit, [...]float64{443, 442.5, 443.5}, false},
		{"1,000,000", ToDigit, [...]float64{1e6, 999_999.5, 1_000_000.5}, false},
		{"2.5e-3", ToDigit, [...]float64{2.5e-3, 2.45e-3, 2.55e-3}, false},
		{"80 %", ToDigit, [...]float64{0.8, 0.795, 0.805}, false},
		{"80 %", ToTens, [...]float64{0.8, 0.75, 0.85}, false},
		{"99.8 %", CutOff, [...]float64{0.998, 0.998, 0.999}, false},
		{"434 ± 13.74", ToDigit, [...]float64{434, 420.26, 447.74}, false},
		{"3 to 4", ToDigit, [...]float64{3.5, 3, 4}, false},
		{"implied 1", Around, [...]float64{1, 0.9, 1.1}, true},
		{"-40", Around, [...]float64{-40, -44, -36}, false},
		{"2", Comparable, [...]float64{2, 1, 4}, false},
		{"10", TensOf, [...]float64{10, 20, 100}, false},
		{"1.4", Above, [...]float64{1.4, 1.4, inf}, false},
		{"70,000", Below, [...]float64{70_000, -inf, 70_000}, false},
		{"0", Never, [...]float64{0, 0, 1e-3}, false},
		{"8", Exactly, [...]float64{8, 8, 8}, false},
	} {
		p, err := Print(test.text, test.rule)
		if err != nil {
			t.Errorf("%q, %q: %v", test.text, test.rule, err)
			continue
		}
		got := [3]float64{*p.Value, -inf, inf}
		if p.Least != nil {
			got[1] = *p.Least
		}
		if p.Most != nil {
			got[2] = *p.Most
		}
		for i := range got {
			if got[i] != test.want[i] && !(math.Abs(got[i]-test.want[i]) < 1e-7*(1+got[i])) {
				t.Errorf("%q, %q: %v, want %v", test.text, test.rule, got, test.want)
			}
		}
		if p.Implied != test.isImplied || p.Printed != test.text {
			t.Errorf("%q, %q: %+v", test.text, test.rule, p)
		}
	}
	if p, err := Print("", Rule(Lower)); err != nil || p.Direction != Lower || p.Value != nil {
		t.Errorf("a direction: %v, %+v", err, p)
	}
	for _, bad := range [][2]string{
		{"8o %", ""}, {"0.8", "roughly"}, {"0.8", "lower"}, {"", "around"}, {"1", "never"},
		{"3 to four", ""}, {"3 ± ", ""}, {"3 to 4", "around"}, {"NaN", ""}, {"Inf", "above"},
		{"0x1p3", ""}, {"1e999", ""}, {"10,22", ""}, {"80%", ""}, {"8 %%", ""},
		{"90 % to 70 %", ""}, {"70 to 90 %", ""}, {"80 ± 1 %", ""}, {"80 % ± 1", ""},
		{"3 ± -1", ""},
	} {
		p, err := Print(bad[0], Rule(bad[1]))
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("found %q", bad[0])) {
			t.Errorf("%q, %q: %+v, %v", bad[0], bad[1], p, err)
		}
	}
}

// coins are quantities of throws of coins: those that show heads, of n.
var coins = Quantities{
	"heads": {Unit: Share,
		Trials: func(run *trials.Run, point Parameters) Sample {
			if point.Text("coin") == "rare" && run.Short {
				return Sample{}
			}
			n, name := point.Int("n"), fmt.Sprint("coins ", point.Int("n"))
			all := trials.Recall(run, name, 400, func(rng *rand.Rand) float64 {
				heads := 0.0
				for range n {
					heads += float64(rng.IntN(2)) / float64(n)
				}
				return heads
			})
			return Take(name, all, func(v *float64) float64 { return *v * point.Float("times") })
		},
		Formulas: Formulas{
			"half": func(at Parameters) float64 {
				at.Int("n") // of any number of coins
				return at.Float("times") / 2
			},
			"none": func(Parameters) float64 { return math.NaN() },
		}},
	"tails": {Unit: Share, Formulas: Formulas{"half": Constant(0.5),
		"n": func(at Parameters) float64 { return 10 * at.Float("n") }}},
}

// files has tables of claims and of figures.
func files(claims []string, figures ...string) fs.FS {
	table := func(rows []string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(strings.Join(rows, "\n"))}
	}
	return fstest.MapFS{claimsFile: table(claims), figuresFile: table(figures)}
}

func claimsOf(t *testing.T, short bool, rows ...string) []Claim {
	t.Helper()
	rows = append([]string{strings.Join(header, "\t")}, rows...)
	paper := Paper{Name: "coins", Files: files(rows),
		Quantities: func(*trials.Run) (Quantities, error) { return coins, nil }}
	found, err := paper.Reproduce(&trials.Run{Seed: 1, Short: short},
		func(int) func() { return func() {} })
	if err != nil {
		t.Fatal(err)
	}
	return found.Claims
}

// A row is a claim for each combination of its parameters, measured by trials or by a formula.
func TestRows(t *testing.T) {
	claims := claimsOf(t, true,
		"one\tp. 1\tn=10, 20; times=1\theads\ttrials\thalf\t50 %\taround\t$n coins\t",
		"\"\tp. 2\tn=10; times=2; less times=1\t\"\ttrials\thalf\t\thigher\t\t",
		"\"\t\"\tn=10; times=1; less quantity=tails\t\"\thalf\t\timplied 0\texactly\t\t",
		"\"\t\"\tn=10; times=1\t\"\thalf\tnone\t60 %\t\t\t"+
			"it is ${half}, of tails ${tails: half}, and ${trials}",
		"\"\t\"\tn=10; times=1; coin=rare\t\"\ttrials\t\t50 %\t\t\t",
		"\"\t\"\t\tedges\t\t\t1 %\t\t\ta coin with an edge",
	)
	want := []struct {
		verdict Verdict
		reading string
		theory  float64
		trials  int
		why     string
	}{
		{Reproduced, "10 coins", 0.5, 400, ""}, {Reproduced, "20 coins", 0.5, 400, ""},
		{InTrend, Literal, 0.5, 400, ""}, {Reproduced, Literal, 0, 0, ""},
		{Differs, Literal, 0.5, 0, "it is 50 %, of tails 50 %, and 49.7 %"},
		{NotRun, Literal, -1, 0, ""},
		{NotReproducible, Literal, -1, 0, "a coin with an edge"},
	}
	if len(claims) != len(want) {
		t.Fatalf("%d claims, want %d", len(claims), len(want))
	}
	for i, c := range claims {
		w := want[i]
		if c.Verdict != w.verdict || c.Reading != w.reading || c.Trials != w.trials ||
			c.Why != w.why || c.Item != "one" || (c.Expected == nil) != (w.theory < 0) ||
			c.Expected != nil && *c.Expected != w.theory || c.Unit != Share {
			t.Errorf("%d: %+v, want %+v", i, c, w)
		}
	}
	// What is subtracted from itself, on the same trials, has no error.
	if c := claims[2]; math.Abs(*c.Measured-0.5) > 0.05 || *c.High-*c.Low > 0.04 {
		t.Errorf("%g from %g to %g", *c.Measured, *c.Low, *c.High)
	}
	full := claimsOf(t, false, "a\tb\tn=10; times=1; coin=rare\theads\ttrials\t\t50 %\t\t\t")
	if full[0].Verdict != Reproduced {
		t.Errorf("the full run: %s", full[0].Verdict)
	}
}

// A table that has a mistake says where it is.
func TestBadRows(t *testing.T) {
	const good = "a\tb\tn=10; times=1\theads\ttrials\thalf\t50 %\t\tliteral\twhy"
	for _, mistake := range [][3]string{
		{good, "a\tb", "found 2 columns, expected 10"},
		{"heads", "eyes", `found no quantity "eyes"`},
		{"half", "third", `found no formula "third" of "heads"`},
		{"half", "trials", "theory: found trials, expected a formula"},
		{"trials", "sums", `found no formula "sums" of "heads"`},
		{"heads", "tails", `found no trials of "tails"`},
		{"trials\thalf\t50 %\t\tliteral\twhy", "\t\t\t\t\t", "found no reason"},
		{"n=10", "n", `parameters: found parameter "n"`},
		{"n=10", "n=10,22", `parameters: found parameter "n=10,22"`},
		{"; times", ";times", `found "10;times=1"`},
		{"n=10", "n=10;20", `found "10;20", expected a value`},
		{"; times", " times", `found "10 times=1"`},
		{"n=10", "n=10 , 22", `found "10 ", expected a value`},
		{"n=10", "n=", `found "", expected a value`},
		{"n=10", "n=NaN", "expected a finite number"},
		{"n=10", "n=-1e999", "expected a finite number"},
		{"n=10", "times=10", "each name once"},
		{"times=1", "less quantity=x", `found no quantity "x"`},
		{"50 %", "fifty", `published: found "fifty"`},
		{"50 %", "50%", `expected a number as "0.8"`},
		{"literal", "$m coins", `reading: ${m}: found no formula "m"`},
		{"why", "${foo}", `why: ${foo}: found no formula "foo" of "heads"`},
		{"why", "${legs: half}", `found no quantity "legs"`},
		{"why", "${less half}", `found no formula "less half"`},
		{"why", "${tails: sums}", `found no formula "sums" of "tails"`},
	} {
		bad, want := strings.Replace(good, mistake[0], mistake[1], 1), mistake[2]
		_, err := Rows(strings.Join(header, "\t")+"\n"+good+"\n"+bad+"\n", coins)
		if !errors.Is(err, ErrTable) || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), "bad table: claims.tsv, line 3: ") {
			t.Errorf("%q: %v, want %q", bad, err, want)
		}
	}
	if _, err := Rows("a\tb\n", coins); !errors.Is(err, ErrTable) ||
		!strings.Contains(err.Error(), "claims.tsv, line 1: found columns") {
		t.Errorf("no header: %v", err)
	}
}

// What panics, or cannot be drawn, while a row is evaluated is an error that names the row.
func TestBadRuns(t *testing.T) {
	table, columns := strings.Join(header, "\t"), strings.Join(figureColumns, "\t")
	curve := "a\t\t\t1 of 100 x 100\t1\t\t\tlog\t\t\tn\t1, 2\t\ta curve\ttails\thalf\t\t\t"
	quantities := Join(coins, Quantities{
		"faults": {Formulas: Formulas{"index": func(at Parameters) float64 {
			return []float64{0, 1}[at.Int("n")]
		}}, Trials: func(*trials.Run, Parameters) Sample { panic("no coins") }},
	})
	for _, test := range []struct{ claim, curve, findings, want string }{
		{"a\tb\tn=1, 2\tfaults\tindex\t\t\t\t\t", "", "",
			"claims.tsv, line 2: panic: runtime error: index out of range [2]"},
		{"a\tb\t\tfaults\ttrials\t\t\t\t\t", "", "", "claims.tsv, line 2: panic: no coins"},
		{"a\tb\t\tfaults\tindex\t\t\t\t\t${trials}", "", "", "line 2: panic: no coins"},
		{"", strings.Replace(curve, "tails\thalf", "faults\tindex", 1), "",
			"figures.tsv, line 2: panic: runtime error: index"},
		{"", curve, "", "figures.tsv, line 2: a, tails, n=1: nothing reads n"},
		{"", strings.NewReplacer("half", "n", "1, 2", "-1, 2").Replace(curve), "",
			"figures.tsv, line 2: at: found a point at x = -1"},
		{"", "", "${heads; times=2: third}", `findings.md: ${heads; times=2: third}: `},
		{"", "", "${heads; times=1, 2: half}", "found 2 values, expected one"},
		{"", "", "${heads}", `found no quantity ""`},
		{"", "", "${faults; n=2: index}", "findings.md: panic: runtime error"},
	} {
		paper := Paper{Name: "coins", Files: fstest.MapFS{
			claimsFile:   {Data: []byte(strings.TrimSuffix(table+"\n"+test.claim, "\n"))},
			figuresFile:  {Data: []byte(columns + "\n" + test.curve)},
			findingsFile: {Data: []byte(test.findings)},
		}, Quantities: func(*trials.Run) (Quantities, error) { return quantities, nil }}
		_, err := paper.Reproduce(&trials.Run{}, func(int) func() { return func() {} })
		if err == nil || !strings.HasPrefix(err.Error(), "coins: ") ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}

// Trials that all agree have an interval, and a share is from 0 to 1.
func TestSample(t *testing.T) {
	repeat := func(v float64) []float64 { return []float64{v, v, v, v, v, v, v, v, v, v} }
	for _, test := range []struct {
		name      string
		sample    Sample
		unit      Unit
		low, high float64
	}{
		{"none", Sample{Values: repeat(0)}, Share, 0, 0.3085},
		{"all", Sample{Values: repeat(1)}, Share, 0.6915, 1},
		{"numbers", Sample{Values: repeat(1)}, Number, 1, 1},
		{"cases", Sample{Hits: 0, Cases: 10}, Number, 0, 0.3085},
		{"few", Sample{Values: append(repeat(0), 1)}, Share, 0, 0.2935},
		{"ratio", Sample{Values: repeat(1), Over: repeat(4)}, Share, 0.25, 0.25},
		{"mapped", Sample{Values: repeat(1), Map: func(v float64) float64 { return v + 1 }},
			Number, 2, 2},
		{"a rise", Sample{Values: append(repeat(0.9), 1),
			Map: func(v float64) float64 { return v - 1 }}, Share, -0.1112, -0.0707},
	} {
		i := test.sample.interval(test.unit)
		if math.Abs(*i.Low-test.low) > 1e-4 || math.Abs(*i.High-test.high) > 1e-4 {
			t.Errorf("%s: %g to %g, want %g to %g", test.name, *i.Low, *i.High, test.low,
				test.high)
		}
	}
	if i := (&Sample{}).interval(Share); i.Measured != nil {
		t.Errorf("no trials: %g", *i.Measured)
	}
	// The same trials are paired, and others are not.
	x := Sample{Of: "x", Values: []float64{1, 2, 3, 4}}
	y := Sample{Of: "x", Values: []float64{0, 1, 2, 3}}
	if i := x.less(Number, &y, Number); *i.Low != 1 || *i.High != 1 {
		t.Errorf("pairs: %g to %g", *i.Low, *i.High)
	}
	y.Of = "y"
	if i := x.less(Number, &y, Number); *i.Low > 0 || *i.High < 2 {
		t.Errorf("no pairs: %g to %g", *i.Low, *i.High)
	}
}

const heads = "coins\tp. 1\tCoins\t1 of 100 x 100\t1\t\tn\tlog; ticks 1, 10\theads\t%; log\t" +
	"n\t5 to 10 by 5\ttails: n\t$times times\theads\ttrials\thalf\ttimes=1, 2\t"

// A figure has a point a value and a curve, and draws a formula beside it.
func TestFigures(t *testing.T) {
	paper := Paper{Files: files([]string{strings.Join(header, "\t")},
		strings.Join(figureColumns, "\t"), heads,
		strings.NewReplacer("trials\thalf", "half\t", "times=1, 2", "times=1").Replace(heads)),
		Quantities: func(*trials.Run) (Quantities, error) { return coins, nil }}
	found, err := paper.Reproduce(&trials.Run{Seed: 1}, func(int) func() { return func() {} })
	if err != nil || len(found.Claims) != 6 || len(found.Figures) != 1 ||
		found.Figures[0].Name != "coins" || len(found.Figures[0].Points) != 6 {
		t.Fatalf("%v: %+v", err, found)
	}
	panel := found.Figures[0].Picture.Panels[0]
	if ticks := panel.X.Tick.Marker.Ticks(50, 100); len(ticks) != 2 || ticks[1].Label != "10" ||
		panel.X.Min >= 50 || panel.Y.Tick.Marker.Ticks(0.5, 1)[0].Label != "50 %" {
		t.Errorf("ticks %v from %g on", ticks, panel.X.Min)
	}
	for i, c := range found.Claims {
		n, times := []int{5, 10}[i%2], []int{1, 2, 1}[i/2]
		p := found.Figures[0].Points[i]
		if !c.Point || c.Verdict != NotPublished || c.Parameters.Int("n") != n ||
			c.Parameters.Int("times") != times || *c.Expected != float64(times)/2 ||
			(c.Trials == 0) != (i >= 4) || p.X != float64(10*n) ||
			p.Curve != fmt.Sprint(times, " times") {
			t.Errorf("%d: %+v, %+v", i, c, p)
		}
	}
}

// A table of figures that has a mistake says where it is.
func TestBadFigures(t *testing.T) {
	for _, mistake := range [][3]string{
		{"1 of 100 x 100", "one of 100 x 100", `layout: found "one of 100 x 100", expected`},
		{"1 of 100 x 100", "0 of 100 x 100", `found "0", expected a whole number from 1 to 10`},
		{"1 of 100 x 100", "1 of NaN x 100", `found "NaN", expected a number from 50 to 5000`},
		{"1 of 100 x 100", "1 of 100 x 1e300", `found "1e300", expected`},
		{"1 of 100 x 100", "1 of 100 x 100 points", `found "100 points", expected`},
		{"1 of 100 x 100", "1 of 100", `found "", expected`},
		{"\t1\t", "\t2\t", `panel: found "2", expected a whole number from 1 to 1`},
		{"\t1\t", "\t01\t", `panel: found "01", expected a whole number`},
		{"\t1\t", "\tfirst\t", `panel: found "first", expected a whole number`},
		{"5 to 10 by 5", "five to 10", `at: found "five to 10", expected numbers`},
		{"5 to 10 by 5", "80%", `at: found "80%", expected numbers`},
		{"5 to 10 by 5", "", `at: found "", expected numbers`},
		{"5 to 10 by 5", "none", `at: found "none", expected numbers`},
		{"ticks", "signs", `x axis: found "signs 1, 10", expected the look of an axis`},
		{"ticks 1, 10", "from 0", `found "from 0", expected more than 0 on a logarithmic axis`},
		{"ticks 1, 10", "share", `found "share", expected more than 0 on a logarithmic axis`},
		{"%; log", "from NaN", `y axis: found "NaN", expected numbers`},
		{"%; log", "from 50; to 4", "y axis: found an axis from 50 to 4"},
		{"%; log", "from", `found "from", expected the look`},
		{"%; log", "to 1, 2", `found "to 1, 2", expected the look`},
		{"%; log", "log 10", `found "log 10", expected the look`},
		{"\tn\t5", "\t\t5", "by: found nothing"},
		{"tails: n", "tails: m", `place: found no formula "m" of "tails"`},
		{"tails: n", "tails", `place: found "tails", expected "quantity: formula"`},
		{"$times", "$m", `curve: ${m}: found no formula "m" of "heads"`},
		{"\theads\tt", "\teyes\tt", `found no quantity "eyes"`},
		{"trials\t", "\t", "measured: found nothing"},
		{"\thalf", "\tthird", `found no formula "third" of "heads"`},
		{"times=1", "times", `parameters: found parameter "times`},
	} {
		paper := Paper{Lists: map[string][]float64{"none": nil},
			Files: files(nil, strings.Join(figureColumns, "\t"),
				strings.Replace(heads, mistake[0], mistake[1], 1))}
		if _, err := paper.figures(coins); !errors.Is(err, ErrTable) ||
			!strings.Contains(err.Error(), "bad table: figures.tsv, line 2: ") ||
			!strings.Contains(err.Error(), mistake[2]) {
			t.Errorf("%q: %v, want %q", mistake[1], err, mistake[2])
		}
	}
}

// A list has the numbers that it says, and a text that is no list is no part of one.
func TestNumbers(t *testing.T) {
	for text, want := range map[string][]float64{
		"-5": {-5}, "1, 2 to 4, 9 to 10 by 0.5": {1, 2, 3, 4, 9, 9.5, 10}, "2 to 2": {2},
		"0.1, 0.01, 1e-3": {0.1, 0.01, 1e-3}, "1 to 2 by 0.3": {1, 1.3, 1.6, 1.9},
	} {
		if got, err := numbers(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, bad := range []string{
		"", "NaN", "Inf", "1 to Inf", "5 to 1", "1 to 1e9", "1 to 5 by 0", "1 to 5 by -1",
		"1 to 5 by 1e-9", "1 to 5 by 1e-320", "1e300 to 2e300", "4 too 22", "4,10,22", "4 to 8 16",
		"4 by 2", "1 to", "1,  2", "2, 2", "1, 2, 2", "1, 3, 2", "1 to 6000, 6001 to 12000",
	} {
		if got, err := numbers(bad); err == nil ||
			!strings.Contains(err.Error(), fmt.Sprintf("found %q, expected numbers", bad)) {
			t.Errorf("%q: %d numbers, %v", bad, len(got), err)
		}
	}
}

// A formula is drawn at all whole numbers between two, but not where they fall.
func TestSteps(t *testing.T) {
	for _, test := range [][2][]float64{
		{{1, 3}, {1, 2, 3}}, {{1, 2.5}, {1, 2.5}}, {{1, 1000}, {1, 1000}}, {{8, 2}, {8, 2}},
	} {
		if got := steps(test[0]); !slices.Equal(got, test[1]) {
			t.Errorf("%v: %v, want %v", test[0], got, test[1])
		}
	}
}

// Quantities of two sections have different names: else one would stand for both.
func TestJoin(t *testing.T) {
	first, second := Quantities{"a": {}}, Quantities{"b": {}}
	if all := Join(first, second); len(all) != 2 {
		t.Errorf("%d quantities", len(all))
	}
	defer func() {
		if recover() == nil {
			t.Error("two quantities have one name")
		}
	}()
	Join(first, second, first)
}
