package main

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/packets/network"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// Virtual links and controls from the command line, and their bounds.
func TestInpacketVirtualLinks(t *testing.T) {
	s := traces(t)
	for _, test := range []struct{ flags, stderr string }{
		{"--virtual-links -1", "--virtual-links is -1, expected 0 to 1024"},
		{"--virtual-links 1025", "--virtual-links is 1025"},
		{"--controls -1", "--controls is -1, expected 0 to 6"},
		{"--controls 7", "--controls is 7"},
	} {
		if s.Line(exitBad, "", "inpacket - "+test.flags); !strings.Contains(s.Stderr, test.stderr) {
			t.Errorf("%s: %s, want %s", test.flags, s.Stderr, test.stderr)
		}
	}
	s.Line(exitYes, "", "inpacket @loopback.pcap --virtual-links 9 --controls 6")
	for _, part := range []string{"\nthe same routes, where nothing is deleted\n",
		"\nthe same routes, with 9 virtual links, of ", "controls done  "} {
		if !strings.Contains(s.Stdout, part) {
			t.Errorf("the report has no %q:\n%s", part, s.Stdout)
		}
	}
}

// What docs/packets.md says of virtual links and of loops.
func TestInpacketVirtualFigures(t *testing.T) {
	if testing.Short() {
		return
	}
	r := reported[network.Report](traces(t), exitYes, "",
		"inpacket @cip.pcap --packets 3000 --receivers 16 --virtual-links 64")
	best, fewer := r.Routes[network.BestTable], r.Virtual.Routes[network.BestTable]
	any, undeleted := r.Routes[network.AnyTable], r.Undeleted[network.AnyTable]
	mean := func(sum int, tally network.Tally) int {
		return int(math.Round(float64(sum) / float64(tally.Sent)))
	}
	onPacketsPage(t, fmt.Sprintf("In %s packets with trees to 16 of 40", quantity.Count(best.Sent)),
		fmt.Sprintf("| identifiers per header of the best table, mean | %d | %d |",
			mean(best.Identifiers, best), mean(fewer.Identifiers, fewer)),
		fmt.Sprintf("| set bits of 256, mean | %d | %d |", mean(best.FillSum, best),
			mean(fewer.FillSum, fewer)),
		fmt.Sprintf("| packets without a strict header | %d | %d |",
			r.Routes[network.Strict].Refused, r.Virtual.Routes[network.Strict].Refused),
		fmt.Sprintf("| state per node | none | %.1f entries of %d bits |",
			float64(r.Virtual.Entries)/40, r.Virtual.EntryBits),
		fmt.Sprintf("| that come to a node again | %s | %s |", quantity.Count(any.Duplicates),
			quantity.Count(undeleted.Duplicates)),
		fmt.Sprintf("| of these, back in a loop | %s | %s |", quantity.Count(any.Loops),
			quantity.Count(undeleted.Loops)))
	if any.False != 41155 || any.Stopped != 1532 || undeleted.False != 329509 ||
		undeleted.Stopped != 18582 || r.Virtual.MostEntries != 19 {
		t.Errorf("any table: %+v, where nothing is deleted: %+v; at most %d entries", any,
			undeleted, r.Virtual.MostEntries)
	}
}
