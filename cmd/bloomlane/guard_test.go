package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/cmd/bloomlane/capture/capturetest"
	"github.com/bloomlane/bloomlane/cmd/bloomlane/guard"
)

// runGuard runs the command.
func runGuard(stdin string, args ...string) (stdout, stderr string, code int) {
	var out, messages bytes.Buffer
	code = run(append([]string{"guard"}, args...), strings.NewReader(stdin), &out, &messages)
	return out.String(), messages.String(), code
}

// guardReport runs the command with --json.
func guardReport(t *testing.T, wantCode int, stdin string, args ...string) *guard.Report {
	t.Helper()
	stdout, stderr, code := runGuard(stdin, append(args, "--json")...)
	if code != wantCode {
		t.Fatalf("exit code %d, want %d; stderr: %s", code, wantCode, stderr)
	}
	var report guard.Report
	if err := json.Unmarshal([]byte(stdout), &report); err != nil {
		t.Fatalf("%v in %s", err, stdout)
	}
	return &report
}

var demo = []string{
	"--blocklist", "testdata/demo/blocklist.txt", "--sequences", "testdata/demo/sequences.txt", "--key", "testdata/demo/demo.key",
}

// TestGuardDemo runs the demonstration on the real captures. With its key the filters make no
// difference to exact sets, so that no innocent source is blacklisted.
func TestGuardDemo(t *testing.T) {
	tests := []struct {
		capture        string
		packets, words int
		verdicts       guard.VerdictCounts
		turned         int
	}{
		{capturetest.CIP, 26068, 378138, guard.VerdictCounts{Accepted: 15560, Strike: 11, ThirdStrike: 4, Rejected: 10493}, 4},
		{capturetest.Download, 276, 218983, guard.VerdictCounts{Accepted: 276}, 0},
		{capturetest.Loopback, 24, 14080, guard.VerdictCounts{Accepted: 24}, 0},
	}
	for _, test := range tests {
		t.Run(filepath.Base(test.capture), func(t *testing.T) {
			folder := t.TempDir()
			verdicts, answers := filepath.Join(folder, "verdicts"), filepath.Join(folder, "answers")
			report := guardReport(t, 0, "", append(demo, capturetest.Path(t, test.capture), "--audit", "--verdicts", verdicts, "--answers", answers)...)
			if report.Packets != test.packets || report.Words != test.words {
				t.Errorf("%d packets, %d words; want %d, %d", report.Packets, report.Words, test.packets, test.words)
			}
			if report.Verdicts != test.verdicts {
				t.Errorf("verdicts %+v, want %+v", report.Verdicts, test.verdicts)
			}
			if report.Sources.Turned != test.turned || report.Deletions != (guard.Deletions{Cleared: test.turned}) {
				t.Errorf("sources %+v, deletions %+v; want %d turned bad, and deleted", report.Sources, report.Deletions, test.turned)
			}
			if a := report.Audit; a == nil || a.VerdictDifferences != 0 || a.AnswerDifferences != 0 {
				t.Errorf("audit %+v, want no differences", a)
			}

			text := readFile(t, verdicts)
			if len(text) != test.packets {
				t.Errorf("%d characters of verdicts, want one a packet", len(text))
			}
			counted := guard.VerdictCounts{
				Accepted: strings.Count(text, "."), Strike: strings.Count(text, "s"), ThirdStrike: strings.Count(text, "m"),
				Rejected: strings.Count(text, "r"), NoIP: strings.Count(text, "-"),
			}
			if counted != test.verdicts {
				t.Errorf("the file of verdicts has %+v, want %+v", counted, test.verdicts)
			}
			if list := readFile(t, answers); strings.Count(list, "\n") != report.Sources.Listed ||
				strings.Count(list, "\tbad\n") != report.Sources.Bad || strings.Count(list, "\tgood\n") != report.Sources.Good {
				t.Errorf("answers\n%sdo not match %+v", list, report.Sources)
			}
		})
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func writeFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "input")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
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
	blocklist, sequences := writeFile(t, "10.0.0.1\n0a000001\n"), writeFile(t, "00000001 00000002\ndeadbeef\ndeadbeef\n")
	for _, input := range []string{"-", writeFile(t, packets)} {
		folder := t.TempDir()
		verdicts, answers := filepath.Join(folder, "verdicts"), filepath.Join(folder, "answers")
		_, stderr, code := runGuard(packets, "--packets", input, "--blocklist", blocklist, "--sequences", sequences,
			"--verdicts", verdicts, "--answers", answers)
		if code != 0 || stderr != "" {
			t.Fatalf("exit code %d, stderr %q", code, stderr)
		}
		if got, want := readFile(t, verdicts), ".sr.smr"; got != want {
			t.Errorf("verdicts %q, want %q", got, want)
		}
		if got, want := readFile(t, answers), "192.168.0.1\tbad\n10.0.0.1\tbad\n192.168.0.2\tgood\n"; got != want {
			t.Errorf("answers %q, want %q", got, want)
		}
	}
}

// TestGuardSynthetic checks that a synthetic trace is marked and reproducible.
func TestGuardSynthetic(t *testing.T) {
	args := []string{"--synthetic", "3000", "--sources", "3000", "--seed", "1", "--key", "testdata/demo/demo.key", "--audit"}
	report := guardReport(t, 0, "", args...)
	if !report.Synthetic || report.Sources.Listed != 3000 || report.Packets != 60_000 {
		t.Errorf("synthetic is %v, %d sources, %d packets", report.Synthetic, report.Sources.Listed, report.Packets)
	}
	if a := report.Audit; a.VerdictDifferences != 0 || a.AnswerDifferences != 0 {
		t.Errorf("audit %+v, want no differences", a)
	}
	if v := report.Verdicts; v.Strike == 0 || v.ThirdStrike == 0 || v.Rejected == 0 {
		t.Errorf("verdicts %+v, want some of each", v)
	}
	// A capture has a million look-ups in the sequence filter.
	if planned := report.Filters[2].PlannedRate; planned > 1e-8 {
		t.Errorf("the sequence filter is planned for a rate of %g, want 1e-8 or lower", planned)
	}
	again := guardReport(t, 0, "", args...)
	if again.Verdicts != report.Verdicts || again.Filters[0] != report.Filters[0] {
		t.Error("a second run differs")
	}
	if stdout, _, _ := runGuard("", "--synthetic", "10"); !strings.HasPrefix(stdout, "SYNTHETIC") {
		t.Errorf("report begins with %.40q, want SYNTHETIC", stdout)
	}
}

// TestGuardRenews has room for few of the sources, and for no more states, so that the good filter turns over
// many times.
func TestGuardRenews(t *testing.T) {
	args := []string{"--synthetic", "3000", "--sources", "500", "--good-turnovers", "2", "--good-rate", "1e-9",
		"--bad-rate", "1e-9", "--key", "testdata/demo/demo.key", "--audit"}
	report := guardReport(t, 0, "", args...)
	if h := report.Filters[0].Health; h.PlannedTurnovers != 2 || h.Rebuilds < 20 || h.Due || h.Turnovers > 2 {
		t.Errorf("health %+v, want many rebuilds, one in two turnovers", h)
	}
	if a := report.Audit; a.VerdictDifferences != 0 || a.AnswerDifferences != 0 {
		t.Errorf("audit %+v, want no differences", a)
	}
}

// TestGuardDamage reports what was read of a damaged input on stdout, the damage on stderr, and exits
// with 2; an empty capture is none.
func TestGuardDamage(t *testing.T) {
	whole := readFile(t, capturetest.Path(t, capturetest.CIP))
	const header = 24
	tests := []struct {
		name, input string
		args        []string
		code        int
		packets     int
		says        string
	}{
		{"empty capture", whole[:header], []string{"-"}, 0, 0, ""},
		{"truncated capture", whole[:len(whole)-1], []string{"-"}, 2, 26067, "pcap, packet 26068: found the end of the file"},
		{"no packets", "", []string{"--packets", "-"}, 0, 0, ""},
		{"a bad line of packets", "c0a80001 00000001\nc0a80001\n", []string{"--packets", "-"}, 2, 1, "packets, line 2: found 1 fields"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			verdicts := filepath.Join(t.TempDir(), "verdicts")
			args := append(test.args, "--verdicts", verdicts)
			report := guardReport(t, test.code, test.input, args...)
			_, stderr, _ := runGuard(test.input, args...)
			if report.Packets != test.packets || (report.Damage != "") != (test.code != 0) {
				t.Errorf("%d packets, damage %q; want %d packets", report.Packets, report.Damage, test.packets)
			}
			if !strings.Contains(stderr, test.says) || (stderr == "") != (test.code == 0) {
				t.Errorf("stderr %q, want %q", stderr, test.says)
			}
			if n := len(readFile(t, verdicts)); n != test.packets {
				t.Errorf("%d verdicts, want those of the %d packets", n, test.packets)
			}
		})
	}
}

// What no packet can be read from is an error of one line: there is no report, and no file of verdicts.
func TestGuardOfJunk(t *testing.T) {
	whole := readFile(t, capturetest.Path(t, capturetest.CIP))
	for _, test := range []struct {
		name, input string
		args        []string
		says        string
	}{
		{"truncated header", whole[:23], []string{"-"}, "standard input: no packet can be read: pcap, file header: found the end"},
		{"truncated first packet", whole[:30], []string{"-"}, "no packet can be read: pcap, packet 1: found the end of the file"},
		{"no capture", "hello, world", []string{"-"}, "no packet can be read: capture, byte 0: found magic number 68656c6c"},
		{"an empty file", "", []string{"-"}, "no packet can be read: capture, byte 0: found 0 bytes"},
		{"a folder", "", []string{t.TempDir()}, "is a directory"},
		{"a folder of packets", "", []string{"--packets", t.TempDir()}, "is a directory"},
		{"bad packets", "hello, world\n", []string{"--packets", "-"}, "no packet can be read: packets, line 1: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			verdicts := filepath.Join(t.TempDir(), "verdicts")
			for _, args := range [][]string{test.args, append(test.args, "--json"), append(test.args, "--verdicts", verdicts)} {
				stdout, stderr, code := runGuard(test.input, args...)
				if code != exitBad || stdout != "" || !strings.Contains(stderr, test.says) || strings.Count(stderr, "\n") != 1 {
					t.Errorf("exit code %d, stdout %q, stderr %q; want 2, and %q in a line", code, stdout, stderr, test.says)
				}
			}
			if _, err := os.Stat(verdicts); err == nil {
				t.Error("there are verdicts")
			}
		})
	}
}

// TestGuardBadUsage says what cannot be asked for; nothing is printed on stdout, and no file appears.
func TestGuardBadUsage(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	word := writeFile(t, "00000001\n")
	tests := []struct {
		name string
		args []string
		says string
	}{
		{"no input", nil, "found 0 inputs"},
		{"two inputs", []string{"a.pcap", "--packets", "b"}, "found 2 inputs"},
		{"two captures", []string{"a.pcap", "b.pcap"}, "accepts at most 1 arg"},
		{"no such capture", []string{missing}, missing},
		{"no such blocklist", []string{"-", "--blocklist", missing}, missing},
		{"a bad blocklist", []string{"-", "--blocklist", "testdata/demo/sequences.txt"}, "blocklist, line 4"},
		{"bad sequences", []string{"-", "--sequences", "testdata/demo/blocklist.txt"}, `sequences, line 4: found "10.200.1.162"`},
		{"no such key", []string{"-", "--key", missing}, missing},
		{"a bad key", []string{"-", "--key", word}, "64 hex digits"},
		{"a synthetic trace of none", []string{"--synthetic", "0"}, "found 0 sources"},
		{"a synthetic trace with a blocklist", []string{"--synthetic", "9", "--blocklist", word}, "has its own"},
		{"no sources", []string{"-", "--sources", "0"}, "found 0 expected sources"},
		{"no history", []string{"-", "--history", "0"}, "found room for the state of 0 sources"},
		{"turnovers below none", []string{"-", "--good-turnovers", "-1"}, "found -1 turnovers"},
		{"too many rebuilds", []string{"-", "--good-turnovers", "1e-9"}, "found 1e-09 turnovers"},
		{"no rate", []string{"-", "--bad-rate", "0"}, "found bad rate 0"},
		{"a folder for verdicts", []string{"--synthetic", "1", "--verdicts", t.TempDir()}, "verdicts"},
		{"a folder for answers", []string{"--synthetic", "1", "--answers", t.TempDir()}, "answers"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			stdout, stderr, code := runGuard("", test.args...)
			if code != 2 || !strings.Contains(stderr, test.says) {
				t.Errorf("exit code %d, stderr %q; want 2, %q", code, stderr, test.says)
			}
			if stdout != "" {
				t.Errorf("stdout %q, want nothing", stdout)
			}
		})
	}
	if _, err := os.Stat(missing); !os.IsNotExist(err) {
		t.Errorf("%s: %v, want %v", missing, err, fs.ErrNotExist)
	}
}
