package guard

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	sample "github.com/bloomlane/bloomlane/filter/audit"
	"github.com/bloomlane/bloomlane/packets/capture"
)

// The guard keeps the contract of its filters, through rebuilds too; a filter that loses members is
// a failure.
func TestShadow(t *testing.T) {
	const sources = 20_000
	for name, test := range map[string]struct {
		lose                 bool
		turnovers, reinserts float64
	}{"kept": {false, 0.5, 0}, "lost": {true, 0.5, 0}, "refreshed": {false, 0, 2}} {
		lose := test.lose
		trace, err := capture.NewSynthetic(sources, 3)
		if err != nil {
			t.Fatal(err)
		}
		config := storyConfig()
		config.Sizing.Sources, config.History, config.Shadow = sources/4, sources/4, 64
		config.Sizing.GoodTurnovers, config.Sizing.GoodReinserts = test.turnovers, test.reinserts
		config.Blocklist, config.Sequences = trace.Blocklist(), trace.Sequences()
		run := mustRun(t, config, usual)
		if err := run.Process(trace, io.Discard); err != nil {
			t.Fatal(err)
		}
		if lose {
			run.filters.Bad.Reset() // behind the back of the audit
		}
		report := run.Report("", true)
		var alarm *sample.AlarmError
		if err := report.Failure(); errors.As(err, &alarm) != lose ||
			lose && !strings.HasPrefix(err.Error(), "bad filter: ") {
			t.Errorf("%s: %v", name, err)
		}
		good := report.Filters[0].Shadow
		if good.Inserts.Members+good.Deletes.NonMembers > 0 || good.Deletes.Members < 50 ||
			good.Checks.Members == 0 || report.Filters[0].Rebuilds == 0 {
			t.Errorf("%s: after %d rebuilds: %v", name, report.Filters[0].Rebuilds, good)
		}
		encoded, err := json.Marshal(report)
		if err != nil || !strings.Contains(string(encoded), `"shadow":{"every":64,`) ||
			!strings.Contains(report.String(), "deleted, no member") {
			t.Errorf("%s: %v, %s\n%s", name, err, encoded, report)
		}
	}
	config := storyConfig()
	config.Shadow = 63
	var sizing *filter.SizingError
	if _, err := New(config); !errors.As(err, &sizing) || sizing.Field != "Every" {
		t.Errorf("one in 63: %v", err)
	}
}
