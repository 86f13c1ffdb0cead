package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/internal/atomicfile"
	"github.com/bloomlane/bloomlane/report/command"
)

// keySuffix is what the name of a filter's key file ends in, after the name of the filter.
const keySuffix = ".key"

const keyFlagUsage = "file of the hash key (default the filter's name and " +
	keySuffix + ")"

// keyFile returns the name of the key file of a filter, where flag is what --key said.
func keyFile(flag, filter string) string {
	if flag != "" {
		return flag
	}
	return filter + keySuffix
}

// readOrNewKey reads a key file. Where there is none it takes the file's lock and returns a new key
// of the algorithm: of two builds that find no key file the second waits, and gets the key of the
// first. Who gets a lock releases it when the key file is there, or will not be.
func readOrNewKey(
	cmd *cobra.Command,
	path string,
	algorithm key.Algorithm,
	how locking,
) (key.Key, *fileLock, error) {
	if path == command.Standard {
		k, err := command.ReadKey(cmd, path)
		return k, nil, err
	}
	k, err := command.ReadKey(cmd, path)
	if !errors.Is(err, fs.ErrNotExist) {
		return k, nil, err
	}
	lock, err := lockFile(path, how)
	if err != nil {
		return key.Key{}, nil, fmt.Errorf("hash key: %w", err)
	}
	if k, err = key.ReadFile(path); errors.Is(err, fs.ErrNotExist) {
		return algorithm.New(), lock, nil
	}
	lock.release()
	return k, nil, err
}

// hasKey reports whether a key file is there, which must then hold this key.
func hasKey(path string, k key.Key) (bool, error) {
	err := key.CheckFile(path, k)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil {
		tidyKey(path)
	}
	return true, err
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
	if lock, err := lockFile(target, locking{}); err == nil {
		lock.release()
	}
}
