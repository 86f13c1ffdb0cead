package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// shell is a folder that commands run in, and what the last one did.
type shell struct {
	t              *testing.T
	folder         string
	stdout, stderr string
	notes          string // the warnings and notes, which are not in stderr
}

func newShell(t *testing.T) *shell { return &shell{t: t, folder: t.TempDir()} }

func (s *shell) path(name string) string { return filepath.Join(s.folder, name) }

// run runs a command line and fails the test unless it exits with the code. In args and stderr,
// "@name" is the path of a file in the folder.
func (s *shell) run(code int, stdin string, args ...string) {
	s.t.Helper()
	line := make([]string, len(args))
	for i, arg := range args {
		line[i] = arg
		if name, ok := strings.CutPrefix(arg, "@"); ok {
			line[i] = s.path(name)
		}
	}
	var stdout, stderr bytes.Buffer
	got := run(line, strings.NewReader(stdin), &stdout, &stderr)
	s.stdout, s.stderr = stdout.String(),
		strings.ReplaceAll(stderr.String(), s.folder+string(filepath.Separator), "@")
	s.notes = ""
	errors := ""
	for line := range strings.Lines(s.stderr) {
		if strings.HasPrefix(line, "bloomlane: warning: ") ||
			strings.HasPrefix(line, "bloomlane: note: ") {
			s.notes += line
		} else {
			errors += line
		}
	}
	s.stderr = errors
	if got != code {
		s.t.Errorf("%v: exit code %d, want %d\nstdout: %s\nstderr: %s", args, got, code,
			s.stdout, s.stderr)
	}
	if (s.stderr == "") != (code == exitYes) {
		s.t.Errorf("%v: exit code %d and the message %q", args, code, s.stderr)
	}
}

// line runs a command line. In it "@" begins the path of a file in the folder, but for "@-"; "@@"
// is a "@" and such a path.
func (s *shell) line(code int, stdin, line string) {
	s.t.Helper()
	folder := s.folder + string(filepath.Separator)
	s.run(code, stdin,
		strings.Fields(strings.NewReplacer("@@", "@"+folder, "@-", "@-", "@",
			folder).Replace(line))...)
}

// refuse runs command lines, each after the start that they share: each must exit with 2, say this
// in one line, and leave the folder as it was.
func (s *shell) refuse(stdin, start string, lines [][2]string) {
	s.t.Helper()
	before := s.content()
	for _, line := range lines {
		s.line(exitBad, stdin, start+line[0])
		s.complains(line[1])
		s.oneLine()
		if !maps.Equal(s.content(), before) {
			s.t.Fatalf("%s%s: the folder has changed", start, line[0])
		}
	}
}

// content returns the files of the folder: their modes, when they were written, and what is in
// them.
func (s *shell) content() map[string]string {
	s.t.Helper()
	content := map[string]string{}
	entries, err := os.ReadDir(s.folder)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			s.t.Fatal(err)
		}
		text, _ := os.ReadFile(s.path(entry.Name())) // a folder has none
		content[entry.Name()] = fmt.Sprint(info.Mode(), info.ModTime(), string(text))
	}
	return content
}

// says fails the test unless the last command printed exactly this.
func (s *shell) says(want string) {
	s.t.Helper()
	if s.stdout != want {
		s.t.Errorf("stdout:\n%s\nwant:\n%s", s.stdout, want)
	}
}

// complains fails the test unless the last command printed no result, and a message with this.
func (s *shell) complains(want string) {
	s.t.Helper()
	if s.stdout != "" || !strings.Contains(s.stderr, want) {
		s.t.Errorf("stdout %q, stderr %q, want no result and %q", s.stdout, s.stderr, want)
	}
}

// oneLine fails the test unless the last command's message is one line.
func (s *shell) oneLine() {
	s.t.Helper()
	if strings.Count(s.stderr, "\n") != 1 {
		s.t.Errorf("stderr %q, want one line", s.stderr)
	}
}

// noted fails the test unless the last command warned of this, or noted it.
func (s *shell) noted(want string) {
	s.t.Helper()
	if !strings.Contains(s.notes, want) {
		s.t.Errorf("notes %q, want %q", s.notes, want)
	}
}

// json decodes the result of the last command, which must be one JSON object and nothing else.
func (s *shell) json(result any) {
	s.t.Helper()
	decoder := json.NewDecoder(strings.NewReader(s.stdout))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(result); err != nil {
		s.t.Errorf("%v in:\n%s", err, s.stdout)
	}
	if decoder.More() || !strings.HasSuffix(s.stdout, "}\n") {
		s.t.Errorf("more than one object, or no line end:\n%s", s.stdout)
	}
}

// info returns what info says of a filter.
func (s *shell) info(path string) (info infoResult) {
	s.t.Helper()
	s.run(exitYes, "", "info", path, "--json")
	s.json(&info)
	return info
}

func (s *shell) write(name, content string) {
	s.t.Helper()
	if err := os.WriteFile(s.path(name), []byte(content), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

func (s *shell) read(name string) string {
	s.t.Helper()
	content, err := os.ReadFile(s.path(name))
	if err != nil {
		s.t.Error(err)
	}
	return string(content)
}

// files fails the test unless the folder holds exactly these.
func (s *shell) files(want ...string) {
	s.t.Helper()
	if got := slices.Sorted(maps.Keys(s.content())); !slices.Equal(got, want) {
		s.t.Errorf("the folder holds %v, want %v", got, want)
	}
}

// fixedKey is a key file that makes filters the same every time.
const fixedKey = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n"

// commandVariable makes this test binary the command, for what only processes of their own show.
const commandVariable = "BLOOMLANE_TEST_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(commandVariable) != "" {
		main()
	}
	os.Exit(m.Run())
}

// command returns a command line as a process of its own, its stderr, and ends it with the test.
func (s *shell) command(args ...string) (*exec.Cmd, *bytes.Buffer) {
	s.t.Helper()
	for i, arg := range args {
		if name, ok := strings.CutPrefix(arg, "@"); ok {
			args[i] = s.path(name)
		}
	}
	c := exec.Command(os.Args[0], args...)
	c.Env = append(os.Environ(), commandVariable+"=1")
	stderr := &bytes.Buffer{}
	c.Stderr = stderr
	s.t.Cleanup(func() {
		if c.Process != nil {
			_ = c.Process.Kill()
		}
	})
	return c, stderr
}
