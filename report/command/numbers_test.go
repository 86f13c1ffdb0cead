package command

import (
	"errors"
	"strconv"
	"testing"
)

func TestCountFlag(t *testing.T) {
	for text, want := range map[string]int{
		"0": 0, "1000": 1000, "-3": -3, "+7": 7, "1e6": 1_000_000, "1E3": 1000, "2.5e3": 2500,
		"10k": 10_000, "10K": 10_000, "10M": 10_000_000, "0.7M": 700_000, "1.048576M": 1_048_576,
		"2G": 2_000_000_000, "2147483647": 2147483647, "12.0": 12,
	} {
		var c countFlag
		if err := c.Set(text); err != nil || int(c) != want {
			t.Errorf("%s: %d (%v), want %d", text, c, err, want)
		}
		if again := countFlag(0); again.Set(c.String()) != nil || again != c {
			t.Errorf("%s: its text is %s, which is %d", text, c.String(), again)
		}
	}
	for text, want := range map[string]error{
		"": strconv.ErrSyntax, "many": strconv.ErrSyntax, "1.5": strconv.ErrSyntax,
		"0.0001k": strconv.ErrSyntax, "10m": strconv.ErrSyntax, "10 M": strconv.ErrSyntax,
		"1e3k": strconv.ErrSyntax, "M": strconv.ErrSyntax, "NaN": strconv.ErrSyntax,
		"0x10": strconv.ErrSyntax, "0x1p4": strconv.ErrSyntax, "1_000": strconv.ErrSyntax,
		"1,000": strconv.ErrSyntax, "Inf": strconv.ErrRange, "1e300": strconv.ErrRange,
		"1e999": strconv.ErrRange, "-1e300": strconv.ErrRange, "1e18": strconv.ErrRange,
		"9007199254740994.0":   strconv.ErrRange,
		"99999999999999999999": strconv.ErrRange,
	} {
		c := countFlag(5)
		if err := c.Set(text); !errors.Is(err, want) || c != 5 {
			t.Errorf("%q: %d, error %v, want %v", text, c, err, want)
		}
	}
}

func TestRateFlag(t *testing.T) {
	for text, want := range map[string]float64{
		"0.01": 0.01, "1e-6": 1e-6, "1%": 0.01, "0.1%": 0.001, "0.1 %": 0.001, "100%": 1,
		"5e-1%": 0.005, "2": 2, "-1%": -0.01,
	} {
		var r rateFlag
		if err := r.Set(text); err != nil || float64(r) != want {
			t.Errorf("%s: %v (%v), want %v", text, float64(r), err, want)
		}
		if again := rateFlag(0); again.Set(r.String()) != nil || again != r {
			t.Errorf("%s: its text is %s, which is %v", text, r.String(), float64(again))
		}
	}
	for _, text := range []string{"", "%", "1%%", "one", "1 percent", "1  %", "1‰"} {
		r := rateFlag(5)
		if err := r.Set(text); !errors.Is(err, strconv.ErrSyntax) || r != 5 {
			t.Errorf("%q: %v, error %v", text, float64(r), err)
		}
	}
}
