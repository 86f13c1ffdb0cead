package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/report/command"
	"github.com/bloomlane/bloomlane/report/command/commandtest"
)

// A message has at most 300 bytes beside the paths in it, whatever a file says, and is one line.
func TestMessagesAreBounded(t *testing.T) {
	const most = len("bloomlane: ") + 300 + len("\n")
	s := fruit(t)
	long := strings.Repeat("long", 1<<18) + "est" // longer than a line of any format
	word := strings.Repeat("x", 4000)
	s.Write("k", commandtest.FixedKey)
	s.Write("words", word+"\n")
	s.Write("long", long)
	s.Write("vector", `{"`+word+`": 1}`+"\n")
	s.Write("op", `{"block_bits":512,"nblocks":1,"block":0,"op":"`+word+`"}`+"\n")
	s.Write("lifetimes", "1\n"+word+"\n")
	s.Write("badkey", long)
	s.forge("lifetime", func(c *file.Contents) {
		c.Sections = append(c.Sections, file.Section{Name: "lifetime",
			Words: file.TextWords(long)})
		c.SetFloat("turnovers", 1)
		c.SetFloat("planned-rate", 0.5)
	})
	s.forge("sections", func(c *file.Contents) {
		for i := range 200 {
			c.Sections = append(c.Sections,
				file.Section{Name: strings.Repeat("z", 13) + string([]byte{'0' + byte(i/100),
					'0' + byte(i/10%10), '0' + byte(i%10)})})
		}
	})
	s.forge("kind", func(c *file.Contents) { c.Kind = strings.Repeat("z", 16) })
	for _, line := range []string{
		"info @lifetime", "info @sections", "info @kind", "info @words", "info @long",
		"query @lifetime x --key @k", "add @lifetime x --key @k", "merge -o @g @lifetime @f",
		"query @f x --key @badkey", "query @f x --key @words", "add @f --keys @long",
		"build @long -o @g", "build @words -o @words", "build -o @g --lifetime=@@lifetimes",
		"build -o @g --lifetime " + word, "build -o @g --kind " + word,
		"plan --members 1 --rate 0.1 --lifetime=@@lifetimes",
		"plan --members 1 --rate 0.1 --lifetime " + word, "plan --members " + word,
		"vectors check @vector", "vectors check @op", "vectors check @long",
		"vectors check @f --impl " + word,
		"prune @words --column c -- x",
		"import parquet @words --column c -o @g", "export parquet @words --column " + word,
		"info --" + word, "info " + word, "info @" + word + " x",
	} {
		before := s.Content()
		s.Line(exitBad, "", line)
		s.OneLine()
		limit := most
		if strings.Contains(line, word) { // like a path it is the caller's
			limit = len("bloomlane: ") + command.MostMessage + len("\n")
		}
		if text := strings.ReplaceAll(s.Stderr, s.Folder, ""); len(text) > limit {
			t.Errorf("%.60s: %d bytes, want at most %d: %s", line, len(text), limit, text)
		}
		if len(s.Content()) != len(before) {
			t.Errorf("%.60s: a file is left", line)
		}
	}
}

// forge writes the filter f with other contents and right checksums.
func (s *shell) forge(name string, change func(c *file.Contents)) {
	s.T.Helper()
	c, err := file.Load(s.Path("f"))
	if err != nil {
		s.T.Fatal(err)
	}
	change(c)
	if err := c.Save(s.Path(name), 0o600); err != nil {
		s.T.Fatal(err)
	}
}

// A long path is cut in its middle: its start and its end tell which one it is.
func TestLongPathsAreCut(t *testing.T) {
	s := fruit(t)
	folder := s.Folder
	for range 12 {
		folder = filepath.Join(folder, strings.Repeat("d", 200))
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "the-end")
	for _, args := range [][]string{
		{"info", path}, {"query", path, "x"}, {"add", path, "x"},
		{"build", path, "-o", path + "2"},
		{"import", "parquet", path, "--column", "c", "-o", path + "2"},
	} {
		s.Run(exitBad, "", args...)
		s.OneLine()
		if n := len(s.Stderr); n > command.MostMessage+20 || !strings.Contains(s.Stderr, "…") ||
			!strings.Contains(s.Stderr, "the-end") || !strings.Contains(s.Stderr, "@ddd") {
			t.Errorf("%s: %d bytes: %s", args[0], n, s.Stderr)
		}
	}
}
