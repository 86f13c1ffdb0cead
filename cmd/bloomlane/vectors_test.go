package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/cosim"
	"github.com/bloomlane/bloomlane/internal/require"
)

func TestVectors(t *testing.T) {
	s := newShell(t)
	s.line(exitYes, "", "vectors make -o "+s.folder)
	for _, file := range []string{"vectors256.jsonl", "vectors512.jsonl"} {
		if n := strings.Count(s.read(file), "\n"); n != 10_000 {
			t.Errorf("%s has %d records, want 10,000", file, n)
		}
	}
	for _, run := range reported[vectorRuns[checkedRun]](s, exitYes, "",
		"vectors check @vectors256.jsonl @vectors512.jsonl").Runs {
		if !run.Agrees || run.Records != 10_000 {
			t.Errorf("%+v", run)
		}
	}
	s.line(exitYes, "", "vectors make -n 1000 --block-bits 512 -o "+s.folder)
	content := s.read("vectors512.jsonl")
	s.write("wrong", strings.Replace(content, `"result":"retained"`, `"result":"deleted"`, 1))
	s.write("malformed", content[1:])
	s.write("empty", "")
	s.write("blank", "\n\n")
	for _, test := range []struct {
		line  string
		code  int
		wants string // in stdout for 0 and 1, in stderr for 2
	}{
		{"check --impl purego @vectors512.jsonl", exitYes,
			"purego in batches agrees on 1000 records"},
		{"check --impl purego -", exitYes, "standard input: purego agrees on 1000 records"},
		{"check @wrong", exitNo, "the file has deleted, purego has retained"},
		{"check @malformed", exitBad, "line 1"},
		{"check @vectors512.jsonl @empty", exitBad,
			"@empty: found no record, expected at least one"},
		{"check @blank", exitBad, "@blank: vectors: line 1: "},
		{"make -n 0 -o " + s.folder, exitBad, "--records is 0, expected at least 1"},
		{"check --impl mmx @vectors512.jsonl", exitBad, `--impl is "mmx", expected one of all`},
		{"check @none", exitBad, "none"},
		{"check " + s.folder, exitBad, "is a directory"},
		{"check", exitBad, "found 0 arguments, expected bloomlane "},
		{"make --block-bits 128 -o " + s.folder, exitBad,
			"--block-bits is 128, expected 256 or 512"},
		{"make --blocks 0 -o " + s.folder, exitBad, "--blocks is 0, expected 1 to "},
		{"make -o @none", exitBad, "none"},
	} {
		s.line(test.code, content, "vectors "+test.line)
		if text := map[bool]string{true: s.stderr,
			false: s.stdout}[test.code == exitBad]; !strings.Contains(text, test.wants) {
			t.Errorf("%s: %q, want %q", test.line, text, test.wants)
		}
	}
}

// The Verilog agrees, with its own statuses and in both forms, and a difference is shown as that of
// any other implementation.
func TestVectorsRTL(t *testing.T) {
	if err := cosim.Available(); err != nil {
		require.Skip(t, "cosim", err.Error())
	}
	s := newShell(t)
	s.line(exitYes, "", "vectors make -n 1000 --blocks 25 -o "+s.folder)
	for _, name := range []string{"vectors256.jsonl", "vectors512.jsonl"} {
		s.line(exitYes, "", "vectors check --impl rtl @"+name)
		s.says(fmt.Sprintf("%[1]s: rtl agrees on 1000 records\n%[1]s: rtl in batches agrees on "+
			"1000 records\n", s.path(name)))
		s.write(name, strings.ReplaceAll(s.read(name), `"result":"retained"`, `"result":"deleted"`))
		s.line(exitNo, "", "vectors check --impl rtl @"+name)
		if !strings.Contains(s.stdout, "the file has deleted, rtl in batches has retained") {
			t.Errorf("stdout %q, want the difference", s.stdout)
		}
	}
}

// Without Verilator the answer says how to get it; what --impl names by all does not need it.
func TestVectorsWithoutVerilator(t *testing.T) {
	s := newShell(t)
	t.Setenv("PATH", s.folder)
	s.line(exitYes, "", "vectors make -n 10 -o "+s.folder)
	s.line(exitBad, "", "vectors check --impl rtl @vectors256.jsonl")
	s.complains("verilator is not installed: " + cosim.Install)
	s.line(exitYes, "", "vectors check @vectors256.jsonl")
}
