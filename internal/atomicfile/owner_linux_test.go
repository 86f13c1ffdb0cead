package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/bloomlane/bloomlane/internal/require"
)

// needsRoot skips a test that gives files to others.
func needsRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		require.Skip(t, "root", "only root gives files to others: run the test as root")
	}
}

// writeAs writes a file as another user, who may do nothing that is not given to him.
func writeAs(user, group int, path string, write func(io.Writer) error) error {
	result := make(chan error)
	go func() {
		runtime.LockOSThread() // it ends with the goroutine: its user is another
		_, err := unix.SetfsgidRetGid(group)
		if err == nil {
			_, err = unix.SetfsuidRetUid(user)
		}
		if err == nil {
			err = Write(path, 0o666, write)
		}
		result <- err
	}()
	return <-result
}

// owned fails the test unless a file has this owner, group and mode.
func owned(t *testing.T, path string, user, group uint32, mode os.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if stat := info.Sys().(*syscall.Stat_t); stat.Uid != user || stat.Gid != group ||
		info.Mode().Perm() != mode {
		t.Errorf("%s has owner %d, group %d and mode %v, want %d, %d and %v", path, stat.Uid,
			stat.Gid, info.Mode().Perm(), user, group, mode)
	}
}

// A file that root replaces stays its owner's, who could not open it otherwise. Its new content is
// nobody else's while it is written either.
func TestWriteKeepsTheOwner(t *testing.T) {
	needsRoot(t)
	for _, test := range []struct {
		user, group int
		mode        os.FileMode
	}{{4711, 4712, 0o600}, {4711, 0, 0o640}, {0, 4712, 0o660}, {0, 0, 0o644}} {
		path := filepath.Join(t.TempDir(), "f")
		if err := errors.Join(os.WriteFile(path, []byte("old"), 0o600),
			os.Chown(path, test.user, test.group), os.Chmod(path, test.mode)); err != nil {
			t.Fatal(err)
		}
		err := Write(path, 0o666, func(w io.Writer) error {
			names, _ := filepath.Glob(path + ".*")
			if len(names) != 1 {
				t.Fatalf("the temporary files are %v", names)
			}
			owned(t, names[0], uint32(test.user), uint32(test.group), test.mode)
			return content("new")(w)
		})
		if err != nil {
			t.Error(err)
		}
		owned(t, path, uint32(test.user), uint32(test.group), test.mode)
		holds(t, filepath.Dir(path), map[string]string{"f": "new"})
	}
}

// Who may write to another's file, and may not give files away, does not take it over: it stays.
func TestWriteRefusesAnothersFile(t *testing.T) {
	needsRoot(t)
	folder := t.TempDir()
	path := filepath.Join(folder, "f")
	if err := errors.Join(os.WriteFile(path, []byte("old"), 0o600), os.Chmod(path, 0o666),
		os.Chmod(folder, 0o777), os.Chmod(filepath.Dir(folder), 0o755)); err != nil {
		t.Fatal(err)
	}
	err := writeAs(4711, 4712, path, func(io.Writer) error {
		t.Error("content is written for a file that is refused")
		return nil
	})
	var owner *OwnerError
	if !errors.As(err, &owner) || owner.User != 0 || owner.Group != 0 ||
		!errors.Is(err, os.ErrPermission) {
		t.Errorf("error %v, want an *OwnerError of the user 0", err)
	}
	owned(t, path, 0, 0, 0o666)
	holds(t, folder, map[string]string{"f": "old"})
}
