package claim

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// A printed value has the tolerance of its digits, or of its rule.
func TestPrint(t *testing.T) {
	inf := math.Inf(1)
	for _, test := range []struct {
		text string
		rule Rule
		want [3]float64 // value, least and most
	}{
		{"0.642", ToDigit, [...]float64{0.642, 0.6415, 0.6425}},
		{"443", ToDigit, [...]float64{443, 442.5, 443.5}},
		{"1,000,000", ToDigit, [...]float64{1e6, 999_999.5, 1_000_000.5}},
		{"2.5e-3", ToDigit, [...]float64{2.5e-3, 2.45e-3, 2.55e-3}},
		{"80 %", ToDigit, [...]float64{0.8, 0.795, 0.805}},
		{"80 %", ToTens, [...]float64{0.8, 0.75, 0.85}},
		{"99.8 %", CutOff, [...]float64{0.998, 0.998, 0.999}},
		{"434 ± 13.74", ToDigit, [...]float64{434, 420.26, 447.74}},
		{"3 to 4", ToDigit, [...]float64{3.5, 3, 4}},
		{"implied 1", Around, [...]float64{1, 0.9, 1.1}},
		{"-40", Around, [...]float64{-40, -44, -36}},
		{"2", Comparable, [...]float64{2, 1, 4}},
		{"1.4", Above, [...]float64{1.4, 1.4, inf}},
		{"70,000", Below, [...]float64{70_000, -inf, 70_000}},
		{"0", Never, [...]float64{0, 0, 1e-3}},
		{"8", Exactly, [...]float64{8, 8, 8}},
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
