package claim

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/chart"
)

// cells are some numbers of cells of each verdict: 0.5 is published of all but the last.
func cells(row string, reproduced, undecided, differ, own int) (all []Cell) {
	for verdict, number := range []int{reproduced, undecided, differ, own} {
		for range number {
			all = append(all, []Cell{
				{Row: row, Published: "0.5", Formula: new(0.51)},
				{Row: row, Published: "0.5", Interval: around(0.5, 0.2)},
				{Row: row, Published: "higher", Interval: around(-0.5, 0.2)},
				{Row: row, Interval: around(0.5, 0.2)},
			}[verdict])
		}
	}
	return all
}

// A value is what its cells are, of which one in twenty may miss, or what the reading is that holds
// best. A verdict that needs a reason is marked where it has none.
func TestValues(t *testing.T) {
	bad := cells("a", 1, 0, 1, 0)
	for name, test := range map[string]struct {
		cells    []Cell
		readings bool
		want     Verdict
	}{
		"one":                    {cells("", 1, 0, 0, 0), false, Reproduced},
		"one that differs":       {cells("", 18, 0, 1, 9), false, Differs},
		"one of twenty":          {cells("", 19, 0, 1, 0), false, Reproduced},
		"two of forty":           {cells("", 38, 1, 1, 0), false, Reproduced},
		"three of forty":         {cells("", 37, 1, 2, 0), false, Undecided},
		"undecided":              {cells("", 2, 1, 0, 0), false, Undecided},
		"nothing published":      {cells("", 0, 0, 0, 2), false, NotPublished},
		"no cell":                {nil, false, NotReproducible},
		"nothing found":          {[]Cell{{Published: "0.5"}}, false, NotReproducible},
		"a reading that holds":   {slices.Concat(bad, cells("b", 2, 0, 0, 0)), true, Reproduced},
		"a reading that may":     {slices.Concat(bad, cells("b", 1, 1, 0, 0)), true, Undecided},
		"no reading":             {slices.Concat(bad, cells("b", 0, 0, 1, 0)), true, Differs},
		"the same, not readings": {slices.Concat(bad, cells("b", 2, 0, 0, 0)), false, Differs},
	} {
		v := Value{Name: name, Unit: Number, Rule: Around, Cells: test.cells,
			Readings: test.readings}
		v.Judge()
		needs := test.want == Differs || test.want == NotReproducible
		if v.Verdict != test.want || v.Explained() == needs {
			t.Errorf("%s: %s, %q, want %s", name, v.Verdict, v.Why, test.want)
		}
	}
}

// A document's values are printed with their cells, as JSON a line each, and on its page, and its
// figures are drawn.
func TestDocument(t *testing.T) {
	paper := &Paper{Name: "small", Title: "A Small Paper", Values: []func(*trials.Run) Value{
		func(*trials.Run) Value {
			return Value{Name: "Eq. (1)", Where: `p. 1: "a half"`, Rule: Around, Formula: "p",
				Cells: []Cell{{Published: "50 %", Formula: new(0.52),
					Interval: Mean([]float64{0.69, 0.7, 0.71})}}, Why: "a misprint"}
		},
		func(*trials.Run) Value {
			return Value{Name: "Figure 2: rates", Where: "p. 2",
				Panels: []Panel{{X: "n", Y: "rate", Log: true}},
				Cells:  append(cells("curve", 0, 0, 0, 2), cells("other", 0, 0, 1, 0)...)}
		},
	}}
	parts := 0
	run := &trials.Run{Seed: 7, Short: true}
	found := paper.Reproduce(run, func(all int) func() { return func() { parts += all } })
	if parts != 4 {
		t.Fatal(parts)
	}
	var table, lines, page strings.Builder
	if err := found.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	if err := found.WriteJSON(&lines); err != nil {
		t.Fatal(err)
	}
	if err := paper.WritePage(&page, run, found); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"== Eq. (1): differs ==\np. 1: \"a half\"\n",
		"50 % (45 % to 55 %)", "52 %", "70 % [67.5 %, 72.5 %]", "    why: a misprint\n",
		"2 differs\n"} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, &table)
		}
	}
	for _, want := range []string{"| small | 0 | 0 | 2 |", "--short --seed 7",
		"| Eq. (1) | p. 1: \"a half\" | 50 % (45 % to 55 %) | p: 52 % |",
		"- **Eq. (1)**, differs: a misprint.\n", "| -50 % to 50 %, mean 16.7 % | differs, 1 of 3 |"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks %q:\n%s", want, &page)
		}
	}
	first, _, _ := strings.Cut(lines.String(), "\n")
	var v Value
	if err := json.Unmarshal([]byte(first), &v); err != nil || v.Document != "small" ||
		v.Seed != 7 || v.Verdict != Differs || v.Cells[0].Trials != 3 || *v.Cells[0].Formula != 0.52 {
		t.Errorf("%v: %s", err, first)
	}
	if figure := found.Figures[0]; figure.Name != "figure2" || len(figure.Points) != 3 ||
		figure.Points[2].Curve != "other" || figure.Picture.Panels[0].Y.Min <= 0 {
		t.Errorf("%+v", figure)
	}
}

// A row has one look in all panels of a figure, also where another one is not there.
func TestLooks(t *testing.T) {
	v := Value{Name: "Figure 1", Panels: make([]Panel, 2)}
	for panel, rows := range [][]string{{"a", "b"}, {"b"}} {
		for _, row := range rows {
			for _, x := range []float64{0, 1} {
				v.Cells = append(v.Cells, Cell{Row: row, X: x, Panel: panel, Formula: new(x)})
			}
		}
	}
	var svg strings.Builder
	if err := v.draw().Picture.WriteSVG(&svg); err != nil {
		t.Fatal(err)
	}
	lines := map[string]int{}
	for _, line := range regexp.MustCompile(`stroke:#\w{6}`).FindAllString(svg.String(), -1) {
		lines[line]++
	}
	var looks []int
	for _, look := range []chart.Look{chart.Curve(0), chart.Curve(1)} {
		r, g, b, _ := look.Line.Color.RGBA()
		looks = append(looks, lines[fmt.Sprintf("stroke:#%02X%02X%02X", r>>8, g>>8, b>>8)])
	}
	if looks[0] != 2 || looks[1] != 3 { // one is the legend's
		t.Errorf("%v: %v", looks, lines)
	}
}
