package family_test

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/family/dlbf"
	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/filter/rolling"
	"github.com/bloomlane/bloomlane/internal/expected"
)

// theory computes the tables of docs/theory.md, README.md, docs/hardware.md and
// docs/decisions/api.md by their names: from the first cells of a row, which are given, those that
// follow. Rates and shares are in %.
var theory = map[string]struct {
	given   int
	compute func(t *testing.T, given []float64) []float64
}{
	"bloom": {3, func(t *testing.T, given []float64) []float64 {
		n, m, k := given[0], given[1], given[2]
		return []float64{100 * math.Pow(expected.Fill(n*k, m), k),
			100 * expected.RateOfBits(n, m, int(k))}
	}},
	"blocked": {1, func(t *testing.T, given []float64) []float64 {
		blocks := blocksFor(t, given[0])
		load := million / float64(blocks)
		mean := math.Pow(-math.Expm1(load*math.Log1p(-1./64)), 7)
		return []float64{100 * mean, 100 * planning.FreshRate(512, million, blocks),
			100 * planning.FreshRate(256, million, 2*blocks),
			100 * planning.FreshDeletability(512, million, blocks)}
	}},
	"letter": {4, func(t *testing.T, given []float64) []float64 {
		s := dlbf.Shape{Bits: int(given[0]), Regions: int(given[1]), Hashes: int(given[2])}
		cells, k, throws := float64(s.Cells()), given[2], given[2]*given[3]
		empty := func(throws float64) float64 { return math.Pow(1-1/cells, throws) }
		free := empty(throws) + throws/cells*empty(throws-1) // of collisions, of a cell
		printed := math.Pow(1-math.Pow(free, cells/given[1]), k)
		own := 1 - math.Pow(1-empty(throws-1)*math.Pow(free, cells/given[1]-1), k)
		return []float64{printed, 1 - printed, own, s.Deletability(int(given[3]))}
	}},
	"lanes": {1, func(t *testing.T, given []float64) []float64 {
		n, s := int(given[0]), dlbf.Shape{Bits: 240, Regions: 24, Hashes: 5}
		return []float64{100 * s.Rate(n), 100 * planning.FreshRate(256, n, 1),
			100 * s.Deletability(n), 100 * planning.FreshDeletability(256, n, 1)}
	}},
	"deletion": {1, func(t *testing.T, given []float64) []float64 {
		return deletion(t, 0.01, given[0])
	}},
	"room": {2, func(t *testing.T, given []float64) []float64 {
		return deletion(t, given[0]/100, given[1])
	}},
	"refresh": {1, func(t *testing.T, given []float64) (cells []float64) {
		for _, bits := range []float64{8, 12, 16, 24, 32} {
			table := planning.Table{Blocks: blocksFor(t, bits), Members: million,
				Reinserts: given[0]}
			cells = append(cells, 100*predict(t, table.Steady()).Rate)
		}
		return cells
	}},
	"rolling": {1, func(t *testing.T, given []float64) []float64 {
		c := rolling.Config{Members: million, Rate: given[0] / 100}
		size, err := c.Shape()
		if err != nil {
			t.Fatal(err)
		}
		return []float64{8 * float64(size.Bytes()) / million}
	}},
}

const million = 1_000_000

func blocksFor(t *testing.T, bitsPerKey float64) int {
	t.Helper()
	blocks, err := planning.BlocksFor(512, million, bitsPerKey)
	if err != nil {
		t.Fatal(err)
	}
	return blocks
}

func predict(t *testing.T, table planning.Table) planning.Prediction {
	t.Helper()
	p, err := table.Predict()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// deletion returns the bits per key of a plan, and the rate and the deletability when the filter is
// full and after one turnover.
func deletion(t *testing.T, rate, turnovers float64) []float64 {
	t.Helper()
	c := deletable.Config{Members: million, Rate: rate, Turnovers: turnovers}
	size, err := c.Shape()
	if err != nil {
		t.Fatal(err)
	}
	full := planning.Table{Blocks: size.Blocks, Members: million}
	turned := full
	turned.Turnovers = 1
	first, then := predict(t, full), predict(t, turned)
	return []float64{8 * float64(size.Bytes()) / million, 100 * first.Rate, 100 * then.Rate,
		100 * first.Deletability, 100 * then.Deletability}
}

// TestTheory computes each number in the tables of the pages that have a mark, to the digits that
// the page prints.
func TestTheory(t *testing.T) {
	var page []byte
	for _, name := range []string{"docs/theory.md", "README.md", "docs/hardware.md",
		"docs/decisions/api.md"} {
		text, err := os.ReadFile(filepath.Join("../..", name))
		if err != nil {
			t.Fatal(err)
		}
		page = append(page, text...)
	}
	marks := regexp.MustCompile(`(?s)<!-- computed: (\w+) -->\n\n(\|.*?\n)\n`)
	tables := marks.FindAllStringSubmatch(string(page), -1)
	if count := strings.Count(string(page), "<!-- computed:"); count != len(tables) ||
		count != len(theory) {
		t.Errorf("%d marks, %d tables with one, and %d that can be computed", count, len(tables),
			len(theory))
	}
	for _, table := range tables {
		rows := strings.Split(strings.TrimSpace(table[2]), "\n")[2:]
		if len(rows) == 0 {
			t.Errorf("%s: no rows", table[1])
		}
		for _, row := range rows {
			checkRow(t, table[1], row)
		}
	}
}

// checkRow computes the cells of a row from those that are given.
func checkRow(t *testing.T, table, row string) {
	t.Helper()
	texts := strings.Split(strings.Trim(row, "| "), "|")
	var cells []float64
	for i, text := range texts {
		texts[i] = strings.ReplaceAll(strings.TrimSpace(text), ",", "")
		cell, err := strconv.ParseFloat(texts[i], 64)
		if err != nil {
			t.Errorf("%s: %v", table, err)
			return
		}
		cells = append(cells, cell)
	}
	formula, known := theory[table]
	if !known {
		t.Errorf("no computation for the table %s", table)
		return
	}
	want := formula.compute(t, cells[:formula.given])
	got := cells[formula.given:]
	if len(got) != len(want) {
		t.Errorf("%s: %d cells in %q, want %d", table, len(got), row, len(want))
		return
	}
	for i := range want {
		_, digits, _ := strings.Cut(texts[formula.given+i], ".")
		half := 0.5 * math.Pow10(-len(digits))
		if !(math.Abs(got[i]-want[i]) <= half*1.000001) {
			t.Errorf("%s: %v in %q, computed %.6g", table, got[i], row, want[i])
		}
	}
}

// Markdown takes a backslash before punctuation for an escape, so that the formula may lose it.
func TestFormulas(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join("../..", "docs/theory/*.md"))
	if err != nil {
		t.Fatal(err)
	}
	formulas := regexp.MustCompile(`(?s)\$\$.+?\$\$|\$[^$\n]+\$`)
	escape := regexp.MustCompile(`\\[^a-zA-Z]`)
	checked := 0
	for _, path := range append(pages, filepath.Join("../..", "docs/theory.md")) {
		page, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, formula := range formulas.FindAllString(string(page), -1) {
			if found := escape.FindString(formula); found != "" {
				t.Errorf("%s: %s in %s", path, found, formula)
			}
			checked++
		}
	}
	if checked < 100 {
		t.Errorf("only %d formulas", checked)
	}
}
