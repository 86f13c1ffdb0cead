package flows

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bloomlane/bloomlane/packets/capture"
	"github.com/bloomlane/bloomlane/packets/capture/capturetest"
	"github.com/bloomlane/bloomlane/report/chart/charttest"
	"github.com/bloomlane/bloomlane/report/quantity"
)

var usual = Config{Idle: timeout, Limit: 1 << 20, BitsPerKey: 16, Rate: 0.01, Reinserts: 1,
	Samples: 24, NonMembers: 20_000, Seed: 1}

func mustRun(t *testing.T, c Config, open Source) *Report {
	t.Helper()
	report, damage, err := Run(c, open)
	if err != nil || damage != nil {
		t.Fatal(err, damage)
	}
	return report
}

// mustLook takes stock of packets.
func mustLook(t *testing.T, open Source, timeout time.Duration, limit int) *Traffic {
	t.Helper()
	traffic, damage, err := look(open, timeout, limit, 1)
	if err != nil || damage != nil {
		t.Fatal(err, damage)
	}
	return traffic
}

// mustFollow tells an observer of packets.
func mustFollow(t *testing.T, open Source, timeout time.Duration, limit int, o observer) *tracker {
	t.Helper()
	tr, damage, err := follow(open, timeout, limit, o)
	if err != nil || damage != nil {
		t.Fatal(err, damage)
	}
	return tr
}

// TestRun runs the real capture and a trace made from it: what non-members find is what the bits
// say, no filter loses a flow, and the exact set is as large as the survey says.
func TestRun(t *testing.T) {
	for _, synthesis := range []*Synthesis{nil, {Flows: 20_000, Density: 5, Seed: 2}} {
		c := usual
		c.Synthesis = synthesis
		r := mustRun(t, c, file(t, capturetest.CIP))
		if r.Failure() != nil || len(r.Samples) != c.Samples || len(r.Totals) != len(Names) {
			t.Fatalf("failure %v, %d samples, %d filters", r.Failure(), len(r.Samples),
				len(r.Totals))
		}
		peak, seconds := 0, 0.0
		for _, s := range r.Samples {
			if s.Seconds <= seconds {
				t.Errorf("a sample at %g s after one at %g s", s.Seconds, seconds)
			}
			seconds = s.Seconds
			peak = max(peak, s.Members)
			for i, a := range s.Answers {
				// The bits of a rolling filter count a non-member of two tables twice; those of
				// counters are taken as independent.
				sigma := math.Sqrt(a.Rate*(1-a.Rate)*float64(c.NonMembers)) +
					0.03*a.Rate*float64(c.NonMembers)
				if want := a.Rate *
					float64(c.NonMembers); math.Abs(float64(a.FalsePositives)-want) > 5*sigma+5 {
					t.Errorf("%s at %.0f s: %d non-members found, by the bits %.1f ± %.1f",
						Names[i], s.Seconds, a.FalsePositives, want, sigma)
				}
			}
		}
		if math.Abs(seconds-r.Traffic.Seconds) > 1e-6 || peak > r.Traffic.Peak ||
			float64(peak) < 0.8*float64(r.Traffic.Peak) {
			t.Errorf("samples up to %g s with %d live flows at most, want %g s and %d", seconds,
				peak, r.Traffic.Seconds, r.Traffic.Peak)
		}
		last := r.Samples[len(r.Samples)-1].Members
		if last != r.Traffic.Endings[cut] {
			t.Errorf("%d flows live at the end, want the %d that the end cuts", last,
				r.Traffic.Endings[cut])
		}
		if kept := r.Totals[0].Kept; kept != r.Traffic.Flows-last {
			t.Errorf("insert-only still found %d flows after their end, want all %d", kept,
				r.Traffic.Flows-last)
		}
		r.Input = "somewhere/cip.pcap"
		var picture bytes.Buffer
		if err := r.Picture(&picture); err != nil {
			t.Fatal(err)
		}
		encoded, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		for name, found := range map[string]bool{
			"text":    strings.Contains(r.String(), "SYNTHESISED"),
			"JSON":    strings.Contains(string(encoded), `"synthesised":{"flows":20000`),
			"picture": strings.Contains(picture.String(), "SYNTHESISED"),
		} {
			if found != (synthesis != nil) {
				t.Errorf("the %s says synthesised: %v, want %v", name, found, synthesis != nil)
			}
		}
		for _, sentence := range r.Advice.Text {
			if !strings.Contains(r.String(), sentence+"\n") {
				t.Errorf("the text lacks %q", sentence)
			}
		}
		charttest.TextsHaveRoom(t, r.Chart())
		for _, label := range append([]string{"false-positive rate", "regions collided (%)",
			"live flows", "memory (bytes)", "elastic, without the lists", "each of the others",
			"time of the packets (s)"}, Names...) {
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

// TestMoreFlowsThanPlanned: the rolling filter refuses what it has no room for, and that is
// counted. The one that grows keeps the rate, and no other does.
func TestMoreFlowsThanPlanned(t *testing.T) {
	c := usual
	c.Members = 50
	r := mustRun(t, c, file(t, capturetest.CIP))
	for i, total := range r.Totals {
		rolls := Names[i] == rollingIs
		if (total.Refused > 0) != rolls || total.FalseNegatives > 0 || total.complete() == rolls {
			t.Errorf("%+v: want flows refused by the rolling filter alone, and none that is "+
				"not found", total)
		}
	}
	for i, total := range r.Totals {
		if total.Worst.Keeps != (Names[i] == elasticIs) {
			t.Errorf("%s keeps the rate: %v", total.Filter, total.Worst.Keeps)
		}
	}
	if r.Advice.Use != elasticIs || !r.Advice.Keeps || r.Failure() != nil {
		t.Errorf("advice %+v: want elastic, which keeps the rate", r.Advice)
	}
	if text := strings.Join(r.Advice.Text, "\n"); !strings.Contains(text,
		"not rolling: it refused "+quantity.Count(
			r.Totals[slices.Index(Names, rollingIs)].Refused)+" flows") {
		t.Errorf("the advice does not say what was refused:\n%s", text)
	}
}

// TestAnInputThatChanges between the two passes is an error: of fewer packets, and of others.
func TestAnInputThatChanges(t *testing.T) {
	fragment := between(1, 2, 0, 0)
	fragment.Fragment = true
	for says, second := range map[string][]capture.Header{
		"found 1 packets, expected the 2 of the first pass": copies(1),
		"the input has changed":                             {between(1, 2, 0, 0), fragment},
	} {
		passes := 0
		_, _, err := Run(usual, func() (capture.Headers, error) {
			if passes++; passes > 1 {
				return stream(io.EOF, second...)()
			}
			return stream(io.EOF, copies(2)...)()
		})
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want %s", err, says)
		}
	}
}

// TestNoFlows: a stream without packets, or without time, has a report too.
func TestNoFlows(t *testing.T) {
	for _, n := range []int{0, 3} {
		r := mustRun(t, usual, stream(io.EOF, copies(n)...))
		if len(r.Samples) != usual.Samples || r.Traffic.Packets.All != n {
			t.Errorf("%d samples of %d packets", len(r.Samples), r.Traffic.Packets.All)
		}
		if err := r.Picture(io.Discard); err != nil || r.String() == "" {
			t.Error(err)
		}
		if _, err := json.Marshal(r); err != nil {
			t.Error(err)
		}
	}
}

// TestAdvice: the first filter that keeps the rate and has every flow is the one to use, and if
// none does, the one with the lowest rate that has every flow.
func TestAdvice(t *testing.T) {
	base := *mustRun(t, usual, stream(io.EOF, copies(1)...))
	const grown = "if the number of live flows is not known beforehand: elastic, 0.4 % at worst, " +
		"in up to 4,132 bytes (blocks 32, lists 4,100)."
	for _, test := range []struct {
		name  string
		rates [7]float64 // in the order of Names
		lost  int        // index of a filter that lost flows, or -1
		use   string
		keeps bool
		says  string
	}{
		{"nothing was deleted", [7]float64{0.001, 0.001, 0.001, 0.02, 0.001, 0.001, 0.004}, -1,
			insertOnly, true, "nothing has to be deleted"},
		{"the one that grows keeps it too", [7]float64{0.001, 0.001, 0.001, 0.02, 0.001, 0.001,
			0.004}, -1, insertOnly, true, grown},
		{"and where others are refreshed", [7]float64{0.5, 0.4, 0.004, 0.003, 0.002, 0.003, 0.004},
			-1, refresh, true, grown},
		{"only the one that grows", [7]float64{0.5, 0.4, 0.02, 0.02, 0.03, 0.05, 0.004}, -1,
			elasticIs, true, "use elastic: its rate is 0.4 % at worst, where 1 % is to be kept; " +
				"it grows with the live flows; a query reads one cache line, and its owner only " +
				"deletes.\nit takes up to 4,132 bytes (blocks 32, lists 4,100); no filter of 256 " +
				"bytes keeps 1 %.\nGive more --bits-per-key, or size a table: bloomlane plan " +
				"--members 1 --rate 0.01 --turnovers 0.\nnot insert-only: above that after 7 " +
				"turnovers"},
		{"only the one that grows, and of counters", [7]float64{0.5, 0.4, 0.02, 0.02, 0.03, 0.05,
			0.004}, -1, elasticIs, true,
			"5 % at worst, because its counters are too few for the live flows."},
		{"the one that grows is near, and no other", [7]float64{0.5, 0.4, 0.05, 0.05, 0.06, 0.05,
			0.011}, -1, rebuild, false, "no filter keeps 1 % in 256 bytes, nor does elastic in " +
			"4,132; rebuild comes nearest, with 5 % at worst.\nGive more --bits-per-key"},
		{"few turnovers", [7]float64{0.5, 0.001, 0.001, 0.02, 0.002, 0.003, 0.004}, -1, deletableIs,
			true, "not insert-only: above that after 7 turnovers, and 50 % at worst"},
		{"nothing was deleted, and others keep it for longer", [7]float64{0.001, 0.001, 0.002, 0.02,
			0.001, 0.001, 0.004}, -1, insertOnly, true,
			"if such traffic goes on for longer: rebuild, 0.2 % at worst"},
		{"and others that do", [7]float64{0.001, 0.001, 0.003, 0.002, 0.001, 0.004, 0.004}, -1,
			insertOnly, true, "if such traffic goes on for longer: refresh, 0.2 % at worst; " +
				"without a list by interval of hashes: rebuild, 0.3 % at worst; without memory"},
		{"many turnovers, and refreshed", [7]float64{0.5, 0.4, 0.004, 0.003, 0.002, 0.003, 0.004},
			-1, refresh, true, "at worst, where 1 % is to be kept; a query reads one cache line; " +
				"its owner lists the live flows by interval"},
		{"refreshed, and one turnover", [7]float64{1, 0.4, 0.004, 0.003, 0.002, 0.003, 0.004}, -1,
			refresh, true, "not insert-only: above that after 1 turnover, "},
		{"refreshed too seldom", [7]float64{0.5, 0.4, 0.004, 0.03, 0.002, 0.003, 0.004}, -1,
			rebuild, true, "not refresh: above that after 7 turnovers, and 3 % at worst"},
		{"few turnovers, and no other keeps it", [7]float64{0.5, 0.001, 0.02, 0.02, 0.02, 0.03,
			0.004}, -1, deletableIs, true, "use deletable"},
		{"many turnovers", [7]float64{0.5, 0.4, 0.004, 0.02, 0.002, 0.003, 0.004}, -1, rebuild,
			true, "without memory for a second table: rolling, 0.2 % at worst"},
		{"a table that is small", [7]float64{0.5, 0.4, 0.02, 0.02, 0.002, 0.003, 0.004}, -1,
			rollingIs, true, "not rebuild: above that"},
		{"only counters", [7]float64{0.5, 0.4, 0.02, 0.02, 0.02, 0.003, 0.004}, -1, counting, true,
			"use counting"},
		{"none", [7]float64{0.5, 0.4, 0.02, 0.02, 0.03, 0.05, 0.05}, -1, rebuild, false,
			"no filter keeps 1 %"},
		{"none, and the best lost flows", [7]float64{0.5, 0.4, 0.02, 0.05, 0.03, 0.05, 0.02}, 2,
			rollingIs, false, "no filter keeps 1 %"},
		{"the first lost flows", [7]float64{0.001, 0.001, 0.001, 0.02, 0.001, 0.001, 0.004}, 0,
			deletableIs, true, "not insert-only: it lost live flows, once"},
		{"none keeps it, and the first lost flows", [7]float64{0.02, 0.4, 0.03, 0.03, 0.05, 0.06,
			0.05}, 0, rebuild, false, "rebuild comes nearest"},
		{"others would need more memory", [7]float64{0.5, 0.4, 0.004, 0.02, 0.02, 0.03, 0.004}, -1,
			rebuild, true, "use rebuild"},
	} {
		r := base
		r.Totals = slices.Clone(base.Totals)
		for i, rate := range test.rates {
			r.Totals[i].Worst = Worst{Rate: rate, Keeps: rate <= r.Rate}
			if rate > r.Rate {
				r.Totals[i].Worst.Until = 7
				if rate == 1 {
					r.Totals[i].Worst.Until = 1
				}
			}
		}
		if test.lost >= 0 {
			r.Totals[test.lost].FalseNegatives, r.Totals[test.lost].Worst.Keeps = 1, false
		}
		a := r.advise()
		order := r.order() // of those behind the one to use nothing is said but what they lost
		for _, i := range order[slices.Index(order, slices.Index(Names, a.Use))+1:] {
			if text := strings.Join(a.Text, "\n"); strings.Contains(text,
				"not "+Names[i]+": above") {
				t.Errorf("%s: use %s, and of what is behind it:\n%s", test.name, a.Use, text)
			}
		}
		if text := strings.Join(a.Text, "\n"); a.Use != test.use || a.Keeps != test.keeps ||
			!strings.Contains(text, test.says) {
			t.Errorf("%s: use %s, keeps %v, want %s, %v:\n%s\nlacks %q", test.name, a.Use, a.Keeps,
				test.use, test.keeps, text, test.says)
		} else if others := strings.Contains(text, "not known beforehand"); others !=
			(test.rates[6] <= r.Rate && a.Use != elasticIs) {
			t.Errorf("%s: elastic is named beside it: %v:\n%s", test.name, others, text)
		}
		// No filter that keeps the rate is a failure, after one that lost flows.
		r.Advice = a
		var none *RateError
		if err, lost := r.Failure(), test.lost >= 0; (err != nil) != (lost || !test.keeps) ||
			errors.As(err, &none) != (!lost && !test.keeps) {
			t.Errorf("%s: failure %v", test.name, err)
		} else if none != nil && (none.Nearest != test.use || none.Rate != r.Rate ||
			none.Worst != slices.Min(test.rates[:6])) {
			t.Errorf("%s: %v", test.name, none)
		}
	}
}

// TestWorst: the highest rate counts, and a filter is above the rate to keep from the first time
// on. Where few non-members were found, the rate of the bits counts for theirs.
func TestWorst(t *testing.T) {
	for _, test := range []struct {
		name  string
		rates []float64 // after 1, 2, … flows, of which one is live in the mean
		want  Worst
	}{
		{"never above", []float64{0.016, 0.018, 0.02}, Worst{0.02, 3, true, 0}},
		{"the first of two", []float64{0.01, 0.04, 0.06}, Worst{0.06, 3, false, 1}},
		{"the first is the higher", []float64{0.01, 0.06, 0.04}, Worst{0.06, 2, false, 1}},
		{"from the first on", []float64{0.03, 0.02}, Worst{0.03, 1, false, 0}},
	} {
		r, f := &run{config: &Config{Rate: 0.02}, traffic: &Traffic{Mean: 1}},
			newSubject("", nil, 1)
		for _, rate := range test.rates {
			r.flows++
			r.note(f, rate, float64(r.flows))
		}
		if got := f.Worst; got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
	for found, want := range map[int]float64{leastFound: 0.016, leastFound - 1: 0.002} {
		a := Answer{found, State{Rate: 0.002}}
		if rate, measured := a.rate(1000); rate != want || measured != (found == leastFound) {
			t.Errorf("%d found: a rate of %g, want %g", found, rate, want)
		}
	}
	r := &Report{Totals: []Totals{{FalseNegatives: 1}, {FalseNegatives: 2}, {Refused: 1}, {}}}
	for i := range r.Totals {
		if got := r.Totals[i].complete(); got != (i == 3) {
			t.Errorf("%+v is complete: %v", r.Totals[i], got)
		}
	}
	if err := r.Failure(); err == nil ||
		err.Error() != "live flows were not found by filters that took them, 3 times" {
		t.Errorf("failure %v, want 3 times", err)
	}
}

// TestShown: tables show a number of samples, evenly spaced, with the last one.
func TestShown(t *testing.T) {
	for n := range 5 * rows {
		r := &Report{Samples: make([]Sample, n)}
		for i := range r.Samples {
			r.Samples[i].Members = i + 1
		}
		shown, before := r.shown(), 0
		for _, s := range shown {
			if step := s.Members - before; step < n/rows || step < 1 || step > n/rows+1 {
				t.Errorf("of %d samples number %d is shown after %d", n, s.Members, before)
			}
			before = s.Members
		}
		if len(shown) != min(n, rows) || before != n {
			t.Errorf("of %d samples %d are shown, up to number %d", n, len(shown), before)
		}
	}
}

// TestPacketsOfNoFlow: the report has a line of them where there are any, of any kind.
func TestPacketsOfNoFlow(t *testing.T) {
	for i, p := range []Packets{
		{All: 1}, {NoIP: 1}, {Fragment: 1}, {Cut: 1}, {Late: 1}, {Backward: 1}, {Astray: 1},
	} {
		found := false
		(&Traffic{Packets: p}).write(func(format string, _ ...any) {
			found = found || strings.Contains(format, "packets of no flow")
		})
		if found != (i > 0) {
			t.Errorf("%+v: a line of packets of no flow: %v", p, found)
		}
	}
}

// TestPlans: the rebuilt filter is due at half the rate, and a few times a turnover at most.
func TestPlans(t *testing.T) {
	traffic := &Traffic{Flows: 5000, Peak: 1000, Mean: 500, timeout: timeout}
	traffic.patterns = []pattern{{duration: timeout}}
	for _, bits := range []float64{4, 16, 24} {
		c := usual
		c.BitsPerKey = bits
		p, err := c.newPlan(traffic)
		if err != nil {
			t.Fatal(err)
		}
		want, err := p.turnoversUntil(c.Rate/2, 1000)
		if err != nil || p.due != max(want, 0.25) || p.Turnovers != (1+p.due)*2-1 ||
			p.flows != 5000 {
			t.Errorf("%g bits: %+v, want it due after %g turnovers of 1000, error %v",
				bits, p, want, err)
		}
		if (bits == 4) != (want < 0.25) {
			t.Errorf("%g bits: due after %g turnovers: the test has lost its point", bits, want)
		}
	}
	for members, fits := range map[int]bool{maxBlocks: true, maxBlocks + 1: false} {
		if bytes, err := memory(members, 8*64); (err == nil) != fits || fits && bytes != 1<<30 {
			t.Errorf("%d members in a block each: %d bytes, error %v", members, bytes, err)
		}
	}
}

// TestOrder: filters that keep the rate are advised in this order: insert-only; fewest cache lines
// per query; least bookkeeping for the owner. The filter that grows is last.
func TestOrder(t *testing.T) {
	for _, test := range []struct {
		lines [7]int // in the order of Names
		want  []string
	}{
		{[7]int{7, 1, 1, 1, 4, 6, 1}, []string{insertOnly, deletableIs, refresh, rebuild, rollingIs,
			counting, elasticIs}},
		{[7]int{7, 1, 1, 1, 4, 4, 1}, []string{insertOnly, deletableIs, refresh, rebuild, counting,
			rollingIs, elasticIs}},
		{[7]int{7, 1, 1, 1, 4, 3, 1}, []string{insertOnly, deletableIs, refresh, rebuild, counting,
			rollingIs, elasticIs}},
		{[7]int{7, 1, 1, 1, 4, 1, 1}, []string{insertOnly, deletableIs, counting, refresh, rebuild,
			rollingIs, elasticIs}},
	} {
		r := &Report{Totals: make([]Totals, len(Names))}
		for i := range r.Totals {
			r.Totals[i] = Totals{Filter: Names[i], Lines: test.lines[i]}
		}
		var got []string
		for _, i := range r.order() {
			got = append(got, Names[i])
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("lines %v: %v, want %v", test.lines, got, test.want)
		}
	}
}

// TestBetweenSamples: a burst that no sample sees counts, and so does what a filter came to before
// it was rebuilt.
func TestBetweenSamples(t *testing.T) {
	var worst [2][]Totals
	for i, samples := range []int{1, 100} {
		c := usual
		c.Samples, c.NonMembers, c.BitsPerKey = samples, 1<<17, 32
		worst[i] = mustRun(t, c, file(t, capturetest.CIP)).Totals
	}
	for i, few := range worst[0] {
		if few, many := few.Worst, worst[1][i].Worst; few.Rate < 0.8*many.Rate ||
			few.Keeps != many.Keeps {
			t.Errorf("%s: %g at worst with one sample, %g with many", Names[i], few.Rate, many.Rate)
		}
	}
	c := usual
	c.Samples, c.Synthesis = 1, &Synthesis{Flows: 20_000, Density: 5, Seed: 2}
	r := mustRun(t, c, file(t, capturetest.CIP))
	if again := r.Totals[slices.Index(Names, rebuild)]; again.Builds < 2 ||
		again.Worst.Rate < planRate*c.Rate/2 {
		t.Errorf("built %d times, at a rate of %g at most", again.Builds, again.Worst.Rate)
	}
}

// TestOneUnit: turnovers are of the mean live flows, wherever they are written. So the turnovers
// between two rebuilds, times their number, are those of the trace, but for the part that is live
// at a rebuild.
func TestOneUnit(t *testing.T) {
	c := usual
	c.Samples, c.BitsPerKey, c.Synthesis = 1, 32, &Synthesis{Flows: 50_000, Density: 10, Seed: 2}
	r := mustRun(t, c, file(t, capturetest.CIP))
	builds := float64(r.Totals[slices.Index(Names, rebuild)].Builds)
	if made := r.Samples[0].Turnovers / r.Plan.Turnovers; builds < 3 || math.Abs(builds-made) > 1 {
		t.Errorf("%g turnovers, and built %g times every %g", r.Samples[0].Turnovers, builds,
			r.Plan.Turnovers)
	}
}

// TestAdviceToPlan: where no filter keeps the rate, the advice gives the command that sizes one for
// this traffic.
func TestAdviceToPlan(t *testing.T) {
	c := usual
	c.Rate = 1e-9
	r := mustRun(t, c, file(t, capturetest.CIP))
	want := fmt.Sprintf("bloomlane plan --members %d --rate 1e-09 --turnovers %.3g.",
		r.Traffic.Peak, float64(r.Traffic.Flows)/float64(r.Traffic.Peak)-1)
	if text := strings.Join(r.Advice.Text, "\n"); r.Advice.Keeps || !strings.Contains(text, want) {
		t.Errorf("advice:\n%s\nlacks %q", text, want)
	}
}

// TestPortion holds portions to exact numbers, where floating point would overflow.
func TestPortion(t *testing.T) {
	for _, test := range []struct {
		d      time.Duration
		n, all int
		want   time.Duration
	}{{10, 0, 3, 0}, {10, 1, 3, 3}, {10, 3, 3, 10}, {math.MaxInt64, 60, 60, math.MaxInt64},
		{math.MaxInt64, 1, 2, math.MaxInt64 / 2}, {0, 1, 1, 0}} {
		if got := portion(test.d, test.n, test.all); got != test.want {
			t.Errorf("%d/%d of %d is %d, want %d", test.n, test.all, test.d, got, test.want)
		}
	}
}

// TestTheLongestTime: samples reach to the last time that there is.
func TestTheLongestTime(t *testing.T) {
	far := time.Duration(math.MaxInt64)
	r := mustRun(t, usual, stream(io.EOF, between(1, 2, 0, 0), between(1, 2, far-1, 0),
		between(1, 2, far, 0)))
	for i, before := 0, 0.0; i < len(r.Samples); i++ {
		if r.Samples[i].Seconds <= before {
			t.Errorf("sample %d at %g s, after %g s", i, r.Samples[i].Seconds, before)
		}
		before = r.Samples[i].Seconds
	}
	if last := r.Samples[len(r.Samples)-1]; len(r.Samples) != usual.Samples ||
		last.Seconds != far.Seconds() {
		t.Errorf("%d samples up to %g s, want %d up to %g", len(r.Samples), last.Seconds,
			usual.Samples, far.Seconds())
	}
	r.Samples = nil
	if err := r.Picture(io.Discard); err != nil {
		t.Error(err)
	}
}

// stream returns a source of packets, and of what ends them.
func stream(end error, packets ...capture.Header) Source {
	return func() (capture.Headers, error) { return &listed{packets, end}, nil }
}

type listed struct {
	packets []capture.Header
	end     error
}

func (l *listed) NextHeader() (h capture.Header, err error) {
	if len(l.packets) == 0 {
		return h, l.end
	}
	h, l.packets = l.packets[0], l.packets[1:]
	return h, nil
}

// copies is some packets of one flow.
func copies(n int) []capture.Header {
	return slices.Repeat([]capture.Header{between(1, 2, 0, 0)}, n)
}
