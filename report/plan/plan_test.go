package plan

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter/planning"
)

func report(t *testing.T, p planning.Plan) *Report {
	t.Helper()
	planned, err := p.Solve()
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(&p, planned)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestReport(t *testing.T) {
	for _, test := range []struct {
		name  string
		plan  planning.Plan
		over  int
		sizes int
		text  []string
	}{
		{"rate", planning.Plan{Members: 20_000, Rate: 0.02, Turnovers: 1}, 9, 14,
			[]string{"20,000 members, blocks of 512 bits, 1 turnover, lifetime oldest",
				"false-positive rate of 0.02 at most"}},
		{"bytes", planning.Plan{Members: 20_000, Bytes: 40_000, BlockBits: 256,
			Lifetime: planning.Random(), Turnovers: 2}, 9, 14,
			[]string{"blocks of 256 bits, 2 turnovers, lifetime random", "40,000 bytes at most",
				"1,250 blocks, 40,000 bytes, 16.0 bits per key"}},
		{"no turnover", planning.Plan{Members: 20_000, Rate: 0.02}, 1, 7,
			[]string{"0 turnovers", "at start    rate 0.0199, with 99 % of hash keys below " +
				"0.0205; deletability 56.2 %"}},
		{"a single key", planning.Plan{Members: 1, Bytes: 64}, 1, 7,
			[]string{"1 block, 64 bytes, 512.0 bits per key"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := report(t, test.plan)
			if len(r.Over) != test.over || len(r.Sizes) != test.sizes || r.Start != r.Over[0] ||
				r.End != r.Over[test.over-1] {
				t.Errorf("%d and %d points, want %d and %d: %+v", len(r.Over), len(r.Sizes),
					test.over, test.sizes, r)
			}
			if r.End.Rate != r.planned.End.Rate ||
				r.Start.Deletability != r.planned.Start.Deletability {
				t.Errorf("%+v, planned %+v", r, r.planned)
			}
			text := r.String()
			if strings.Contains(text, "EXTRAPOLATED") || r.Start.Extrapolated ||
				r.End.Extrapolated {
				t.Errorf("extrapolated, within the range that tests hold:\n%s", text)
			}
			for _, want := range test.text {
				if !strings.Contains(text, want) {
					t.Errorf("no %q in\n%s", want, text)
				}
			}
		})
	}
}

// A report says where its predictions are not held to simulations, as text and as JSON, and not
// where they are.
func TestExtrapolated(t *testing.T) {
	for _, test := range []struct {
		name string
		plan planning.Plan
		want bool
	}{
		{"few members", planning.Plan{Members: 299, Bytes: 1920, Turnovers: 1}, true},
		{"members enough", planning.Plan{Members: 300, Bytes: 1920, Turnovers: 1}, false},
		{"few blocks, refreshed", planning.Plan{Members: 300, Bytes: 1920, Reinserts: 1}, true},
		{"many turnovers of few keys a block",
			planning.Plan{Members: 1000, Bytes: 16_000, Turnovers: 11}, true},
		{"a low rate", planning.Plan{Members: 10_000, Rate: 2e-9, Turnovers: 10}, false},
		{"a lower one", planning.Plan{Members: 1000, Rate: 1e-11, Turnovers: 10}, true},
		{"fresh", planning.Plan{Members: 50, Rate: 1e-12}, false},
	} {
		r := report(t, test.plan)
		text := r.String()
		data, err := json.Marshal(r.End)
		if err != nil {
			t.Fatal(err)
		}
		if r.Start.Extrapolated || r.End.Extrapolated != test.want ||
			strings.Contains(text, "EXTRAPOLATED") != test.want ||
			strings.Contains(string(data), `"extrapolated":true`) != test.want {
			t.Errorf("%s: want %v\n%s\n%s", test.name, test.want, text, data)
		}
		if r.End.Rate99 < r.End.Rate || !strings.Contains(string(data), `"rate_99":`) {
			t.Errorf("%s: %s", test.name, data)
		}
	}
}

// Without a limit of turnovers the report has the steady state, by the re-inserts per insert, and
// other kinds beside it.
func TestForEver(t *testing.T) {
	r := report(t, planning.Plan{Members: 1_000_000, Rate: 0.01, Reinserts: 1})
	text := r.String()
	for _, want := range []string{
		"forever with 1 re-insert per insert, lifetime oldest", "1 % forever: 15.7 bits per " +
			"key and 1 re-insert per insert, or 30.8 and none (rolling)",
		"cheaper    cuckoo: 10.5 bits per key; it can refuse an insert",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	f := r.ForEver
	if len(f.Reinserts) != len(someReinserts) || len(f.Subjects) != 4 || f.Rolling == nil ||
		r.End.Rate > 0.01 || r.End.Rate < 0.0099 {
		t.Errorf("%+v, %+v", f, r.End)
	}
	for i, p := range f.Reinserts {
		if p.Rate > 0.01 || p.Rate < 0.0099 || i > 0 &&
			p.BitsPerKey >= f.Reinserts[i-1].BitsPerKey {
			t.Errorf("%+v", f.Reinserts)
		}
	}
	if kept, alone := f.Subjects[0], f.Subjects[1]; kept.Rate > 0.01 || alone.Rate < 0.99 ||
		alone.Name != "left alone" {
		t.Errorf("%+v", f.Subjects)
	}
	random := report(t, planning.Plan{Members: 20_000, Rate: 0.01, Reinserts: 3,
		Lifetime: planning.Random()})
	if text := random.String(); !strings.Contains(text,
		"or 30.8 and those that outlive its ring (rolling)") || len(random.ForEver.Reinserts) != 6 {
		t.Error(text)
	}
	bytes := report(t, planning.Plan{Members: 20_000, Bytes: 40_000, Reinserts: 2}).ForEver
	if bytes.Reinserts[0].BitsPerKey != 16 || bytes.Rolling.Rate < 0.1 ||
		bytes.Rolling.BitsPerKey > 16 {
		t.Errorf("%+v", bytes)
	}
}

// Without a number of re-inserts there is one per insert, or as few as keep the rate in the bytes.
func TestSetReinserts(t *testing.T) {
	for _, test := range []struct {
		plan      planning.Plan
		low, high float64
		solves    bool
	}{
		{planning.Plan{Members: 100_000, Rate: 0.01}, 1, 1, true},
		{planning.Plan{Members: 100_000, Bytes: 100_000}, 1, 1, true},
		{planning.Plan{Members: 100_000, Rate: 0.009, Bytes: 200_000}, 0.95, 1.05, true},
		{planning.Plan{Members: 100_000, Rate: 0.001, Bytes: 200_000}, planning.MaxReinserts,
			planning.MaxReinserts, false},
	} {
		if err := SetReinserts(&test.plan); err != nil || test.plan.Reinserts < test.low ||
			test.plan.Reinserts > test.high {
			t.Errorf("%+v (%v), want %g to %g re-inserts", test.plan, err, test.low, test.high)
		}
		if _, err := test.plan.Solve(); (err == nil) != test.solves {
			t.Errorf("%+v: %v", test.plan, err)
		}
	}
	if err := SetReinserts(&planning.Plan{Rate: 0.1, Bytes: 64}); err == nil {
		t.Error("no members: no error")
	}
}

// The kinds that take fewer bits are named, and only these.
func TestCheaper(t *testing.T) {
	for _, test := range []struct {
		plan planning.Plan
		want string
	}{
		{planning.Plan{Members: 100_000, Rate: 0.2}, ""},
		{planning.Plan{Members: 100_000, Rate: 0.01, Turnovers: 1}, "cuckoo"},
		{planning.Plan{Members: 100_000, Rate: 0.01, Turnovers: 5}, "cuckoo rolling"},
		{planning.Plan{Members: 100_000, Bytes: 200_000, Turnovers: 1}, "cuckoo"},
		{planning.Plan{Members: 100_000, Bytes: 64, Turnovers: 1}, ""}, // a rate of 1
	} {
		r := report(t, test.plan)
		var names []string
		for _, o := range r.Cheaper {
			names = append(names, o.Kind)
			if o.BitsPerKey >= r.BitsPerKey || o.Rate > r.End.Rate {
				t.Errorf("%+v: %+v", test.plan, o)
			}
		}
		if got := strings.Join(names, " "); got != test.want {
			t.Errorf("%+v: %q, want %q", test.plan, got, test.want)
		}
	}
}
