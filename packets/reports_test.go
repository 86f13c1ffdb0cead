package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/hdl/cosim"
	"github.com/bloomlane/bloomlane/internal/require"
	"github.com/bloomlane/bloomlane/packets/capture"
	"github.com/bloomlane/bloomlane/packets/capture/capturetest"
	"github.com/bloomlane/bloomlane/packets/guard"
	"github.com/bloomlane/bloomlane/packets/network"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// traces returns a shell with the real captures.
func traces(t *testing.T) *shell {
	t.Helper()
	s := newShell(t)
	for name, path := range map[string]string{
		"cip.pcap": capturetest.CIP, "download.pcapng": capturetest.Download,
		"loopback.pcap": capturetest.Loopback,
	} {
		if err := os.Symlink(capturetest.Path(t, path), s.Path(name)); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

const (
	demoKey = " --key testdata/demo/demo.key"
	demo    = "guard --blocklist testdata/demo/blocklist.txt --sequences " +
		"testdata/demo/sequences.txt --audit" + demoKey
)

// Command lines of the commands that print a report: what they print, and what they say of inputs
// and flags that are wrong. Where there is no report, there is a message of one line, also with
// --json, and no file.
func TestReports(t *testing.T) {
	s := traces(t)
	whole := s.Read("cip.pcap")
	const header = 24
	second := header + 16 + int(binary.LittleEndian.Uint32([]byte(whole[header+8:]))) // packet
	arp := "\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00\x00\x01\x08\x06"
	size := string(binary.LittleEndian.AppendUint32(nil, 10)) // too short for a frame
	for name, content := range map[string]string{
		"empty": whole[:header], "truncated": whole[:len(whole)-1], "header": whole[:header-1],
		"first": whole[:header+6],
		"no":    whole[:header] + strings.Repeat("\x00", 8) + size + size + arp[:10],
		"words": "hello, world", "nothing": "",
		"precious": whole, "packets": "c0a80001 00000001\nc0a80001\n", "word": "00000001\n",
	} {
		s.Write(name, content)
	}
	if err := errors.Join(os.Mkdir(s.Path("folder"), 0o700),
		os.Link(s.Path("precious"), s.Path("link"))); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		line, stdin string
		code        int
		out, says   string // in stdout, or "" for none; in stderr
	}{
		{"guard --synthetic 10", "", exitYes,
			"SYNTHETIC, generated and not captured: 10 sources, seed 1", ""},
		{"guard -", whole[:header], exitYes, "packets  0, with", ""},
		{"guard --packets -", "", exitYes, "packets  0, with", ""},
		{"guard -", whole[:len(whole)-1], exitBad, "packets  26,067, with",
			"standard input: pcap, packet 26068: found the end of the file"},
		{"guard --packets @packets", "", exitBad, "\nDAMAGED", "packets, line 2: found 1 fields"},
		{"guard - --verdicts @v", whole[:header-1], exitBad, "",
			"packets: standard input: no packet can be read: pcap, file header: found the end"},
		{"guard @first --verdicts @v", "", exitBad, "",
			"packets: @first: no packet can be read: pcap, packet 1: found the end of the file"},
		{"guard @words --verdicts @v", "", exitBad, "",
			"no packet can be read: capture, byte 0: found magic number 68656c6c"},
		{"guard @nothing --verdicts @v", "", exitBad, "",
			"no packet can be read: capture, byte 0: found 0 bytes"},
		{"guard @folder --verdicts @v", "", exitBad, "", "is a directory"},
		{"guard --packets @folder --verdicts @v", "", exitBad, "", "is a directory"},
		{"guard --packets @words --verdicts @v", "", exitBad, "",
			"packets: @words: no packet can be read: packets, line 1: "},
		{"guard", "", exitBad, "", "expected one input"},
		{"guard a.pcap --packets b", "", exitBad, "", "expected one input"},
		{"guard a.pcap --synthetic 1", "", exitBad, "", "expected one input"},
		{"guard --packets b --synthetic 1", "", exitBad, "",
			"found --packets and --synthetic, expected one of them"},
		{"guard @word --seed 2", "", exitBad, "", "--seed is given, expected --synthetic with it"},
		{"guard a.pcap b.pcap", "", exitBad, "",
			"found 2 arguments, expected packets guard [CAPTURE]"},
		{"guard @none", "", exitBad, "", "@none: no such file"},
		{"guard --synthetic 100 --shadow -64", "", exitBad, "",
			"packets: --shadow is -64, expected a power of two from 64"},
		{"guard - --blocklist @none", "", exitBad, "", "@none: no such file"},
		{"guard - --never-block @none", "", exitBad, "", "@none: no such file"},
		{"guard - --blocklist testdata/demo/sequences.txt", "", exitBad, "",
			"blocklist, line 4"},
		{"guard - --sequences testdata/demo/blocklist.txt", "", exitBad, "",
			`sequences, line 4: found "10.200.1.162"`},
		{"guard - --key @none", "", exitBad, "", "@none: no such file"},
		{"guard - --key @word", "", exitBad, "", "64 hex digits"},
		{"guard --synthetic 0", "", exitBad, "", "--synthetic is 0, expected 1 to 16777216"},
		{"guard --synthetic 9 --blocklist @word", "", exitBad, "",
			"found --blocklist and --synthetic, expected one of them"},
		{"guard --synthetic 9 --sequences @word", "", exitBad, "",
			"found --sequences and --synthetic, expected one of them"},
		{"guard - --sources 0", "", exitBad, "", "--sources is 0, expected 1 to 67108864"},
		{"guard - --history 0", "", exitBad, "", "--history is 0, expected at least 1"},
		{"guard - --good-turnovers -1", "", exitBad, "",
			"--good-turnovers is -1, expected 0, or 0.01 or more"},
		{"guard - --good-turnovers 1e-9", "", exitBad, "", "--good-turnovers is 1e-09"},
		{"guard - --bad-rate 0", "", exitBad, "",
			"--bad-rate is 0, expected 1e-12 or more and below 1"},
		{"guard - --sources 67108865", "", exitBad, "", "--sources is 67108865"},
		{"guard - --good-turnovers NaN", "", exitBad, "", "--good-turnovers is NaN"},
		{"guard - --good-turnovers 0.009", "", exitBad, "", "--good-turnovers is 0.009"},
		{"guard - --good-rate 0", "", exitBad, "", "--good-rate is 0"},
		{"guard - --bad-rate 1", "", exitBad, "", "--bad-rate is 1"},
		{"guard - --sequence-rate NaN", "", exitBad, "", "--sequence-rate is NaN"},
		{"guard - --sequence-rate 1e-13", "", exitBad, "", "--sequence-rate is 1e-13"},
		{"guard --synthetic 1 --verdicts @folder", "", exitBad, "",
			"--verdicts: replace @folder: not a regular file"},
		{"guard --synthetic 1 --answers @folder", "", exitBad, "",
			"--answers: replace @folder: not a regular file"},
		{"guard @precious --answers @link", "", exitBad, "",
			"--answers is @link, which is also an input"},

		{"inpacket @loopback.pcap", "", exitYes, "lost services", ""},
		{"inpacket -", whole[:second], exitYes, "input    standard input\npackets  1, each", ""},
		{"inpacket - --packets 9", whole[:len(whole)-1], exitYes, "packets  9, each", ""},
		{"inpacket @empty", "", exitBad, "",
			"@empty: none of 0 packets can be sent over Ethernet, expected at least one"},
		{"inpacket @no", "", exitBad, "", "@no: none of 1 packets can be sent over Ethernet"},
		{"inpacket @first", "", exitBad, "", "@first: no packet can be read: pcap, packet 1"},
		{"inpacket -", "hello, world", exitBad, "",
			"standard input: no packet can be read: capture, byte 0: found magic number"},
		{"inpacket", "", exitBad, "", "found 0 arguments"},
		{"inpacket @none", "", exitBad, "", "@none: no such file"},
		{"inpacket - --block-bits 128", "", exitBad, "",
			"--block-bits is 128, expected 256 or 512"},
		{"inpacket - --impl vhdl", "", exitBad, "", `--impl is "vhdl"`},
		{"inpacket - --data-bytes 16", "", exitBad, "",
			"--data-bytes is given, expected --impl with it"},
		{"inpacket - --impl rtl --data-bytes 7", "", exitBad, "",
			"--data-bytes is 7, expected 8, 16, 32 or 64"},
		{"inpacket - --nodes 1", "", exitBad, "", "--nodes is 1, expected 2 to 10000"},
		{"inpacket - --nodes 10001", "", exitBad, "", "--nodes is 10001"},
		{"inpacket - --degree 1", "", exitBad, "", "--degree is 1, expected 2 to 64"},
		{"inpacket - --receivers 40", "", exitBad, "", "--receivers is 40, expected 1 to 39"},
		{"inpacket - --services 0", "", exitBad, "", "--services is 0, expected 1 to 100000"},
		{"inpacket - --path 65", "", exitBad, "", "--path is 65, expected 1 to 64"},
		{"inpacket - --chain 33", "", exitBad, "", "--chain is 33, expected 1 to 32"},
		{"inpacket - --packets -1", "", exitBad, "", "--packets is -1"},
		{"inpacket - --tables 257", "", exitBad, "",
			"packets: --tables is 257, expected 1 to 256"},
		{"inpacket - --fill-limit 257", "", exitBad, "",
			"packets: --fill-limit is 257, expected 1 to 256, or 0 for all"},
		{"inpacket - --fill-limit -1", "", exitBad, "", "--fill-limit is -1"},
		{"inpacket - --key testdata/demo/blocklist.txt", "", exitBad, "", "hash key"},
	} {
		t.Run(test.line, func(t *testing.T) {
			s.T = t
			for _, flag := range []string{"", " --json"} {
				s.Line(test.code, test.stdin, test.line+flag)
				if !strings.Contains(s.Stdout, test.out) || (test.out == "") != (s.Stdout == "") {
					t.Errorf("stdout\n%s\nwant %q", s.Stdout, test.out)
				}
				if !strings.Contains(s.Stderr, test.says) {
					t.Errorf("stderr %q, want %q", s.Stderr, test.says)
				}
				if test.out != "" {
					return
				}
				s.OneLine()
			}
		})
	}
	s.T = t
	if s.Read("precious") != whole {
		t.Error("an output replaced the capture")
	}
	s.Files("cip.pcap", "download.pcapng", "empty", "first", "folder", "header",
		"link", "loopback.pcap", "no", "nothing", "packets", "precious", "truncated", "word", "words")
}

// A capture of a link layer that is not decoded gets a warning with the number from each command.
func TestUndecodedLinks(t *testing.T) {
	s := newShell(t)
	zeros := func(n int) string { return strings.Repeat("\x00", n) }
	s.Write("hdlc", "\xd4\xc3\xb2\xa1\x02\x00\x04\x00"+zeros(12)+"\x68"+zeros(3)+
		strings.Repeat(zeros(8)+"\x02"+zeros(3)+"\x02"+zeros(3)+"ab", 2))
	for line, code := range map[string]int{
		"guard @hdlc": exitYes, "inpacket @hdlc": exitBad, "agreement @hdlc": exitBad,
	} {
		s.Line(code, "", line)
		s.Noted("@hdlc: the sources of 2 packets are not seen: link type 104 is not decoded")
	}
}

// TestGuardDemo runs the demonstration on the real captures. With its key the filters make no
// difference to exact sets, so that no innocent source is blacklisted.
func TestGuardDemo(t *testing.T) {
	s := traces(t)
	for _, test := range []struct {
		capture        string
		packets, words int
		verdicts       guard.Verdicts
		turned         int
	}{
		{"cip.pcap", 26068, 378138, guard.Verdicts{Accepted: 15560, Strike: 11, ThirdStrike: 4,
			Rejected: 10493}, 4},
		{"download.pcapng", 276, 218983, guard.Verdicts{Accepted: 276}, 0},
		{"loopback.pcap", 24, 14080, guard.Verdicts{Accepted: 24}, 0},
	} {
		report := reported[guard.Report](s, exitYes, "",
			demo+" --verdicts @verdicts --answers @answers @"+test.capture)
		if report.Packets != test.packets || report.Payload != test.words ||
			report.Verdicts != test.verdicts {
			t.Errorf("%+v, want %+v", report, test)
		}
		if report.Sources.Turned != test.turned || report.Cleared != test.turned ||
			report.Retained != 0 {
			t.Errorf("sources %+v, %+v; want %d turned bad, and deleted", report.Sources,
				report.Counts, test.turned)
		}
		if a := report.Audit; a == nil || a.VerdictDifferences != 0 || a.AnswerDifferences != 0 {
			t.Errorf("audit %+v, want no differences", a)
		}
		text := s.Read("verdicts")
		counted := guard.Verdicts{
			Accepted: strings.Count(text, "."), Strike: strings.Count(text, "s"),
			ThirdStrike: strings.Count(text, "m"),
			Rejected:    strings.Count(text, "r"), NoIP: strings.Count(text, "-"),
		}
		if counted != test.verdicts || len(text) != test.packets {
			t.Errorf("%d characters of verdicts, %+v, want %d, %+v", len(text), counted,
				test.packets, test.verdicts)
		}
		if list := s.Read("answers"); strings.Count(list, "\n") != report.Sources.Listed ||
			strings.Count(list, "\tbad\n") != report.Sources.Bad ||
			strings.Count(list, "\tgood\n") != report.Sources.Good {
			t.Errorf("answers\n%sdo not match %+v", list, report.Sources)
		}
	}
}

// TestGuardPackets tells a small story in the text formats, from a file and from standard input.
func TestGuardPackets(t *testing.T) {
	const packets = `# source and word
c0a80001 00000001
c0a80001 00000002   # strike
0a000001 00000001   # blocked
c0a80002 00000001
c0a80001 deadbeef   # strike
c0a80001 deadbeef   # third strike
c0a80001 00000001   # rejected
`
	s := newShell(t)
	s.Write("blocklist", "10.0.0.1\n0a000001\n")
	s.Write("sequences", "00000001 00000002\ndeadbeef\ndeadbeef\n")
	s.Write("packets", packets)
	for _, input := range []string{"-", "@packets"} {
		s.Line(exitYes, packets, "guard --blocklist @blocklist --sequences @sequences --verdicts "+
			"@verdicts --answers @answers --packets "+input)
		if got, want := s.Read("verdicts"), ".sr.smr"; got != want {
			t.Errorf("verdicts %q, want %q", got, want)
		}
		if got, want := s.Read("answers"),
			"192.168.0.1\tbad\n10.0.0.1\tbad\n192.168.0.2\tgood\n"; got != want {
			t.Errorf("answers %q, want %q", got, want)
		}
	}
	// A source that is never to be blocked is not, though it is on the blocklist and has three
	// strikes.
	s.Write("never", "10.0.0.1\n192.168.0.1\n")
	s.Line(exitYes, packets, "guard --audit --blocklist @blocklist --never-block @never "+
		"--sequences @sequences --verdicts @verdicts --packets -")
	if got, want := s.Read("verdicts"), ".s..ss."; got != want {
		t.Errorf("verdicts %q, want %q", got, want)
	}
	s.Write("never", "# nobody\n")
	s.Line(exitYes, packets, "guard --never-block @never --packets -")
	s.Noted("@never has no sources")
	// What came before damage has its verdicts; no list of a report is null.
	report := reported[guard.Report](s, exitBad, packets+"c0a80001\n",
		"guard --packets - --verdicts @verdicts")
	if report.Packets != 7 || !strings.Contains(report.Damage, "line 9: found 1 fields") ||
		len(s.Read("verdicts")) != 7 || report.Sources.Blacklisted == nil {
		t.Errorf("%d packets, damage %q, verdicts %q", report.Packets, report.Damage,
			s.Read("verdicts"))
	}
}

// A synthetic trace is marked and reproducible.
func TestGuardSynthetic(t *testing.T) {
	s := newShell(t)
	const line = "guard --synthetic 3000 --sources 3000 --seed 1 --audit" + demoKey
	report := reported[guard.Report](s, exitYes, "", line)
	if !report.Synthetic || report.Sources.Listed != 3000 || report.Packets != 60_000 {
		t.Errorf("synthetic is %v, %d sources, %d packets", report.Synthetic, report.Sources.Listed,
			report.Packets)
	}
	if a := report.Audit; a.VerdictDifferences != 0 || a.AnswerDifferences != 0 ||
		a.Differences == nil {
		t.Errorf("audit %+v, want no differences, and a list of none", a)
	}
	for _, part := range []string{`"synthetic": true`, `"third_strike": `, `"blacklisted": [`,
		`"differences": []`, `"name": "sequences"`} {
		if !strings.Contains(s.Stdout, part) {
			t.Errorf("the JSON has no %s", part)
		}
	}
	if v := report.Verdicts; v.Strike == 0 || v.ThirdStrike == 0 || v.Rejected == 0 {
		t.Errorf("verdicts %+v, want some of each", v)
	}
	// A capture has a million look-ups in the sequence filter.
	if planned := report.Filters[2].PlannedRate; planned > 1e-8 {
		t.Errorf("the sequence filter is planned for a rate of %g, want 1e-8 or lower", planned)
	}
	again := reported[guard.Report](s, exitYes, "", line)
	if again.Verdicts != report.Verdicts || !reflect.DeepEqual(again.Filters, report.Filters) {
		t.Error("a second run differs")
	}
	// Room for few of the sources, and for no more states: the good filter turns over many times.
	report = reported[guard.Report](s, exitYes, "",
		"guard --synthetic 3000 --sources 500 --good-turnovers 2 --good-rate 1e-9 "+
			"--bad-rate 1e-9 --audit"+demoKey)
	if f := report.Filters[0]; f.PlannedTurnovers != 2 || f.Rebuilds < 20 || f.Due ||
		f.Turnovers > 2 {
		t.Errorf("%+v, want many rebuilds, one in two turnovers", f)
	}
	if a := report.Audit; a.VerdictDifferences != 0 || a.AnswerDifferences != 0 {
		t.Errorf("audit %+v, want no differences", a)
	}
	report = reported[guard.Report](s, exitYes, "",
		"guard --synthetic 3000 --sources 500 --good-reinserts 0.5 --good-rate 1e-9 "+
			"--bad-rate 1e-9 --audit"+demoKey)
	if f := report.Filters[0]; f.PlannedTurnovers != 0 || f.PlannedReinserts != 0.5 ||
		f.Rebuilds < 20 || f.Due || f.Turnovers > 2.1 {
		t.Errorf("%+v, want many rounds of refreshes, one in two turnovers", f)
	}
	if a := report.Audit; a.VerdictDifferences != 0 || a.AnswerDifferences != 0 {
		t.Errorf("audit %+v, want no differences", a)
	}
}

// The real captures, of three link layers: packets of all of them carry headers, and under the
// strict choice nothing is lost and nothing goes astray.
func TestInpacket(t *testing.T) {
	s := traces(t)
	for _, test := range []struct {
		flags         string
		packets, bits int
	}{
		{"@cip.pcap --packets 2000" + demoKey, 2000, 256},
		{"@download.pcapng" + demoKey, 276, 256},
		{"@loopback.pcap" + demoKey, 24, 256},
		{"@cip.pcap --packets 200 --block-bits 512 --seed 9", 200, 512},
	} {
		r := reported[network.Report](s, exitYes, "", "inpacket "+test.flags)
		if r.Packets != test.packets || r.Framing != 0 || r.BlockBits != test.bits ||
			r.Offset != 18 || r.RTL != nil {
			t.Errorf("%+v, want %+v", r, test)
		}
		for _, strict := range []network.Tally{r.Routes[network.Strict],
			r.Chains[network.Strict]} {
			if strict.Sent+strict.Refused != test.packets || strict.Delivered != strict.Elements ||
				strict.False+strict.Lost+strict.Wrong > 0 {
				t.Errorf("%+v", strict)
			}
		}
	}
	// What was read of a damaged capture is reported.
	whole := s.Read("loopback.pcap")
	r := reported[network.Report](s, exitBad, whole[:len(whole)-1], "inpacket -")
	if r.Packets != 23 || !strings.Contains(r.Damage, "packet 24: found the end of the file") ||
		!strings.Contains(s.Stderr, r.Damage) {
		t.Errorf("%d packets, damage %q, stderr %q", r.Packets, r.Damage, s.Stderr)
	}
	var none *capture.NoPacketError
	err := runInpacket(newRootCommand(), os.DevNull, network.Config{BlockBits: 256, Nodes: 2,
		Degree: 2, Receivers: 1, Services: 1, Path: 1, Chain: 1})
	if !errors.As(err, &none) || none.Packets != 0 {
		t.Errorf("of no capture: %v", err)
	}
}

// What docs/packets.md says of the whole capture.
func TestInpacketFigures(t *testing.T) {
	if testing.Short() {
		return
	}
	r := reported[network.Report](traces(t), exitYes, "", "inpacket @cip.pcap")
	rows := []string{
		fmt.Sprintf("In the %s packets of `cip.pcap`, each with a chain of %d services",
			quantity.Count(r.Packets), r.Chain),
		fmt.Sprintf("| choice | services lost, of %s | false deliveries |",
			quantity.Count(r.Chains[network.Strict].Elements)),
	}
	for i, choice := range []string{"any table", "the best table", "strict"} {
		rows = append(rows, fmt.Sprintf("| %s | %d | %d |", choice, r.Chains[i].Lost,
			r.Routes[i].False))
	}
	onPacketsPage(t, rows...)
}

// onPacketsPage fails the test unless docs/packets.md has these.
func onPacketsPage(t *testing.T, wants ...string) {
	t.Helper()
	page, err := os.ReadFile("../docs/packets.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range wants {
		if !strings.Contains(string(page), want) {
			t.Errorf("docs/packets.md has no\n%s", want)
		}
	}
}

// The hops of a real capture through the RTL, whose every answer Go checks.
func TestInpacketRTL(t *testing.T) {
	if err := cosim.Available(); err != nil {
		require.Skip(t, "cosim", err.Error())
	}
	s := traces(t)
	r := reported[network.Report](s, exitYes, "", "inpacket @cip.pcap --packets 30 --impl rtl")
	if r.RTL == nil || r.RTL.Differences != 0 || r.RTL.DataBytes != 8 || r.RTL.Cycles < 10*r.Hops {
		t.Errorf("%+v", r.RTL)
	}
	s.Line(exitYes, "", "inpacket @cip.pcap --packets 30 --impl rtl")
	if !strings.Contains(s.Stdout, "\nrtl     0 of ") ||
		!strings.Contains(s.Stdout, "per packet, in beats of 8 bytes\n") {
		t.Errorf("report\n%s", s.Stdout)
	}
}
