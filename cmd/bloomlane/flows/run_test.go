package flows

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/cmd/bloomlane/capture"
	"github.com/bloomlane/bloomlane/cmd/bloomlane/capture/capturetest"
)

var usual = Config{Idle: timeout, Limit: 1 << 20, BitsPerKey: 16, Rate: 0.01, Samples: 24, Strangers: 20_000, Seed: 1}

func mustRun(t *testing.T, c Config, open Source) *Report {
	t.Helper()
	report, damage, err := Run(c, open)
	if err != nil || damage != nil {
		t.Fatal(err, damage)
	}
	return report
}

// TestRun runs the real capture and a trace made from it: what strangers find is what the bits say, no filter loses a
// flow, and the exact set is as large as the survey says.
func TestRun(t *testing.T) {
	for _, synthesis := range []*Synthesis{nil, {Flows: 20_000, Density: 5, Seed: 2}} {
		c := usual
		c.Synthesis = synthesis
		r := mustRun(t, c, file(t, capturetest.CIP))
		if r.FalseNegatives() != 0 || len(r.Samples) != c.Samples || len(r.Totals) != len(Names) {
			t.Fatalf("%d false negatives, %d samples, %d filters", r.FalseNegatives(), len(r.Samples), len(r.Totals))
		}
		peak, seconds := 0, 0.0
		for _, s := range r.Samples {
			if s.Seconds <= seconds {
				t.Errorf("a sample at %g s after one at %g s", s.Seconds, seconds)
			}
			seconds = s.Seconds
			peak = max(peak, s.Members)
			for i, a := range s.Answers {
				// The bits of a rolling filter count a stranger of two tables twice; those of counters are taken as independent.
				sigma := math.Sqrt(a.Rate*(1-a.Rate)*float64(c.Strangers)) + 0.03*a.Rate*float64(c.Strangers)
				if want := a.Rate * float64(c.Strangers); math.Abs(float64(a.Strangers)-want) > 5*sigma+5 {
					t.Errorf("%s at %.0f s: %d strangers found, by the bits %.1f ± %.1f", Names[i], s.Seconds, a.Strangers, want, sigma)
				}
			}
		}
		if math.Abs(seconds-r.Traffic.Seconds) > 1e-6 || peak > r.Traffic.Peak || float64(peak) < 0.8*float64(r.Traffic.Peak) {
			t.Errorf("samples up to %g s with %d live flows at most, want %g s and %d", seconds, peak, r.Traffic.Seconds, r.Traffic.Peak)
		}
		last := r.Samples[len(r.Samples)-1].Members
		if last != r.Traffic.Endings.Cut {
			t.Errorf("%d flows live at the end, want the %d that the end cuts", last, r.Traffic.Endings.Cut)
		}
		if kept := r.Totals[0].Kept; kept != r.Traffic.Flows-last {
			t.Errorf("insert-only still found %d flows after their end, want all %d", kept, r.Traffic.Flows-last)
		}
	}
}

// TestDeterminism: the same seed gives the same report to the letter, another seed another one.
func TestDeterminism(t *testing.T) {
	reports := make([]string, 3)
	for i, seed := range []uint64{1, 1, 2} {
		c := usual
		c.Seed, c.Synthesis = seed, &Synthesis{Flows: 5000, Density: 2, Seed: seed}
		text, err := json.Marshal(mustRun(t, c, file(t, capturetest.CIP)))
		if err != nil {
			t.Fatal(err)
		}
		reports[i] = string(text)
	}
	if reports[0] != reports[1] || reports[0] == reports[2] {
		t.Error("two runs of one seed differ, or of two seeds do not")
	}
}

// TestMoreFlowsThanPlanned: the rolling filter refuses what it has no room for, and that is counted.
func TestMoreFlowsThanPlanned(t *testing.T) {
	c := usual
	c.Members = 50
	r := mustRun(t, c, file(t, capturetest.CIP))
	for i, total := range r.Totals {
		rolls := Names[i] == rollingIs
		if (total.Refused > 0) != rolls || (total.FalseNegatives > 0) != rolls || r.Advice.Worst[i].Complete == rolls {
			t.Errorf("%+v: want flows refused and not found by the rolling filter alone", total)
		}
	}
	if r.Advice.Use == rollingIs || r.Advice.Keeps {
		t.Errorf("advice %+v: want a filter that is complete, and keeps nothing", r.Advice)
	}
}

func TestConfigs(t *testing.T) {
	for name, change := range map[string]func(c *Config){
		"idle":      func(c *Config) { c.Idle = 0 },
		"limit":     func(c *Config) { c.Limit = 0 },
		"members":   func(c *Config) { c.Members = -1 },
		"bits":      func(c *Config) { c.BitsPerKey = 0 },
		"rate":      func(c *Config) { c.Rate = math.NaN() },
		"rate 1":    func(c *Config) { c.Rate = 1 },
		"samples":   func(c *Config) { c.Samples = 0 },
		"many":      func(c *Config) { c.Samples = 1 << 30 },
		"strangers": func(c *Config) { c.Strangers = 0 },
		"flows":     func(c *Config) { c.Synthesis = &Synthesis{Density: 1} },
	} {
		c := usual
		change(&c)
		if _, _, err := Run(c, func() (capture.Headers, error) { return &few{n: 1}, nil }); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	missing := errors.New("missing")
	if _, _, err := Run(usual, func() (capture.Headers, error) { return nil, missing }); !errors.Is(err, missing) {
		t.Errorf("error %v, want %v", err, missing)
	}
}

// TestAnInputThatChanges between the two passes is an error.
func TestAnInputThatChanges(t *testing.T) {
	n := 3
	_, _, err := Run(usual, func() (capture.Headers, error) { n--; return &few{n: n}, nil })
	if err == nil || !strings.Contains(err.Error(), "found 1 packets, expected the 2 of the first pass") {
		t.Errorf("error %v", err)
	}
}

// TestNoFlows: a stream without packets, or without time, has a report too.
func TestNoFlows(t *testing.T) {
	for _, n := range []int{0, 3} {
		r := mustRun(t, usual, func() (capture.Headers, error) { return &few{n: n}, nil })
		if len(r.Samples) != usual.Samples || r.Traffic.Packets.All != n {
			t.Errorf("%d samples of %d packets", len(r.Samples), r.Traffic.Packets.All)
		}
		if err := errors.Join(r.Write(io.Discard), r.Picture(io.Discard)); err != nil {
			t.Error(err)
		}
		if _, err := json.Marshal(r); err != nil {
			t.Error(err)
		}
	}
}

// TestReports: a synthesised trace is marked as such in the text, the JSON and the picture, and a captured one is not.
func TestReports(t *testing.T) {
	for _, synthesis := range []*Synthesis{nil, {Flows: 2000, Density: 2, Seed: 3}} {
		c := usual
		c.Synthesis = synthesis
		r := mustRun(t, c, file(t, capturetest.CIP))
		r.Input = "somewhere/cip.pcap"
		var text, picture bytes.Buffer
		if err := errors.Join(r.Write(&text), r.Picture(&picture)); err != nil {
			t.Fatal(err)
		}
		encoded, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		for name, found := range map[string]bool{
			"text":    strings.Contains(text.String(), "SYNTHESISED"),
			"JSON":    strings.Contains(string(encoded), `"synthesised":{"flows":2000`),
			"picture": strings.Contains(picture.String(), "SYNTHESISED"),
		} {
			if found != (synthesis != nil) {
				t.Errorf("the %s says synthesised: %v, want %v", name, found, synthesis != nil)
			}
		}
		for _, sentence := range r.Advice.Text {
			if !strings.Contains(text.String(), sentence+"\n") {
				t.Errorf("the text lacks %q", sentence)
			}
		}
		for _, label := range append([]string{"false-positive rate", "regions collided (%)", "live flows", "time of the packets (s)"}, Names...) {
			if !strings.Contains(picture.String(), label) {
				t.Errorf("the picture lacks %q", label)
			}
		}
		for decoder := xml.NewDecoder(&picture); ; {
			if _, err := decoder.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("the picture: %v", err)
			}
		}
	}
}

// TestAdvice: the first filter that keeps the rate and has every flow is the one to use, and if none does, the one
// with the lowest rate that has every flow.
func TestAdvice(t *testing.T) {
	const strangers = 1_000_000
	base := *mustRun(t, usual, func() (capture.Headers, error) { return &few{n: 1}, nil })
	for _, test := range []struct {
		name  string
		rates [5]float64 // in the order of Names
		lost  int        // index of a filter that lost flows, or -1
		use   string
		keeps bool
		says  string
	}{
		{"nothing was deleted", [5]float64{0.001, 0.001, 0.001, 0.001, 0.001}, -1, insertOnly, true, "nothing has to be deleted"},
		{"few turnovers", [5]float64{0.5, 0.001, 0.001, 0.002, 0.003}, -1, deletableIs, true, "not insert-only: above that after 7 turnovers, and 50 % at worst"},
		{"many turnovers", [5]float64{0.5, 0.4, 0.004, 0.002, 0.003}, -1, rebuild, true, "without memory for a second table: rolling, 0.2 % at worst"},
		{"a table that is small", [5]float64{0.5, 0.4, 0.02, 0.002, 0.003}, -1, rollingIs, true, "not rebuild: above that"},
		{"only counters", [5]float64{0.5, 0.4, 0.02, 0.02, 0.003}, -1, counting, true, "use counting"},
		{"none", [5]float64{0.5, 0.4, 0.02, 0.03, 0.05}, -1, rebuild, false, "none of them keeps 1 %"},
		{"none, and the best lost flows", [5]float64{0.5, 0.4, 0.02, 0.03, 0.05}, 2, rollingIs, false, "none of them keeps 1 %"},
		{"the first lost flows", [5]float64{0.001, 0.001, 0.001, 0.001, 0.001}, 0, deletableIs, true, "not insert-only: it did not take or find every live flow"},
		{"none keeps it, and the first lost flows", [5]float64{0.02, 0.4, 0.03, 0.05, 0.06}, 0, rebuild, false, "rebuild comes nearest"},
		{"others would need more memory", [5]float64{0.5, 0.4, 0.004, 0.02, 0.03}, -1, rebuild, true, "rolling keeps it for ever"},
	} {
		r := base
		r.Strangers, r.Totals = strangers, slices.Clone(base.Totals)
		answers := make([]Answer, len(Names))
		for i, rate := range test.rates {
			answers[i].Strangers = int(rate * strangers)
		}
		r.Samples = []Sample{{Seconds: 1, Members: 1, Answers: make([]Answer, len(Names))}, {Seconds: 2, Members: 1, Turnovers: 7, Answers: answers}}
		if test.lost >= 0 {
			r.Totals[test.lost].FalseNegatives = 1
		}
		a := r.advise()
		if text := strings.Join(a.Text, "\n"); a.Use != test.use || a.Keeps != test.keeps || !strings.Contains(text, test.says) {
			t.Errorf("%s: use %s, keeps %v, want %s, %v:\n%s\nlacks %q", test.name, a.Use, a.Keeps, test.use, test.keeps, text, test.says)
		}
	}
}
