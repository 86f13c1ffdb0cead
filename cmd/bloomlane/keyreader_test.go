package main

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	filterfile "github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/internal/lists"
)

// Keys that are probably not meant are warned of once, with the file, the line and the flag that
// may be missing, and are keys all the same.
func TestWarnings(t *testing.T) {
	const cr = "a carriage return: it is part of the key (--trim: it ends one)"
	const bom = "a UTF-8 byte order mark: it is part of the key (--trim leaves it out)"
	const nul = "a NUL byte: it is part of the key (--null: keys end in NUL)"
	const blank = "a blank before or behind a key: it is part of it (--trim leaves it out)"
	const comment = "a line that begins with #: it is a key (--comments leaves it out)"
	for _, test := range []struct {
		name, one, two string
		wants          []string // of each line of warnings
	}{
		{"nothing", "apple\npe ar", "fig#\n\n", nil},
		{"CRLF", "apple\npear\r\nplum\r\n", "fig\r\n", []string{"one:2: found " + cr}},
		{"CRLF in the second file", "apple\n", "\n\nfig\r\n", []string{"two:3: found " + cr}},
		{"CR between keys", "apple\rpear\rfig", "", []string{"one:1: found " + cr}},
		{"an empty line of CRLF", "apple\n\r\n", "", []string{"one:2: found " + cr}},
		{"NUL between keys", "apple\x00pear\x00", "", []string{"one:1: found " + nul}},
		{"UTF-16 without a mark", "a\x00\n\x00b\x00", "", []string{"one:1: found " + nul}},
		{"a blank before a key", "apple\n pear\n", "", []string{"one:2: found " + blank}},
		{"a tab behind one", "apple\t\n", "fig \n", []string{"one:1: found " + blank}},
		{"a comment", "apple\n# pear\n#\n", "", []string{"one:2: found " + comment}},
		{"a byte order mark", "\xef\xbb\xbfapple\n", "\xef\xbb\xbffig\n",
			[]string{"one:1: found " + bom}},
		{"a byte order mark later", "apple\n\xef\xbb\xbfpear\n", "", nil},
		{"a byte order mark and CRLF", "\xef\xbb\xbfapple\r\n", "",
			[]string{"one:1: found " + cr, "one:1: found " + bom}},
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
	if want := "bloomlane: warning: standard input:1: found " + cr + "\n"; s.Notes != want {
		t.Errorf("notes %q, want %q", s.Notes, want)
	}
	s.Run(exitYes, "", "query", "@f", "a\r")
	s.Run(exitYes, "a\nb\x00c", "build", "-o", "@f", "--null", "--replace")
	s.Noted("standard input:1: found a line feed: it is part of the key (without --null it")
}

// Each command that reads keys reads a list in the form that its flags say, and warns of nothing
// that is left out.
func TestForms(t *testing.T) {
	for flags, list := range map[string]string{
		"--null":            "apple\x00pear\x00",
		"--trim":            lists.Mark + " apple\t\r\n\r\npear",
		"--trim ":           "apple\rpear\r",
		"--comments":        "#of\napple\npear\n#",
		"--comments --trim": lists.Mark + "#of\r\napple\r\n\t# and\r\npear",
		"--null --trim":     " apple\n\x00\tpear\x00",
	} {
		s := newShell(t)
		s.Write("list", list)
		for line, wants := range map[string]string{
			"build @list -o @f": "", "query @f --keys @list": "present\tapple\npresent\tpear\n",
			"add @f --keys @list":     "present\tapple\npresent\tpear\n",
			"delete @f --keys @list":  "deleted\tapple\ndeleted\tpear\n",
			"rebuild @f --keys @list": "",
		} {
			s.Write("plain", "apple\npear\n")
			s.Line(exitYes, "", "build @plain -o @f --force --members 100")
			if strings.HasPrefix(line, "build") {
				line += " --replace"
			}
			s.Line(exitYes, "", line+" "+flags)
			if s.Notes != "" || wants != "" && s.Stdout != wants {
				t.Errorf("%s %s: %q, notes %q", line, flags, s.Stdout, s.Notes)
			}
			if wants == "" {
				s.Line(exitYes, "", "query @f apple pear")
				if members := s.info("@f").Members; members != 2 {
					t.Errorf("%s %s: %d members, want 2", line, flags, members)
				}
			}
		}
	}
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
		zipped.String():             "found gzip data, expected lines, as from gzip -dc",
		"\x1f\x8b\x08\n":            "found gzip data",
		"PAR1\x15\x04":              "found Parquet data, expected lines, as from bloom",
		filterfile.Magic:            "found filter data, expected lines, as from a list",
		"\x28\xb5\x2f\xfd\x00":      "found zstd data, expected lines, as from zstd -dc",
		"\xfd7zXZ\x00\x00":          "found xz data",
		"BZh91AY&SY\x00":            "found bzip2 data",
		"\x04\x22\x4d\x18\x64":      "found lz4 data",
		"\xff\xfea\x00\n\x00":       "found UTF-16 data, expected lines, as from iconv -f UTF-16",
		"\xfe\xff\x00a\x00\n":       "found UTF-16 data",
		"PK\x03\x04\x14":            "found zip data, expected lines, as from unzip -p",
		"\x1f\x8b\x08" + longLine(): "found gzip data",
	} {
		s.Write("keys", start)
		s.Refuse(start, "", [][2]string{
			{"build -o @g", "standard input:1: " + want},
			{"build @list @keys -o @g", "@keys:1: " + want},
			{"query @f", "standard input:1: " + want},
			{"query @f --keys @keys", "@keys:1: " + want},
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
