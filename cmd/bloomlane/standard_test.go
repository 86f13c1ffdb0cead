package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// A filter goes through pipes as through files.
func TestFiltersInPipes(t *testing.T) {
	s := newShell(t)
	t.Chdir(s.folder) // where a file with the name - would be
	s.write("k", fixedKey)
	s.write("keys", numbers(0, 10))
	s.run(exitYes, "", "build", "@keys", "-o", "@f", "--key", "@k")
	content := s.read("f")
	for _, args := range []string{"", "--json"} {
		line := append([]string{"build", s.path("keys"), "-o", "-", "--key", s.path("k")}, strings.Fields(args)...)
		var stdout, stderr bytes.Buffer
		if code := run(line, strings.NewReader(""), &stdout, &stderr); code != exitYes || stdout.String() != content {
			t.Errorf("exit code %d, and another filter than in a file", code)
		}
		want := "members          10, planned for 10\n"
		if args == "--json" {
			want = `"members": 10,`
		}
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("stderr %q, want %q", &stderr, want)
		}
	}
	s.run(exitYes, "", "build", "@keys", "-o", "-", "--key", "@k", "--quiet")
	s.says(content)
	s.run(exitYes, fixedKey, "build", "@keys", "-o", "@f", "--key", "-")
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

func TestStandardStreamsAreRefused(t *testing.T) {
	s := fruit(t)
	s.refuse("no filter\n", "", [][2]string{
		{"build -o -", "--out is standard output, expected --key FILE"},
		{"build -o @g --key -", "standard input is both the keys and the hash key (--key), expected one of the two from a file"},
		{"build - - -o @g", "standard input is both the keys and the keys"},
		{"build -o @g --lifetime=@-", "standard input is both the keys and the lifetimes (--lifetime)"},
		{"query -", "standard input is both the filter and the keys"},
		{"query - apple", "the filter is standard input, expected --key FILE"},
		{"query - apple --key -", "standard input is both the filter and the hash key (--key)"},
		{"query - --keys -", "standard input is both the filter and the keys"},
		{"merge -o @g - - --key @f.key", "standard input is both a filter and a filter"},
		{"merge -o @g - @f", "the filter is standard input, expected --key FILE"},
		{"add - apple --key @f.key", "add replaces the filter's file, expected a file and not standard input"},
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
	t.Chdir(t.TempDir())
	for _, test := range []struct{ args, out, report string }{
		{"plan --members 100 --rate 0.1 --plot -", "<svg", "asked for"},
		{"guard --synthetic 3 --verdicts -", "....", "SYNTHETIC"},
		{"guard --synthetic 3 --answers -", "\tgood\n", "SYNTHETIC"},
	} {
		for _, quiet := range []bool{false, true} {
			args := strings.Fields(test.args)
			if quiet {
				args = append(args, "--quiet")
			}
			var stdout, stderr bytes.Buffer
			code := run(args, strings.NewReader(""), &stdout, &stderr)
			out := stdout.String()
			if code != exitYes || !strings.Contains(out, test.out) || strings.Contains(out, test.report) {
				t.Errorf("%v: exit code %d, stdout %.100q, want %q", args, code, stdout.String(), test.out)
			}
			if strings.Contains(stderr.String(), test.report) == quiet {
				t.Errorf("%v: stderr %q, want %q", args, stderr.String(), test.report)
			}
		}
	}
	var stdout, stderr bytes.Buffer
	line := strings.Fields("plan --members 100 --rate 0.1 --lifetime=@-")
	if code := run(line, strings.NewReader("1\n2\n"), &stdout, &stderr); code != exitYes {
		t.Errorf("exit code %d: %s", code, &stderr)
	}
	if entries, err := os.ReadDir("."); err != nil || len(entries) != 0 {
		t.Errorf("there are files: %v, %v", entries, err)
	}
}

// What is there and is no filter is replaced with --force only.
func TestForce(t *testing.T) {
	s := fruit(t)
	s.write("empty", "")
	s.run(exitYes, "apple\n", "build", "-o", "@empty", "--key", "@f.key", "--members", "3")
	filter := s.read("f")
	for name, content := range map[string]string{"words": "apple\npear\nplum\n", "short": filter[:11], "f.key": fixedKey} {
		s.write(name, content)
		for _, line := range []string{
			"build -o @" + name + " --key @f.key", "merge -o @" + name + " --key @f.key @f @empty",
		} {
			if name == "f.key" {
				line = strings.ReplaceAll(line, "--key @f.key", "--key @f.key2")
				s.write("f.key2", fixedKey)
			}
			complaint := "--out: @" + name + " is there, and is no filter: expected a filter or a new file (--force replaces it)"
			if name == "f.key" { // with --force too: without it the filters of the key are lost
				complaint = "--out: @f.key is a hash key, without which its filters are lost: expected a filter or a new file"
				line += " --force"
			}
			s.run(exitBad, "fig\n", strings.Fields(line)...)
			s.complains(complaint)
			if s.read(name) != content {
				t.Errorf("%s was replaced", name)
			}
		}
	}
	if err := os.Symlink("words", s.path("link")); err != nil {
		t.Fatal(err)
	}
	s.run(exitBad, "fig\n", "build", "-o", "@link")
	s.complains("words is there, and is no filter")
	s.run(exitYes, "fig\n", "build", "-o", "@link", "--key", "@f.key", "--force")
	s.run(exitYes, "", "query", "@words", "fig", "--key", "@f.key")
	s.run(exitYes, "", "merge", "-o", "@short", "@f", "@empty", "--key", "@f.key", "--force")
	s.run(exitYes, "fig\n", "build", "-o", "@f") // a filter needs no force
	s.files("empty", "f", "f.key", "f.key2", "link", "short", "words")
}
