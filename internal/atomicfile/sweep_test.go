//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package atomicfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/bloomlane/bloomlane/internal/require"
)

// writerVariable makes this test binary a writer of the file that it names, which stops half way.
const writerVariable = "ATOMICFILE_TEST_WRITER"

func TestMain(m *testing.M) {
	if path := os.Getenv(writerVariable); path != "" {
		_ = Write(path, 0o600, func(w io.Writer) error {
			err := content("half of the n")(w)
			fmt.Println("writing")
			_, _ = io.Copy(io.Discard, os.Stdin) // until it is killed, or its test ends
			return err
		})
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// startWriter starts a process that writes path, and returns when it is half way.
func startWriter(t *testing.T, path string) *exec.Cmd {
	t.Helper()
	writer := exec.Command(os.Args[0])
	writer.Env = append(os.Environ(), writerVariable+"="+path)
	_, noInput := writer.StdinPipe()
	stdout, err := writer.StdoutPipe()
	if err = errors.Join(noInput, err); err == nil {
		err = writer.Start()
	}
	if errors.Is(err, syscall.ENOEXEC) {
		require.Skip(t, "processes", "an emulated test binary cannot start itself: run it on its "+
			"own CPU")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = writer.Process.Kill() })
	if line, err := bufio.NewReader(stdout).ReadString('\n'); line != "writing\n" {
		t.Fatalf("the writer says %q (%v)", line, err)
	}
	return writer
}

func temporaries(t *testing.T, path string) []string {
	t.Helper()
	names, err := filepath.Glob(path + ".*.tmp")
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// The temporary file of a writer that is killed is removed by the next; that of one at work is not.
func TestSweepAfterAKill(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "f")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	killed, alive := startWriter(t, path), startWriter(t, path)
	if left := temporaries(t, path); len(left) != 2 {
		t.Fatalf("two writers at work have %v", left)
	}
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait()
	if left := temporaries(t, path); len(left) != 2 {
		t.Fatalf("after the kill there are %v, want one of a writer and one that is left", left)
	}
	if err := Write(path, 0o600, content("new")); err != nil {
		t.Error(err)
	}
	if left := temporaries(t, path); len(left) != 1 {
		t.Errorf("the next writer leaves %v, want that of the writer at work", left)
	}
	_ = alive.Process.Kill()
	_ = alive.Wait()
	link := filepath.Join(folder, "link")
	if err := os.Symlink("f", link); err != nil {
		t.Fatal(err)
	}
	Sweep(link)
	holds(t, folder, map[string]string{"f": "new", "link": "new"})
}

// Only what a writer of this file can have left is removed.
func TestSweepLeavesOtherFiles(t *testing.T) {
	t.Chdir(t.TempDir()) // paths without a folder, too
	others := map[string]string{}
	for _, name := range []string{
		"f.0123456.tmp", "f.012345678.tmp", "f.0123456g.tmp", "f.0123456A.tmp",
		"f.01234567.tmp2", "f.01234567",
		"f.01234567tmp", "g.01234567.tmp", "gf.01234567.tmp", "f.g.01234567.tmp", "f..01234567.tmp",
	} {
		others[name] = "other"
	}
	for name, text := range others {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir("f.00000001.tmp", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("g.01234567.tmp", "f.00000002.tmp"); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo("f.00000003.tmp", 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"f.89abcdef.tmp", "f.00000000.tmp"} {
		if err := os.WriteFile(name, []byte("left"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := Write("f", 0o600, content("new")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"f.00000001.tmp", "f.00000002.tmp", "f.00000003.tmp"} {
		if _, err := os.Lstat(name); err != nil {
			t.Errorf("what is no regular file was removed: %v", err)
		}
		_ = os.Remove(name)
	}
	others["f"] = "new"
	holds(t, ".", others)
}

// Writers and sweeps of one file at once do each other no harm: a new temporary file has a moment
// without a lock, and who loses it then takes another.
func TestWritersAtOnce(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "f")
	const writers, rounds = 4, 25
	var work, sweeps sync.WaitGroup
	for w := range writers {
		work.Go(func() {
			for range rounds {
				if err := Write(path, 0o600, content(strings.Repeat(fmt.Sprint(w), 100))); err !=
					nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	for range 2 {
		sweeps.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					Sweep(path)
				}
			}
		})
	}
	work.Wait()
	close(done)
	sweeps.Wait()
	got, err := os.ReadFile(path)
	if err != nil || len(got) != 100 || strings.Trim(string(got), string(got[:1])) != "" {
		t.Errorf("the file holds %q (%v), want what one of the writers wrote", got, err)
	}
	holds(t, folder, map[string]string{"f": string(got)})
}

// claim loses to a sweep that holds the lock, and to one that is already over.
func TestClaim(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	open := func() *os.File {
		file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = file.Close() })
		return file
	}
	mine, sweeper := open(), open()
	if err := lock(sweeper); err != nil {
		t.Fatal(err)
	}
	if claim(mine) {
		t.Error("claimed a file that a sweep has locked")
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	_ = sweeper.Close()
	if claim(mine) {
		t.Error("claimed a file that a sweep has removed")
	}
	other := open()
	if claim(mine) {
		t.Error("claimed a file whose name leads to another")
	}
	if !claim(other) {
		t.Error("did not get a file that nobody has locked")
	}
}
