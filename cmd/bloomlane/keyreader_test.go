package main

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	filterfile "github.com/bloomlane/bloomlane/filter/file"
)

// Keys that are probably not meant are warned of once, with the file and the line, and are keys all
// the same.
func TestWarnings(t *testing.T) {
	const crlf = "a line that ends in CR LF"
	const bom, utf16 = "a UTF-8 byte order mark", "a UTF-16 byte order mark"
	for _, test := range []struct {
		name, one, two string
		wants          []string // of each line of warnings
	}{
		{"nothing", "apple\npear", "fig\n\n", nil},
		{"CRLF", "apple\npear\r\nplum\r\n", "fig\r\n", []string{"one:2: found " + crlf}},
		{"CRLF in the second file", "apple\n", "\n\nfig\r\n", []string{"two:3: found " + crlf}},
		{"a carriage return in the middle", "ap\rple\npear", "fig", nil},
		{"no line feed at the end", "apple\npear\r", "fig\r",
			[]string{"one:2: found " + crlf}},
		{"an empty line of CRLF", "apple\n\r\n", "", []string{"one:2: found " + crlf}},
		{"a byte order mark", "\xef\xbb\xbfapple\n", "\xef\xbb\xbffig\n",
			[]string{"one:1: found " + bom}},
		{"a byte order mark later", "apple\n\xef\xbb\xbfpear\n", "", nil},
		{"UTF-16", "\xff\xfea\x00\n\x00", "\xfe\xff\x00a\x00\n", []string{"one:1: found " + utf16}},
		{"big-endian UTF-16", "", "\xfe\xff\x00a\x00\n", []string{"two:1: found " + utf16}},
		{"a byte order mark and CRLF", "\xef\xbb\xbfapple\r\n", "",
			[]string{"one:1: found " + crlf, "one:1: found " + bom}},
		{"a line too long", "", "\xef\xbb\xbf" + strings.Repeat("x", maxKeyBytes),
			[]string{"two:1: found " + bom}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newShell(t)
			s.Write("one", test.one)
			s.Write("two", test.two)
			code := exitYes
			if len(test.two) > maxKeyBytes {
				code = exitBad
			}
			check := func() {
				t.Helper()
				if strings.Count(s.Notes, "\n") != len(test.wants) {
					t.Errorf("notes %q, want %q", s.Notes, test.wants)
				}
				for _, want := range test.wants {
					if !strings.Contains(s.Notes, "bloomlane: warning: @"+want) {
						t.Errorf("notes %q, want %q", s.Notes, want)
					}
				}
			}
			s.Run(code, "", "build", "@one", "@two", "-o", "@f", "--members", "100")
			check()
			s.Run(code, "", "build", "@one", "@two", "-o", "@f", "--members", "100", "--quiet",
				"--replace")
			if s.Notes != "" {
				t.Errorf("notes with --quiet: %q", s.Notes)
			}
			if code != exitYes || test.one+test.two == "" {
				return
			}
			for _, command := range []string{"query", "delete", "add", "rebuild"} {
				s.Run(exitYes, "", command, "@f", "--keys", s.Path("one"), "--keys", s.Path("two"))
				check()
			}
		})
	}
	s := newShell(t)
	s.Run(exitYes, "a\r\n", "build", "-o", "@f")
	want := "bloomlane: warning: standard input:1: found " + crlf +
		": the carriage return is part of the key\n"
	if s.Notes != want {
		t.Errorf("notes %q, want %q", s.Notes, want)
	}
	s.Run(exitYes, "", "query", "@f", "a\r")
}

// The lines of a compressed list are nobody's keys: each command says so and changes nothing. What
// begins so by accident can follow an empty line.
func TestCompressedKeys(t *testing.T) {
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	if _, err := w.Write([]byte("apple\n")); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	s := fruit(t)
	s.Write("list", "apple\n")
	for start, want := range map[string]string{
		zipped.String():             "found gzip data, expected lines of keys, as from gzip -dc",
		"\x1f\x8b\x08\n":            "found gzip data",
		"PAR1\x15\x04":              "found Parquet data, expected lines of keys, as from bloom",
		filterfile.Magic:            "found filter data, expected lines of keys, as from a list",
		"\x28\xb5\x2f\xfd\x00":      "found zstd data, expected lines of keys, as from zstd -dc",
		"\xfd7zXZ\x00\x00":          "found xz data",
		"BZh91AY&SY\x00":            "found bzip2 data",
		"\x04\x22\x4d\x18\x64":      "found lz4 data",
		"PK\x03\x04\x14":            "found zip data, expected lines of keys, as from unzip -p",
		"\x1f\x8b\x08" + longLine(): "found gzip data",
	} {
		s.Write("keys", start)
		s.Refuse(start, "", [][2]string{
			{"build -o @g", "standard input: " + want},
			{"build @list @keys -o @g", "@keys: " + want},
			{"query @f", "standard input: " + want},
			{"query @f --keys @keys", "@keys: " + want},
			{"add @f", want}, {"add @f --keys @list --keys @keys", want}, {"delete @f", want},
			{"rebuild @f", want},
		})
	}
	for _, keys := range []string{"\x1f\n", "\x1f\x8b\n", "\n\x1f\x8b\x08\n", "BZh9\n", "PK\n",
		"apple\nPK\x03\x04\n"} {
		s.Run(exitYes, keys, "build", "-o", "@g", "--replace")
		s.Run(exitYes, keys, "query", "@g")
	}
}

// longLine returns the rest of a line that is too long for a key.
func longLine() string { return strings.Repeat("x", maxKeyBytes) }
