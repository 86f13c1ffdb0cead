package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/cmd/bloomlane/inpacket"
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
		if s.line(exitBad, "", "inpacket - "+test.flags); !strings.Contains(s.stderr, test.stderr) {
			t.Errorf("%s: %s, want %s", test.flags, s.stderr, test.stderr)
		}
	}
	s.line(exitYes, "", "inpacket @loopback.pcap --virtual-links 9 --controls 6")
	for _, part := range []string{"\nthe same routes, where nothing is deleted\n",
		"\nthe same routes, with 9 virtual links, of ", "controls done  "} {
		if !strings.Contains(s.stdout, part) {
			t.Errorf("the report has no %q:\n%s", part, s.stdout)
		}
	}
}

// What docs/packets.md says of virtual links and of loops.
func TestInpacketVirtualFigures(t *testing.T) {
	if testing.Short() {
		return
	}
	r := reported[inpacket.Report](traces(t), exitYes, "",
		"inpacket @cip.pcap --packets 3000 --receivers 16 --virtual-links 64")
	var found []string
	for _, tallies := range [][]inpacket.Tally{r.Routes, r.Undeleted, r.Virtual.Routes} {
		any, best, strict := tallies[inpacket.AnyTable], tallies[inpacket.BestTable],
			tallies[inpacket.Strict]
		found = append(found, fmt.Sprintf("%d identifiers, %d bits, %d matches, %d false, %d "+
			"again, %d loops, %d stopped, %d refused",
			best.Identifiers, best.FillSum/best.Sent, any.Matches, any.False, any.Duplicates,
			any.Loops, any.Stopped, strict.Refused))
	}
	found = append(found, fmt.Sprintf("%d entries of %d bits, %d at most", r.Virtual.Entries,
		r.Virtual.EntryBits, r.Virtual.MostEntries))
	for i, want := range []string{
		"68875 identifiers, 133 bits, 3145 matches, 41155 false, 40152 again, 9675 loops, 1532 " +
			"stopped, 191 refused",
		"68875 identifiers, 133 bits, 3145 matches, 329509 false, 328328 again, 94356 loops, " +
			"18582 stopped, 191 refused",
		"51815 identifiers, 107 bits, 1259 matches, 6806 false, 6391 again, 1170 loops, 73 " +
			"stopped, 14 refused",
		"140 entries of 281 bits, 19 at most",
	} {
		if found[i] != want {
			t.Errorf("%s, want %s, or another docs/packets.md", found[i], want)
		}
	}
}
