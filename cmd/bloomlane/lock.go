package main

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"
	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/internal/atomicfile"
)

// lockSuffix is what the name of a lock file ends in, after the name of the file that it is for.
const lockSuffix = ".lock"

// lockPermissions let others read a lock file, and so lock it.
const lockPermissions = 0o644

// lockPoll is the time between two looks at a lock that another command holds.
const lockPoll = 10 * time.Millisecond

// tryLock takes a lock without waiting. Tests replace it.
var tryLock = (*flock.Flock).TryLock

// LockError says that another command holds the lock of a file.
type LockError struct {
	File   string // that the lock is for
	Lock   string // the lock file
	Waited time.Duration
}

func (e *LockError) Error() string {
	const text = "another command is replacing %s: found %s locked after %v, expected it free " +
		"(--lock-timeout waits longer)"
	return fmt.Sprintf(text, e.File, e.Lock, e.Waited)
}

// replaceHelp returns what the help of a command says of the file that it replaces, which has this
// name there.
func replaceHelp(name string) string {
	const text = `FILE is replaced when the new file is complete and the result is printed. After a failure it is as
before. Commands that change it wait for each other, by the lock FILE.lock.`
	return strings.ReplaceAll(text, "FILE", name)
}

// locking is how a command takes a lock.
type locking struct {
	wait    time.Duration
	without bool // goes on where the file system has none
}

// register adds the flags of commands that take a lock.
func (l *locking) register(cmd *cobra.Command) {
	cmd.Flags().DurationVar(&l.wait, "lock-timeout", 10*time.Second,
		"how long to wait for another command; 0s: not at all")
	cmd.Flags().BoolVar(&l.without, "no-lock", false,
		"go on without the lock where the file system has none")
}

// fileLock is the lock of a file that is to be replaced. It is a lock on a file beside it: one on
// the file itself would stay with the old file when the new one is renamed to its name.
type fileLock struct {
	target string       // the file, symbolic links followed: all names of it have one lock
	name   string       // of the lock file
	lock   *flock.Flock // nil where the file system has none
}

// lockFile takes the lock of a file, which need not exist. It refuses a file that cannot be
// replaced.
func lockFile(path string, how locking) (*fileLock, error) {
	if how.wait < 0 {
		return nil, fmt.Errorf("--lock-timeout is %v, expected at least 0s", how.wait)
	}
	target, err := atomicfile.Target(path)
	if err != nil {
		return nil, err
	}
	name := target + lockSuffix
	// A link leads to a file that is somebody's, and to open a pipe would wait.
	if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("lock %s: %s is no file but %v", target, name, info.Mode().Type())
	}
	for start := time.Now(); ; time.Sleep(lockPoll) {
		lock := newLock(name)
		locked, err := tryLock(lock)
		if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOLCK) {
			removeEmpty(name)
			if how.without {
				return &fileLock{target: target}, nil
			}
			err = fmt.Errorf("%w: the file system has no locks (--no-lock goes on without)", err)
		}
		if err != nil {
			return nil, fmt.Errorf("lock %s: %w", target, err)
		}
		if locked {
			l := &fileLock{target, name, lock}
			if l.leads() {
				return l, nil
			}
			_ = lock.Unlock() // of a file that its last holder has removed meanwhile
		}
		if time.Since(start) >= how.wait {
			return nil, &LockError{path, name, how.wait}
		}
	}
}

// leads reports whether the name of the lock file leads to the file that is locked. Only who holds
// the lock removes the name, so it stays so while the lock is held.
func (l *fileLock) leads() bool {
	locked, err := l.lock.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(l.name)
	return err == nil && os.SameFile(locked, named)
}

// release removes the lock file and gives the lock back. It is called once. A nil lock was never
// taken.
func (l *fileLock) release() {
	if l == nil || l.lock == nil {
		return
	}
	removeEmpty(l.name)
	_ = l.lock.Unlock() // where it fails, the end of the process gives the lock back
}

// removeEmpty removes a lock file. One is empty: a file with content was there before, and stays.
// Windows removes no open file, so that a lock file stays there.
func removeEmpty(name string) {
	if info, err := os.Lstat(name); err == nil && info.Size() == 0 {
		_ = os.Remove(name)
	}
}

// catchBrokenPipe makes a write to a pipe without a reader an error, like any write that fails.
// Without it the process ends by SIGPIPE, without a message, if the pipe is stdout or stderr.
func catchBrokenPipe() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
}
