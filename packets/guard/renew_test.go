package guard

import (
	"io"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/packets/capture"
)

// churned runs a trace of ten times as many sources as there are states through a guard, so that
// its good filter turns over many times. It returns the highest rate that the filter had, and the
// mean, and fails the test where a good source is not found.
func churned(
	t *testing.T,
	states int,
	turnovers, reinserts, goodRate float64,
) (run *Run, worst, mean float64) {
	t.Helper()
	trace, err := capture.NewSynthetic(10*states, 5)
	if err != nil {
		t.Fatal(err)
	}
	run = mustRun(t, Config{
		Sizing: Sizing{
			Sources: states, GoodRate: goodRate, GoodTurnovers: turnovers, GoodReinserts: reinserts,
			BadRate: 1e-9, SequenceRate: 1e-12,
			Key: keytest.Key(1),
		},
		History:   states,
		Blocklist: trace.Blocklist(),
		Sequences: trace.Sequences(),
		Audit:     true,
	}, limits{MaxListed, nonMemberGroup})
	looks := 0.0
	part := make([]sent, states/4)
	for {
		part = part[:0]
		for len(part) < cap(part) {
			source, payload, err := trace.Next()
			if err == io.EOF {
				return run, worst, mean / looks
			}
			part = append(part, sent{source: source, payload: append([]byte(nil), payload...)})
		}
		if err := run.Process(&stream{part, io.EOF}, io.Discard); err != nil {
			t.Fatal(err)
		}
		rate := run.filters.Good.Stats().Rate
		worst, mean, looks = max(worst, rate), mean+rate, looks+1
		for hash := range run.engine.members.All() {
			if !run.filters.Good.QueryHash(hash) {
				t.Fatal("a good source is not found")
			}
		}
	}
}

// TestRenew lets the good filter be rebuilt many times: it is once in each of its planned
// turnovers, every good source is found at any time, and the rate stays what it was planned for.
func TestRenew(t *testing.T) {
	const states, rate = 1000, 1e-3
	// of hundreds of looks at a filter of some fifty blocks, around its expectation
	const highest = 1.5
	for _, turnovers := range []float64{0.5, 3} {
		run, worst, _ := churned(t, states, turnovers, 0, rate)
		report := run.Report("", true)
		good, admitted := report.Filters[0], run.engine.Counts().Admitted
		// The states fill up first. A rebuild is due one insert after its turnovers, and comes
		// before the next, when the source that goes has left its state.
		if want := (admitted - states) / (int(turnovers*states) + 2); good.Rebuilds != want ||
			want < 10 {
			t.Errorf("%g turnovers: %d rebuilds after %d inserts, want %d", turnovers,
				good.Rebuilds, admitted, want)
		}
		if good.PlannedRate > rate || worst > highest*rate || good.Due ||
			good.Turnovers > turnovers {
			t.Errorf("%g turnovers: rate %g at worst, planned %g, and at the end %+v", turnovers,
				worst, rate, good)
		}
		if now := run.filters.Good.Health(); good.TurnoversLeft != now.TurnoversLeft {
			t.Errorf("%g turnovers: %g left, want %g", turnovers, good.TurnoversLeft,
				now.TurnoversLeft)
		}
		if n := report.Audit.VerdictDifferences; n != 0 {
			t.Errorf("%g turnovers: %d verdicts differ from those of exact sets", turnovers, n)
		}
		t.Logf("%g turnovers: %d rebuilds after %d inserts, rate %.3g at worst, planned %g",
			turnovers, good.Rebuilds, admitted, worst, rate)
	}
	run, worst, _ := churned(t, states, 0, 0, rate)
	if good := run.Report("", true).Filters[0]; good.Rebuilds != 0 || !good.Due || worst < 0.5 {
		t.Errorf("without a plan: rate %g at worst, %+v: the test has lost its point", worst, good)
	}
}

// TestRefresh refreshes the good filter instead: it is never due, its rounds come at the pace of
// its plan, and its rate is the planned one in the mean over time.
func TestRefresh(t *testing.T) {
	const states, rate = 1000, 1e-3
	for _, reinserts := range []float64{0.5, 1, 2} {
		run, worst, mean := churned(t, states, 0, reinserts, rate)
		report := run.Report("", true)
		good := report.Filters[0]
		want := reinserts * float64(run.engine.Counts().Admitted-states) / states
		if got := float64(good.Rebuilds); got < 0.97*want-1 || got > 1.03*want+1 || want < 10 {
			t.Errorf("%g re-inserts per insert: %g rounds, want %g", reinserts, got, want)
		}
		if good.PlannedRate > rate || mean > 1.1*good.PlannedRate || worst > 2*rate || good.Due ||
			good.PlannedReinserts != reinserts {
			t.Errorf("%g re-inserts per insert: rate %g at worst, and at the end %+v",
				reinserts, worst, good)
		}
		if n := report.Audit.VerdictDifferences; n != 0 {
			t.Errorf("%g re-inserts per insert: %d verdicts differ from those of exact sets",
				reinserts, n)
		}
		if text := report.String(); !strings.Contains(text, " per insert ") {
			t.Errorf("the report does not say what is planned:\n%s", text)
		}
		t.Logf("%g re-inserts per insert: %d rounds, rate %.3g in the mean and %.3g at worst in "+
			"%d bytes", reinserts, good.Rebuilds, mean, worst, good.Bytes)
	}
}

// TestRenewIsExact has so low a rate that no source is a false positive: then filters that are
// rebuilt give the verdicts and answers of exact sets.
func TestRenewIsExact(t *testing.T) {
	for _, test := range []struct{ turnovers, reinserts float64 }{{0.2, 0}, {2, 0},
		{0, 0.5}, {0, 5}} {
		run, _, _ := churned(t, 500, test.turnovers, test.reinserts, 1e-9)
		report := run.Report("", true)
		if a := report.Audit; a.VerdictDifferences != 0 || a.AnswerDifferences != 0 {
			t.Errorf("%+v: audit %+v, want no differences", test, a)
		}
		if n := report.Filters[0].Rebuilds; n < 20 {
			t.Errorf("%+v: %d rebuilds: the test has lost its point", test, n)
		}
	}
}

// TestRenewWaits has room for more states than planned sources: a rebuild would not help for long,
// so there is none, and the report says that one is due.
func TestRenewWaits(t *testing.T) {
	config := storyConfig()
	config.Sizing.Sources, config.Sizing.GoodTurnovers, config.History = 100, 1, 300
	run := mustRun(t, config, usual)
	var packets []sent
	for i := range 1000 {
		packets = append(packets, sent{source: addr(i)})
	}
	if good := processed(t, run, packets).Filters[0]; good.Rebuilds != 0 || !good.Due ||
		good.Members != 300 {
		t.Errorf("%+v, want 300 members, due, and no rebuild", good)
	}
}
