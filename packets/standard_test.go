package main

import (
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/report/command/commandtest"
)

func TestStandardStreamsAreRefused(t *testing.T) {
	newShell(t).Refuse("", "", [][2]string{
		{"guard - --blocklist -", "standard input is both the capture and the --blocklist"},
		{"guard --synthetic 1 --verdicts - --answers -", "standard output is asked for twice"},
		{"inpacket - --key -", "standard input is both the capture and the hash key"},
	})
}

// A file to write may be standard output; the report is then on stderr.
func TestFilesToStandardOutput(t *testing.T) {
	s := newShell(t)
	t.Chdir(s.Folder)
	for _, test := range []struct{ args, out, report string }{
		{"guard --synthetic 3 --verdicts -", "....", "SYNTHETIC"},
		{"guard --synthetic 3 --answers -", "\tgood\n", "SYNTHETIC"},
	} {
		for _, flag := range []string{"", " --quiet"} {
			stderr := s.Beside("", test.args+flag)
			if !strings.Contains(s.Stdout, test.out) || strings.Contains(s.Stdout, test.report) {
				t.Errorf("%s: stdout %.100q, want %q", test.args, s.Stdout, test.out)
			}
			if strings.Contains(stderr, test.report) != (flag == "") {
				t.Errorf("%s%s: stderr %q, want %q", test.args, flag, stderr, test.report)
			}
		}
	}
	s.Files()
}

// Reports and records replace neither filters nor keys, which cannot be made again.
func TestReportsReplaceNoFilter(t *testing.T) {
	s := newShell(t)
	s.Write("f", file.Magic+"    ")
	s.Write("f.key", commandtest.FixedKey)
	s.Line(exitYes, "", "guard --synthetic 3 --record @record")
	for _, line := range []string{
		"guard --synthetic 3 --record",
		"guard --synthetic 3 --verdicts", "guard --synthetic 3 --answers", "page @record -o",
	} {
		s.Refuse("", line, [][2]string{
			{" @f", ": @f is a filter, expected another file"},
			{" @f.key", ": @f.key is a hash key, expected another file"},
		})
		s.Line(exitYes, "", line+" @new")
		s.Line(exitYes, "", line+" @new")
	}
}
