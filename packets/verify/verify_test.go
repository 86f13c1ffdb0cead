package verify

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/packets/verify/internal/simulation"
	"github.com/bloomlane/bloomlane/report/chart/charttest"
	"github.com/bloomlane/bloomlane/report/plan"
)

func report(t *testing.T, p planning.Plan) *plan.Report {
	t.Helper()
	planned, err := p.Solve()
	if err != nil {
		t.Fatal(err)
	}
	r, err := plan.New(&p, planned)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Every point is simulated and agrees.
func TestVerify(t *testing.T) {
	p := planning.Plan{Members: 30_000, Rate: 0.02, Turnovers: 1}
	const members = 4_000
	r := report(t, p)
	last := 0
	if err := Run(r, members, 1, func(inserts int) { last = inserts }); err != nil {
		t.Fatal(err)
	}
	if v := r.Verified; v.Off != 0 || v.Points != 23 || v.Members != members ||
		last > Inserts(r, members) {
		t.Errorf("%+v, after %d of %d inserts", v, last, Inserts(r, members))
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
	fresh, churned := plan.Point{Rate: 0.01, Deletability: 0.5},
		plan.Point{Rate: 0.01, Deletability: 0.5, Turnovers: 1}
	for _, test := range []struct {
		name     string
		point    plan.Point
		measured simulation.Measurement
		agrees   bool
	}{
		{"equal", fresh, simulation.Measurement{Rate: 0.01, Deletability: 0.5}, true},
		{"fresh, rate near", fresh, simulation.Measurement{Rate: 0.0104, Deletability: 0.5}, true},
		{"fresh, rate off", fresh, simulation.Measurement{Rate: 0.0107, Deletability: 0.5}, false},
		{"churned, rate near", churned,
			simulation.Measurement{Rate: 0.0107, Deletability: 0.5}, true},
		{"churned, rate off", churned,
			simulation.Measurement{Rate: 0.0113, Deletability: 0.5}, false},
		{"rate uncertain", churned, simulation.Measurement{Rate: 0.0113, RateError: 0.0001,
			Deletability: 0.5}, true},
		{"rate too low", churned, simulation.Measurement{Rate: 0.0088, Deletability: 0.5}, false},
		{"deletable near", churned, simulation.Measurement{Rate: 0.01, Deletability: 0.509}, true},
		{"deletable off", churned, simulation.Measurement{Rate: 0.01, Deletability: 0.515}, false},
	} {
		r := plan.Report{Verified: &plan.Verification{}}
		compare(&r, &test.point, members, &test.measured)
		off := 1
		if test.agrees {
			off = 0
		}
		if r.Verified.Off != off || test.point.Simulated.Agrees != test.agrees {
			t.Errorf("%s: %+v, want agreement: %v", test.name, r.Verified, test.agrees)
		}
		r.Over = []plan.Point{test.point}
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
			[]string{"bits per key", "turnovers since", "false-positive rate", "deletability",
				"no turnover yet", "the plan is here", "16 bits per key", "0.0001"}},
		{"no turnover", planning.Plan{Members: 20_000, Bytes: 20_000},
			[]string{"no turnover yet", "8.0 bits"}},
		{"full", planning.Plan{Members: 20_000, Bytes: 64, Turnovers: 3}, []string{"3 turnovers"}},
		{"forever", planning.Plan{Members: 20_000, Rate: 0.02, Reinserts: 1},
			[]string{"0.25 re-inserts per insert", "refreshed", "left alone", "rolling", "cuckoo",
				"forever with 1 re-insert per insert"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			picture, err := draw(report(t, test.plan))
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
	if err := Picture(failing{}, report(t, planning.Plan{Members: 10, Bytes: 640})); !errors.Is(
		err, io.ErrShortWrite) {
		t.Errorf("a writer that fails: %v", err)
	}
}

// The filters of the same size are simulated: refreshed the rate stays, left alone it goes to 1.
func TestVerifyForEver(t *testing.T) {
	const members = 2000
	r := report(t, planning.Plan{Members: 10_000, Rate: 0.05, Reinserts: 1})
	last := 0
	if err := Run(r, members, 1, func(inserts int) { last = max(last, inserts) }); err != nil {
		t.Fatal(err)
	}
	if r.Verified.Off != 0 || last == 0 || last > Inserts(r, members) {
		t.Errorf("%+v, after %d of %d inserts", r.Verified, last, Inserts(r, members))
	}
	for _, s := range r.ForEver.Subjects {
		expected := s.Points[len(s.Points)-1].Rate
		mean, highest := s.Later()
		low := 0.8 * expected
		if s.Name == "rolling" { // expected with a full ring
			low = 0.4 * expected
		}
		if len(s.Samples) != plan.Looks+1 || !(mean > low && mean < 1.2*expected) ||
			highest < mean {
			t.Errorf("%s: mean %g, highest %g, expected %g: %d samples", s.Name, mean, highest,
				expected, len(s.Samples))
		}
	}
	if text := r.String(); !strings.Contains(text, "refused inserts") ||
		!strings.Contains(text, "simulated, the mean") {
		t.Error(text)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrShortWrite }
