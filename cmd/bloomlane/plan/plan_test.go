package plan

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/internal/simulation"
	"github.com/bloomlane/bloomlane/report/chart/charttest"
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
			[]string{"0 turnovers", "at start     rate 0.0199, with 99 % of hash keys below " +
				"0.0205; deletable 56.2 %"}},
		{"a single key", planning.Plan{Members: 1, Bytes: 64}, 1, 7,
			[]string{"1 blocks, 64 bytes, 512.0 bits per key"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := report(t, test.plan)
			if len(r.Over) != test.over || len(r.Sizes) != test.sizes || r.Start != r.Over[0] ||
				r.End != r.Over[test.over-1] {
				t.Errorf("%d and %d points, want %d and %d: %+v", len(r.Over), len(r.Sizes),
					test.over, test.sizes, r)
			}
			if r.End.Rate != r.planned.End.Rate || r.Start.Deletable != r.planned.Start.Deletable {
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

// Every point is simulated and agrees.
func TestVerify(t *testing.T) {
	plan := planning.Plan{Members: 30_000, Rate: 0.02, Turnovers: 1}
	const members = 4_000
	r := report(t, plan)
	last := 0
	if err := r.Verify(members, 1, func(inserts int) { last = inserts }); err != nil {
		t.Fatal(err)
	}
	if v := r.Verified; v.Off != 0 || v.Points != 23 || v.Members != members ||
		last > r.Inserts(members) {
		t.Errorf("%+v, after %d of %d inserts", v, last, r.Inserts(members))
	}
	if s := r.End.Simulated; s == nil || s.Members != members || s.Found == 0 {
		t.Errorf("simulated %+v", s)
	}
	if text := r.String(); !strings.Contains(text, "23 of 23 points agree") ||
		strings.Contains(text, "OFF") {
		t.Error(text)
	}
}

// A prediction agrees with a measurement up to the tolerance and three standard errors, and no
// further.
func TestCompare(t *testing.T) {
	const members = 1_000_000
	fresh, churned := Point{Rate: 0.01, Deletable: 0.5},
		Point{Rate: 0.01, Deletable: 0.5, Turnovers: 1}
	for _, test := range []struct {
		name     string
		point    Point
		measured simulation.Measurement
		agrees   bool
	}{
		{"equal", fresh, simulation.Measurement{Rate: 0.01, Deletable: 0.5}, true},
		{"fresh, rate near", fresh, simulation.Measurement{Rate: 0.0104, Deletable: 0.5}, true},
		{"fresh, rate off", fresh, simulation.Measurement{Rate: 0.0107, Deletable: 0.5}, false},
		{"churned, rate near", churned, simulation.Measurement{Rate: 0.0107, Deletable: 0.5}, true},
		{"churned, rate off", churned, simulation.Measurement{Rate: 0.0113, Deletable: 0.5}, false},
		{"rate uncertain", churned, simulation.Measurement{Rate: 0.0113, RateError: 0.0001,
			Deletable: 0.5}, true},
		{"rate too low", churned, simulation.Measurement{Rate: 0.0088, Deletable: 0.5}, false},
		{"deletable near", churned, simulation.Measurement{Rate: 0.01, Deletable: 0.509}, true},
		{"deletable off", churned, simulation.Measurement{Rate: 0.01, Deletable: 0.515}, false},
	} {
		r := Report{Verified: &Verification{}}
		r.compare(&test.point, members, &test.measured)
		off := 1
		if test.agrees {
			off = 0
		}
		if r.Verified.Off != off || test.point.Simulated.Agrees != test.agrees {
			t.Errorf("%s: %+v, want agreement: %v", test.name, r.Verified, test.agrees)
		}
		r.Over = []Point{test.point}
		if text := r.String(); strings.Contains(text, "OFF") == test.agrees {
			t.Error(text)
		}
	}
}

// The picture is XML, and names its axes and curves.
func TestPicture(t *testing.T) {
	for _, test := range []struct {
		name string
		plan planning.Plan
		want []string
	}{
		{"churn", planning.Plan{Members: 20_000, Rate: 0.02, Turnovers: 2},
			[]string{"bits per key", "turnovers since", "false-positive rate", "deletable members",
				"no turnover yet", "the plan is here", "16 bits per key", "0.0001"}},
		{"no turnover", planning.Plan{Members: 20_000, Bytes: 20_000},
			[]string{"no turnover yet", "8.0 bits"}},
		{"full", planning.Plan{Members: 20_000, Bytes: 64, Turnovers: 3}, []string{"3 turnovers"}},
		{"forever", planning.Plan{Members: 20_000, Rate: 0.02, Reinserts: 1},
			[]string{"0.25 re-inserts per insert", "refreshed", "left alone", "rolling", "cuckoo",
				"forever with 1 re-insert per insert"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			picture, err := report(t, test.plan).picture()
			if err != nil {
				t.Fatal(err)
			}
			charttest.TextsHaveRoom(t, picture)
			var first bytes.Buffer
			if err := picture.WriteSVG(&first); err != nil {
				t.Fatal(err)
			}
			var text strings.Builder
			for decoder := xml.NewDecoder(&first); ; {
				token, err := decoder.Token()
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				if data, ok := token.(xml.CharData); ok {
					text.Write(data)
					text.WriteByte('\n')
				}
			}
			for _, want := range test.want {
				if !strings.Contains(text.String(), want) {
					t.Errorf("no %q in the picture's text:\n%s", want, text.String())
				}
			}
		})
	}
	if err := report(t, planning.Plan{Members: 10, Bytes: 640}).Picture(failing{}); !errors.Is(err,
		io.ErrShortWrite) {
		t.Errorf("a writer that fails: %v", err)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

// Without a limit of turnovers the report has the steady state, by the re-inserts per insert, and
// other kinds beside it.
func TestForEver(t *testing.T) {
	r := report(t, planning.Plan{Members: 1_000_000, Rate: 0.01, Reinserts: 1})
	text := r.String()
	for _, want := range []string{
		"forever with 1 re-insert per insert, lifetime oldest", "1 % forever: 15.7 bits per " +
			"key and 1 re-insert per insert, or 30.8 and none (rolling)",
		"cheaper      cuckoo: 10.5 bits per key; it can refuse an insert",
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
	if at := f.Subjects[1].Points; f.Subjects[1].Name != alone || at[0].Rate > 0.01 ||
		at[samples].Rate < 0.99 {
		t.Errorf("%+v", f.Subjects[1])
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

// The filters of the same size are simulated: refreshed the rate stays, left alone it goes to 1.
func TestVerifyForEver(t *testing.T) {
	const members = 2000
	r := report(t, planning.Plan{Members: 10_000, Rate: 0.05, Reinserts: 1})
	last := 0
	if err := r.Verify(members, 1, func(inserts int) { last = max(last, inserts) }); err != nil {
		t.Fatal(err)
	}
	if r.Verified.Off != 0 || last == 0 || last > r.Inserts(members) {
		t.Errorf("%+v, after %d of %d inserts", r.Verified, last, r.Inserts(members))
	}
	for _, s := range r.ForEver.Subjects {
		expected := s.Points[len(s.Points)-1].Rate
		mean, highest := s.later()
		low := 0.8 * expected
		if s.Name == "rolling" { // expected with a full ring
			low = 0.4 * expected
		}
		if len(s.Samples) != samples+1 || !(mean > low && mean < 1.2*expected) || highest < mean {
			t.Errorf("%s: mean %g, highest %g, expected %g: %d samples", s.Name, mean, highest,
				expected, len(s.Samples))
		}
	}
	if text := r.String(); !strings.Contains(text, "refused inserts") ||
		!strings.Contains(text, "simulated, the mean") {
		t.Error(text)
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
