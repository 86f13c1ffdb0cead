package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestUsage(t *testing.T) {
	for _, test := range []struct {
		args  string
		code  int
		wants string
	}{
		{"--help", exitDone, "--quick"},
		{"sweep --help", exitDone, "--sizes"},
		{"compare --help", exitDone, "--significance"},
		{"quick", exitBad, "unknown command"},
		{"--fast", exitBad, "unknown flag: --fast"},
		{"--sizes 17KiB", exitBad, `size "17KiB": want a power of two from 16 KiB to 64 GiB`},
		{"--sizes 8KiB", exitBad, "from 16 KiB"},
		{"--sizes 128GiB", exitBad, "to 64 GiB"},
		{"--sizes 99999999999999999999GiB", exitBad, "to 64 GiB"},
		{"--sizes=", exitBad, "--sizes names none"},
		{"--sizes 16KiB,", exitBad, `size ""`},
		{"--rounds 0", exitBad, "--rounds 0: want 1 to 1000"},
		{"sweep 16KiB", exitBad, "16KiB"},
		{"sweep --rounds x", exitBad, "--rounds"},
		{"compare A", exitBad, "accepts 2 arg(s)"},
		{"compare testdata/none.json testdata/none.json", exitBad, "none.json"},
		{"render main.go .", exitBad, "main.go: malformed run"},
	} {
		var stdout, stderr bytes.Buffer
		code := run(strings.Fields(test.args), &stdout, &stderr)
		if text := stdout.String() + stderr.String(); code != test.code || !strings.Contains(text, test.wants) {
			t.Errorf("%q: exit code %d, want %d; %s, want %s", test.args, code, test.code, text, test.wants)
		}
		if code != exitDone && stdout.Len() > 0 {
			t.Errorf("%q: a result on stdout: %s", test.args, &stdout)
		}
	}
}
