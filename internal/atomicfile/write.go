// Package atomicfile replaces files whole: a reader sees the old content or the new one, never a
// part, and so does whoever looks after a crash.
package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// ErrNotRegular is wrapped by Write's error where the path names something that a rename must not
// replace: a folder, a device, a pipe.
var ErrNotRegular = errors.New("not a regular file")

// Write makes the bytes that write sends to its writer the content of the file path. They go to a
// new file in the same folder, which is synced to disk and then renamed to path; where anything
// fails, that file is removed and path is as it was before.
//
// A file that is new gets the permission bits perm, less the umask; one that is replaced keeps its
// own. A symbolic link stays, and the file that it leads to is replaced. The writer is not buffered.
func Write(path string, perm fs.FileMode, write func(io.Writer) error) (err error) {
	path, old, err := target(path)
	if err != nil {
		return err
	}
	if old != nil {
		perm = old.Mode().Perm()
	}
	file, err := create(path, perm)
	if err != nil {
		return err
	}
	placed := false
	defer func() {
		if !placed { // also where write panics
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	if err := fill(file, old, write); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := os.Rename(file.Name(), path); err != nil {
		return err
	}
	placed = true
	if err := syncFolder(filepath.Dir(path)); err != nil {
		return fmt.Errorf("sync the folder of %s: %w", path, err)
	}
	return nil
}

// target returns the path that a rename shall replace, symbolic links followed, and what is there
// now: nil if nothing is.
func target(path string) (string, fs.FileInfo, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, nil, nil
	}
	if err != nil {
		return "", nil, err
	}
	if !info.Mode().IsRegular() {
		return "", nil, fmt.Errorf("replace %s: %w (%v)", path, ErrNotRegular, info.Mode().Type())
	}
	path, err = filepath.EvalSymlinks(path)
	return path, info, err
}

// create creates a file beside path, with a name that no file has. os.CreateTemp is no help here:
// it gives every file the mode 0600.
func create(path string, perm fs.FileMode) (*os.File, error) {
	const attempts = 100
	for attempt := 1; ; attempt++ {
		name := fmt.Sprintf("%s.%08x.tmp", path, rand.Uint32())
		file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
		if attempt < attempts && errors.Is(err, fs.ErrExist) {
			continue
		}
		return file, err
	}
}

// fill writes the content of file, syncs it to disk and closes it.
func fill(file *os.File, old fs.FileInfo, write func(io.Writer) error) error {
	err := write(file)
	if err == nil && old != nil {
		err = file.Chmod(old.Mode().Perm()) // what the umask took
	}
	if err == nil {
		err = file.Sync()
	}
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	return err
}
