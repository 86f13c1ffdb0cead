//go:build unix

package main

import (
	"os"
	"syscall"
	"testing"

	"github.com/gofrs/flock"
)

// A lock file that is a symbolic link is refused: to open it would create or lock what it leads to.
func TestLockFollowsNoLink(t *testing.T) {
	s := fruit(t)
	s.Write("there", "")
	for _, link := range []string{"missing", "there", "f.lock", "f"} {
		if err := os.Symlink(link, s.Path("f.lock")); err != nil {
			t.Fatal(err)
		}
		s.Refuse("x\n", "", [][2]string{
			{"add @f plum", "lock @f: @f.lock is no file but L"},
			{"build -o @f --key @f.key --force", "lock @f: @f.lock is no file but L"},
		})
		if l := (&fileLock{name: s.Path("f.lock"), lock: flock.New(s.Path("there"))}); l.leads() {
			t.Error("a link leads to the lock")
		}
		// A link that was made since the name was looked at.
		if locked, err := newLock(s.Path("f.lock")).TryLock(); locked || err == nil {
			t.Errorf("a link to %s is locked (%v)", link, err)
		}
		_ = os.Remove(s.Path("f.lock"))
	}
	s.Files("f", "f.key", "there")
}

// On a file system without locks a command says which flag goes on, leaves no lock file, and goes
// on with that flag: a new key file needs a lock too.
func TestFileSystemWithoutLocks(t *testing.T) {
	s := fruit(t)
	s.Write("list", "apple\n")
	defer func() { tryLock = (*flock.Flock).TryLock }()
	for _, err := range []error{syscall.ENOLCK, syscall.EOPNOTSUPP, syscall.ENOSYS} {
		tryLock = func(l *flock.Flock) (bool, error) {
			if err := os.WriteFile(l.Path(), nil, 0o600); err != nil { // as TryLock does
				t.Error(err)
			}
			return false, err
		}
		const says = ": the file system has no locks (--no-lock goes on without)"
		s.Refuse("", "", [][2]string{
			{"add @f fig", "lock @f: " + err.Error() + says},
			{"delete @f apple", says}, {"rebuild @f --keys @list", says},
			{"build @list -o @g", "lock @g: " + err.Error() + says}, {"merge -o @g @f @f", says},
		})
		s.Line(exitYes, "", "add @f fig --no-lock")
		s.Line(exitYes, "", "build @list -o @g --no-lock")
		s.Line(exitYes, "", "delete @f fig --no-lock")
		s.Files("f", "f.key", "g", "g.key", "list")
		_, _ = os.Remove(s.Path("g")), os.Remove(s.Path("g.key"))
	}
	tryLock = func(*flock.Flock) (bool, error) { return false, syscall.EIO }
	s.Refuse("", "add @f fig --no-lock", [][2]string{{"", "lock @f: input/output error"}})
}
