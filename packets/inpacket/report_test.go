package inpacket

import "testing"

// The text of a report, with a number of its own in each row.
func TestReport(t *testing.T) {
	tally := func(n int) Tally {
		return Tally{Policy: "policy", Sent: n, Refused: n + 1, Hops: n + 2, Elements: n + 3,
			Identifiers: n + 4, Lost: n + 5, False: n + 6, Wrong: n + 7, Done: n + 8,
			FalseDone: n + 9, Duplicates: n + 10, Loops: n + 11, Stopped: n + 12, Overfull: n + 13,
			Deleted: n + 14, Retained: n + 15, Matches: n + 16,
			FillSum: 64 * n, FillMost: 128,
			Asked: n + 17, Expected: float64(n + 18)}
	}
	r := &Report{Input: "capture", Packets: 5, Framing: 1, BlockBits: 256, Offset: 18, Tables: 8,
		FillLimit: 200, Nodes: 40, Links: 160, Receivers: 6, Controls: 2,
		Routes: []Tally{tally(1000)}, Undeleted: []Tally{tally(2000)},
		Virtual: &VirtualReport{VirtualLinks: 64, MostLinks: 3, Entries: 1130, MostEntries: 13,
			EntryBits: 281, Routes: []Tally{tally(3000)}},
		Services: 64, Path: 32, Chain: 12, Chains: []Tally{tally(4000)},
		Hops: 7, RTL: &RTLReport{DataBytes: 8, Differences: 3, Cycles: 70},
	}
	const want = `input capture
  4 packets, each with a header of 256 bits at byte 18, from one of 8 tables; fill limit 200
  1 packet without an IP or Ethernet header, not sent

routes: a tree to 6 of 40 nodes, over some of 160 links
  controls: 2 of the tree's nodes are asked to do something
                                     policy
  packets sent                        1,000
  not sent: no clean candidate        1,001
  hops                                1,002
  links and controls                  1,003
  identifiers in the headers          1,004
  lost links and controls             1,005
  false deliveries                    1,006
  packets with either                 1,007
  controls done                       1,008
  controls done falsely               1,009
  copies to a node again              1,010
  of these, back in a loop            1,011
  copies stopped in a circle          1,012
  hops over the fill limit            1,013
  deleted                             1,014
  retained                            1,015
  false matches when sent             1,016
  fill, mean and most, %          25.0 50.0
  (of 1,017 identifiers asked; the formula expects 1018 false matches in any table)

the same routes, where nothing is deleted
                                     policy
  packets sent                        2,000
  not sent: no clean candidate        2,001
  hops                                2,002
  links and controls                  2,003
  identifiers in the headers          2,004
  lost links and controls             2,005
  false deliveries                    2,006
  packets with either                 2,007
  controls done                       2,008
  controls done falsely               2,009
  copies to a node again              2,010
  of these, back in a loop            2,011
  copies stopped in a circle          2,012
  hops over the fill limit            2,013
  deleted                             2,014
  retained                            2,015
  false matches when sent             2,016
  fill, mean and most, %          25.0 50.0
  (of 2,017 identifiers asked; the formula expects 2018 false matches in any table)

the same routes, with 64 virtual links, of 3 links at most
  state: 1,130 entries of 281 bits beside 160 of links; 28.2 per node, 13 at most
                                     policy
  packets sent                        3,000
  not sent: no clean candidate        3,001
  hops                                3,002
  links and controls                  3,003
  identifiers in the headers          3,004
  lost links and controls             3,005
  false deliveries                    3,006
  packets with either                 3,007
  controls done                       3,008
  controls done falsely               3,009
  copies to a node again              3,010
  of these, back in a loop            3,011
  copies stopped in a circle          3,012
  hops over the fill limit            3,013
  deleted                             3,014
  retained                            3,015
  false matches when sent             3,016
  fill, mean and most, %          25.0 50.0
  (of 3,017 identifiers asked; the formula expects 3018 false matches in any table)

chains: 12 of 32 services on the way, of 64
                                     policy
  packets sent                        4,000
  not sent: no clean candidate        4,001
  hops                                4,002
  services                            4,003
  lost services                       4,005
  false deliveries                    4,006
  packets with either                 4,007
  hops over the fill limit            4,013
  deleted                             4,014
  retained                            4,015
  false matches when sent             4,016
  fill, mean and most, %          25.0 50.0
  (of 4,017 identifiers asked; the formula expects 4018 false matches in any table)

rtl        3 of 7 hops differ from Go, in status or in any byte of the packet
cycles     70, 10 per packet, in beats of 8 bytes
`
	if got := r.String(); got != want {
		t.Errorf("report\n%s", got)
	}
}

// A packet that is delivered wrongly, or damaged, is a failure in every form of the ways.
func TestFailureOfForms(t *testing.T) {
	wrong, damaged := make([]Tally, policies), make([]Tally, policies)
	wrong[Strict].Wrong, damaged[AnyTable].Damaged = 2, 3
	for _, variant := range []func(tallies []Tally) *Report{
		func(tallies []Tally) *Report { return &Report{Routes: tallies} },
		func(tallies []Tally) *Report { return &Report{Undeleted: tallies} },
		func(tallies []Tally) *Report { return &Report{Virtual: &VirtualReport{Routes: tallies}} },
		func(tallies []Tally) *Report { return &Report{Chains: tallies} },
	} {
		fails(t, variant(wrong), "2 packets with a clean header were delivered wrongly")
		fails(t, variant(damaged), "a packet changed outside the header, as 3 hops show")
	}
}
