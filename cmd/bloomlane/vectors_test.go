package main

import (
	"strings"
	"testing"
)

func TestVectors(t *testing.T) {
	s := newShell(t)
	s.Line(exitYes, "", "vectors make -o "+s.Folder)
	for _, file := range []string{"vectors256.jsonl", "vectors512.jsonl"} {
		if n := strings.Count(s.Read(file), "\n"); n != 10_000 {
			t.Errorf("%s has %d records, want 10,000", file, n)
		}
	}
	for _, run := range reported[vectorRuns[checkedRun]](s, exitYes, "",
		"vectors check @vectors256.jsonl @vectors512.jsonl").Runs {
		if !run.Agrees || run.Records != 10_000 {
			t.Errorf("%+v", run)
		}
	}
	s.Line(exitYes, "", "vectors make -n 1000 --block-bits 512 -o "+s.Folder)
	content := s.Read("vectors512.jsonl")
	s.Write("wrong", strings.Replace(content, `"result":"retained"`, `"result":"deleted"`, 1))
	s.Write("malformed", content[1:])
	s.Write("empty", "")
	s.Write("blank", "\n\n")
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
		{"make -n 0 -o " + s.Folder, exitBad, "--records is 0, expected at least 1"},
		{"check --impl mmx @vectors512.jsonl", exitBad, `--impl is "mmx", expected one of all`},
		{"check @none", exitBad, "none"},
		{"check " + s.Folder, exitBad, "is a directory"},
		{"check", exitBad, "found 0 arguments, expected bloomlane "},
		{"make --block-bits 128 -o " + s.Folder, exitBad,
			"--block-bits is 128, expected 256 or 512"},
		{"make --blocks 0 -o " + s.Folder, exitBad, "--blocks is 0, expected 1 to "},
		{"make -o @none", exitBad, "none"},
	} {
		s.Line(test.code, content, "vectors "+test.line)
		if text := map[bool]string{true: s.Stderr,
			false: s.Stdout}[test.code == exitBad]; !strings.Contains(text, test.wants) {
			t.Errorf("%s: %q, want %q", test.line, text, test.wants)
		}
	}
}
