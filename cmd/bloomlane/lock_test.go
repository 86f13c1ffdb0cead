package main

import (
	"errors"
	"io/fs"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bloomlane/bloomlane/internal/require"
	"github.com/bloomlane/bloomlane/report/command/commandtest"
)

func TestLock(t *testing.T) {
	s := newShell(t)
	path := s.Path("f")
	first, err := lockFile(path, locking{})
	if err != nil {
		t.Fatal(err)
	}
	s.Files("f.lock")
	_, err = lockFile(path, locking{wait: time.Millisecond})
	var held *LockError
	if !errors.As(err, &held) || *held != (LockError{path, path + lockSuffix, time.Millisecond}) {
		t.Errorf("of a lock that is held: %v", err)
	}
	first.release()
	(*fileLock)(nil).release()
	s.Files()
	second, err := lockFile(path, locking{})
	if err != nil {
		t.Fatal(err)
	}
	second.release()
	_, err = lockFile(path, locking{wait: -time.Second})
	if err == nil || err.Error() != "--lock-timeout is -1s, expected at least 0s" {
		t.Errorf("of a time that is negative: %v", err)
	}
	_, err = lockFile(s.Path("missing/f"), locking{wait: 10 * time.Hour})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in a folder that does not exist: %v", err)
	}
}

// A lock file that a killed command left is taken at once. What is not empty is no lock file of
// ours: it serves, and stays.
func TestLockOfWhatIsThere(t *testing.T) {
	s := newShell(t)
	for content, left := range map[string][]string{"": {}, "somebody's": {"f.lock"}} {
		s.Write("f.lock", content)
		for range 2 {
			lock, err := lockFile(s.Path("f"), locking{})
			if err != nil {
				t.Fatal(err)
			}
			lock.release()
		}
		s.Files(left...)
		_ = os.Remove(s.Path("f.lock"))
	}
}

// A lock on a file whose name is gone, or leads to another, is no lock: who holds it must not go
// on.
func TestLockLeads(t *testing.T) {
	s := newShell(t)
	lock, err := lockFile(s.Path("f"), locking{})
	if err != nil {
		t.Fatal(err)
	}
	if !lock.leads() {
		t.Error("the name does not lead to the lock")
	}
	if err := os.Rename(s.Path("f.lock"), s.Path("old")); err != nil {
		require.Skip(t, "renames", "open files have no new names here: "+err.Error())
	}
	if lock.leads() {
		t.Error("there is no name, and it leads to the lock")
	}
	s.Write("f.lock", "")
	if lock.leads() {
		t.Error("the name leads to another file than the lock")
	}
	lock.release()
}

// Many holders one after another: a lock file that is removed is not locked by who had it open.
func TestLockIsExclusive(t *testing.T) {
	s := newShell(t)
	path := s.Path("f")
	const holders, rounds = 8, 40
	var counter atomic.Int64 // atomic for the race detector, which does not know the lock
	done := make(chan error)
	for range holders {
		go func() {
			for range rounds {
				lock, err := lockFile(path, locking{wait: commandtest.Patience})
				if err != nil {
					done <- err
					return
				}
				before := counter.Load()
				time.Sleep(time.Microsecond)
				counter.Store(before + 1)
				if !lock.leads() {
					t.Error("its name was removed while it was held")
				}
				lock.release()
			}
			done <- nil
		}()
	}
	for range holders {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if got := counter.Load(); got != holders*rounds {
		t.Errorf("counted to %d, want %d", got, holders*rounds)
	}
	s.Files()
}
