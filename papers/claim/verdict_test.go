package claim

import (
	"strings"
	"testing"
)

func TestVerdicts(t *testing.T) {
	interval := func(low, high float64) Interval { return around((low+high)/2, (high-low)/2) }
	above, err := Print("1.4", Above)
	below, otherErr := Print("1.4", Below)
	if err != nil || otherErr != nil {
		t.Fatal(err, otherErr)
	}
	for _, test := range []struct {
		name string
		Published
		Interval
		want Verdict
	}{
		{"inside", rounded(0.8, 0.1), interval(0.78, 0.79), Reproduced},
		{"around it", rounded(0.8, 0.01), interval(0.76, 0.84), Reproduced},
		{"too wide above", rounded(0.8, 0.01), interval(0.79, 0.85), Undecided},
		{"too wide below", rounded(0.8, 0.01), interval(0.75, 0.81), Undecided},
		{"nothing, of too few", rounded(0, 0), interval(0, 0.1), Undecided},
		{"meets it from below", rounded(0.8, 0.1), interval(0.72, 0.76), Reproduced},
		{"meets it from above", rounded(0.8, 0.1), interval(0.84, 0.88), Reproduced},
		{"below", rounded(0.8, 0.1), interval(0.7, 0.74), Differs},
		{"above", rounded(0.8, 0.1), interval(0.86, 0.9), Differs},
		{"printed to 1 %", rounded(0.8, 0.01), interval(0.785, 0.79), Differs},
		{"computed, at the end", rounded(0.5, 0.5), Exact(0.75), Reproduced},
		{"about, within a tenth", about(0.4), interval(0.35, 0.361), Reproduced},
		{"above", above, interval(1.41, 1.5), Reproduced},
		{"above, or not", above, interval(1.39, 1.5), Undecided},
		{"above, but below", above, interval(1.3, 1.39), Differs},
		{"below", below, interval(1.3, 1.39), Reproduced},
		{"below, but above", below, interval(1.41, 1.5), Differs},
		{"about, outside", about(0.4), interval(0.35, 0.359), Differs},
		{"higher", Trend(Higher), interval(0.01, 0.03), InTrend},
		{"higher, not significantly", Trend(Higher), interval(-0.01, 0.03), Undecided},
		{"higher, but the same", Trend(Higher), Exact(0), Differs},
		{"higher, but lower", Trend(Higher), interval(-0.03, -0.01), Differs},
		{"lower", Trend(Lower), interval(-0.03, -0.01), InTrend},
		{"lower, not significantly", Trend(Lower), interval(-0.03, 0.01), Undecided},
		{"lower, but the same", Trend(Lower), Exact(0), Differs},
		{"lower, but higher", Trend(Lower), interval(0.01, 0.03), Differs},
		{"not higher, and lower", Trend(NotHigher), interval(-0.03, -0.01), InTrend},
		{"not higher, or so", Trend(NotHigher), interval(-0.01, 0.03), Undecided},
		{"not higher, and the same", Trend(NotHigher), Exact(0), InTrend},
		{"not higher, but higher", Trend(NotHigher), interval(0.01, 0.03), Differs},
		{"nothing published", Published{}, interval(0, 1), NotPublished},
		{"nothing measured", rounded(0.8, 0.1), Interval{}, NotReproducible},
		{"nothing at all", Published{}, Interval{}, NotReproducible},
	} {
		c := Claim{Published: test.Published, Interval: test.Interval}
		c.Judge()
		if c.Verdict != test.want {
			t.Errorf("%s: %s, want %s", test.name, c.Verdict, test.want)
		}
		needs := test.want == Differs || test.want == NotReproducible
		if needs == c.Explained() {
			t.Errorf("%s: without a reason it is explained by %q", test.name, c.Why)
		}
		var table strings.Builder
		if err := WriteTable(&table, []Claim{c}); err != nil ||
			strings.Contains(table.String(), "no reason is written") != needs {
			t.Errorf("%s: without a reason (%v):\n%s", test.name, err, &table)
		}
		c.Why = "a reason"
		if c.Judge(); !c.Explained() || (c.Why == "a reason") != needs {
			t.Errorf("%s: with a reason: %q stays", test.name, c.Why)
		}
	}
}

// rounded is a value that was printed to a unit: 0.80 to 0.1 is 0.75 to 0.85.
func rounded(value, unit float64) Published {
	return Published{Value: &value, Least: new(value - unit/2), Most: new(value + unit/2)}
}

// about is a value that the text calls "around": within a tenth of it.
func about(value float64) Published { return rounded(value, value/5) }

// What a paper meant is a reading by which all claims of a sentence hold, where another one
// differs.
func TestMeant(t *testing.T) {
	claims := []Claim{
		{Item: "1", Reading: "a", Verdict: Differs}, {Item: "1", Reading: "b", Verdict: Reproduced},
		{Item: "2", Reading: "a", Verdict: Differs}, {Item: "2", Reading: "b", Verdict: InTrend},
		{Item: "2", Reading: "c", Verdict: Reproduced},
		{Item: "3", Reading: "a", Verdict: Reproduced},
		{Item: "3", Reading: "b", Verdict: Reproduced},
		{Item: "4", Reading: "a", Verdict: Differs},
		{Item: "4", Reading: "b", Verdict: NotPublished},
		{Item: "5", Reading: Literal, Verdict: Differs},
		{Item: "5", Reading: Literal, Verdict: Reproduced},
		{Item: "6", Reading: "a", Verdict: Differs}, {Item: "6", Reading: "b", Verdict: Undecided},
		{Item: "7", Reading: "a", Verdict: Reproduced}, {Item: "7", Reading: "a", Verdict: Differs},
		{Item: "7", Reading: "b", Verdict: Reproduced},
		{Item: "8", Where: "p. 1", Reading: "a", Verdict: Differs},
		{Item: "8", Where: "p. 2", Reading: "b", Verdict: Reproduced},
	}
	findMeant(claims)
	want := map[string]Meant{"1b": MustBeMeant, "2b": MayBeMeant, "2c": MayBeMeant,
		"7b": MustBeMeant}
	for _, c := range claims {
		if c.Meant != want[c.Item+c.Reading] {
			t.Errorf("item %s, reading %s: %q, want %q", c.Item, c.Reading, c.Meant,
				want[c.Item+c.Reading])
		}
	}
}

// A claim is one line of JSON with these fields.
func TestJSON(t *testing.T) {
	c := Claim{
		Paper: "letter", Item: "fig3", Where: "p. 3", Parameters: map[string]any{"m": 240},
		Quantity: "deletable", Unit: Share,
		Published: rounded(0.5, 0.25), Theory: Theory{new(0.5), "own throw"},
		Interval: Exact(0.5), Trials: 2000,
		Seed: 1, Reading: Literal,
	}
	c.Judge()
	var text strings.Builder
	if err := WriteJSON(&text, []Claim{c, {}}); err != nil {
		t.Fatal(err)
	}
	want := `{"paper":"letter","item":"fig3","where":"p. ` +
		`3","parameters":{"m":240},"quantity":"deletable","unit":"share",` +
		`"published":0.5,"published_low":0.375,"published_high":0.625,"theory":0.5,"theory_of":"own throw",` +
		`"measured":0.5,"low":0.5,"high":0.5,"trials":2000,"seed":1,"reading":"literal","verdict":"reproduced"}
{"paper":"","item":"","where":"","parameters":null,"quantity":"","unit":"","published":null,"published_low":null,"published_high":null,` +
		`"theory":null,"measured":null,"low":null,"high":null,"trials":0,"seed":0,"reading":"","verdict":""}
`
	if text.String() != want {
		t.Errorf("got\n%swant\n%s", &text, want)
	}
}

// The table has all claims but points, a place and a reason once for rows that share it, and how
// many there are by verdict.
func TestTable(t *testing.T) {
	claims := []Claim{
		{Item: "one", Where: "p. 1", Quantity: "rate", Unit: Share, Reading: "a",
			Published: rounded(0.8, 0.1), Interval: Exact(0.5), Why: "because"},
		{Item: "one", Quantity: "rate", Unit: Share, Reading: "b", Published: rounded(0.8, 0.1),
			Interval: Exact(0.6), Why: "because"},
		{Item: "one", Quantity: "rate", Unit: Share, Reading: "c", Published: rounded(0.8, 0.1),
			Interval: around(0.8, 0.01), Trials: 2000},
		{Item: "one", Quantity: "hidden", Interval: Exact(0.7), Point: true},
		{Item: "two", Where: "p. 2: more bits", Quantity: "bits", Unit: Number, Reading: Literal,
			Parameters: map[string]any{"n": 1, "k": 2}, Published: Trend(Higher),
			Interval: Exact(12345.6)},
		{Item: "three", Quantity: "hidden", Interval: Exact(0.7), Point: true},
	}
	for i := range claims {
		claims[i].Judge()
	}
	findMeant(claims)
	var text strings.Builder
	if err := WriteTable(&text, claims); err != nil {
		t.Fatal(err)
	}
	want := `== one ==
quantity  parameters  reading  published            theory  measured            difference  trials  verdict
rate                  a        80 % (75 % to 85 %)  -       50 %                -30 %       0       differs
    why: because
rate                  b        80 % (75 % to 85 %)  -       60 %                -20 %       0       differs
rate                  c        80 % (75 % to 85 %)  -       80 % [79 %,
	81 %]   0 %  2,000   reproduced: must be meant

== two ==
p. 2: more bits
quantity  parameters    reading  published  theory  measured  difference  trials  verdict
bits      k = 2, n = 1  literal  higher     -       12,346    -           0       trend

    1 reproduced
    1 trend
    0 undecided
    2 differs
    0 cannot be reproduced
    0 not run
    2 not published
`
	if strings.Join(strings.Fields(text.String()), " ") != strings.Join(strings.Fields(want), " ") {
		t.Errorf("got\n%s\nwant\n%s", &text, want)
	}
}
