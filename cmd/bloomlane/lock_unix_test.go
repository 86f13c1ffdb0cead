//go:build unix

package main

import (
	"os"
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
