package cosim

import (
	"cmp"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/hdl"
)

// A mutant is a mistake that is planted in the RTL, to see that the co-simulation catches it.
type mutant struct {
	name  string
	bench string // the bench that must catch it
	file  string
	// at is a piece of the file that occurs in it once, with ‹› around what is wrong in the mutant:
	// an expression, or statements where it ends in a semicolon.
	at  string
	bad string // what stands there instead
}

// All mutants of a bench are in one build, in which the argument +mutant=N chooses: an expression
// becomes ((mutant == N) ? (bad) : (good)). The sources on disk are never touched.
func plant(mutants []mutant) (map[string]string, error) {
	type span struct{ start, end int }
	type choice struct {
		n   int
		bad string
	}
	spans := map[string]map[span][]choice{}
	for i, m := range mutants {
		content, err := fs.ReadFile(hdl.RTL, m.file)
		if err != nil {
			return nil, err
		}
		before, rest, open := strings.Cut(m.at, "‹")
		good, behind, closed := strings.Cut(rest, "›")
		if !open || !closed {
			return nil, fmt.Errorf("%s: no ‹› in %q", m.name, m.at)
		}
		anchor := before + good + behind
		if n := strings.Count(string(content), anchor); n != 1 {
			return nil, fmt.Errorf("%s no longer applies: %s has %q %d times, want once", m.name, m.file, anchor, n)
		}
		start := strings.Index(string(content), anchor) + len(before)
		if spans[m.file] == nil {
			spans[m.file] = map[span][]choice{}
		}
		at := span{start, start + len(good)}
		spans[m.file][at] = append(spans[m.file][at], choice{i + 1, m.bad})
	}
	sources := map[string]string{}
	for file, places := range spans {
		content, err := fs.ReadFile(hdl.RTL, file)
		if err != nil {
			return nil, err
		}
		text := string(content)
		sorted := make([]span, 0, len(places))
		for at := range places {
			sorted = append(sorted, at)
		}
		slices.SortFunc(sorted, func(a, b span) int { return cmp.Compare(b.start, a.start) })
		for i, at := range sorted {
			if i > 0 && at.end > sorted[i-1].start {
				return nil, fmt.Errorf("%s: two mutants overlap at %q", file, text[at.start:at.end])
			}
			good := content[at.start:at.end]
			var changed strings.Builder
			if strings.HasSuffix(string(good), ";") {
				for _, c := range places[at] {
					fmt.Fprintf(&changed, "if (mutant == %d) begin %s end else ", c.n, c.bad)
				}
				fmt.Fprintf(&changed, "begin %s end", good)
			} else {
				for _, c := range places[at] {
					fmt.Fprintf(&changed, "(mutant == %d) ? (%s) : ", c.n, c.bad)
				}
				changed.WriteString("(" + string(good) + ")")
				changed.WriteString(")")
				head := changed.String()
				changed.Reset()
				changed.WriteString("(" + head)
			}
			text = text[:at.start] + changed.String() + text[at.end:]
		}
		// The choice is declared where the module's ports end.
		end := regexp.MustCompile(`(?m)^\);$`).FindStringIndex(text)
		if end == nil {
			return nil, fmt.Errorf("%s: the list of ports has no end", file)
		}
		sources[file] = text[:end[1]] + "\n    integer mutant;\n    initial if (!$value$plusargs(\"mutant=%d\", mutant)) mutant = 0;\n" + text[end[1]:]
	}
	return sources, nil
}

// Every planted mistake is caught, and without one the same build agrees.
func TestMutants(t *testing.T) {
	byBench := map[string][]mutant{}
	for _, m := range mutants {
		byBench[m.bench] = append(byBench[m.bench], m)
	}
	for name, planted := range byBench {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := slices.IndexFunc(benches, func(b bench) bool { return b.name == name })
			if at < 0 {
				t.Fatal("there is no such bench")
			}
			b := benches[at]
			sources, err := plant(planted)
			if err != nil {
				t.Fatal(err)
			}
			b.model.sources = sources
			for i := range len(planted) + 1 {
				s := start(t, b.model, fmt.Sprintf("+mutant=%d", i))
				err := b.check(s, random(), max(b.vectors/20, 4*batch))
				_ = s.Close() // a mutant may fail in any way
				switch {
				case i == 0 && err != nil:
					t.Fatalf("without a mutant: %v", err)
				case i > 0 && err == nil:
					t.Errorf("%s survives", planted[i-1].name)
				case i > 0:
					t.Logf("%s: %v", planted[i-1].name, err)
				}
			}
		})
	}
}

// A mutant whose place is not there exactly once, or overlaps another's, is an error.
func TestPlant(t *testing.T) {
	const file = "bloomlane_query.v"
	good := mutant{file: file, at: "assign present = ‹~|(mask & ~block)›;", bad: "1'b1"}
	sources, err := plant([]mutant{good, {file: file, at: "present = ‹~|(mask & ~block)›;", bad: "1'b0"}})
	if want := "assign present = ((mutant == 1) ? (1'b1) : (mutant == 2) ? (1'b0) : (~|(mask & ~block)));"; err != nil || !strings.Contains(sources[file], want) {
		t.Errorf("%v, %s; want %s", err, sources[file], want)
	}
	for _, bad := range []mutant{
		{file: "none.v", at: "‹x›"},
		{file: file, at: "no marks"},
		{file: file, at: "‹not there›"},
		{file: file, at: "‹block›"},
		{file: file, at: "(‹mask› & ~block)"},
	} {
		if _, err := plant([]mutant{good, bad}); err == nil {
			t.Errorf("%+v is planted", bad)
		}
	}
}

var mutants = []mutant{
	{"query ignores the collision lane of a mask", "core-w32", "bloomlane_query.v",
		"assign present = ‹~|(mask & ~block)›;", "~|(mask[`BLOOMLANE_LANES*W-1:W] & ~block[`BLOOMLANE_LANES*W-1:W])"},
	{"query accepts a missing top bit", "core-w32", "bloomlane_query.v",
		"assign present = ‹~|(mask & ~block)›;", "~|((mask & ~block) << 1)"},
	{"insert does not mark collisions", "core-w32", "bloomlane_merge.v",
		"{{`BLOOMLANE_DATA_LANES*W{1'b0}}, ‹collided›}", "{W{1'b0}}"},
	{"insert marks a collision in the next lane", "merge-w64", "bloomlane_merge.v",
		"assign merged = ‹(x | y) | {{`BLOOMLANE_DATA_LANES*W{1'b0}}, collided}›;", "(x | y) | ({{`BLOOMLANE_DATA_LANES*W{1'b0}}, collided} << W)"},
	{"merge forgets lane 7 of the collisions", "merge-w64", "bloomlane_merge.v",
		"lane < ‹`BLOOMLANE_LANES›; lane", "`BLOOMLANE_LANES - 1"},
	{"a skipped insert of what is visible", "core-w32", "bloomlane_core.v",
		"assign after = inserting ? ‹inserted› :", "present ? block : inserted"},
	{"delete clears collided bits", "core-w32", "bloomlane_core.v",
		"free    = ‹data & ~{`BLOOMLANE_LANES{block[W-1:0]}}›;", "data"},
	{"delete reads the collisions of the next column", "core-w32", "bloomlane_core.v",
		"free    = ‹data & ~{`BLOOMLANE_LANES{block[W-1:0]}}›;", "data & ~{`BLOOMLANE_LANES{block[W-2:0], block[W-1]}}"},
	{"delete clears what is absent", "core-w32", "bloomlane_core.v",
		"‹deleting && present› ? cleared", "deleting"},
	{"delete wants the mask's collision lane", "core-w32", "bloomlane_core.v",
		"wanted  = ‹deleting ? data : mask›;", "mask"},
	{"delete clears the mask's collision lane", "core-w32", "bloomlane_core.v",
		"data    = ‹{mask[BITS-1:W], {W{1'b0}}}›;", "mask"},
	{"retained and deleted are swapped", "core-w32", "bloomlane_core.v",
		"deleting && ‹|free›", "!(|free)"},
	{"a pass has a result", "core-w32", "bloomlane_core.v",
		"‹op == `BLOOMLANE_PASS› ? 2'd0", "1'b0"},
	{"positions off by one bit", "positions-w32", "bloomlane_positions.v",
		"assign positions = ‹g[63 -: KEY]›;", "g[62 -: KEY]"},
	{"lanes of the positions in the wrong order", "mask-w32", "bloomlane_mask.v",
		"<< ‹positions[B*(`BLOOMLANE_DATA_LANES-i) +: B]›;", "positions[B*(i-1) +: B]"},
}
