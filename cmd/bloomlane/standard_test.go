package main

import (
	"os"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/report/command/commandtest"
)

// A filter goes through pipes as through files.
func TestFiltersInPipes(t *testing.T) {
	s := newShell(t)
	t.Chdir(s.Folder) // where a file with the name - would be
	s.Write("k", commandtest.FixedKey)
	s.Write("keys", numbers(0, 10))
	s.Run(exitYes, "", "build", "@keys", "-o", "@f", "--key", "@k")
	content := s.Read("f")
	for flag, want := range map[string]string{"": "members          10, planned for 10\n",
		" --json": `"members": 10,`} {
		if stderr := s.Beside("", "build @keys -o - --key @k"+flag); s.Stdout != content ||
			!strings.Contains(stderr, want) {
			t.Errorf("another filter than in a file, or stderr %q, want %q", stderr, want)
		}
	}
	s.Run(exitYes, "", "build", "@keys", "-o", "-", "--key", "@k", "--quiet")
	s.Says(content)
	s.Run(exitYes, commandtest.FixedKey, "build", "@keys", "-o", "@f", "--key", "-", "--replace")
	if s.Read("f") != content {
		t.Error("a key on standard input makes another filter")
	}
	s.Run(exitYes, content, "query", "-", "3", "--key", "@k")
	s.Says("present\t3\n")
	s.Run(exitYes, content, "query", "-", "--keys", s.Path("keys"), "--key", "@k")
	s.Run(exitYes, commandtest.FixedKey, "query", "@f", "3", "--key", "-")
	s.Run(exitYes, "10\n11\n", "build", "-o", "@g", "--members", "10", "--key", "@k")
	s.Run(exitYes, content, "merge", "-o", "-", "--key", "@k", "-", "@g", "--quiet")
	s.Write("both", s.Stdout)
	s.Run(exitYes, numbers(0, 12), "query", "@both", "--key", "@k")
	s.Run(exitYes, s.Read("g"), "merge", "-o", "@h", "--key", "@k", "@f", "-")
	if s.Read("h") != s.Read("both") {
		t.Error("merges differ")
	}
	s.Run(exitYes, content, "info", "-")
	if !strings.HasPrefix(s.Stdout, "filter           standard input, file version 3\n") {
		t.Errorf("%s, want standard input", s.Stdout)
	}
	s.Write("g.key", commandtest.FixedKey)
	s.Run(exitYes, "", "merge", "-o", "-", "@g", "@f", "--quiet")
	s.Files("both", "f", "g", "g.key", "h", "k", "keys") // and no file -.key

	// A key that does not exist is made, before the filter is written.
	s.Run(exitYes, "", "build", "@keys", "-o", "-", "--key", "@new", "--quiet")
	s.Write("n", s.Stdout)
	s.Run(exitYes, numbers(0, 10), "query", "@n", "--key", "@new")
}

func TestStandardStreamsAreRefused(t *testing.T) {
	s := fruit(t)
	s.Refuse("no filter\n", "", [][2]string{
		{"build -o -", "--out is standard output, expected --key FILE"},
		{"build -o @g --key -", "standard input is both the keys and the hash key (--key), " +
			"expected one of the two from a file"},
		{"build - - -o @g", "standard input is both the keys and the keys"},
		{"build -o @g --lifetime=@-", "standard input is both the keys and the lifetimes " +
			"(--lifetime)"},
		{"query -", "standard input is both the filter and the keys"},
		{"query - -", "standard input is both the filter and the keys"},
		{"query @f - --key -", "standard input is both the hash key (--key) and the keys"},
		{"query - apple", "the filter is standard input, expected --key FILE"},
		{"query - apple --key -", "standard input is both the filter and the hash key (--key)"},
		{"query - --keys -", "standard input is both the filter and the keys"},
		{"merge -o @g - - --key @f.key", "standard input is both a filter and a filter"},
		{"merge -o @g - @f", "the filter is standard input, expected --key FILE"},
		{"add - apple --key @f.key", "add replaces the filter's file, expected a file and not " +
			"standard input"},
		{"delete - apple --key @f.key", "delete replaces the filter's file"},
		{"info -", "read filter standard input: not a Bloomlane filter"},
		{"query - apple --key @f.key", "read filter standard input: not a Bloomlane filter"},
	})
}

// A lifetime may come from standard input. Where no table keeps the rate, the report is of the
// largest. There are neither simulations nor pictures. A record replaces neither a filter nor a
// key, which cannot be made again.
func TestFilesOfPlan(t *testing.T) {
	s := fruit(t)
	s.Line(exitYes, "1\n2\n", "plan --members 100 --rate 0.1 --lifetime=@-")
	s.Line(exitNo, "", "plan --members 10000 --bytes 20000 --rate 0.001 --turnovers 3")
	if !strings.Contains(s.Stdout, "does NOT keep the rate") ||
		!strings.Contains(s.Stderr, "no table keeps the rate 0.001 for 3 turnovers") {
		t.Errorf("stdout\n%s\nstderr %s", s.Stdout, s.Stderr)
	}
	s.Refuse("", "plan --members 10 --rate 0.1", [][2]string{
		{" --verify", "found --verify, expected a flag of bloomlane plan"},
		{" --plot @p", "found --plot, expected a flag of bloomlane plan"},
	})
	s.Refuse("", "plan --members 10 --rate 0.1 --record", [][2]string{
		{" @f", ": @f is a filter, expected another file"},
		{" @f.key", ": @f.key is a hash key, expected another file"},
	})
}

// What is there and is no filter is replaced with --force only.
func TestForce(t *testing.T) {
	s := fruit(t)
	s.Write("empty", "")
	s.Run(exitYes, "apple\n", "build", "-o", "@empty", "--key", "@f.key", "--members", "3")
	filter := s.Read("f")
	s.Write("short", filter[:11])
	s.Write("words", "apple\npear\nplum\n")
	s.Write("k", commandtest.FixedKey)
	refuse := func(name, key, flag, complaint string) {
		t.Helper()
		s.Refuse("fig\n", "", [][2]string{
			{"build -o @" + name + key + flag, "--out: @" + name + complaint},
			{"merge -o @" + name + key + flag + " @f @empty", "--out: @" + name + complaint},
		})
	}
	const no = " is there, and is no filter: expected a filter or a new file (--force replaces it)"
	refuse("short", " --key @f.key", "", no)
	refuse("words", " --key @f.key", "", no)
	// With --force too: without it the filters of the key are lost.
	refuse("f.key", " --key @k", " --force",
		" is a hash key, without which its filters are lost: expected a filter or a new file")
	for i := range file.Magic {
		changed := []byte(filter)
		changed[i] ^= 1
		s.Write("nearly", string(changed))
		refuse("nearly", " --key @f.key", "", no)
	}
	if err := os.Symlink("words", s.Path("link")); err != nil {
		t.Fatal(err)
	}
	s.Refuse("fig\n", "", [][2]string{{"build -o @link", "words is there, and is no filter"}})
	s.Run(exitYes, "fig\n", "build", "-o", "@link", "--key", "@f.key", "--force")
	s.Run(exitYes, "", "query", "@words", "fig", "--key", "@f.key")
	s.Run(exitYes, "", "merge", "-o", "@short", "@f", "@empty", "--key", "@f.key", "--force")
	s.Run(exitYes, "fig\n", "build", "-o", "@f", "--replace") // a filter needs no force
	s.Files("empty", "f", "f.key", "k", "link", "nearly", "short", "words")
}
