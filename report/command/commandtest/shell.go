// Package commandtest is no API: it runs the commands of a program in tests.
package commandtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bloomlane/bloomlane/kernel"
	"github.com/bloomlane/bloomlane/report/command"
)

// A Program runs a command line, and returns its exit code.
type Program func(args []string, stdin io.Reader, stdout, stderr io.Writer) int

// Shell is a folder that commands run in, and what the last one did.
type Shell struct {
	T              *testing.T
	Folder         string
	Stdout, Stderr string
	Notes          string // the warnings and notes, which are not in Stderr

	program Program
}

// New returns a shell with an empty folder, for a program.
func New(t *testing.T, program Program) *Shell {
	t.Helper()
	return &Shell{T: t, Folder: t.TempDir(), program: program}
}

// Path returns the path of a file in the folder.
func (s *Shell) Path(name string) string { return filepath.Join(s.Folder, name) }

// Run runs a command line and fails the test unless it exits with the code. In args and Stderr,
// "@name" is the path of a file in the folder.
func (s *Shell) Run(code int, stdin string, args ...string) {
	s.T.Helper()
	line := make([]string, len(args))
	for i, arg := range args {
		line[i] = arg
		if name, ok := strings.CutPrefix(arg, "@"); ok {
			line[i] = s.Path(name)
		}
	}
	var stdout, stderr bytes.Buffer
	got := s.program(line, strings.NewReader(stdin), &stdout, &stderr)
	s.Stdout, s.Stderr = stdout.String(),
		strings.ReplaceAll(stderr.String(), s.Folder+string(filepath.Separator), "@")
	s.Notes = ""
	complaint := ""
	for line := range strings.Lines(s.Stderr) {
		if _, message, _ := strings.Cut(line, ": "); strings.HasPrefix(message, "warning: ") ||
			strings.HasPrefix(message, "note: ") {
			s.Notes += line
		} else {
			complaint += line
		}
	}
	s.Stderr = complaint
	if got != code {
		s.T.Errorf("%v: exit code %d, want %d\nstdout: %s\nstderr: %s", args, got, code,
			s.Stdout, s.Stderr)
	}
	if (s.Stderr == "") != (code == command.ExitYes) {
		s.T.Errorf("%v: exit code %d and the message %q", args, code, s.Stderr)
	}
}

// Line runs a command line. In it "@" begins the path of a file in the folder, but for "@-"; "@@"
// is a "@" and such a path.
func (s *Shell) Line(code int, stdin, line string) {
	s.T.Helper()
	folder := s.Folder + string(filepath.Separator)
	s.Run(code, stdin,
		strings.Fields(strings.NewReplacer("@@", "@"+folder, "@-", "@-", "@",
			folder).Replace(line))...)
}

// Refuse runs command lines, each after the start that they share: each must exit with 2, say this
// in one line, and leave the folder as it was.
func (s *Shell) Refuse(stdin, start string, lines [][2]string) {
	s.T.Helper()
	before := s.Content()
	for _, line := range lines {
		s.Line(command.ExitBad, stdin, start+line[0])
		s.Complains(line[1])
		s.OneLine()
		if !maps.Equal(s.Content(), before) {
			s.T.Fatalf("%s%s: the folder has changed", start, line[0])
		}
	}
}

// Content returns the files of the folder: their modes, when they were written, and what is in
// them.
func (s *Shell) Content() map[string]string {
	s.T.Helper()
	content := map[string]string{}
	entries, err := os.ReadDir(s.Folder)
	if err != nil {
		s.T.Fatal(err)
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			s.T.Fatal(err)
		}
		text, _ := os.ReadFile(s.Path(entry.Name())) // a folder has none
		content[entry.Name()] = fmt.Sprint(info.Mode(), info.ModTime(), string(text))
	}
	return content
}

// Prints runs a command line, whose result has this, or where it fails, whose message.
func (s *Shell) Prints(code int, want string, args ...string) {
	s.T.Helper()
	s.Run(code, "", args...)
	if !strings.Contains(s.Stdout+s.Stderr, want) {
		s.T.Errorf("%q: want %q: %.2000s", args, want, s.Stdout+s.Stderr)
	}
	if code == command.ExitBad {
		s.Complains(want)
	}
}

// Says fails the test unless the last command printed exactly this.
func (s *Shell) Says(want string) {
	s.T.Helper()
	if s.Stdout != want {
		s.T.Errorf("stdout:\n%s\nwant:\n%s", s.Stdout, want)
	}
}

// Complains fails the test unless the last command printed no result, and a message with this.
func (s *Shell) Complains(want string) {
	s.T.Helper()
	if s.Stdout != "" || !strings.Contains(s.Stderr, want) {
		s.T.Errorf("stdout %q, stderr %q, want no result and %q", s.Stdout, s.Stderr, want)
	}
}

// OneLine fails the test unless the last command's message is one line.
func (s *Shell) OneLine() {
	s.T.Helper()
	if strings.Count(s.Stderr, "\n") != 1 {
		s.T.Errorf("stderr %q, want one line", s.Stderr)
	}
}

// Noted fails the test unless the last command warned of this, or noted it.
func (s *Shell) Noted(want string) {
	s.T.Helper()
	if !strings.Contains(s.Notes, want) {
		s.T.Errorf("notes %q, want %q", s.Notes, want)
	}
}

// JSON decodes the result of the last command, which must be one JSON object and nothing else.
func (s *Shell) JSON(result any) {
	s.T.Helper()
	decoder := json.NewDecoder(strings.NewReader(s.Stdout))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(result); err != nil {
		s.T.Errorf("%v in:\n%s", err, s.Stdout)
	}
	if decoder.More() || !strings.HasSuffix(s.Stdout, "}\n") {
		s.T.Errorf("more than one object, or no line end:\n%s", s.Stdout)
	}
}

// Write writes a file of the folder.
func (s *Shell) Write(name, content string) {
	s.T.Helper()
	if err := os.WriteFile(s.Path(name), []byte(content), 0o600); err != nil {
		s.T.Fatal(err)
	}
}

// Read returns a file of the folder.
func (s *Shell) Read(name string) string {
	s.T.Helper()
	content, err := os.ReadFile(s.Path(name))
	if err != nil {
		s.T.Error(err)
	}
	return string(content)
}

// Files fails the test unless the folder holds exactly these.
func (s *Shell) Files(want ...string) {
	s.T.Helper()
	if got := slices.Sorted(maps.Keys(s.Content())); !slices.Equal(got, want) {
		s.T.Errorf("the folder holds %v, want %v", got, want)
	}
}

// FixedKey is a key file that makes filters the same every time.
const FixedKey = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n"

// Variable makes this test binary the command, for what only processes of their own show.
const Variable = "BLOOMLANE_TEST_COMMAND"

// Patience is how long a test waits for a process. Nothing takes so long on a busy machine.
const Patience = 5 * time.Minute

// Command returns a command line as a process of its own, and its stderr. The test ends it, and
// fails where it has waited for longer than [Patience].
func (s *Shell) Command(args ...string) (*exec.Cmd, *bytes.Buffer) {
	s.T.Helper()
	for i, arg := range args {
		if name, ok := strings.CutPrefix(arg, "@"); ok {
			args[i] = s.Path(name)
		}
	}
	c := Process(s.T, os.Args[0], args...)
	c.Env = append(os.Environ(), Variable+"=1")
	stderr := &bytes.Buffer{}
	c.Stderr = stderr
	return c, stderr
}

// Process returns a process that the test ends, and that fails it after [Patience].
func Process(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	limit, cancel := context.WithTimeout(context.Background(), Patience)
	c := exec.CommandContext(limit, name, args...)
	c.Cancel = func() error {
		if errors.Is(limit.Err(), context.DeadlineExceeded) {
			t.Errorf("after %v this has not ended: %q", Patience, c.Args)
		}
		return c.Process.Kill()
	}
	t.Cleanup(func() {
		if c.Process != nil {
			_ = c.Process.Kill()
		}
		cancel()
	})
	return c
}

// NeedsKernel fails the test unless each command line says that this CPU cannot run what the
// environment names, and nothing else.
func (s *Shell) NeedsKernel(program string, lines ...string) {
	s.T.Helper()
	err := &kernel.UnavailableError{Name: "avx3", Available: kernel.Implementations()}
	for _, line := range lines {
		c, stderr := s.Command(strings.Fields(line)...)
		c.Env = append(c.Env, kernel.Variable+"=avx3")
		stdout, _ := c.Output() // the exit code says more
		if code := c.ProcessState.ExitCode(); code != command.ExitBad || len(stdout) > 0 ||
			stderr.String() != program+": "+err.Error()+"\n" {
			s.T.Errorf("%q: exit code %d; stdout %q; stderr %q, want %v", line, code, stdout,
				stderr, err)
		}
	}
}

// Beside runs a command line whose report goes to stderr, beside a file on stdout, and returns the
// report.
func (s *Shell) Beside(stdin, line string) string {
	s.T.Helper()
	var stdout, stderr strings.Builder
	line = strings.ReplaceAll(line, "@", s.Folder+string(filepath.Separator))
	if code := s.program(strings.Fields(line), strings.NewReader(stdin), &stdout,
		&stderr); code != command.ExitYes {
		s.T.Errorf("%s: exit code %d: %s", line, code, &stderr)
	}
	s.Stdout = stdout.String()
	return stderr.String()
}

// Reported runs a command line with --json, and decodes its report.
func Reported[T any](s *Shell, code int, stdin, line string) *T {
	s.T.Helper()
	s.Line(code, stdin, line+" --json")
	var report T
	s.JSON(&report)
	return &report
}

// commandBlocks are the commands of a page, and what it says that they print.
var commandBlocks = regexp.MustCompile("(?s)```sh\n(.*?)```\n(?:\n```\n(.*?)```\n)?")

// Page runs the commands of a page, one block after another in the folder: they must print what it
// says. The program of the test binary has a name there.
func (s *Shell) Page(path, name string) {
	s.T.Helper()
	binary, err := os.Executable()
	if err == nil {
		err = os.Symlink(binary, s.Path(name))
	}
	if err != nil {
		s.T.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		s.T.Fatal(err)
	}
	blocks := commandBlocks.FindAllStringSubmatch(string(text), -1)
	if n := strings.Count(string(text), "```sh\n"); n != len(blocks) || n < 2 {
		s.T.Fatalf("%d blocks of %d", len(blocks), n)
	}
	for _, block := range blocks {
		c := Process(s.T, "sh", "-c", block[1])
		c.Dir = s.Folder
		c.Env = append(os.Environ(), Variable+"=1",
			fmt.Sprintf("PATH=%s:%s", s.Folder, os.Getenv("PATH")))
		if out, err := c.CombinedOutput(); string(out) != block[2] {
			s.T.Errorf("%s\nprints (%v)\n%s\nand the page says\n%s", block[1], err, out, block[2])
		}
	}
}
