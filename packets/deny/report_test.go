package deny

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/report/pivot"
	"github.com/bloomlane/bloomlane/xdp"
)

// What a report shows is what it has, each number at its own place.
func TestReportShown(t *testing.T) {
	packets := func(n uint64) xdp.Count { return xdp.Count{Packets: n, Bytes: 1000 * n} }
	r := Report{Mode: "filter", Lengths: Lengths{IPv4: []int{32},
		IPv6: []int{128, 64, 48, 32, 56}}, Lists: []ListReport{{Name: "deny", Entries: 11,
		Ranges: 8, Filter: 2, Trie: 1, Bytes: 2048,
		Planned: 12, Added: 13, Deleted: 14, Rebuilt: 15, PlannedRate: 0.25, Rate: 0.125}},
		Counts: xdp.Counts{Passed: packets(1), Denied: packets(2), Spared: packets(3),
			Fragments: packets(4), Malformed: packets(5), Other: packets(6)}}
	const line = "21 packets: 2 denied (9.52 %), 3 spared, 4 fragments, 5 malformed, 6 no IP"
	if got := CountsLine(&r.Counts); got != line {
		t.Errorf("%q, want %q", got, line)
	}
	shown := map[string]string{}
	for _, table := range r.Tables() {
		for _, row := range table.Rows {
			for i, column := range table.Columns[1:] {
				shown[row[0]+"/"+column] = row[1+i]
			}
		}
	}
	for cell, want := range map[string]string{
		"passed/number": "1", "denied/number": "2", "passed by the never-deny list/number": "3",
		"fragments/number": "4", "malformed/number": "5", "no IP/number": "6",
		"deny/entries": "11", "deny/ranges": "8", "deny/filter": "2", "deny/trie": "1",
		"deny/planned": "12", "deny/added": "13", "deny/deleted": "14",
		"deny/built again": "15", "deny/rate planned": "0.25", "deny/now": "0.12",
		"deny/innocent, IPv4": "0.12", "deny/IPv6": "0.49", // 1 - (7/8)^5
	} {
		if shown[cell] != want {
			t.Errorf("%s is %q, want %q: %s", cell, shown[cell], want, pivot.Text(r.Tables()...))
		}
	}
	const plan = "deny list: 8 in ranges, 2 in a filter, 1 in a trie: 2 KiB; innocent addresses " +
		"found: 0.12 of IPv4, 0.49 of IPv6"
	if got := r.PlanLine(0); got != plan {
		t.Errorf("%q, want %q", got, plan)
	}
	r.Mode = "exact"
	if got := r.Plan().Rows[0]; !slices.Equal(got[len(got)-2:], []string{"0", "0"}) {
		t.Errorf("in the mode exact: %q", got)
	}
}

// A report has what came and went since the start, and the rate of what the list has now.
func TestReport(t *testing.T) {
	g := newGate(t, Config{Rate: 0.01, Turnovers: 5, Options: filters}, hosts(0, 400))
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
	want := ListReport{Name: "deny", Entries: 450, Filter: 450, Planned: 1000, Added: 350, Deleted: 300,
		Rebuilt: l.rebuilt, Bytes: bytes, PlannedRate: 0.01, Rate: l.table.Filter().State().Rate}
	if got := r.Lists[0]; err != nil || got != want || got.Rate >= got.PlannedRate {
		t.Errorf("%+v, want %+v: %v", got, want, err)
	}
	if r.Damage != "damage" || fmt.Sprint(r.Lengths) != "{[32] []}" {
		t.Errorf("%+v", r)
	}
}
