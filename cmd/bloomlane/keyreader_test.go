package main

import (
	"strings"
	"testing"
)

// Keys that are probably not meant are warned of once, with the file and the line, and are keys all
// the same.
func TestWarnings(t *testing.T) {
	const crlf, gzip, zstd = "a line that ends in CR LF", "gzip data", "zstd data"
	const bom, utf16 = "a UTF-8 byte order mark", "a UTF-16 byte order mark"
	for _, test := range []struct {
		name, one, two string
		wants          []string // of each line of warnings
	}{
		{"nothing", "apple\npear", "fig\n\n", nil},
		{"CRLF", "apple\npear\r\nplum\r\n", "fig\r\n", []string{"one:2: found " + crlf}},
		{"CRLF in the second file", "apple\n", "\n\nfig\r\n", []string{"two:3: found " + crlf}},
		{"a carriage return in the middle, or without a line feed", "ap\rple\npear\r",
			"fig\r", nil},
		{"an empty line of CRLF", "apple\n\r\n", "", []string{"one:2: found " + crlf}},
		{"a byte order mark", "\xef\xbb\xbfapple\n", "\xef\xbb\xbffig\n",
			[]string{"one:1: found " + bom}},
		{"a byte order mark later", "apple\n\xef\xbb\xbfpear\n", "", nil},
		{"UTF-16", "\xff\xfea\x00\n\x00", "\xfe\xff\x00a\x00\n", []string{"one:1: found " + utf16}},
		{"big-endian UTF-16", "", "\xfe\xff\x00a\x00\n", []string{"two:1: found " + utf16}},
		{"gzip", "\x1f\x8b\x08\x00", "", []string{"one:1: found " + gzip}},
		{"zstd", "apple\n", "\x28\xb5\x2f\xfd\x00\n", []string{"two:1: found " + zstd}},
		{"a byte order mark and CRLF", "\xef\xbb\xbfapple\r\n", "\x1f\x8b\x08", []string{
			"one:1: found " + crlf, "one:1: found " + bom, "two:1: found " + gzip,
		}},
		{"a line too long in gzip", "", "\x1f\x8b\x08" + strings.Repeat("x", maxKeyBytes),
			[]string{"two:1: found " + gzip}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newShell(t)
			s.write("one", test.one)
			s.write("two", test.two)
			code := exitYes
			if len(test.two) > maxKeyBytes {
				code = exitBad
			}
			check := func() {
				t.Helper()
				if strings.Count(s.notes, "\n") != len(test.wants) {
					t.Errorf("notes %q, want %q", s.notes, test.wants)
				}
				for _, want := range test.wants {
					if !strings.Contains(s.notes, "bloomlane: warning: @"+want) {
						t.Errorf("notes %q, want %q", s.notes, want)
					}
				}
			}
			s.run(code, "", "build", "@one", "@two", "-o", "@f", "--members", "100")
			check()
			s.run(code, "", "build", "@one", "@two", "-o", "@f", "--members", "100", "--quiet")
			if s.notes != "" {
				t.Errorf("notes with --quiet: %q", s.notes)
			}
			if code != exitYes || test.one+test.two == "" {
				return
			}
			for _, command := range []string{"query", "add", "rebuild", "delete"} {
				s.run(exitYes, "", command, "@f", "--keys", s.path("one"), "--keys", s.path("two"))
				check()
			}
		})
	}
	s := newShell(t)
	s.run(exitYes, "a\r\n", "build", "-o", "@f")
	want := "bloomlane: warning: standard input:1: found " + crlf +
		": the carriage return is part of the key\n"
	if s.notes != want {
		t.Errorf("notes %q, want %q", s.notes, want)
	}
	s.run(exitYes, "", "query", "@f", "a\r")
}
