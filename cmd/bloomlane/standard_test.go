package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter/file"
)

// A filter goes through pipes as through files.
func TestFiltersInPipes(t *testing.T) {
	s := newShell(t)
	t.Chdir(s.folder) // where a file with the name - would be
	s.write("k", fixedKey)
	s.write("keys", numbers(0, 10))
	s.run(exitYes, "", "build", "@keys", "-o", "@f", "--key", "@k")
	content := s.read("f")
	for flag, want := range map[string]string{"": "members          10, planned for 10\n",
		" --json": `"members": 10,`} {
		if stderr := s.beside("", "build @keys -o - --key @k"+flag); s.stdout != content ||
			!strings.Contains(stderr, want) {
			t.Errorf("another filter than in a file, or stderr %q, want %q", stderr, want)
		}
	}
	s.run(exitYes, "", "build", "@keys", "-o", "-", "--key", "@k", "--quiet")
	s.says(content)
	s.run(exitYes, fixedKey, "build", "@keys", "-o", "@f", "--key", "-", "--replace")
	if s.read("f") != content {
		t.Error("a key on standard input makes another filter")
	}
	s.run(exitYes, content, "query", "-", "3", "--key", "@k")
	s.says("present\t3\n")
	s.run(exitYes, content, "query", "-", "--keys", s.path("keys"), "--key", "@k")
	s.run(exitYes, fixedKey, "query", "@f", "3", "--key", "-")
	s.run(exitYes, "10\n11\n", "build", "-o", "@g", "--members", "10", "--key", "@k")
	s.run(exitYes, content, "merge", "-o", "-", "--key", "@k", "-", "@g", "--quiet")
	s.write("both", s.stdout)
	s.run(exitYes, numbers(0, 12), "query", "@both", "--key", "@k")
	s.run(exitYes, s.read("g"), "merge", "-o", "@h", "--key", "@k", "@f", "-")
	if s.read("h") != s.read("both") {
		t.Error("merges differ")
	}
	s.run(exitYes, content, "info", "-")
	if !strings.HasPrefix(s.stdout, "filter           standard input, file version 3\n") {
		t.Errorf("%s, want standard input", s.stdout)
	}
	s.write("g.key", fixedKey)
	s.run(exitYes, "", "merge", "-o", "-", "@g", "@f", "--quiet")
	s.files("both", "f", "g", "g.key", "h", "k", "keys") // and no file -.key

	// A key that does not exist is made, before the filter is written.
	s.run(exitYes, "", "build", "@keys", "-o", "-", "--key", "@new", "--quiet")
	s.write("n", s.stdout)
	s.run(exitYes, numbers(0, 10), "query", "@n", "--key", "@new")
}

// beside runs a command line whose report goes to stderr, beside a file on stdout, and returns the
// report.
func (s *shell) beside(stdin, line string) string {
	s.t.Helper()
	var stdout, stderr strings.Builder
	line = strings.ReplaceAll(line, "@", s.folder+string(filepath.Separator))
	if code := run(strings.Fields(line), strings.NewReader(stdin), &stdout,
		&stderr); code != exitYes {
		s.t.Errorf("%s: exit code %d: %s", line, code, &stderr)
	}
	s.stdout = stdout.String()
	return stderr.String()
}

func TestStandardStreamsAreRefused(t *testing.T) {
	s := fruit(t)
	s.refuse("no filter\n", "", [][2]string{
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
		{"guard - --blocklist -", "standard input is both the capture and the --blocklist"},
		{"guard --synthetic 1 --verdicts - --answers -", "standard output is asked for twice"},
		{"inpacket - --key -", "standard input is both the capture and the hash key"},
		{"info -", "read filter standard input: not a Bloomlane filter"},
		{"query - apple --key @f.key", "read filter standard input: not a Bloomlane filter"},
	})
}

// A file to write may be standard output; the report is then on stderr.
func TestFilesToStandardOutput(t *testing.T) {
	s := newShell(t)
	t.Chdir(s.folder)
	for _, test := range []struct{ args, out, report string }{
		{"plan --members 100 --rate 0.1 --plot -", "<svg", "asked for"},
		{"guard --synthetic 3 --verdicts -", "....", "SYNTHETIC"},
		{"guard --synthetic 3 --answers -", "\tgood\n", "SYNTHETIC"},
	} {
		for _, flag := range []string{"", " --quiet"} {
			stderr := s.beside("", test.args+flag)
			if !strings.Contains(s.stdout, test.out) || strings.Contains(s.stdout, test.report) {
				t.Errorf("%s: stdout %.100q, want %q", test.args, s.stdout, test.out)
			}
			if strings.Contains(stderr, test.report) != (flag == "") {
				t.Errorf("%s%s: stderr %q, want %q", test.args, flag, stderr, test.report)
			}
		}
	}
	s.line(exitYes, "1\n2\n", "plan --members 100 --rate 0.1 --lifetime=@-")
	s.files()
}

// Reports, pictures and records replace neither filters nor keys, which cannot be made again.
func TestReportsReplaceNoFilter(t *testing.T) {
	s := fruit(t)
	s.line(exitYes, "", "plan --members 10 --rate 0.1 --record @record")
	for _, line := range []string{
		"plan --members 10 --rate 0.1 --plot", "plan --members 10 --rate 0.1 --record",
		"guard --synthetic 3 --verdicts", "guard --synthetic 3 --answers", "page @record -o",
	} {
		s.refuse("", line, [][2]string{
			{" @f", ": @f is a filter, expected another file"},
			{" @f.key", ": @f.key is a hash key, expected another file"},
		})
		s.line(exitYes, "", line+" @new")
		s.line(exitYes, "", line+" @new")
	}
}

// What is there and is no filter is replaced with --force only.
func TestForce(t *testing.T) {
	s := fruit(t)
	s.write("empty", "")
	s.run(exitYes, "apple\n", "build", "-o", "@empty", "--key", "@f.key", "--members", "3")
	filter := s.read("f")
	s.write("short", filter[:11])
	s.write("words", "apple\npear\nplum\n")
	s.write("k", fixedKey)
	refuse := func(name, key, flag, complaint string) {
		t.Helper()
		s.refuse("fig\n", "", [][2]string{
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
		s.write("nearly", string(changed))
		refuse("nearly", " --key @f.key", "", no)
	}
	if err := os.Symlink("words", s.path("link")); err != nil {
		t.Fatal(err)
	}
	s.refuse("fig\n", "", [][2]string{{"build -o @link", "words is there, and is no filter"}})
	s.run(exitYes, "fig\n", "build", "-o", "@link", "--key", "@f.key", "--force")
	s.run(exitYes, "", "query", "@words", "fig", "--key", "@f.key")
	s.run(exitYes, "", "merge", "-o", "@short", "@f", "@empty", "--key", "@f.key", "--force")
	s.run(exitYes, "fig\n", "build", "-o", "@f", "--replace") // a filter needs no force
	s.files("empty", "f", "f.key", "k", "link", "nearly", "short", "words")
}
