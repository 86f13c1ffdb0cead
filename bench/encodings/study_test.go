package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/bench/encodings/encoding"
	"github.com/bloomlane/bloomlane/filter/planning"
)

func command(t *testing.T, args ...string) *bytes.Buffer {
	t.Helper()
	cmd, out := newCommand(), new(bytes.Buffer)
	cmd.SetArgs(args)
	cmd.SetOut(out)
	cmd.SetErr(new(bytes.Buffer))
	if err := cmd.Execute(); err != nil {
		t.Fatal(err)
	}
	return out
}

// A small study has what the large one is for: no member is lost, the format is as planned, and two lanes
// double the rate of a fresh table and delete better.
func TestStudy(t *testing.T) {
	const members, bits = 20_000, 16
	out := command(t, "--json", "--members", "20000", "--seeds", "2", "--bits", "16", "--turnovers", "0,1,3", "--parts", "churn")
	s := new(Study)
	if err := json.Unmarshal(out.Bytes(), s); err != nil {
		t.Fatal(err)
	}
	if want := 2 * len(encodings) * 3; len(s.Points) != want {
		t.Fatalf("%d points, want %d", len(s.Points), want)
	}
	at := func(e encoding.Encoding, lifetime string, turnovers float64) *Point {
		for i := range s.Points {
			if p := &s.Points[i]; p.Encoding == e.String() && p.Lifetime == lifetime && p.Turnovers == turnovers {
				return p
			}
		}
		t.Fatalf("no point of %v, %s, %g turnovers", e, lifetime, turnovers)
		return nil
	}
	for i := range s.Points {
		p := &s.Points[i]
		if p.Lost != 0 {
			t.Errorf("%+v: members are lost", p)
		}
	}
	// The rate of a table's bits is that of the strangers asked.
	if d := s.deviation(); d > 5 {
		t.Errorf("a sampled rate is %g standard errors off", d)
	}
	for _, name := range s.Plan.Lifetimes {
		life, err := planning.ParseLifetime(name)
		if err != nil {
			t.Fatal(err)
		}
		one, two, plain := encoding.Lanes(1), encoding.Lanes(2), encoding.Plain{}
		for _, turnovers := range s.Plan.Turnovers {
			blocks, err := planning.BlocksFor(512, members, bits)
			if err != nil {
				t.Fatal(err)
			}
			table := planning.Table{BlockBits: 512, Blocks: blocks, Members: members, Turnovers: turnovers, Lifetime: life}
			want, err := table.Predict()
			if err != nil {
				t.Fatal(err)
			}
			if p := at(one, name, turnovers); math.Abs(p.Rate/want.Rate-1) > 0.1 || math.Abs(p.Deletable-want.Deletable) > 0.03 {
				t.Errorf("%+v, want what is planned: %+v", p, want)
			}
			if p := at(plain, name, turnovers); p.Deletable != 0 {
				t.Errorf("%+v deletes", p)
			}
			if at(two, name, turnovers).Deletable <= at(one, name, turnovers).Deletable {
				t.Errorf("two lanes delete no more than one after %g turnovers", turnovers)
			}
		}
		if f := at(two, name, 0).Rate / at(one, name, 0).Rate; f < 2 || f > 3 {
			t.Errorf("two lanes have %g times the rate of one when fresh, want 2 to 3", f)
		}
		if f := at(two, name, 3).Rate / at(one, name, 3).Rate; f > 0.8 {
			t.Errorf("two lanes have %g times the rate of one after 3 turnovers, want less", f)
		}
	}
}

// A size meets its demand, and a tenth less does not.
func TestSizes(t *testing.T) {
	p := Plan{Members: 2000, Seeds: 1}
	young := ages[:2]
	sizes, err := p.sizes(demands, young, func() {})
	if err != nil || len(sizes) != len(demands)*len(young)*(len(compared)+1) {
		t.Fatalf("%d sizes, error %v", len(sizes), err)
	}
	for _, s := range sizes {
		i := slices.IndexFunc(compared, func(e encoding.Encoding) bool { return e.String() == s.Encoding })
		if i < 0 {
			if s.Encoding != ring {
				t.Errorf("%+v: of nothing that is compared", s)
			}
			continue
		}
		if rate, deletable := p.after(compared[i], s.Bits, s.Turnovers); rate > s.Rate || deletable < s.Deletable || rate != s.HasRate || deletable != s.HasDeletable {
			t.Errorf("%+v: rate %g and deletable %g", s, rate, deletable)
		}
		if rate, deletable := p.after(compared[i], 0.9*s.Bits, s.Turnovers); rate <= s.Rate && deletable >= s.Deletable {
			t.Errorf("%+v: %g bits do too", s, 0.9*s.Bits)
		}
	}
}

// Timing leaves tables as they were, so that each contender and each round has the same.
func TestTimingLeavesTables(t *testing.T) {
	all := contenders()
	a := newArena(16<<10, all)
	a.churn(a.members, all)
	before := map[string][]encoding.Block{}
	for name, blocks := range a.tables {
		before[name] = slices.Clone(blocks)
	}
	timings := a.time(all, 4096, 3, 1)
	if len(timings) != 3*len(all) {
		t.Errorf("%d timings of %d contenders", len(timings), len(all))
	}
	for name, blocks := range a.tables {
		if !slices.Equal(blocks, before[name]) {
			t.Errorf("%s: the table is another", name)
		}
	}
	for _, timing := range timings {
		if timing.LeastRatio <= 0 || timing.MedianRatio <= 0 || timing.Median < timing.Least {
			t.Errorf("%+v", timing)
		}
		if timing.Encoding == "one lane" && (timing.Kind == portable || timing.Kind == "avx2") && timing.LeastRatio != 1 {
			t.Errorf("%+v: want the ratio to itself to be 1", timing)
		}
	}
}

func TestFlags(t *testing.T) {
	for _, args := range [][]string{
		{"--members", "999"}, {"--seeds", "0"}, {"--rounds", "0"}, {"--bits", "3"}, {"--bits", "NaN"}, {"--turnovers", "2,1"}, {"--turnovers", "-1"},
		{"--lifetimes", "eternal"}, {"--parts", "all"}, {"--sizes", "17KiB"}, {"more"}, {"render", "none", "here"},
	} {
		cmd := newCommand()
		cmd.SetArgs(args)
		if err := cmd.Execute(); err == nil {
			t.Errorf("%v: no error", args)
		}
	}
}

// A report that cannot be read is an error that says why.
func TestRead(t *testing.T) {
	for text, want := range map[string]string{
		"{": "malformed study", `{"schema":2}`: "study of schema 2, want 1", `{"schema":1}`: "malformed plan",
	} {
		name := filepath.Join(t.TempDir(), "study.json")
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := read(name); err == nil || !bytes.Contains([]byte(err.Error()), []byte(want)) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// The table of DESIGN.md has the bits of the committed report.
func TestDesign(t *testing.T) {
	s, err := read(filepath.Join("results", jsonFile))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../DESIGN.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range s.sized() {
		row := "| " + name + " |"
		for _, d := range s.demanded() {
			var bits []string
			for _, turnovers := range s.Plan.Turnovers {
				for _, size := range s.Sizes {
					if size.Demand == d && size.Encoding == name && size.Turnovers == turnovers {
						bits = append(bits, fmt.Sprintf("%.1f", size.Bits))
					}
				}
			}
			row += " " + strings.Join(bits, ", ") + " |"
		}
		if !bytes.Contains(text, []byte("\n"+row+"\n")) {
			t.Errorf("DESIGN.md has no row %s", row)
		}
	}
}

// The committed report is what its JSON gives.
func TestCommittedReport(t *testing.T) {
	out := t.TempDir()
	command(t, "render", filepath.Join("results", jsonFile), out)
	names := map[string]bool{}
	for _, folder := range []string{out, "results"} {
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
		if got, err := os.ReadFile(filepath.Join("results", name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: differs from what is rendered (%v): run \"go run ./bench/encodings render\"", name, err)
		}
	}
}
