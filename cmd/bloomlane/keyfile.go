package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"

	filterfile "github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/internal/atomicfile"
	"github.com/bloomlane/bloomlane/report/command"
)

// keySuffix is what the name of a filter's key file ends in, after the name of the filter.
const keySuffix = ".key"

const keyFlagUsage = "file of the hash key, 64 hex digits (default the filter's name and " +
	keySuffix + ")"

// keyFile returns the name of the key file of a filter, where flag is what --key said.
func keyFile(flag, filter string) string {
	if flag != "" {
		return flag
	}
	return filter + keySuffix
}

// readOrNewKey reads a key file. Where there is none it takes the file's lock and returns a new
// key: of two builds that find no key file the second waits, and gets the key of the first. Who
// gets a lock releases it when the key file is there, or will not be.
func readOrNewKey(
	cmd *cobra.Command,
	path string,
	timeout time.Duration,
) (key.Key, *fileLock, error) {
	if path == command.Standard {
		k, err := command.ReadKey(cmd, path)
		return k, nil, err
	}
	k, err := command.ReadKey(cmd, path)
	if !errors.Is(err, fs.ErrNotExist) {
		return k, nil, err
	}
	lock, err := lockFile(path, timeout)
	if err != nil {
		return key.Key{}, nil, fmt.Errorf("hash key: %w", err)
	}
	if k, err = command.ReadKeyFile(path); errors.Is(err, fs.ErrNotExist) {
		return key.New(), lock, nil
	}
	lock.release()
	return k, nil, err
}

// stageKey stages a key file that only its owner can read. It returns nil where the file exists,
// which must then hold the same key.
func stageKey(path string, k key.Key) (*atomicfile.Staged, error) {
	err := checkKey(path, k)
	if !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			tidyKey(path)
		}
		return nil, err
	}
	staged, err := atomicfile.Stage(path, 0o600, func(w io.Writer) error {
		_, err := io.WriteString(w, k.Hex()+"\n")
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("hash key: %w", err)
	}
	return staged, nil
}

// tidyKey removes what a creator that was killed may have left beside a key file: a second name of
// it, and the lock file, which has no use any more.
func tidyKey(path string) {
	atomicfile.Sweep(path)
	target, err := atomicfile.Target(path)
	if err != nil {
		return
	}
	if _, err := os.Lstat(target + lockSuffix); err != nil {
		return
	}
	if lock, err := lockFile(target, 0); err == nil {
		lock.release()
	}
}

// checkKey returns an error unless a key file holds this key.
func checkKey(path string, k key.Key) error {
	found, err := command.ReadKeyFile(path)
	if err == nil && !found.Equal(k) {
		err = fmt.Errorf("%s: %w: found fingerprint %016x, expected %016x",
			path, filterfile.ErrWrongKey, found.Fingerprint(), k.Fingerprint())
	}
	return err
}

// commitKey gives a new key file its name. One that is nil is there already.
func commitKey(newKey *atomicfile.Staged, path string, k key.Key) error {
	if newKey == nil {
		return nil
	}
	err := newKey.CommitNew()
	if errors.Is(err, fs.ErrExist) {
		err = checkKey(path, k) // another program made it without the lock
	}
	if err != nil {
		return fmt.Errorf("hash key: %w", err)
	}
	return nil
}
