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
	if !strings.HasPrefix(s.Stdout, "filter           standard input, file version 4\n") {
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
// largest.
func TestFilesOfPlan(t *testing.T) {
	s := fruit(t)
	s.Write("lives", "3\n 1.5\n40\n")
	s.Write("long", "3\nlong\n")
	s.Write("nothing", "")
	s.Line(exitYes, "1\n2\n", "plan --members 100 --rate 0.1 --lifetime=@-")
	s.Line(exitNo, "", "plan --members 10000 --bytes 20000 --rate 0.001 --turnovers 3")
	if !strings.Contains(s.Stdout, "does NOT keep the rate") ||
		!strings.Contains(s.Stderr, "no table keeps the rate 0.001 for 3 turnovers") {
		t.Errorf("stdout\n%s\nstderr %s", s.Stdout, s.Stderr)
	}
	for _, test := range []struct {
		flags string
		code  int
		out   string
	}{
		{"--rate 0.01 --turnovers 1", exitYes, "deletability"},
		{"--bytes 20000 --turnovers 1 --lifetime random", exitYes, "16.0 bits per key"},
		{"--bytes 20000 --block-bits 256", exitYes, "625 blocks"},
		{"--rate 0.1 --turnovers 1 --lifetime pareto:1.5", exitYes, "lifetime pareto:1.5"},
		{"--rate 0.1 --turnovers 1 --lifetime mixture:0.9:0.1", exitYes, "mixture:0.9:0.1"},
		{"--rate 0.1 --turnovers 1 --lifetime=@@lives", exitYes, "lifetime observed:3"},
		{"--rate 0.01 --forever", exitYes, "deletability"},
		{"--bytes 20000 --reinserts 0.5 --lifetime random", exitYes, "16.0 bits per key"},
		{"--bytes 20000 --rate 0.001 --forever", exitNo, "does NOT keep the rate"},
	} {
		s.Line(test.code, "", "plan --members 10000 "+test.flags)
		if !strings.Contains(s.Stdout, test.out) {
			t.Errorf("%s: no %q in\n%s", test.flags, test.out, s.Stdout)
		}
	}
	s.Refuse("", "", [][2]string{
		{"plan --members 10 --rate 0.1 --reinserts -1",
			"--reinserts is -1, expected 0, or 0.001 to 1000"},
		{"plan --members 10 --rate 0.1 --reinserts 0", "--reinserts is 0, expected 0.001 to 1000"},
		{"plan --members 10 --rate 0.1 --reinserts 1 --turnovers 1",
			"found --reinserts and --turnovers, expected one of them"},
		{"plan --rate 0.01", "expected --members, which bloomlane plan needs"},
		{"plan --rate 0.01 --members 0", "--members is 0, expected at least 1"},
		{"plan --members 10", "expected --rate or --bytes"},
		{"plan --members 10 --rate 0", "--rate is 0, expected a number above 0, or a number of bytes"},
		{"plan --members 10 --rate 1", "--rate is 1, expected"},
		{"plan --members 10 --rate NaN", "--rate is NaN, expected"},
		{"plan --members 10 --rate 0.1 --turnovers NaN", "--turnovers is NaN, expected"},
		{"plan --members 99999999999999999999 --rate 0.1",
			`--members is "99999999999999999999", expected a smaller number`},
		{"plan --members 10 --rate 0.1 --block-bits 64", "--block-bits is 64, expected 256 or 512"},
		{"plan --members 10 --rate 0.1 --lifetime newest", "--lifetime is newest, expected oldest"},
		{"plan --members 10 --rate 0.1 --lifetime pareto:1", "a Pareto shape above 1"},
		{"plan --members 10 --rate 0.1 --lifetime=@@none", "@none: no such file"},
		{"plan --members 10 --rate 0.1 --lifetime=@@long", `line 2: found "long", expected a number`},
		{"plan --members 10 --rate 0.1 --lifetime=@@nothing", "at least one sample"},
		{"plan --members 10 --rate 0.1 more", "more"},
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
