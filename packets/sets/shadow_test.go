package sets

import (
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/audit"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/report/pivot"
)

// A filter that is rebuilt under its audit raises no alarm, and breaches are in the table.
func TestShadow(t *testing.T) {
	audited, err := deletable.New(deletable.Config{Members: 10_000, BitsPerKey: 16, Turnovers: 0.2})
	if err != nil {
		t.Fatal(err)
	}
	exact := new(Exact)
	renewed := &Renewed{Filter: audited, Live: exact.Interval}
	f, err := audit.New(renewed, audit.Config{Every: 64, Secret: 1})
	if err != nil {
		t.Fatal(err)
	}
	in := turned(t, f, exact, 10_000, 40_000)
	f.Check(1000)
	s := f.Stats()
	if renewed.Builds < 5 || s.Alarm() != nil || s.Inserts.Members+s.Deletes.NonMembers > 0 ||
		s.Checks.Members < 100 {
		t.Errorf("after %d builds: %v, %v", renewed.Builds, s.Alarm(), s)
	}
	if d, err := f.Seed(filter.Infallible(slices.Values(in))); err != nil ||
		d.Unlisted+d.Unknown > 0 {
		t.Errorf("the list of members: %+v (%v)", d, err)
	}
	for _, hash := range in[:5000] {
		if _, err := f.InsertHash(hash); err != nil {
			t.Fatal(err)
		}
	}
	s = f.Stats()
	text := pivot.Text(Shadows([]Found{{"bad", nil}, {"none", &audit.Stats{Every: 64}},
		{"good", &s}}))
	if lines := strings.Split(text, "\n"); len(lines) != 4 || s.Inserts.Members == 0 ||
		!strings.Contains(lines[1], "1/64") {
		t.Errorf("%d inserted again:\n%s", s.Inserts.Members, text)
	}
	for want, s := range map[string]audit.Stats{
		"unknown": {}, "below 28 %": {Members: 10},
		"some": {Members: 10, Checks: audit.Answers{Members: 10, FalseNegatives: 1}},
	} {
		if got := (&Found{"good", &s}).lostOfAll(); got != want {
			t.Errorf("of %d members: %s, want %s", s.Members, got, want)
		}
	}
}
