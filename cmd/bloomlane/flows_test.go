package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/cmd/bloomlane/capture/capturetest"
	"github.com/bloomlane/bloomlane/cmd/bloomlane/flows"
)

func TestFlowsCommand(t *testing.T) {
	cip, folder := capturetest.Path(t, capturetest.CIP), t.TempDir()
	whole := readFile(t, cip)
	write := func(name, content string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const header = 24
	second := header + 16 + int(binary.LittleEndian.Uint32([]byte(whole[header+8:]))) // packet
	precious, link := write("precious", whole), filepath.Join(folder, "link")
	if err := os.Link(precious, link); err != nil {
		t.Fatal(err)
	}
	picture := filepath.Join(folder, "flows.svg")
	for _, test := range []struct {
		name string
		args []string
		code int
		out  string // in stdout; "" for none
		says string // in stderr
	}{
		{"the capture", []string{cip}, exitYes, "26,068 packets in 174 s, 3,059 flows", ""},
		{"a long idle timeout", []string{cip, "--idle", "1h", "--samples", "5"}, exitYes, "0 idle for 1h0m0s", ""},
		{"room for few", []string{cip, "--flows", "10", "--samples", "5"}, exitYes, "10 at the peak", ""},
		{"synthesised", []string{cip, "--synthesise", "2000", "--density", "3", "--plot", picture}, exitYes, "SYNTHESISED traffic, never captured: 2,000 flows", ""},
		{"IPv6 over loopback", []string{capturetest.Path(t, capturetest.Loopback)}, exitYes, "use insert-only", ""},
		{"an empty capture", []string{write("empty", whole[:header])}, exitYes, "0 packets", ""},
		{"more flows than planned", []string{cip, "--members", "50"}, exitYes, "not rolling: it refused", ""},

		{"a truncated capture", []string{write("truncated", whole[:len(whole)-1])}, exitBad, "26,067 packets", "pcap, packet 26068: found the end of the file"},
		{"a truncated header", []string{write("header", whole[:header-1])}, exitBad, "", "header: no packet can be read: pcap, file header: found the end of the file"},
		{"no capture", []string{write("words", "hello, world")}, exitBad, "", "words: no packet can be read: capture, byte 0: found magic number 68656c6c"},
		{"an empty file", []string{write("nothing", "")}, exitBad, "", "no packet can be read: capture, byte 0: found 0 bytes"},
		{"standard input", []string{"-"}, exitBad, "", "found standard input, expected a file: it is read twice"},
		{"nothing to synthesise from", []string{filepath.Join(folder, "words"), "--synthesise", "5"}, exitBad, "", "found no flows"},

		{"no argument", nil, exitBad, "", "accepts 1 arg"},
		{"no such capture", []string{filepath.Join(folder, "none")}, exitBad, "", "none"},
		{"a folder", []string{folder}, exitBad, "", "found no regular file"},
		{"no members", []string{cip, "--members", "0"}, exitBad, "", "found --members 0"},
		{"no bits", []string{cip, "--bits-per-key", "0"}, exitBad, "", "--bits-per-key is 0, expected a number above 0"},
		{"no timeout", []string{cip, "--idle", "0s"}, exitBad, "", "found an idle timeout of 0s"},
		{"no room", []string{cip, "--flows", "0"}, exitBad, "", "found room for 0 flows"},
		{"no rate", []string{cip, "--rate", "NaN"}, exitBad, "", "found a rate of NaN"},
		{"no samples", []string{cip, "--samples", "0"}, exitBad, "", "found 0 samples"},
		{"no strangers", []string{cip, "--strangers", "0"}, exitBad, "", "found 0 strangers"},
		{"nothing synthesised", []string{cip, "--synthesise", "0"}, exitBad, "", "found 0 flows to synthesise"},
		{"density without a synthesis", []string{cip, "--density", "2"}, exitBad, "", "found --density"},
		{"no density", []string{cip, "--synthesise", "2", "--density", "0"}, exitBad, "", "found a density of 0"},
		{"a huge filter", []string{cip, "--members", "1000000000"}, exitBad, "", "expected filters of at most"},
		{"refused, not lost", []string{cip, "--bits-per-key", "4", "--samples", "5"}, exitYes, "not rolling: it refused", ""},
		{"everything at once", []string{write("still", whole[:header]+strings.Repeat(whole[header:second], 2)), "--synthesise", "5"}, exitBad, "", "all begin at the same time"},
		{"too dense", []string{cip, "--synthesise", "5000", "--density", "1000", "--flows", "100"}, exitBad, "", "found more than 100 synthesised flows under way"},
		{"no folder for the picture", []string{cip, "--samples", "1", "--plot", filepath.Join(folder, "none", "x.svg")}, exitBad, "", "--plot: stat "},
		{"a file for the folder", []string{cip, "--plot", filepath.Join(folder, "words", "x.svg")}, exitBad, "", "--plot: "},
		{"a folder for the picture", []string{cip, "--plot", folder}, exitBad, "", "not a regular file"},
		{"the capture for the picture", []string{precious, "--plot", link}, exitBad, "", "which is also the input"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := run(append([]string{"flows", "--strangers", "1000"}, test.args...), strings.NewReader(""), &stdout, &stderr)
			if code != test.code || !strings.Contains(stdout.String(), test.out) || (test.out == "") != (stdout.Len() == 0) {
				t.Errorf("exit code %d, stdout\n%s\nwant %d, %q", code, stdout.String(), test.code, test.out)
			}
			if !strings.Contains(stderr.String(), test.says) || (test.says == "") != (stderr.Len() == 0) {
				t.Errorf("stderr %q, want %q", stderr.String(), test.says)
			}
		})
	}
	if readFile(t, precious) != whole {
		t.Error("the picture replaced the capture")
	}
	if drawn := readFile(t, picture); !strings.Contains(drawn, "SYNTHESISED from cip.pcap") {
		t.Error("the picture does not say that it is of synthesised traffic")
	}
}

// With --json the report is one object, with all samples.
func TestFlowsJSON(t *testing.T) {
	var stdout, stderr bytes.Buffer
	code := run([]string{"flows", capturetest.Path(t, capturetest.CIP), "--json"}, strings.NewReader(""), &stdout, &stderr)
	var report flows.Report
	if err := json.Unmarshal(stdout.Bytes(), &report); err != nil || code != exitYes {
		t.Fatalf("exit code %d, %v, %s", code, err, stderr.String())
	}
	if len(report.Samples) != 60 || len(report.Totals) != 5 || report.Traffic.Flows != 3059 || report.Synthesised != nil {
		t.Errorf("%d samples, %d filters, %+v", len(report.Samples), len(report.Totals), report.Traffic)
	}
	// What this traffic has shown of them, in 32 bits for each flow of the peak.
	if a := report.Advice; a.Use != "insert-only" || !a.Keeps {
		t.Errorf("%+v, want insert-only", a)
	}
}
