package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key"
)

// keySuffix is what the name of a filter's key file ends in, after the name of the filter.
const keySuffix = ".key"

const keyFlagUsage = "file of the hash key, 64 hex digits (default the filter's name and " + keySuffix + ")"

// keyFile returns the name of the key file of a filter, where flag is what --key said.
func keyFile(flag, filter string) string {
	if flag != "" {
		return flag
	}
	return filter + keySuffix
}

// readKey reads a key file: 64 hex digits, with or without a line end.
func readKey(path string) (key.Key, error) {
	file, err := os.Open(path)
	if err != nil {
		return key.Key{}, fmt.Errorf("hash key: %w", err)
	}
	defer file.Close()
	const more = 100 // than any key file has, so that a file of another kind is not read whole
	text, err := io.ReadAll(io.LimitReader(file, more))
	if err != nil {
		return key.Key{}, fmt.Errorf("hash key: %w", err)
	}
	k, err := key.Parse(strings.TrimRight(string(text), "\r\n"))
	if err != nil {
		return key.Key{}, fmt.Errorf("%s: %w", path, err)
	}
	return k, nil
}

// createKey writes a key file that only its owner can read. It is an error if the file exists; and
// where it cannot be written whole, none is left.
func createKey(path string, key key.Key) (err error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("hash key: %w", err)
	}
	_, err = io.WriteString(file, key.Hex()+"\n")
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("hash key: %w", errors.Join(err, os.Remove(path)))
	}
	return nil
}

// saveWithKey saves a filter, and before it creates its key file unless that exists, which must
// then hold the same key. It reports whether it created the key file.
func saveWithKey(f *deletable.Filter, path, keyPath string) (created bool, err error) {
	key := f.Key()
	switch found, err := readKey(keyPath); {
	case errors.Is(err, fs.ErrNotExist):
		if err := createKey(keyPath, key); err != nil {
			return false, err
		}
		created = true
	case err != nil:
		return false, err
	case !found.Equal(key):
		return false, fmt.Errorf("%s: %w: found fingerprint %016x, expected %016x",
			keyPath, deletable.ErrWrongKey, found.Fingerprint(), key.Fingerprint())
	}
	if err := f.Save(path); err != nil {
		if created {
			err = errors.Join(err, os.Remove(keyPath))
		}
		return false, err
	}
	return created, nil
}

// openFilter opens a filter with the key file that --key names, or its own.
func openFilter(path, keyFlag string) (*deletable.Filter, error) {
	// A missing filter is the better thing to say than a missing key.
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	key, err := readKey(keyFile(keyFlag, path))
	if err != nil {
		return nil, err
	}
	return deletable.Open(path, key)
}
