package guard

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/packets/capture"
	"github.com/bloomlane/bloomlane/packets/capture/capturetest"
)

// neverRun is a run on filters so full that they have many sources by accident.
func neverRun(t *testing.T, shadow int) (config Config, packets []sent) {
	t.Helper()
	source := func(network, i int) netip.Addr {
		return netip.AddrFrom4([4]byte{10, byte(network), byte(i >> 8), byte(i)})
	}
	config = Config{
		Sizing: Sizing{
			Sources: 300, GoodRate: 1e-3, GoodTurnovers: 1, BadRate: 0.9, SequenceRate: 1e-9,
			Key: keytest.Key(1),
		},
		History: 10_000, Sequences: [][]byte{words(6)}, Audit: true, Shadow: shadow,
	}
	for i := range 500 {
		config.Blocklist = append(config.Blocklist, source(1, i))
		config.Never = append(config.Never, source(2, i))
	}
	config.Never = append(config.Never, config.Blocklist[7], netip.MustParseAddr("2001:db8::7"))
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		p := sent{source: source(1+random.IntN(3), random.IntN(500))}
		p.payload = words(random.Uint32N(12), 7, random.Uint32N(12))
		if random.IntN(50) == 0 {
			p.source = config.Never[501]
		}
		packets = append(packets, p)
	}
	return config, packets
}

// No source of the list is blocked: not by accident, not by the blocklist, not for strikes. Exact
// sets agree, once they are told what that costs.
func TestNeverBlock(t *testing.T) {
	for _, shadow := range []int{0, 64} {
		config, packets := neverRun(t, shadow)
		run := mustRun(t, config, usual)
		var verdicts strings.Builder
		if err := run.Process(&stream{slices.Clone(packets), io.EOF}, &verdicts); err != nil {
			t.Fatal(err)
		}
		never := setOfAddresses(config.Never)
		for i, p := range packets {
			if v := Verdict(verdicts.String()[i]); never[p.source] &&
				(v == Rejected || v == ThirdStrike) {
				t.Fatalf("packet %d of %s, which is never to be blocked: verdict %c",
					i, p.source, v)
			}
		}
		for source := range never {
			if run.engine.Answer(source) == Bad {
				t.Errorf("%s, which is never to be blocked, is bad", source)
			}
		}

		report := run.Report("", false)
		n := report.Never
		if n.Blocked != 0 || report.Failure() != nil {
			t.Errorf("%+v: %v", n, report.Failure())
		}
		if n.Listed != 502 || n.InBlocklist != 1 || n.Hit < 50 || n.ClearedBits < 10 ||
			n.Passing < 10 || n.PassingPackets < 100 {
			t.Errorf("%+v, want many of each", n)
		}
		if n.ListedSpared < 100 || n.OthersSpared < 10 ||
			report.Spared != n.ListedSpared+n.OthersSpared {
			t.Errorf("%+v, %d spared; want many of each", n, report.Spared)
		}
		// What differs from exact sets is the false positives of the bad filters, which block, and
		// nothing else.
		for _, difference := range report.Audit.Differences {
			if !strings.Contains(difference, "filters r, exact") && !strings.Contains(difference,
				"filters bad, exact") {
				t.Error(difference)
			}
		}
		if len(run.never.refused) == 0 {
			t.Error("an audit is not told who was left out")
		}
		for source := range run.never.refused {
			if address, _ := netip.AddrFromSlice([]byte(source)); run.audit.engine.Answer(
				address) == Bad {
				t.Errorf("%s is bad in the exact sets, and was spared", address)
			}
		}
		if text := report.String(); !strings.Contains(text, "sources of the list ") {
			t.Error(text)
		}
	}
}

// Without an audit nothing grows with the sources that are left out.
func TestNeverBlockWithoutAnAudit(t *testing.T) {
	config, packets := neverRun(t, 0)
	config.Audit = false
	run := mustRun(t, config, usual)
	if report := processed(t, run, packets); report.Never.OthersSpared < 10 ||
		len(run.never.refused) != 0 {
		t.Errorf("%+v, and %d sources are kept", report.Never, len(run.never.refused))
	}
}

// A source of the list that is blocked fails the run.
func TestNeverBlockIsAudited(t *testing.T) {
	config, packets := neverRun(t, 0)
	run := mustRun(t, config, usual)
	run.never.list = nil // so that sources of the list turn bad
	if report := processed(t, run, packets); report.Never.Blocked <= len(config.Never) ||
		report.Failure() == nil {
		t.Errorf("%+v: %v, want a failure", report.Never, report.Failure())
	}
}

// In a real capture a host is blocked because it is a false positive of the blocklist's filter,
// until it is on the list.
func TestNeverBlockInACapture(t *testing.T) {
	network := func(a, b byte) (list []netip.Addr) {
		for i := range 10_000 {
			list = append(list, netip.AddrFrom4([4]byte{a, b, byte(i >> 8), byte(i)}))
		}
		return list
	}
	data, err := os.ReadFile(capturetest.Path(t, capturetest.CIP))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../testdata/demo/demo.key") // that of "make run"
	if err != nil {
		t.Fatal(err)
	}
	k, err := key.Parse(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	const host = "10.200.1.191"
	for _, test := range []struct {
		name   string
		never  []netip.Addr
		answer Answer
	}{
		{"other sources are on the list", network(198, 51), Bad},
		{"its network is on the list", network(10, 200), Good},
	} {
		config := Config{
			Sizing: Sizing{
				Sources: 3000, GoodRate: 1e-3, GoodTurnovers: 1, BadRate: 0.01, SequenceRate: 1e-9,
				Key: k,
			},
			History: 3000, Blocklist: network(198, 18), Never: test.never,
			Sequences: [][]byte{words(6)}, Audit: true,
		}
		run := mustRun(t, config, usual)
		if err := run.Process(capture.Open(io.NopCloser(bytes.NewReader(data))),
			io.Discard); err != nil {
			t.Fatal(err)
		}
		report := run.Report("", false)
		if answer := run.engine.Answer(netip.MustParseAddr(host)); answer != test.answer {
			t.Errorf("%s: %s is %s, want %s", test.name, host, answer, test.answer)
		}
		if got, want := report.Filters[3].Fill, run.never.listed.State().Fill; got != want ||
			!(got > 0.1) {
			t.Errorf("%s: %g of the blocklist's bits are set, want %g", test.name, got, want)
		}
		differences := report.Audit.VerdictDifferences + report.Audit.AnswerDifferences
		if n := report.Never; n.Blocked != 0 || n.Hit < 20 || n.Passing < 20 ||
			(differences > 0) != (test.answer == Bad) {
			t.Errorf("%s: %+v, %d differences", test.name, n, differences)
		}
	}
}
