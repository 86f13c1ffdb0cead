package claim

import "testing"

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
		{"higher", Trend(Higher), interval(0.01, 0.03), Reproduced},
		{"higher, not significantly", Trend(Higher), interval(-0.01, 0.03), Undecided},
		{"higher, but the same", Trend(Higher), Exact(0), Differs},
		{"higher, but lower", Trend(Higher), interval(-0.03, -0.01), Differs},
		{"lower", Trend(Lower), interval(-0.03, -0.01), Reproduced},
		{"lower, not significantly", Trend(Lower), interval(-0.03, 0.01), Undecided},
		{"lower, but the same", Trend(Lower), Exact(0), Differs},
		{"lower, but higher", Trend(Lower), interval(0.01, 0.03), Differs},
		{"not higher, and lower", Trend(NotHigher), interval(-0.03, -0.01), Reproduced},
		{"not higher, or so", Trend(NotHigher), interval(-0.01, 0.03), Undecided},
		{"not higher, and the same", Trend(NotHigher), Exact(0), Reproduced},
		{"not higher, but higher", Trend(NotHigher), interval(0.01, 0.03), Differs},
		{"nothing published", Published{}, interval(0, 1), NotPublished},
		{"nothing measured", rounded(0.8, 0.1), Interval{}, NotReproducible},
		{"nothing at all", Published{}, Interval{}, NotReproducible},
	} {
		if got := verdict(&test.Published, &test.Interval); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// rounded is a value that was printed to a unit: 0.80 to 0.1 is 0.75 to 0.85.
func rounded(value, unit float64) Published {
	return Published{Value: &value, Least: new(value - unit/2), Most: new(value + unit/2)}
}

// about is a value that the text calls "around": within a tenth of it.
func about(value float64) Published { return rounded(value, value/5) }
