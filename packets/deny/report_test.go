package deny

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/xdp"
)

// What a report prints is what it has, each number at its own place.
func TestReportText(t *testing.T) {
	packets := func(n uint64) xdp.Count { return xdp.Count{Packets: n, Bytes: 1000 * n} }
	r := Report{Mode: "filter", Lengths: Lengths{IPv4: []int{32},
		IPv6: []int{128, 64, 48, 32, 56}}, Lists: []ListReport{{Name: "deny", Entries: 11,
		Planned: 12, Added: 13, Deleted: 14, Rebuilt: 15, PlannedRate: 0.25, Rate: 0.125}},
		Counts: xdp.Counts{Passed: packets(1), Denied: packets(2), Spared: packets(3),
			Fragments: packets(4), Malformed: packets(5), Other: packets(6)}}
	want := []Verdict{{"passed", 1}, {"denied", 2}, {"passed by the never-deny list", 3},
		{"fragments", 4}, {"malformed", 5}, {"no IP", 6}}
	if got := r.Verdicts(); !slices.Equal(got, want) {
		t.Errorf("verdicts %v, want %v", got, want)
	}
	const line = "21 packets: 2 denied (9.52 %), 3 spared, 4 fragments, 5 malformed, 6 no IP"
	if got := CountsLine(&r.Counts); got != line {
		t.Errorf("%q, want %q", got, line)
	}
	table := r.Table()
	row := map[string]string{}
	for i, column := range table.Columns {
		row[column] = table.Rows[0][i]
	}
	for column, want := range map[string]string{"entries": "11", "planned": "12", "added": "13",
		"deleted": "14", "built again": "15", "rate planned": "0.25", "now": "0.12"} {
		if row[column] != want {
			t.Errorf("%s is %q, want %q", column, row[column], want)
		}
	}
	// 1 - (7/8)^5 of the other addresses of IPv6 are found by one length or more.
	if text, want := r.String(), "deny finds 0.12 of the other IPv4 addresses (lengths /32), and "+
		"0.49 of IPv6 (/32 /48 /56 /64 /128)"; !strings.Contains(text, want) {
		t.Errorf("%s has no %q", text, want)
	}
}

// A report has what came and went since the start, and the rate of what the list has now.
func TestReport(t *testing.T) {
	g := newGuard(t, Config{Rate: 0.01, Turnovers: 5}, hosts(0, 400))
	for _, first := range []int{100, 300} {
		if _, _, err := g.Update(xdp.Deny, hosts(first, 450)); err != nil {
			t.Fatal(err)
		}
	}
	r, err := g.Report(errors.New("damage"))
	if err != nil {
		t.Fatal(err)
	}
	l := g.lists[xdp.Deny]
	bytes, err := l.table.Memory()
	want := ListReport{Name: "deny", Entries: 450, Planned: 1000, Added: 350, Deleted: 300,
		Rebuilt: l.rebuilt, Bytes: bytes, PlannedRate: 0.01, Rate: l.table.Filter().State().Rate}
	if got := r.Lists[0]; err != nil || got != want || got.Rate >= got.PlannedRate {
		t.Errorf("%+v, want %+v: %v", got, want, err)
	}
	if r.Damage != "damage" || fmt.Sprint(r.Lengths) != "{[32] [128]}" {
		t.Errorf("%+v", r)
	}
}
