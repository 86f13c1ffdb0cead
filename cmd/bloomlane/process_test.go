//go:build unix

package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/bloomlane/bloomlane/report/command/commandtest"
)

// patient has a command wait for its lock on a machine of any speed.
var patient = " --lock-timeout " + commandtest.Patience.String()

// atOnce runs command lines as processes at once, and fails the test unless all exit with 0.
func (s *shell) atOnce(lines ...string) {
	s.T.Helper()
	var wait sync.WaitGroup
	for _, line := range lines {
		c, stderr := s.start(line + patient)
		wait.Go(func() {
			if err := c.Wait(); err != nil {
				s.T.Errorf("%s: %v: %s", line, err, stderr)
			}
		})
	}
	wait.Wait()
}

// start starts a command line as a process.
func (s *shell) start(line string) (*exec.Cmd, *bytes.Buffer) {
	s.T.Helper()
	c, stderr := s.Command(strings.Fields(line)...)
	if err := c.Start(); err != nil {
		s.T.Fatal(err)
	}
	return c, stderr
}

// killed starts a command line as a process, and kills it at some moment.
func (s *shell) killed(line string, within time.Duration) {
	s.T.Helper()
	c, _ := s.start(line)
	time.Sleep(rand.N(within))
	_ = c.Process.Kill()
	_ = c.Wait()
}

// exits fails the test unless a process that ran has this exit code.
func exits(t *testing.T, c *exec.Cmd, err error, code int, stderr *bytes.Buffer, wants string) {
	t.Helper()
	if c.ProcessState.ExitCode() != code || !strings.Contains(stderr.String(), wants) {
		t.Errorf("%v: %v, want exit code %d; stderr %q, want %q", c.Args[1:], err, code,
			stderr, wants)
	}
}

// Commands that change one file at once, also through other names of it, lose nothing: after any
// order of them the file is the one that they make one after another, or where that depends on the
// order has the members.
func TestChangesAtOnce(t *testing.T) {
	s := newShell(t)
	s.Write("k", commandtest.FixedKey)
	for i, name := range []string{"f", "one", "two", "three"} { // of one size
		s.Line(exitYes, numbers(1000*i, 1000*i+100), "build -o @"+name+" --members 100000 --key @k")
	}
	for i := range 3 {
		s.Write(fmt.Sprint("gone", i), numbers(20*i, 20*i+20))
		s.Write(fmt.Sprint("new", i), numbers(100+50*i, 150+50*i))
	}
	if err := errors.Join(os.Symlink("f", s.Path("link")),
		os.Symlink(s.Folder, s.Path("same"))); err != nil {
		t.Fatal(err)
	}
	files := slices.Sorted(maps.Keys(s.Content()))
	start := s.Read("f")
	merges := []string{
		"merge -o @f @f @one --key @k", "merge -o @same/f @f @two --key @k",
		"merge -o @link @f @three --key @k",
	}
	deletes := []string{
		"delete @f --key @k --keys @gone0", "delete @link --key @k --keys @gone1",
		"delete @same/link --key @k --keys @gone2",
	}
	adds := []string{
		"add @f --key @k --keys @new0", "add @same/f --key @k --keys @new1",
		"add @link --key @k --keys @new2",
	}
	for _, test := range []struct {
		lines   []string
		same    bool // in any order
		members int
		present string
	}{
		{merges, true, 400, numbers(0, 100) + numbers(1000, 1100) + numbers(2000, 2100) +
			numbers(3000, 3100)},
		{deletes, true, 40, numbers(60, 100)},
		{adds, true, 250, numbers(0, 250)},
		{append(adds, deletes...), false, 190, numbers(60, 250)},
		{append(deletes, merges[0]), false, 140, numbers(60, 100) + numbers(1000, 1100)},
	} {
		s.Write("f", start)
		for _, line := range test.lines {
			s.Line(exitYes, "", line)
		}
		want := s.Read("f")
		for range 4 {
			s.Write("f", start)
			s.atOnce(test.lines...)
			if test.same && s.Read("f") != want {
				t.Errorf("%s: a change was lost", test.lines)
			}
			s.Line(exitYes, test.present, "query @f --key @k")
			if info := s.info("@f"); info.Members != test.members {
				t.Errorf("%s: %d members, want %d", test.lines, info.Members, test.members)
			}
		}
	}
	s.Files(files...)
}

// Builds at once that find no key file end with one key, which opens each filter.
func TestBuildsAtOnce(t *testing.T) {
	s := newShell(t)
	s.Write("keys", numbers(0, 100))
	for range 4 {
		s.atOnce("build @keys -o @a --key @k --replace", "build @keys -o @b --key @k --replace",
			"build @keys -o @c --key @k --replace")
		if s.Read("a") != s.Read("b") || s.Read("b") != s.Read("c") {
			t.Error("the filters have different keys")
		}
		s.Line(exitYes, numbers(0, 100), "query @a --key @k")
		s.Files("a", "b", "c", "k", "keys")
		if err := os.Remove(s.Path("k")); err != nil {
			t.Fatal(err)
		}
	}
}

// plenty returns a shell with the filter f of many keys, all of them in the file gone: the answers
// to their delete are more than a pipe holds.
func plenty(t *testing.T) *shell {
	s := newShell(t)
	s.Write("f.key", commandtest.FixedKey)
	s.Write("gone", numbers(0, 50_000))
	s.Run(exitYes, "", "build", "@gone", "-o", "@f")
	return s
}

// Where the answers cannot be written the file stays, also where few answers fit in a buffer, and
// the command can be repeated: on a device that is full, and in a pipe whose reader is gone, which
// is no silent end by SIGPIPE.
func TestResultsToNobody(t *testing.T) {
	s := plenty(t)
	content := s.Read("f")
	for _, line := range []string{
		"delete @f 1 2", "delete @f --keys @gone", "delete @f 1 2 --json", "merge -o @f @f @g",
		"build @gone -o @f --replace",
		"build @gone -o @new", "add @f 1 x", "add @f --keys @gone", "rebuild @f --keys @gone",
		"build @gone -o - --key @f.key", "merge -o - @f @g",
	} {
		try := func(stdout *os.File, wants string) {
			s.Write("g", content)
			c, stderr := s.Command(strings.Fields(line)...)
			c.Stdout = stdout
			exits(t, c, c.Run(), exitBad, stderr, wants)
			if s.Read("f") != content {
				t.Errorf("%s: the file changed", line)
			}
			s.Files("f", "f.key", "g", "gone")
		}
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		_ = read.Close()
		try(write, "broken pipe")
		_ = write.Close()
		// not on every system
		if full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0); err == nil {
			try(full, "no space left on device")
			_ = full.Close()
		}
	}
	s.Run(exitYes, "", "delete", "@f", "--keys", "@gone")
}

// halfway starts a delete of all of plenty, which stops before it has printed all: the pipe is
// full. It returns what it has printed, and its pipe.
func halfway(
	t *testing.T,
	s *shell,
) (c *exec.Cmd, stderr *bytes.Buffer, answers *bufio.Reader, stdout io.Closer) {
	t.Helper()
	c, stderr = s.Command("delete", "@f", "--keys", "@gone")
	pipe, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	answers = bufio.NewReader(pipe)
	if _, err := answers.Peek(1); err != nil {
		t.Fatal(err)
	}
	return c, stderr, answers, pipe
}

// A reader that goes away half way, such as head -1, is an error too.
func TestDeleteToAReaderThatCloses(t *testing.T) {
	s := plenty(t)
	content := s.Read("f")
	c, stderr, answers, stdout := halfway(t, s)
	if line, err := answers.ReadString('\n'); line != "deleted\t0\n" {
		t.Errorf("first line %q (%v)", line, err)
	}
	_ = stdout.Close()
	exits(t, c, c.Wait(), exitBad, stderr, "f is not replaced: write /dev/stdout: broken pipe")
	if s.Read("f") != content {
		t.Error("the file changed")
	}
	s.Files("f", "f.key", "gone")
}

// Who cuts a filter's file changes no answer of a query that waits for keys.
func TestQueryOfAFileThatIsCut(t *testing.T) {
	s := plenty(t)
	c, stderr := s.Command("query", "@f")
	keys, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	pipe, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewReader(pipe)
	_, err = io.WriteString(keys, "0\n")
	if line, _ := answers.ReadString('\n'); err != nil || line != "present\t0\n" {
		t.Fatalf("the first answer is %q (%v)", line, err)
	}
	if err := os.Truncate(s.Path("f"), 128); err != nil {
		t.Fatal(err)
	}
	go func() {
		_, _ = io.WriteString(keys, s.Read("gone"))
		_ = keys.Close()
	}()
	rest, err := io.ReadAll(answers)
	if absent := bytes.Count(rest, []byte("absent")); err != nil || absent > 0 {
		t.Errorf("%d members are absent (%v)", absent, err)
	}
	exits(t, c, c.Wait(), exitYes, stderr, "")
}

// A command that cannot get the lock says so; who only reads does not wait.
func TestLockTimeout(t *testing.T) {
	s := plenty(t)
	content := s.Read("f")
	s.Run(exitYes, "1\n", "build", "-o", "@g", "--members", "50000", "--key", "@f.key")
	c, _, answers, _ := halfway(t, s)
	if err := os.Symlink("f", s.Path("link")); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"delete @f 1 --lock-timeout 0s", "delete @f 1 --lock-timeout 50ms",
		"delete @link 1 --key @f.key --lock-timeout 0",
		"merge -o @f @f @g --key @f.key --lock-timeout 0", "build @gone -o @f --lock-timeout 20ms",
		"add @f 1 --lock-timeout 0", "rebuild @f 1 --lock-timeout 0",
	} {
		start := time.Now()
		s.Run(exitBad, "", strings.Fields(line)...)
		s.Complains("another command is replacing @")
		s.Complains("found @f.lock locked after ")
		if line[0] == 'd' && strings.Contains(line, "50ms") &&
			time.Since(start) < 50*time.Millisecond {
			t.Errorf("%s: it did not wait", line)
		}
	}
	if s.Read("f") != content {
		t.Error("the file changed before the answers were read")
	}
	s.Run(exitYes, "", "query", "@f", "1")
	s.Run(exitYes, "", "info", "@f")

	// Who waits long enough is served.
	second, stderr := s.start("delete @f 1" + patient)
	time.Sleep(20 * time.Millisecond)
	if _, err := io.Copy(io.Discard, answers); err != nil {
		t.Error(err)
	}
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
	exits(t, second, second.Wait(), exitNo, stderr, "1 of 1 key is absent")
	if info := s.info("@f"); info.Members != 0 {
		t.Errorf("%d members are left", info.Members)
	}
	s.Files("f", "f.key", "g", "gone", "link")
}

// A command that is killed before it replaces the file leaves it, and the next one takes the lock
// and removes what is left.
func TestKilledBeforeTheReplacement(t *testing.T) {
	s := plenty(t)
	content := s.Read("f")
	c, _, _, _ := halfway(t, s)
	_ = c.Process.Kill()
	_ = c.Wait()
	if left, _ := filepath.Glob(s.Path("f.*.tmp")); len(left) != 1 || s.Read("f") != content {
		t.Errorf("the killed command leaves %v, want one file, and f as it was", left)
	}
	s.Run(exitYes, "", "delete", "@f", "1", "--lock-timeout", "0")
	s.Run(exitNo, "", "query", "@f", "1", "2")
	s.Files("f", "f.key", "gone")
}

// At whatever moment a command is killed, the file is the old one or the new one, a key file whole
// or not there, and the next command cleans up.
func TestKilledAtAnyMoment(t *testing.T) {
	s := newShell(t)
	s.Write("keys", numbers(0, 1000))
	s.Run(exitYes, "", "build", "@keys", "-o", "@one", "--members", "500000", "--key", "@k")
	s.Run(exitYes, "a\n", "build", "-o", "@two", "--members", "500000", "--key", "@k")
	s.Write("old", s.Read("one"))
	s.Run(exitYes, "", "merge", "-o", "@both", "@one", "@two", "--key", "@k")
	old, merged, key := s.Read("one"), s.Read("both"), s.Read("k")
	start := time.Now()
	s.atOnce("merge -o @one @one @two --key @k")
	took := time.Since(start)
	for range 20 {
		s.Write("one", old)
		_ = os.Remove(s.Path("out"))
		for _, line := range []string{"merge -o @one @one @two --key @k",
			"merge -o @out @old @two --key @k"} {
			s.killed(line, took)
		}
		if got := s.Read("one"); got != old && got != merged {
			t.Error("the file is neither the old one nor the new one")
		}
		if got, err := os.ReadFile(s.Path("out")); err == nil && string(got) != merged {
			t.Error("a new file was left that is not whole")
		}
	}
	s.Run(exitYes, "", "merge", "-o", "@one", "@one", "@two", "--key", "@k", "--lock-timeout", "0")
	s.Line(exitYes, "", "merge -o @out @old @two --lock-timeout 0 --key @k --replace")

	for range 10 { // of a build that makes its key
		s.killed("build @keys -o @new", took)
		if text, err := os.ReadFile(s.Path("new.key")); err == nil && len(text) != len(key) {
			t.Errorf("the key file holds %d bytes", len(text))
		}
	}
	s.Run(exitYes, "", "build", "@keys", "-o", "@new", "--lock-timeout", "0", "--replace")
	s.Run(exitYes, numbers(0, 1000), "query", "@new")
	s.Files("both", "k", "keys", "new", "new.key", "old", "one", "out", "two")
}

// A build that waits for the lock of a key file gets the key of who held it, or says what it waits
// for.
func TestBuildWaitsForTheKey(t *testing.T) {
	s := newShell(t)
	c, stderr := s.Command("build", "-o", "@a", "--key", "@k")
	keys, err := c.StdinPipe() // it reads keys until this ends
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	for begin := time.Now(); ; time.Sleep(time.Millisecond) {
		if time.Since(begin) > commandtest.Patience {
			t.Fatalf("a build that reads keys does not lock its key file: %s", stderr)
		}
		lock, err := lockFile(s.Path("k"), locking{})
		if held := (*LockError)(nil); errors.As(err, &held) {
			break
		}
		lock.release()
	}
	s.Run(exitBad, "apple\n", "build", "-o", "@b", "--key", "@k", "--lock-timeout", "20ms")
	s.Complains("hash key: another command is replacing @k: found @k.lock locked after 20ms")
	// What a delete did to the old filter would be lost with it.
	s.Run(exitBad, "", "delete", "@a", "apple", "--key", "@k", "--lock-timeout", "0")
	s.Complains("another command is replacing @a: found @a.lock locked after 0s")
	_ = keys.Close()
	exits(t, c, c.Wait(), exitYes, stderr, "")
	s.Run(exitYes, "apple\n", "build", "-o", "@b", "--key", "@k", "--lock-timeout", "20ms")
	s.Run(exitYes, "apple\n", "query", "@b", "--key", "@k")
	s.Files("a", "b", "k")
}

// mode returns the mode of a file.
func mode(t *testing.T, path string) os.FileMode {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode()
}

// Files of every kind that the documentation speaks of.
func TestKindsOfFiles(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	s := fruit(t)
	lock, err := lockFile(s.Path("f"), locking{})
	if err != nil {
		t.Fatal(err)
	}
	if m := mode(t, s.Path("f.lock")); m != 0o644 { // so that another user can wait for it
		t.Errorf("the lock file has mode %v, want 0644", m)
	}
	lock.release()
	s.Write("g.key", commandtest.FixedKey)
	s.Run(exitYes, "fig\n", "build", "-o", "@g", "--members", "3")
	if err := errors.Join(os.Symlink("new", s.Path("link")),
		os.Symlink("newkey", s.Path("keylink")), os.Link(s.Path("f"), s.Path("second")),
		os.Symlink("loop", s.Path("loop"))); err != nil {
		t.Fatal(err)
	}
	before := s.Read("f")
	s.Run(exitYes, "apple\n", "build", "-o", "@link", "--key", "@keylink")
	s.Run(exitYes, "", "query", "@new", "apple", "--key", "@newkey")
	if m := mode(t, s.Path("newkey")); m != 0o600 {
		t.Errorf("the key file has mode %v, want 0600", m)
	}
	s.Run(exitYes, "", "delete", "@f", "apple")
	if s.Read("second") != before || s.Read("f") == before {
		t.Error("the second name of a file has not kept the old content")
	}
	s.Run(exitBad, "apple\n", "build", "-o", "@loop")
	s.Complains("too many levels of symbolic links")

	if err := errors.Join(os.Chmod(s.Path("f"), 0o444), os.Chmod(s.Path("second"), 0o640)); err !=
		nil {
		t.Fatal(err)
	}
	before = s.Read("f")
	for _, line := range []string{"delete @f pear", "merge -o @f @f @g", "build -o @f --replace",
		"add @f fig", "rebuild @f apple"} {
		s.Run(exitBad, "apple\n", strings.Fields(line)...)
		s.Complains("replace @f: permission denied")
	}
	if s.Read("f") != before {
		t.Error("a read-only file was replaced")
	}
	s.Run(exitYes, "", "delete", "@second", "pear", "--key", "@f.key")
	if m := mode(t, s.Path("second")); m != 0o640 {
		t.Errorf("the file has mode %v after its replacement, want 0640", m)
	}
	s.Files("f", "f.key", "g", "g.key", "keylink", "link", "loop", "new", "newkey", "second")
}

// A creator of a key file that was killed after the key had its name leaves it a second one, and a
// lock file.
func TestWhatIsLeftBesideAKeyIsRemoved(t *testing.T) {
	s := fruit(t)
	if err := os.Link(s.Path("f.key"), s.Path("f.key.0123abcd.tmp")); err != nil {
		t.Fatal(err)
	}
	s.Write("f.key.lock", "")
	s.Run(exitYes, "fig\n", "build", "-o", "@f", "--replace")
	s.Files("f", "f.key")
	s.Write("f.key.lock", "somebody's")
	s.Run(exitYes, "fig\n", "build", "-o", "@f", "--replace")
	s.Files("f", "f.key", "f.key.lock")
}
