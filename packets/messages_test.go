package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/report/command"
)

// A message has at most 300 bytes beside the paths in it, whatever a file says, and is one line.
func TestMessagesAreBounded(t *testing.T) {
	const most = len("packets: ") + 300 + len("\n")
	s := newShell(t)
	long := strings.Repeat("long", 1<<18) + "est" // longer than a line of any format
	word := strings.Repeat("x", 4000)
	s.Write("words", word+"\n")
	s.Write("long", long)
	s.Write("f", "no capture")
	s.Write("record", `{"command": "`+long+`", "result": {}}`)
	s.Write("field", `{"command": "guard", "`+long+`": 1}`)
	s.Write("number", `{"command": "guard", "made": "`+long+`"}`)
	s.Write("result", `{"command": "guard", "result": {"packets": `+strings.Repeat("9", 4000)+`}}`)
	for _, line := range []string{
		"page @record -o @p", "page @field -o @p", "page @number -o @p", "page @result -o @p",
		"page @long -o @p",
		"guard --packets @words", "guard --packets @long", "guard @words", "guard @long",
		"guard --synthetic 1 --never-block @words", "guard --synthetic 1 --never-block @long",
		"guard @f --blocklist @words", "guard @f --sequences @words",
		"inpacket @words", "inpacket @words --impl " + word,
	} {
		before := s.Content()
		s.Line(exitBad, "", line)
		s.OneLine()
		limit := most
		if strings.Contains(line, word) { // like a path it is the caller's
			limit = len("packets: ") + command.MostMessage + len("\n")
		}
		if text := strings.ReplaceAll(s.Stderr, s.Folder, ""); len(text) > limit {
			t.Errorf("%.60s: %d bytes, want at most %d: %s", line, len(text), limit, text)
		}
		if len(s.Content()) != len(before) {
			t.Errorf("%.60s: a file is left", line)
		}
	}
}

// A long path is cut in its middle: its start and its end tell which one it is.
func TestLongPathsAreCut(t *testing.T) {
	s := newShell(t)
	folder := s.Folder
	for range 12 {
		folder = filepath.Join(folder, strings.Repeat("d", 200))
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "the-end")
	for _, args := range [][]string{{"page", path, "-o", "p"}, {"guard", path}} {
		s.Run(exitBad, "", args...)
		s.OneLine()
		if n := len(s.Stderr); n > command.MostMessage+20 || !strings.Contains(s.Stderr, "…") ||
			!strings.Contains(s.Stderr, "the-end") || !strings.Contains(s.Stderr, "@ddd") {
			t.Errorf("%s: %d bytes: %s", args[0], n, s.Stderr)
		}
	}
}
